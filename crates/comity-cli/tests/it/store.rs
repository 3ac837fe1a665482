//! The commands with `--store`, and a real PostgreSQL server. Skipped with a message if it is not installed.

#![cfg(all(unix, feature = "postgres"))]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use comity_testserver::{ANY, HttpServer, Postgres, Reply};
use tokio::runtime::Runtime;

use crate::service::Service;

const RULES: &str = "User-agent: *\nDisallow: /private/\n";
const SECRET: &str = "s3cret";

/// A web server for all hosts.
struct Web {
    server: HttpServer,
    _runtime: Runtime,
}

impl Web {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(HttpServer::start());
        server.serve(ANY, "/robots.txt", Reply::ok(RULES).header("Cache-Control", "max-age=86400"));
        Self { server, _runtime: runtime }
    }

    fn url(&self, site: &str) -> String {
        format!("http://{site}.test:{}/private/x", self.server.addr().port())
    }

    /// Returns the options by which all hosts have the address of the server.
    fn options(&self) -> [String; 4] {
        let resolve = format!("*:{}:127.0.0.1", self.server.addr().port());
        ["--addresses", "any", "--resolve", &resolve].map(str::to_owned)
    }
}

/// Runs the program. Returns its exit code and its output.
fn comity(arguments: &[&str], more: &[String], input: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .args(arguments)
        .args(more)
        .env_remove("PGPASSWORD")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains(SECRET), "{arguments:?}: {text}");
    (output.status.code().unwrap(), text)
}

/// Starts a service that fetches from the web server.
fn serve(arguments: &[&str], web: &Web) -> Service {
    let options = web.options();
    Service::start(&[arguments, &options.each_ref().map(String::as_str)].concat())
}

/// Each command is another process, as on another machine: what the first one has fetched, the others find.
#[test]
fn commands_share_a_database() {
    let Some(database) = Postgres::start() else { return };
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let store = database.url();
    let options = web.options();
    let (url, file) = (web.url("a"), folder.path().join("export.jsonl"));
    let file = file.to_str().unwrap();

    let (code, said) = comity(&["check", "--store", &store, &url], &options, "");
    assert_eq!(code, 1, "{said}");
    for (line, expected) in [
        (&["check", "--store", &store, "--offline", &url][..], "Line 2 of"),
        (&["cache", "--store", &store, "list"], "http://a.test"),
        (&["cache", "list", "--format", "json", "--store", &store], "\"size\": 34"),
        (&["cache", "show", "--store", &store, &url], "34 bytes"),
        (&["cache", "verify", "--store", &store], "1 site, 1 different file: no damage."),
        (&["history", "--store", &store, &url], "34 bytes"),
        (&["cache", "export", "--store", &store, file], "1 origin written."),
        (&["cache", "import", "--store", &store, file], "0 origins imported, 1 kept"),
        (&["cache", "purge", "--store", &store, &url], "1 origin forgotten."),
        (&["cache", "import", "--store", &store, file], "1 origin imported, 0 kept"),
    ] {
        let (code, said) = comity(line, &[], "");
        assert!(code < 2 && said.contains(expected), "{line:?}: {said}");
    }

    // One damaged record hides no others, and the exit code tells of it.
    let (code, said) = comity(&["check", "--store", &store, &web.url("b")], &options, "");
    assert_eq!(code, 1, "{said}");
    database.psql("update comity.origin set record = '5'::json where origin like 'http://b.test%'");
    for line in [&["cache", "list", "--store", &store][..], &["cache", "export", "--store", &store]] {
        let (code, said) = comity(line, &[], "");
        assert_eq!(code, 1, "{line:?}: {said}");
        assert!(said.contains("http://a.test") && said.contains("http://b.test") && said.contains("skipped"), "{said}");
    }
    let (code, said) = comity(&["cache", "purge", "--store", &store, &web.url("b")], &[], "");
    assert_eq!(code, 0, "{said}");

    // To a folder, and back into another schema.
    let cache = folder.path().join("cache");
    let other = format!("{store}?schema=other");
    let exported = |line: &[&str]| comity(line, &[], "").1;
    let (code, said) = comity(&["cache", "import", "--cache", cache.to_str().unwrap(), file], &[], "");
    assert_eq!(code, 0, "{said}");
    let lines = exported(&["cache", "export", "--cache", cache.to_str().unwrap()]);
    let imported = comity(&["cache", "import", "--store", &other], &[], lines.trim_end_matches("1 origin written.\n"));
    assert_eq!(imported.0, 0, "{}", imported.1);
    assert_eq!(exported(&["cache", "export", "--store", &other]), lines);
    assert_eq!(fs::read_to_string(file).unwrap() + "1 origin written.\n", lines);
}

