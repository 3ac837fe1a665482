//! Checks the server configurations that `comity generate` writes in nginx, Apache and Caddy, if they are installed.
//! The header of a server must forbid indexing exactly where the robots.txt of the same choices forbids fetching.

#![cfg(unix)]

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use comity::{Crawler, Robots};
use comity_page::Page;

/// Choices that both a robots.txt and a header can express.
const CHOICES: [&[&str]; 4] = [
    &["--protect", "/cart/", "--protect", "Googlebot:/drafts/*.html$", "--preferences", "--block-ai-training"],
    &[
        "--protect",
        "/*.pdf$",
        "--protect",
        "/a?b=(c)+d&e",
        "--protect",
        "/caf%C3%A9/*/x",
        "--protect",
        "bingbot:/%7Bq",
        "--protect",
        "/%7Eyou/",
    ],
    &["--block", "CCBot", "--block", "AhrefsBot", "--protect", "/~me/;x=1,2", "--protect", "/a$b"],
    &["--block-all"],
];

/// Request targets, as sent.
const TARGETS: &[&str] = &[
    "/",
    "/cart",
    "/cart/",
    "/cart/a?b",
    "/Cart/",
    "/x/cart/",
    "/?/cart/",
    "/drafts/a.html",
    "/drafts/a.html?x",
    "/drafts/.html",
    "/drafts/a/b.html",
    "/a.pdf",
    "/a.pdf?x",
    "/?x=.pdf",
    "/apdf",
    "/a?b=(c)+d&e",
    "/a?b=(c)+d&ef",
    "/a?b=cd&e",
    "/caf%C3%A9/y/x",
    "/caf%c3%a9/y/xy",
    "/caf%C3%A9/x",
    "/%7bq",
    "/~you/",
    "/%7eyou/",
    "/~me/;x=1,2",
    "/a$b",
];

const CRAWLERS: [&str; 4] = ["Googlebot", "bingbot", "CCBot", "AhrefsBot"];

/// A server that runs until it is dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a program with the configuration that `configure` returns for the folder and the address.
    pub(crate) fn start(
        program: &Path,
        arguments: impl Fn(&Path) -> Vec<String>,
        configure: impl Fn(&Path, SocketAddr) -> String,
    ) -> Self {
        // None of these programs reports the port that it got for port 0. If another process has taken the free port
        // since, another one is tried.
        const MAX_TRIES: usize = 5;
        let mut said = String::new();
        for _ in 0..MAX_TRIES {
            let folder = tempfile::tempdir().unwrap();
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, comity_testserver::free_port()));
            fs::write(folder.path().join("conf"), configure(folder.path(), address)).unwrap();
            let output = fs::File::create(folder.path().join("said")).unwrap();
            let process = Command::new(program)
                .args(arguments(folder.path()))
                .current_dir(folder.path())
                .env("HOME", folder.path())
                .env("XDG_CONFIG_HOME", folder.path())
                .env("XDG_DATA_HOME", folder.path())
                .stdin(Stdio::null())
                .stdout(output.try_clone().unwrap())
                .stderr(output)
                .spawn()
                .unwrap();
            let mut server = Self { process, address, folder };
            if server.is_listening() {
                return server;
            }
            said = fs::read_to_string(server.folder.path().join("said")).unwrap_or_default();
        }
        panic!("{} does not start: {said}", program.display());
    }

    /// Waits until connections are accepted. Returns false if the process ends before.
    fn is_listening(&mut self) -> bool {
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(self.address).is_err() {
            if self.process.try_wait().unwrap().is_some() || Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    /// Returns the header fields of the answer for a target, which is sent unchanged.
    fn fields(&self, target: &str) -> Vec<(String, String)> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = Vec::new();
        stream.take(1 << 20).read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, _) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{target}: no head: {answer}"));
        assert!(head.starts_with("HTTP/1.1 200") || head.starts_with("HTTP/1.1 404"), "{target}: {head}");
        let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
    }
}

fn generate(choices: &[&str], more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).arg("generate").args(choices).args(more).output().unwrap();
    assert!(output.status.success(), "{choices:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the path of a program in the usual folders for servers. Prints a message if there is none.
pub(crate) fn program(names: &[&str], package: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    let found = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: {} is not installed; with apt-get: `apt-get install {package}`", names[0]);
    }
    found
}

