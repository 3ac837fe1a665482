//! Checks that the command prints the same documents as the service returns.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::Arc;

use comity_fetch::{Addresses, Client, Fixed};
use comity_server::Server;
use comity_testserver::{HttpServer, Reply};
use serde_json::{Value, json};

const RULES: &str =
    "User-agent: *\nDisallow: /private/\nDisalow: /x\nCrawl-delay: 2\n\nUser-agent: GPTBot\nDisallow: /\n";

/// Returns the output of the command, which fetches from the same site as the service.
fn command(site: SocketAddr, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
    command.args(arguments).args(["--format", "json"]);
    if !arguments.contains(&"--robots") && arguments.iter().any(|argument| argument.contains("://")) {
        command.args(["--no-cache", "--resolve", &format!("a.test:{}:127.0.0.1", site.port())]);
    }
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the answer of the service.
fn service(address: SocketAddr, path: &str, question: &Value) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = question.to_string();
    let media_type = if path == "/v1/batch" { "application/jsonl" } else { "application/json" };
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: {media_type}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    // The body of a batch is chunked, so the JSON is extracted from it. It is one line.
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(&body[body.find('{').unwrap()..=body.rfind('}').unwrap()]).unwrap()
}

/// Reports each field of the command's document that differs from the service's, or that the service's lacks. The
/// service's may have more fields.
fn compare(place: &str, command: &Value, service: &Value, complaints: &mut Vec<String>) {
    /// Fields that differ between fetches, or between names of a file.
    const OWN: [&str; 12] =
        ["file", "robots", "began", "peer", "fields", "head_ms", "body_ms", "fetched", "asked", "due", "age", "source"];
    match (command, service) {
        (Value::Object(command), Value::Object(service)) => {
            for (name, value) in command.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
                compare(&format!("{place}.{name}"), value, service.get(name).unwrap_or(&json!("nothing")), complaints);
            }
        }
        (Value::Array(command), Value::Array(service)) if command.len() == service.len() => {
            for (nth, (command, service)) in command.iter().zip(service).enumerate() {
                compare(&format!("{place}[{nth}]"), command, service, complaints);
            }
        }
        (command, service) if command == service => {}
        _ => complaints.push(format!("{place}: the command says {command}, the service {service}")),
    }
}

#[test]
fn the_command_and_the_service_say_the_same() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (sites, address) = runtime.block_on(async {
        let sites = HttpServer::start().await;
        sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
        let client = Client::builder(concat!("comity/", env!("CARGO_PKG_VERSION")))
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([sites.addr()])))
            .build()
            .unwrap();
        let server = Server::builder(client).bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = server.address();
        tokio::spawn(server.run());
        (sites, address)
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, RULES).unwrap();
    let (file, site) = (file.to_str().unwrap(), sites.addr());
    let url = |path: &str| format!("http://a.test:{}{path}", site.port());
    let page = url("/private/x");
    let mut complaints = Vec::new();
    for (path, arguments, question) in [
        (
            "/v1/check",
            vec![
                "check",
                "--robots",
                file,
                "--explain",
                "--agent",
                "GPTBot",
                "--agent",
                "x",
                "/private/",
                "https://a.test/ü",
            ],
            json!({"robots": RULES, "explain": true, "agents": ["GPTBot", "x"], "urls": ["/private/", "https://a.test/ü"]}),
        ),
        (
            "/v1/check",
            vec!["check", "--explain", "--agent", "Googlebot", &page],
            json!({"explain": true, "agent": "Googlebot", "url": page}),
        ),
        ("/v1/inspect", vec!["inspect", file], json!({"robots": RULES})),
        ("/v1/inspect", vec!["inspect", &page, "--dialect", "google"], json!({"url": page, "dialect": "google"})),
        ("/v1/ai", vec!["ai", file], json!({"robots": RULES})),
        (
            "/v1/matrix",
            vec!["matrix", "--robots", file, "/private/", "/x"],
            json!({"robots": RULES, "urls": ["/private/", "/x"]}),
        ),
    ] {
        let (command, service) = (command(site, &arguments), service(address, path, &question));
        compare(path, &command, &service, &mut complaints);
    }
    let lint = command(site, &["lint", file]);
    compare("lint", &lint["files"][0], &service(address, "/v1/lint", &json!({"robots": RULES})), &mut complaints);
    let fetch = command(site, &["fetch", &page]);
    compare("fetch", &fetch[0], &service(address, "/v1/fetch", &json!({"url": page})), &mut complaints);
    assert!(complaints.is_empty(), "{complaints:#?}");
    let mut complaints = Vec::new();
    compare("", &json!({"a": [1]}), &json!({"a": [2]}), &mut complaints);
    assert_eq!(complaints.len(), 1, "it can complain");
}

