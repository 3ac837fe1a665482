//! Fetches through the proxies that many networks run: Squid and Tinyproxy, as their packages configure them. Skipped
//! with a message if they are not installed.

#![cfg(unix)]

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use comity_fetch::{Access, Addresses, Client, Event, Failure, SiteRobots};
use comity_testserver::{ANY, HttpServer, Reply, Tls, ca_pem};

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// The timeout for the start of a proxy, which no result depends on.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The number of ports that are tried.
const MAX_TRIES: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Squid,
    Tinyproxy,
}

/// Settings of a proxy that differ from its package's.
#[derive(Clone, Copy, Debug, Default)]
struct Rules {
    /// The port to which tunnels are allowed. Defaults to the package's setting: 443 for Squid, any for Tinyproxy.
    tunnels_to: Option<u16>,
    /// True if user and password are `user` and `secret`.
    password: bool,
    /// True if the proxy refuses all requests to the site.
    refuses: bool,
}

/// The rules of Squid by default, and of older packages of Tinyproxy. The secure sites of the tests have other ports.
const ONLY_443: Rules = Rules { tunnels_to: Some(443), password: false, refuses: false };

/// A running proxy, which is stopped on drop.
struct Proxy {
    process: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Program {
    const ALL: [Self; 2] = [Self::Squid, Self::Tinyproxy];

    fn name(self) -> &'static str {
        match self {
            Self::Squid => "squid",
            Self::Tinyproxy => "tinyproxy",
        }
    }

    fn path(self) -> Option<PathBuf> {
        let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
        folders.iter().map(|folder| Path::new(folder).join(self.name())).find(|path| path.exists())
    }

    /// Returns the package's configuration without the directives that the test sets.
    fn default_configuration(self) -> Option<String> {
        let (path, own): (_, &[&str]) = match self {
            Self::Squid => ("/etc/squid/squid.conf", &["http_port", "coredump_dir", "include"]),
            Self::Tinyproxy => (
                "/etc/tinyproxy/tinyproxy.conf",
                &["Port", "Listen", "LogFile", "PidFile", "User", "Group", "ConnectPort"],
            ),
        };
        let text = fs::read_to_string(path).ok()?;
        let is_kept = |line: &&str| {
            let directive = line.split_whitespace().next().unwrap_or_default();
            !directive.is_empty() && !directive.starts_with('#') && !own.contains(&directive)
        };
        Some(text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect())
    }

    fn configuration(self, rules: Rules, port: u16, folder: &Path) -> Option<String> {
        let default = self.default_configuration()?;
        let folder = folder.display();
        Some(match self {
            Self::Squid => {
                let mut access = String::new();
                if rules.password {
                    // MD5 of `secret`, from `openssl passwd -1`.
                    fs::write(format!("{folder}/passwords"), format!("user:{MD5}\n")).expect("a file");
                    access += &format!(
                        "auth_param basic program /usr/lib/squid/basic_ncsa_auth {folder}/passwords\n\
                         acl known proxy_auth REQUIRED\nhttp_access deny !known\n"
                    );
                }
                if rules.refuses {
                    access += "acl sites url_regex robots.txt\nhttp_access deny sites\n";
                }
                if let Some(port) = rules.tunnels_to {
                    access += &format!("acl SSL_ports port {port}\n");
                }
                format!(
                    "{access}{default}http_port 127.0.0.1:{port}\npid_filename none\naccess_log none\n\
                     cache_log {folder}/cache.log\ncoredump_dir {folder}\npinger_enable off\n\
                     shutdown_lifetime 0 seconds\ndns_nameservers 127.0.0.1\n"
                )
            }
            Self::Tinyproxy => {
                let mut access = rules.tunnels_to.map(|port| format!("ConnectPort {port}\n")).unwrap_or_default();
                if rules.password {
                    access += "BasicAuth user secret\n";
                }
                if rules.refuses {
                    fs::write(format!("{folder}/filter"), "robots\n").expect("a file");
                    access += &format!("Filter \"{folder}/filter\"\nFilterURLs On\n");
                }
                format!(
                    "{default}Port {port}\nListen 127.0.0.1\nLogFile \"{folder}/log\"\nPidFile \"{folder}/pid\"\n{access}"
                )
            }
        })
    }

