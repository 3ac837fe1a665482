//! Runs `comity serve` as a process.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::service::Service;

fn refused(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).arg("serve").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn service_uses_its_options() {
    let service = Service::start_offline(&["--dialect", "google", "--policy", "strict", "--urls", "7"]);
    let answer = service.get("/v1/service");
    let told: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((&told["dialect"], &told["policy"]), (&Value::from("google"), &Value::from("strict")));
    assert_eq!((&told["fetches"], &told["limits"]["urls"]), (&Value::from(false), &Value::from(7)));
}

#[cfg(unix)]
#[test]
fn service_ends_on_signals() {
    for name in ["TERM", "INT"] {
        let service = Service::start_offline(&[]);
        assert!(service.get("/readyz").ends_with("ready\n"));
        service.signal(name);
        let (status, log) = service.end();
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(log.contains("finishing requests"), "{log}");
    }
    // With half a request, it waits for the rest until the second signal.
    let service = Service::start_offline(&["--grace", "1h", "--head-timeout", "1h"]);
    let mut stream = std::net::TcpStream::connect(&service.address).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").unwrap();
    service.get("/healthz");
    service.signal("TERM");
    // When connections are refused, the first signal has been handled.
    while std::net::TcpStream::connect(&service.address).is_ok() {}
    service.signal("TERM");
    assert_eq!(service.end().0.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn requests_forge_no_line_of_the_log() {
    const HOSTILE: &str = "GET /%0A2026-01-01T00:00:00Z%20ERROR%20forged?\u{202E}x=%1B[2J HTTP/1.1\r\nHost: localhost\r\n\
         X-Request-Id: a ERROR\r\nX-Forwarded-For: 1.2.3.4 ERROR\r\nConnection: close\r\n\r\n";
    for format in ["human", "json"] {
        let service = Service::start_offline(&["--log", "debug", "--log-format", format, "--trust-proxy", "127.0.0.1"]);
        service.ask(HOSTILE);
        service.ask("M\u{E4}THOD / HTTP/1.1\r\n\r\n");
        service.get("/v1/crawlers/GPTBot");
        service.signal("TERM");
        let (_, log) = service.end();
        let lines: Vec<&str> = log.lines().collect();
        assert!(log.ends_with('\n') && log.chars().all(|c| c == '\n' || !c.is_control()), "{log:?}");
        assert!(!log.contains('\u{202E}'), "{log:?}");
        let answered = lines.iter().filter(|line| line.contains("answered")).count();
        // The request that is not HTTP is rejected by the parser and not logged. The third line is that of the
        // shutdown.
        assert_eq!((lines.len(), answered), (3, 2), "{log}");
        for line in lines {
            if format == "json" {
                let line: Value = serde_json::from_str(line).unwrap();
                assert!(line["timestamp"].is_string() && line["level"] != "ERROR", "{line}");
            } else {
                assert!(line.starts_with("20") && !line.contains(" ERROR "), "{line}");
            }
        }
    }
}

#[test]
fn a_token_comes_from_a_file_or_the_environment() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("token");
    std::fs::write(&path, "s3cret\n").unwrap();
    let service = Service::start_offline(&["--token-file", path.to_str().unwrap()]);
    assert!(service.get("/v1/service").starts_with("HTTP/1.1 401 "));
    let with =
        "GET /v1/service HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\nConnection: close\r\n\r\n";
    assert!(service.ask(with).starts_with("HTTP/1.1 200 "));
    std::fs::write(&path, "\n").unwrap();
    assert!(
        refused(&["--token-file", path.to_str().unwrap()]).contains("expected a token of visible ASCII characters")
    );
}

#[test]
fn invalid_option_is_refused_at_the_start() {
    for (arguments, expected) in [
        (&["--listen", "localhost"][..], "invalid socket address"),
        (&["--trust-proxy", "everybody"], "expected a network such as 10.0.0.0/8, found `everybody`"),
        (&["--tls-cert", "Cargo.toml"], "--tls-key"),
        (&["--tls-cert", "Cargo.toml", "--tls-key", "Cargo.toml"], "expected certificates in PEM, found none"),
        (&["--token-file", "no-such-file"], "no-such-file"),
        (&["--proxy-header", "forwarded"], "--trust-proxy"),
        (&["--grace", "soon"], "expected a time with its unit"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(expected), "{message}");
    }
    let taken = Service::start_offline(&[]);
    let message = refused(&["--listen", &taken.address]);
    assert!(message.contains("could not listen on"), "{message}");
}

/// Runs `comity health`. Returns its exit code, standard output and standard error.
fn health(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).arg("health").args(arguments).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), out, err)
}

#[test]
fn the_command_asks_a_service_if_it_is_ready() {
    let service = Service::start_offline(&[]);
    let (code, out, err) = health(&[&service.address]);
    assert_eq!((code, out, err), (Some(0), format!("{} accepts requests\n", service.address), String::new()));
    let address = service.address.clone();
    drop(service);
    let (code, out, err) = health(&[&address]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains(&format!("the service at {address} did not answer")), "{err}");
}

#[test]
fn only_the_answer_of_a_ready_service_is_taken_for_one() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answers = ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 404 Not Found\r\n\r\n", "ready\n", ""];
    let server = std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            assert_eq!(line, "GET /readyz HTTP/1.1\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        }
        // The last one gets no answer.
        let silent = listener.accept().unwrap();
        std::thread::sleep(Duration::from_secs(2));
        drop(silent);
    });
    for (expected, message) in [(1, ""), (2, "404"), (2, "`ready`"), (2, "did not answer")] {
        let (code, out, err) = health(&[&address]);
        assert_eq!(code, Some(expected), "{out}{err}");
        assert!(err.contains(message) && !out.contains(" accepts"), "{out}{err}");
    }
    let began = Instant::now();
    let (code, out, err) = health(&[&address, "--timeout", "200ms"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(began.elapsed() < Duration::from_millis(1900), "{:?}", began.elapsed());
    server.join().unwrap();
}