/// Every command with the option for a table finds a crawler that only that table contains. So does the service.
#[test]
fn a_crawler_of_ones_own_is_known_everywhere() {
    const OWN: &str = "version = \"1.0\"\n[[crawler]]\ntoken = \"AcmeFetch\"\noperator = \"Acme\"\n\
                       purpose = \"ai-training\"\nfallback = [\"AcmeBot\"]\nobeys_star = false\n";
    const FILE: &str = "User-agent: AcmeBot\nDisallow: /img/\n\nUser-agent: AcmeFtech\nDisallow: /\n";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let (own, robots) = (path("own.toml", OWN), path("robots.txt", FILE));
    let line = json!({"robots": FILE, "crawler": "acmefetch", "url": "/img/a"}).to_string();
    let lines = path("lines", &line);
    let run = |arguments: &[&str], is_own: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        command.args(arguments);
        if is_own {
            command.args(["--crawlers", &own]);
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let mut complaints = Vec::new();
    let mut expect = |what: &str, found: String, without: String, expected: &str| {
        if !found.contains(expected) || without.contains(expected) {
            complaints.push(format!("{what}: expected `{expected}`, found {found}, and without the table {without}"));
        }
    };
    for (arguments, expected) in [
        (vec!["check", "--robots", &robots, "--agent", "acmefetch", "/img/a", "--format", "json"], "fallback-token"),
        (vec!["check", "--explain", "--robots", &robots, "--agent", "acmefetch", "/img/a"], "Acme, "),
        (vec!["matrix", "--robots", &robots, "--agent", "acmefetch", "/img/a", "--format", "json"], "fallback-token"),
        (vec!["page", "--robots", &robots, "--agent", "acmefetch", "/img/a", "--format", "json"], "AcmeFetch"),
        (vec!["ai", &robots, "--format", "json"], "AcmeFetch"),
        (vec!["lint", &robots, "--format", "json"], "misspelled-crawler"),
        (vec!["generate", "--block-ai-training"], "AcmeFetch"),
        (vec!["batch", &lines], "\"names_crawler\":true"),
        (vec!["crawlers", "Mozilla/5.0 (compatible) AcmeFetch", "--format", "json"], "AcmeBot"),
    ] {
        expect(arguments[0], run(&arguments, true), run(&arguments, false), expected);
    }
    let mut table = comity::Crawlers::builtin();
    let profile = comity::Profile::new("AcmeFetch", "Acme", comity::Purpose::AiTraining);
    let mut profile = profile.with_fallback(["AcmeBot"]);
    profile.obeys_star = false;
    table.add(profile);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let servers = runtime.block_on(async {
        let mut servers = Vec::new();
        for table in [table, comity::Crawlers::builtin()] {
            let client = Client::builder("comity").build().unwrap();
            let server = Server::builder(client).crawlers(table).bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
            servers.push(server.address());
            tokio::spawn(server.run());
        }
        servers
    });
    for (path, question, expected) in [
        ("/v1/check", json!({"robots": FILE, "agent": "acmefetch", "urls": ["/img/a"]}), "fallback-token"),
        ("/v1/matrix", json!({"robots": FILE, "agents": ["acmefetch"], "urls": ["/img/a"]}), "fallback-token"),
        ("/v1/ai", json!({"robots": FILE}), "AcmeFetch"),
        ("/v1/lint", json!({"robots": FILE}), "misspelled-crawler"),
        ("/v1/batch", json!({"robots": FILE, "crawler": "acmefetch", "url": "/img/a"}), "\"names_crawler\":true"),
    ] {
        let [found, without] = [0, 1].map(|i| service(servers[i], path, &question).to_string());
        expect(path, found, without, expected);
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}
