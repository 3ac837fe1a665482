//! The documents that the command prints are those that the service sends.

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

/// What the command prints. It fetches anew, from the same site.
fn command(site: SocketAddr, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
    command.args(arguments).args(["--format", "json"]);
    if !arguments.contains(&"--robots") && arguments.iter().any(|argument| argument.contains("://")) {
        command.args(["--no-cache", "--resolve", &format!("a.test:{}:127.0.0.1", site.port())]);
    }
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// What the service answers.
fn service(address: SocketAddr, path: &str, question: &Value) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = question.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Complains about all that the command's document has and the service's has not, or otherwise. The service's says more.
fn compare(place: &str, command: &Value, service: &Value, complaints: &mut Vec<String>) {
    /// What differs from one fetch, or one name of a file, to the next.
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