    /// Starts the proxy; returns `None` if it is not installed.
    fn start(self, rules: Rules) -> Option<Proxy> {
        let name = self.name();
        let (Some(program), Some(_)) = (self.path(), self.default_configuration()) else {
            eprintln!("SKIPPED: {name} is not installed; with apt-get: `apt-get install {name}`");
            return None;
        };
        // They do not accept port 0, and another program may take a port before they listen at it.
        let mut tries = (0..MAX_TRIES).map(|_| self.try_start(&program, rules));
        let mut said = String::new();
        let started = tries.find_map(|started| started.map_err(|found| said = found).ok());
        assert!(started.is_some(), "{name} does not start: {said}");
        started
    }

    /// Starts the proxy; returns what it said if it ended.
    fn try_start(self, program: &Path, rules: Rules) -> Result<Proxy, String> {
        let folder = tempfile::tempdir().expect("a folder");
        // Squid runs as another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("a mode");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, comity_testserver::free_port()));
        let configuration =
            self.configuration(rules, address.port(), folder.path()).expect("a package with a configuration");
        let file = folder.path().join("configuration");
        fs::write(&file, configuration).expect("a file");
        let said = folder.path().join("said");
        let output = File::create(&said).expect("a file");
        let arguments: &[&str] = if self == Self::Squid { &["-N", "-d1", "-f"] } else { &["-d", "-c"] };
        let process = Command::new(program)
            .args(arguments)
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a file"))
            .stderr(output)
            .spawn()
            .expect("a process");
        let mut proxy = Proxy { process, address, _folder: folder };
        let until = Instant::now() + START_TIMEOUT;
        while TcpStream::connect(address).is_err() {
            if proxy.process.try_wait().expect("a process").is_some() || Instant::now() > until {
                return Err(fs::read_to_string(&said).unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(proxy)
    }
}

/// `openssl passwd -1 -salt comity secret`
const MD5: &str = "$1$comity$nUTiszS93jvW/maFPmLni0";

impl Proxy {
    async fn robots(&self, user: &str, site: &HttpServer) -> SiteRobots {
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .extra_roots(ca_pem())
            .proxy(format!("http://{user}{}", self.address).parse().expect("a proxy"))
            // No result depends on the speed of the machine.
            .connect_timeout(START_TIMEOUT)
            .stall_timeout(START_TIMEOUT)
            .timeout(START_TIMEOUT)
            .build()
            .expect("options that work");
        let robots = client.robots(&site.url("/page")).await.expect("an origin");
        assert_eq!(client.stats().fail_open_total, 0);
        robots
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn sites(reply: Reply) -> [HttpServer; 2] {
    let sites = [HttpServer::start().await, HttpServer::start_tls(Tls::named(["127.0.0.1"])).await];
    for site in &sites {
        site.serve(ANY, ANY, reply.clone());
    }
    sites
}

#[track_caller]
fn found(robots: &SiteRobots) {
    assert_eq!(
        (robots.ruling().event, robots.ruling().access),
        (Event::Found, Access::Rules),
        "{:?}",
        robots.attempt()
    );
    assert_eq!(&*robots.copy().expect("a copy").body, ROBOTS.as_bytes());
}

#[track_caller]
fn failed(robots: &SiteRobots, detail: &str) {
    let attempt = robots.attempt().expect("an attempt");
    let failed = (Event::Failed(Failure::Connect), Access::DisallowAll);
    assert_eq!((robots.ruling().event, robots.ruling().access), failed, "{attempt:?}");
    let said = attempt.detail.as_deref().unwrap_or_default();
    assert!(said.contains(detail), "expected `{detail}`, found `{said}`");
}

/// Checks that Squid refuses tunnels except to port 443 by default, and that Tinyproxy allows all.
#[tokio::test]
async fn default_configurations() {
    for program in Program::ALL {
        let [http, https] = sites(Reply::ok(ROBOTS)).await;
        let Some(proxy) = program.start(Rules::default()) else { continue };
        found(&proxy.robots("", &http).await);
        let is_forwarded = http.requests()[0].header("via").is_some();
        assert_eq!((is_forwarded, http.requests().len()), (program == Program::Squid, 1), "{}", program.name());
        let secure = proxy.robots("", &https).await;
        match program {
            Program::Squid => failed(&secure, "it answered 403 to CONNECT"),
            Program::Tinyproxy => found(&secure),
        }
    }
}

/// Checks that requests of plain sites are forwarded where only tunnels to port 443 are allowed, and that secure sites on
/// other ports need a setting.
#[tokio::test]
async fn tunnels_to_one_port() {
    for program in Program::ALL {
        let [http, https] = sites(Reply::ok(ROBOTS)).await;
        let Some(proxy) = program.start(ONLY_443) else { continue };
        found(&proxy.robots("", &http).await);
        let port = https.addr().port();
        failed(
            &proxy.robots("", &https).await,
            &format!("it answered 403 to CONNECT: allow CONNECT to port {port} there"),
        );
        assert_eq!((http.requests().len(), https.connections()), (1, 0));
        assert!(http.requests()[0].header("via").is_some(), "it was forwarded");
        drop(proxy);

        let Some(proxy) = program.start(Rules { tunnels_to: Some(port), ..Rules::default() }) else { continue };
        found(&proxy.robots("", &https).await);
        found(&proxy.robots("", &http).await);
    }
}

#[tokio::test]
async fn with_tunnels_to_plain_sites_the_answers_are_the_sites() {
    for status in [200, 403, 404, 451] {
        let [http, _] = sites(Reply::status(status).body(ROBOTS)).await;
        for program in Program::ALL {
            let rules = Rules { tunnels_to: Some(http.addr().port()), ..Rules::default() };
            let Some(proxy) = program.start(rules) else { continue };
            http.clear_requests();
            let robots = proxy.robots("", &http).await;
            assert_eq!(http.requests().len(), 1);
            assert!(http.requests()[0].header("via").is_none(), "through a tunnel");
            if status == 200 {
                found(&robots);
            } else {
                assert_eq!((robots.ruling().event, robots.ruling().access), (Event::Status(status), Access::AllowAll));
            }
        }
    }
}

/// Checks that a missing file is distinguished from the proxy's refusal by the name of the site's server.
#[tokio::test]
async fn a_missing_file_needs_evidence() {
    for program in Program::ALL {
        let Some(proxy) = program.start(ONLY_443) else { continue };
        let [http, _] = sites(Reply::status(404).header("Server", "nginx/1.22.1")).await;
        let robots = proxy.robots("", &http).await;
        assert_eq!((robots.ruling().event, robots.ruling().access), (Event::Status(404), Access::AllowAll));
        for reply in [Reply::status(404), Reply::status(404).header("Server", "squid/6"), Reply::redirect(302, "/x")] {
            http.serve(ANY, ANY, reply);
            let port = http.addr().port();
            failed(&proxy.robots("", &http).await, &format!("allow CONNECT to port {port} there"));
        }
    }
}

#[tokio::test]
async fn refusal_by_a_proxy_is_no_missing_file() {
    for program in Program::ALL {
        let rules = Rules { refuses: true, ..ONLY_443 };
        let Some(proxy) = program.start(rules) else { continue };
        let [http, _] = sites(Reply::ok(ROBOTS)).await;
        failed(&proxy.robots("", &http).await, "allow CONNECT to port");
        assert_eq!(http.connections(), 0);
        // Neither is a site that is unreachable.
        let closed = comity_testserver::closed_port();
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .proxy(format!("http://{}", proxy.address).parse().expect("a proxy"));
        let robots = client.build().unwrap().robots(&format!("http://{}/", closed.addr())).await.unwrap();
        assert_eq!(robots.ruling().access, Access::DisallowAll, "{:?}", robots.attempt());
    }
}

#[tokio::test]
async fn passwords() {
    for program in Program::ALL {
        for is_forwarded in [true, false] {
            let [http, https] = sites(Reply::ok(ROBOTS)).await;
            for site in [&http, &https] {
                let is_secure = site.addr() == https.addr();
                let port = if is_secure || !is_forwarded { site.addr().port() } else { 443 };
                let rules = Rules { tunnels_to: Some(port), password: true, refuses: false };
                let Some(proxy) = program.start(rules) else { continue };
                found(&proxy.robots("user:secret@", site).await);
                assert_eq!(site.requests().len(), 1);
                assert_eq!(site.requests()[0].header("Proxy-Authorization"), None, "that is the proxy's alone");
                for (user, detail) in [
                    ("", "it wants a user name and a password (4"),
                    ("user:wrong@", "it refused the user name and password (4"),
                    ("other:secret@", "it refused the user name and password (4"),
                ] {
                    let robots = proxy.robots(user, site).await;
                    failed(&robots, detail);
                    assert!(!format!("{:?}", robots.attempt()).contains("secret"), "{:?}", robots.attempt());
                    assert_eq!(site.requests().len(), 1, "nobody got through");
                }
            }
        }
    }
}
