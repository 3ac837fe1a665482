//! Runs commands that read web pages on a page with a tag of very many attributes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use comity_testserver::{Coding, HttpServer, Reply};

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nDisallow: /closed\n";

/// A page with `noindex`, as the last of 300,000 attributes of one tag.
fn page() -> String {
    format!("<meta {}name=robots content=noindex>", "a=\"b\" ".repeat(300_000))
}

/// Runs the command, and waits until it ends.
fn comity(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_comity")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn page_and_lint_read_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), ROBOTS).unwrap();
    fs::write(folder.path().join("page.html"), page()).unwrap();

    let url = "http://shop.example/x";
    let output = comity(folder.path(), &["page", "--robots", "robots.txt", "--html", "page.html", url]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("noindex"), "{}", text(&output));

    // Because of the rule for /closed, crawlers can't see the noindex.
    let page = "--page=page.html=http://shop.example/closed";
    let output = comity(folder.path(), &["lint", "--select=L021", page, "robots.txt"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("L021"), "{}", text(&output));
}

#[test]
fn page_and_lint_fetch_pages() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(HttpServer::start());
    let folder = tempfile::tempdir().unwrap();
    let port = server.addr().port();
    server.serve("a.test", "/robots.txt", Reply::ok(ROBOTS));
    server.serve("a.test", "/plain", Reply::ok(page()));
    server.serve("a.test", "/closed", Reply::ok(page()));
    server.serve("a.test", "/gzip", Reply::ok(page()).encoded(Coding::Gzip));

    let resolve = format!("--resolve=a.test:{port}:127.0.0.1");
    let url = |path: &str| format!("http://a.test:{port}{path}");
    for path in ["/plain", "/gzip"] {
        let output = comity(folder.path(), &["page", "--no-cache", &resolve, &url(path)]);
        assert_eq!(output.status.code(), Some(1), "{path}: {}", text(&output));
        assert!(text(&output).contains("noindex"), "{path}: {}", text(&output));
    }
    let page = format!("--page={}", url("/closed"));
    let output = comity(folder.path(), &["lint", "--no-cache", &resolve, "--select=L021", &page, &url("/")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("L021"), "{}", text(&output));
}