/// Returns the help of a command, or of the program.
fn help(command: &str) -> String {
    let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
    comity(&arguments, &[], "").1
}

/// Each command that has `--cache` also has `--store`, and uses the file that another one has fetched.
#[test]
fn every_command_with_a_cache_has_a_store() {
    let Some(database) = Postgres::start() else { return };
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let (url, store) = (web.url("a"), database.url());
    web.server.serve(
        ANY,
        "/private/x",
        Reply::ok("<!doctype html><title>x</title>").header("Content-Type", "text/html"),
    );
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (robots, tests) = (path("robots.txt"), path("robots.test.toml"));
    fs::write(&robots, RULES).unwrap();
    fs::write(&tests, "[[test]]\nagent = \"GPTBot\"\nurl = \"/private/x\"\nexpect = \"disallow\"\n").unwrap();

    let lines: [(&[&str], i32); 15] = [
        (&["ai", &url], 0),
        (&["cache", "list"], 0),
        (&["check", &url], 1),
        (&["diff", &url, &robots], 0),
        (&["history", &url], 0),
        (&["inspect", &url], 0),
        (&["lint", &url], 0),
        (&["matrix", &url], 1),
        (&["minimize", &url], 0),
        (&["page", &url, "--agent", "GPTBot"], 1),
        (&["prove", &url, "--none-allowed", "/private/"], 1),
        // The front page is missing.
        (&["report", &url], 1),
        // Its file names no sitemap.
        (&["sitemaps", &url], 2),
        (&["test", &tests, "--robots", &url], 0),
        // It always fetches.
        (&["fetch", &url], 0),
    ];
    let commands = help("");
    let commands = commands.split("\nAsk:\n").nth(1).unwrap().split("More:").next().unwrap();
    let names =
        commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    let has_cache: Vec<&str> = names.filter(|name| help(name).contains("--cache <DIR>")).collect();
    for name in &has_cache {
        assert!(help(name).contains("--store <URL>"), "{name}");
    }
    // `serve` and `watch` have tests of their own, and `audit` only reads the history, like `history`.
    let mut expected: Vec<&str> = lines.iter().map(|(line, _)| line[0]).chain(["audit", "serve", "watch"]).collect();
    expected.sort_unstable();
    let mut found = has_cache;
    found.sort_unstable();
    assert_eq!(found, expected);

    assert_eq!(comity(&["check", "--store", &store, &url], &web.options(), "").0, 1);
    for (line, expected) in lines {
        let fetches = if line[0] == "fetch" { 2 } else { 1 };
        let more = if ["cache", "history"].contains(&line[0]) { Vec::new() } else { web.options().to_vec() };
        let (code, said) = comity(&[line, &["--store", &store]].concat(), &more, "");
        assert_eq!(code, expected, "{line:?}: {said}");
        assert_eq!(web.server.count("a.test", "/robots.txt"), fetches, "{line:?}: {said}");
    }
}