/// Compares the headers that a server sends with the robots.txt of the same choices.
fn compare(choices: &[&str], server: &Server) {
    let robots = Robots::parse(generate(choices, &[]));
    for target in TARGETS {
        let fields = server.fields(target);
        let mut page = Page::new();
        for (name, value) in &fields {
            page.header(name, value.as_bytes());
        }
        for crawler in CRAWLERS.map(|name| Crawler::known(name).unwrap()) {
            let rules = page.rules_for(&crawler);
            // A robots.txt names AI crawlers, but a header can't depend on the purpose of a crawler.
            let is_named_for_ai = choices.contains(&"--block-ai-training") && crawler.profile().unwrap().is_for_ai();
            let is_forbidden = robots.check(&crawler, target).is_disallowed();
            assert!(
                is_named_for_ai || rules.noindex.is_some() == is_forbidden && rules.nofollow.is_some() == is_forbidden,
                "{choices:?}, {target}: the robots.txt says {}, the header {fields:?}",
                robots.check(&crawler, target)
            );
            assert!(rules.ignored.is_empty(), "{choices:?}, {target}: {fields:?}");
            assert_eq!(rules.noai.is_some(), choices.contains(&"--block-ai-training"), "{target}: {fields:?}");
        }
        let stated = page.content_usage().map(|preferences| preferences.of("train-ai"));
        let expected = choices.contains(&"--preferences").then_some(comity::Preference::Disallow);
        assert_eq!(stated, expected, "{choices:?}, {target}: {fields:?}");
    }
}

#[test]
fn nginx_sends_what_was_chosen() {
    let Some(nginx) = program(&["nginx"], "nginx") else { return };
    for choices in CHOICES {
        let written = generate(choices, &["--headers", "nginx"]);
        let (http, server) = written.split_once("# In server { }").unwrap();
        let server = server.split_once('\n').unwrap().1;
        let configure = |folder: &Path, address: SocketAddr| {
            let folder = folder.display();
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
            let temporary = temporary.map(|name| format!("{name}_temp_path {folder}/{name};\n")).concat();
            format!(
                "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{ }}\nhttp {{\n\
                 access_log off;\n{temporary}{http}\nserver {{\nlisten {address};\nroot {folder}/none;\n{server}\n}}\n}}\n"
            )
        };
        let arguments = |folder: &Path| {
            let path = |name: &str| folder.join(name).display().to_string();
            vec!["-e".to_owned(), "stderr".to_owned(), "-p".to_owned(), path(""), "-c".to_owned(), path("conf")]
        };
        compare(choices, &Server::start(&nginx, arguments, configure));
    }
}

#[test]
fn apache_sends_what_was_chosen() {
    let Some(apache) = program(&["apache2", "httpd"], "apache2") else { return };
    let places = ["../lib/apache2/modules", "../lib64/httpd/modules", "../modules", "../libexec/apache2"];
    let modules = places.map(|place| apache.parent().unwrap().join(place));
    let Some(modules) = modules.iter().find(|folder| folder.join("mod_headers.so").is_file()) else {
        eprintln!("SKIPPED: the modules of {} are not where they are looked for", apache.display());
        return;
    };
    for choices in CHOICES {
        let written = generate(choices, &["--headers", "apache"]);
        let configure = |folder: &Path, address: SocketAddr| {
            let (folder, modules) = (folder.display(), modules.display());
            // Modules that are compiled in can't be loaded.
            let loaded = ["mpm_event", "authz_core", "headers"].map(|name| {
                format!("<IfModule !{name}_module>\nLoadModule {name}_module {modules}/mod_{name}.so\n</IfModule>\n")
            });
            let loaded = loaded.concat();
            format!(
                "ServerRoot {folder}\nDefaultRuntimeDir {folder}\nPidFile {folder}/pid\nListen {address}\n{loaded}\
                 ServerName localhost\nUser #65534\nGroup #65534\nErrorLog {folder}/errors\nDocumentRoot {folder}\n{written}"
            )
        };
        let arguments =
            |folder: &Path| vec!["-X".to_owned(), "-f".to_owned(), folder.join("conf").display().to_string()];
        compare(choices, &Server::start(&apache, arguments, configure));
    }
}

#[test]
fn caddy_sends_what_was_chosen() {
    let Some(caddy) = program(&["caddy"], "caddy") else { return };
    for choices in CHOICES {
        let written = generate(choices, &["--headers", "caddy"]);
        let configure = |_: &Path, address: SocketAddr| {
            format!("{{\nadmin off\nauto_https off\n}}\nhttp://{address} {{\n{written}\nrespond \"\" 404\n}}\n")
        };
        let arguments = |folder: &Path| {
            let conf = folder.join("conf").display().to_string();
            ["run", "--adapter", "caddyfile", "--config", &conf].map(ToOwned::to_owned).to_vec()
        };
        compare(choices, &Server::start(&caddy, arguments, configure));
    }
}
