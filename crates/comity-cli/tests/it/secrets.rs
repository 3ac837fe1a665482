//! Checks that no command prints the password of a URL.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use comity_testserver::{HttpServer, Reply};

use crate::service::Service;

const SECRET: &str = "s3cret";

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Writes files with URLs that contain the password.
fn write_files(folder: &Path, page: &str) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("robots.txt", "User-agent: *\nDisallow: /private/\nSitemap: https://shop.example/s.xml\n");
    write("urls.txt", &format!("{page}\nhttps://user:{SECRET}@shop.example/b\n"));
    write("bad-urls.txt", &format!("https://user:{SECRET}@shop.example:99999/b\n"));
    write("page.html", "<meta name=robots content=noindex>");
    write("other.txt", "User-agent: *\nDisallow: /private\nDisallow: /b\n");
    write("sitemap.txt", &format!("{page}\nhttps://user:{SECRET}@other.example/\n"));
    write("batch.jsonl", &format!("{{\"robots\": \"\", \"agent\": \"a\", \"url\": \"{page}\"}}\n"));
    for (name, expect) in [("right.toml", "disallow"), ("wrong.toml", "allow")] {
        write(
            name,
            &format!("robots = \"robots.txt\"\n[[test]]\nagent = \"a\"\nurl = \"{page}\"\nexpect = \"{expect}\"\n"),
        );
    }
}