#[test]
fn no_message_contains_a_password() {
    let Some(database) = Postgres::start() else { return };
    database.psql("create role comity login password 'other'");
    let web = Web::start();
    let url = web.url("a");
    let wrong = database.url_for("comity", SECRET);
    for address in [
        wrong.as_str(),
        &format!("{wrong}?sslmode=prefer"),
        &format!("{wrong}?pool_size={SECRET}x").replace(&format!("{SECRET}x"), "x"),
        &format!("postgres://comity:{SECRET}@127.0.0.1:port/x"),
        &format!("comity:{SECRET}@127.0.0.1/x"),
        &format!("mysql://comity:{SECRET}@127.0.0.1/x"),
    ] {
        for line in [
            &["check", "--store", address, &url][..],
            &["check", "--store", address, "--cache", "x", &url],
            &["check", "--store", address, "--robots", "x", &url],
            &["cache", "list", "--store", address],
            &["history", "--store", address, &url],
            &["serve", "--listen", "127.0.0.1:0", "--store", address],
            &["serve", "--listen", "127.0.0.1:0", "--store", address, "--cache", "x"],
        ] {
            let (code, said) = comity(line, &[], "");
            assert_eq!(code, 2, "{line:?}: {said}");
        }
    }
    assert!(web.server.requests().is_empty());
    let said = comity(&["check", "--store", &wrong, &url], &[], "").1;
    assert!(said.contains("--store: ") && said.contains("password authentication failed"), "{said}");

    // The password of the environment is used if the address has none.
    let address = format!("postgres://comity@127.0.0.1:{}/postgres", database.port());
    let run = |password: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        let output = command.args(["cache", "list", "--store", &address]).env("PGPASSWORD", password).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(SECRET).contains("password authentication failed"));
    assert!(run("other").contains("permission denied"), "the user has no right to create tables");
}

/// Two services share a database, each origin is fetched by one of them, and both answer from memory when it is gone.
#[test]
fn services_share_a_database() {
    let Some(mut database) = Postgres::start() else { return };
    let web = Web::start();
    let store = database.url();
    let services = [0, 1].map(|_| serve(&["--store", &store], &web));
    let ask = |service: &Service, site: &str| service.get(&format!("/v1/check?url={}&agent=TestBot", web.url(site)));
    // A database that answers late counts as down, which a busy machine may cause. So they get several tries.
    let share = |name: &str, services: [&Service; 2]| -> String {
        let sites = (0..60).map(|number| format!("{name}{number}"));
        let is_fetched_once = |site: &String| {
            let are_answered = services.iter().all(|service| ask(service, site).contains("\"disallowed\""));
            let is_once = web.server.count(&format!("{site}.test"), "/robots.txt") == 1;
            if !(are_answered && is_once) {
                std::thread::sleep(Duration::from_secs(1));
            }
            are_answered && is_once
        };
        sites.into_iter().find(is_fetched_once).expect("one of sixty sites is fetched once for both services")
    };
    let shared = share("a", [&services[0], &services[1]]);

    database.kill();
    for service in &services {
        let before = service.metric("comity_store_errors_total");
        assert!(ask(service, &shared).contains("\"disallowed\""));
        assert_eq!(service.metric("comity_store_errors_total"), before);
        assert!(ask(service, "d").contains("\"disallowed\""), "fetched without the database");
        assert!(service.metric("comity_store_errors_total") > before);
    }
    assert_eq!(web.server.count("d.test", "/robots.txt"), 2);

    // A service that starts now does the same, and uses the database when it is there again.
    let late = serve(&["--store", &store], &web);
    let strict = serve(&["--store", &store, "--require-store"], &web);
    assert!(ask(&late, "e").contains("\"disallowed\""));
    let refused = ask(&strict, "f");
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("store-failed"), "{refused}");
    assert_eq!(web.server.count("f.test", "/robots.txt"), 0);
    // The metrics that docs/fleet.md recommends for alarms.
    let metrics = strict.get("/metrics");
    assert!(metrics.contains("comity_http_problems_total{code=\"store-failed\"} 1"), "{metrics}");
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fleet.md")).unwrap();
    let words = guide.split(|character: char| !character.is_ascii_lowercase() && character != '_');
    let names: Vec<&str> = words.filter(|word| word.starts_with("comity_") && word.ends_with("_total")).collect();
    assert!(names.len() >= 3);
    for name in names {
        assert!(metrics.contains(&format!("# TYPE {name} counter")), "{name} in {metrics}");
    }
    database.start_again();
    share("f", [&strict, &late]);
    for service in services.into_iter().chain([late, strict]) {
        let log = service.kill();
        assert!(!log.contains(SECRET), "{log}");
    }
}

