//! Checks that `comity batch` and `/v1/batch` accept the same lines and return the same answers.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use comity_fetch::{Addresses, Client, Fixed};
use comity_server::Server;
use comity_testserver::{HttpServer, Reply};
use serde_json::Value;

const LINES: &str = include_str!("../../../../testdata/batch/lines.jsonl");
const RULES: &str = include_str!("../../../../testdata/batch/robots.txt");

/// Returns the answers of the command, without blank lines.
fn command() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/batch");
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .arg("batch")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(LINES.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the answers of the service.
fn service(address: SocketAddr) -> Vec<String> {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /v1/batch HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
        LINES.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(LINES.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 "), "{head}");
    body.lines().map(str::to_owned).collect()
}

fn serve() -> (tokio::runtime::Runtime, HttpServer, SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (sites, address) = runtime.block_on(async {
        let sites = HttpServer::start().await;
        sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
        sites.serve("b.test", "/robots.txt", Reply::status(404));
        let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
            .addresses(Addresses::Any)
            .resolver(Arc::new(Fixed::new([sites.addr()])))
            .build()
            .unwrap();
        let server = Server::builder(client).bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = server.address();
        tokio::spawn(server.run());
        (sites, address)
    });
    (runtime, sites, address)
}

#[test]
fn the_command_and_the_service_answer_the_same_lines() {
    let (_runtime, _sites, address) = serve();
    let (command, service) = (command(), service(address));
    let lines: Vec<&str> = LINES.lines().collect();
    assert_eq!((command.len(), service.len()), (lines.len(), lines.len()));
    let mut outcomes: HashMap<&str, usize> = HashMap::new();
    for (line, (command, service)) in lines.iter().zip(command.iter().zip(&service)) {
        let only = serde_json::from_str::<Value>(line).ok().and_then(|line| line["only"].as_str().map(str::to_owned));
        let [from_command, from_service] =
            [command, service].map(|answer| serde_json::from_str::<Value>(answer).unwrap());
        let refuses = |answer: &Value, text: &str| answer["error"].as_str().is_some_and(|error| error.contains(text));
        match only.as_deref() {
            None => {
                assert_eq!(command, service, "{line}");
                let is_answer = from_command.get("error").is_none();
                assert_eq!(is_answer, from_command.get("allowed").is_some(), "{line}");
                *outcomes.entry(if is_answer { "answered" } else { "refused" }).or_default() += 1;
            }
            Some("command") => {
                assert!(from_command["allowed"].is_boolean() || from_command["allowed"].is_array(), "{command}");
                assert!(refuses(&from_service, "`robots_file` is not read here"), "{service}");
            }
            Some("service") => {
                assert!(from_service["allowed"].is_boolean() || from_service["allowed"].is_array(), "{service}");
                assert!(refuses(&from_command, "this command fetches nothing"), "{command}");
            }
            Some(other) => panic!("expected command or service in `only`, found {other}"),
        }
    }
    assert!(outcomes["answered"] >= 15 && outcomes["refused"] >= 12, "{outcomes:?}");
}