/// Returns commands in all their formats.
fn commands_in_formats(live: &str, resolve: &str, file_page: &str) -> Vec<Vec<String>> {
    const LISTS: [&str; 2] = ["--urls=urls.txt", "--sitemap=sitemap.txt"];
    const DIFF: [&str; 4] = ["human", "json", "markdown", "github"];
    const LINT: [&str; 7] = ["human", "short", "json", "csv", "sarif", "github", "junit"];
    let command = |words: &[&str], format: &str| {
        words.iter().chain(&["--format", format]).map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    let of_files = [&["diff", "robots.txt", "other.txt"][..], &LISTS].concat();
    let of_site = ["diff", live, "other.txt", resolve, "--no-cache", "--urls=urls.txt"];
    let of_lint = [&["lint", "robots.txt", "other.txt", file_page][..], &LISTS].concat();
    let diffs = DIFF.iter().flat_map(|format| [command(&of_files, format), command(&of_site, format)]);
    diffs.chain(LINT.iter().map(|format| command(&of_lint, format))).collect()
}

#[test]
fn no_command_prints_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = format!("https://user:{SECRET}@shop.example/private/a");
    write_files(folder, &page);

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(HttpServer::start());
    server.serve("a.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /private/\n"));
    server.serve("a.test", "/private/a", Reply::ok("<meta name=robots content=noindex>"));
    let port = server.addr().port();
    let live = format!("http://user:{SECRET}@a.test:{port}/private/a");
    let resolve = format!("--resolve=*:{port}:127.0.0.1");
    let nobody = format!("http://user:{SECRET}@b.test:{port}/");

    let (site_url, bad_url) = (format!("--url={page}"), format!("--url=https://user:{SECRET}@shop.example:99999/"));
    let (file_page, live_page) = (format!("--page=page.html={page}"), format!("--page={live}"));
    let bad_page = format!("--page=page.html=https://user:{SECRET}@shop.example:99999/");
    let live_sitemap = format!("--sitemap={live}");
    let gopher = format!("gopher://user:{SECRET}@shop.example/robots.txt");

    let origin = format!("--origin={page}");
    let no_robots = format!("--origin=https://user:{SECRET}@shop.example/a/robots.txt");
    let lines: Vec<Vec<&str>> = vec![
        vec!["check", "--robots", "robots.txt", &page],
        vec!["check", "--robots", "robots.txt", "--explain", "--raw", &page],
        vec!["check", "--robots", "robots.txt", "--dialect", "google", "--format", "json", "--explain", &page],
        vec!["check", "--robots", "robots.txt", "--urls", "urls.txt"],
        vec!["check", "--robots", "robots.txt", "--urls", "bad-urls.txt"],
        vec!["check", "--robots", "robots.txt", "--format", "csv", &page],
        vec!["check", "--robots", "robots.txt", "--format", "csv", "--urls", "urls.txt"],
        vec!["check", "--robots", "robots.txt", "--format", "csv", "--urls", "bad-urls.txt"],
        vec!["check", "--robots", "robots.txt", "--format", "csv", "--sitemap", "sitemap.txt"],
        vec!["check", "--robots", "robots.txt", &origin, "/a"],
        vec!["check", "--robots", "robots.txt", &no_robots, "/a"],
        vec!["check", "--robots", &page, "/a"],
        vec!["matrix", "--robots", "robots.txt", &page],
        vec!["matrix", "--robots", "robots.txt", "--format", "json", &page],
        vec!["matrix", "--robots", "robots.txt", "--format", "csv", &page],
        vec!["batch", "batch.jsonl"],
        vec!["page", "--robots", "robots.txt", "--html", "page.html", &page],
        vec!["page", "--robots", "robots.txt", "--html", "page.html", "--format", "json", &page],
        vec!["test", "right.toml"],
        vec!["test", "wrong.toml", "--junit", "/dev/stdout"],
        vec!["sitemaps", "robots.txt", &origin],
        vec!["cache", "show", &page, "--cache=kept"],
        vec!["cache", "purge", &page, "--cache=kept"],
        vec!["history", &page, "--cache=kept"],
        vec!["check", &live, &resolve, "--cache=kept"],
        vec!["check", &live, &resolve, "--cache=kept", "--format", "json", "--explain"],
        vec!["fetch", &live, &resolve, "--cache=kept"],
        vec!["fetch", &live, &resolve, "--cache=kept", "--format", "json"],
        vec!["cache", "list", "--cache=kept"],
        vec!["cache", "export", "--cache=kept"],
        vec!["cache", "show", &live, "--cache=kept", "--format", "json"],
        vec!["history", &live, "--cache=kept"],
        vec!["inspect", &live, &resolve, "--no-cache"],
        vec!["ai", &live, &resolve, "--no-cache"],
        vec!["sitemaps", &live, &resolve, "--no-cache"],
        vec!["lint", &live, &resolve, "--no-cache"],
        vec!["lint", &live, &resolve, "--no-cache", "--fetch"],
        vec!["lint", "robots.txt", &site_url],
        vec!["lint", "robots.txt", &bad_url],
        vec!["lint", "robots.txt", &bad_page],
        vec!["lint", "robots.txt", &live_page, &live_sitemap, &resolve, "--no-cache"],
        vec!["lint", "robots.txt", "--page=page.html=http://a.test/", &live_sitemap, &resolve, "--no-cache"],
        vec!["page", &live, &resolve, "--no-cache"],
        vec!["test", "right.toml", "--robots", &live, &resolve, "--no-cache"],
        vec!["diff", &gopher, "robots.txt"],
        vec!["prove", &live, &resolve, "--no-cache", "--none-allowed=/private/"],
        vec!["prove", &live, &resolve, "--no-cache", "--all-allowed=/"],
        vec!["prove", &gopher, "--all-allowed=/"],
        vec!["minimize", &live, &resolve, "--no-cache"],
        vec!["minimize", &live, &resolve, "--no-cache", "--check"],
        vec!["minimize", &gopher],
        vec!["inspect", &gopher],
        vec!["check", &gopher],
        vec!["check", &nobody, "--resolve=b.test:1:127.0.0.1", "--offline", "--cache=kept"],
        vec![
            "inspect",
            &nobody,
            "--resolve=b.test:1:127.0.0.1",
            "--timeout=1s",
            "--proxy=http://127.0.0.1:1",
            "--no-cache",
        ],
    ];
    let in_formats = commands_in_formats(&live, &resolve, &file_page);
    for line in lines.into_iter().chain(in_formats.iter().map(|line| line.iter().map(String::as_str).collect())) {
        let output = Command::new(env!("CARGO_BIN_EXE_comity")).args(&line).current_dir(folder).output().unwrap();
        let text = printed(&output);
        assert!(!text.is_empty(), "{line:?}");
        assert!(!text.contains(SECRET), "{line:?}: {text}");
    }
}

#[test]
fn the_log_of_the_service_has_no_password() {
    let service = Service::start_offline(&["--log", "debug"]);
    let mut answers = String::new();
    for url in ["https://user:s3cret@shop.example/", "https%3A%2F%2Fuser:s3cret%40@shop.example%2F%3Fa&agent=x"] {
        answers += &service.get(&format!("/v1/check?url={url}"));
    }
    // A client that takes the service for a proxy.
    for target in ["http://user:s3cret@shop.example/", "/http://user:s3cret@shop.example/", "/?http://user:s3cret@a.b/"]
    {
        answers += &service.get(target);
    }
    let log = service.kill();
    assert_eq!(log.matches("/v1/check?url=").count(), 2, "{log}");
    assert_eq!(log.matches("answered").count(), 5, "{log}");
    assert!(!log.contains(SECRET) && !answers.contains(SECRET), "{log}\n{answers}");
}