/// A newer schema ends a service at its start, with the reason.
#[test]
fn a_service_refuses_newer_tables() {
    let Some(database) = Postgres::start() else { return };
    let store = database.url();
    assert_eq!(comity(&["cache", "list", "--store", &store], &[], "").0, 0);
    database.psql("insert into comity.migration (version) values (1000)");
    for line in [&["serve", "--store", &store][..], &["check", "--store", &store, "http://a.test/"]] {
        let (code, said) = comity(line, &[], "");
        assert!(code == 2 && said.contains("its tables have version 1000"), "{line:?}: {said}");
    }
}

/// The script of docs/fleet.md: two services with nginx in front of them. One of them after the other is killed, and every
/// question is answered.
#[test]
fn the_guide_survives_the_end_of_a_service() {
    let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].into_iter().find(|path| Path::new(path).exists());
    let Some(nginx) = nginx else {
        eprintln!("SKIPPED: nginx is not installed; with apt-get: `apt-get install nginx`");
        return;
    };
    let Some(database) = Postgres::start() else { return };
    let (web, folder) = (Web::start(), tempfile::tempdir().unwrap());
    let ports = [0; 3].map(|_| comity_testserver::free_port());
    let script = Command::new("sh")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fleet/start.sh"))
        .args(web.options())
        .env("COMITY", env!("CARGO_BIN_EXE_comity"))
        .env("NGINX", nginx)
        .env("STORE", database.url())
        .env("FOLDER", folder.path())
        .env("LISTEN", format!("127.0.0.1:{}", ports[0]))
        .env("FIRST", ports[1].to_string())
        .env("SECOND", ports[2].to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut script = Script(script);
    let is_up = |port: u16| ask(port, "/readyz").is_some_and(|answer| answer.starts_with("HTTP/1.1 200"));
    for port in ports {
        wait_for(|| is_up(port), &mut script);
    }

    let process = |port: u16| fs::read_to_string(folder.path().join(format!("{port}.pid"))).unwrap().trim().to_owned();
    for site in 0..40 {
        let killed = [(10, 1), (25, 2)].into_iter().find(|(at, _)| *at == site).map(|(_, which)| ports[which]);
        let before = killed.map(process);
        if let Some(process) = &before {
            assert!(Command::new("kill").args(["-s", "KILL", process]).status().unwrap().success());
        }
        for _ in 0..3 {
            let path = format!("/v1/check?url={}&agent=TestBot", web.url(&format!("site{site}")));
            let answer = ask(ports[0], &path).expect("an answer");
            assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"disallowed\""), "{answer}");
        }
        if let (Some(port), Some(before)) = (killed, before) {
            wait_for(|| process(port) != before && is_up(port), &mut script);
        }
    }
    assert_eq!(web.server.requests().len(), 40, "each site is fetched once");

    assert!(Command::new("kill").arg(script.0.id().to_string()).status().unwrap().success());
    script.0.wait().unwrap();
    assert!(ports.into_iter().all(|port| TcpStream::connect(("127.0.0.1", port)).is_err()));
}

/// A script that gets SIGTERM on drop, so that it ends what it has started.
struct Script(Child);

impl Drop for Script {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = Command::new("kill").arg(self.0.id().to_string()).status();
            let _ = self.0.wait();
        }
    }
}

fn wait_for(is_so: impl Fn() -> bool, script: &mut Script) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end && script.0.try_wait().unwrap().is_none(), "the services do not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn ask(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}
