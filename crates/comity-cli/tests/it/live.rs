//! Runs the command with a real server: what it fetches, stores and reports.

use std::process::{Command, Output};

use comity_testserver::{ANY, At, HttpServer, Reply};
use serde_json::Value;
use tempfile::TempDir;

const RULES: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n";

/// A server, and a cache folder for the test.
struct Site {
    server: HttpServer,
    cache: TempDir,
    _runtime: tokio::runtime::Runtime,
}

impl Site {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(HttpServer::start());
        Self { server, cache: tempfile::tempdir().unwrap(), _runtime: runtime }
    }

    /// Runs the command for any sites. This server serves all of them: no name is looked up in the DNS.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        command.args(arguments).args(["--cache", self.cache.path().to_str().unwrap()]);
        if !matches!(arguments[0], "cache" | "history") {
            command.args(["--resolve", &format!("*:{}:127.0.0.1", self.port())]);
        }
        command.output().unwrap()
    }

    fn port(&self) -> u16 {
        self.server.addr().port()
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port())
    }

    /// Returns the name by which the server knows a site.
    fn serve(&self, host: &str, reply: Reply) {
        self.server.serve(host, "/robots.txt", reply);
    }
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {}", text(output)))
}

#[test]
fn an_unknown_coding_is_said_with_each_answer() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES).header("Content-Encoding", "aws-chunked"));
    let note = "The file is read as it is: its Content-Encoding, `aws-chunked`, is not known.";
    let checked = text(&site.run(&["check", &site.url("a.test", "/private/x")]));
    assert!(checked.contains(note), "{checked}");
    let fetched = text(&site.run(&["fetch", &site.url("a.test", "/")]));
    assert!(fetched.contains(note), "{fetched}");
    let document = json(&site.run(&["check", &site.url("a.test", "/"), "--max-age", "0", "--format", "json"]));
    assert_eq!(document["sites"][0]["unknown_coding"], "aws-chunked", "{document}");
    site.serve("a.test", Reply::ok(RULES).header("Content-Encoding", "identity"));
    let plain = text(&site.run(&["check", &site.url("a.test", "/private/x"), "--max-age", "0"]));
    assert!(!plain.contains("Content-Encoding"), "{plain}");
    site.serve("b.test", Reply::ok(b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x33\x04".to_vec()));
    let said = text(&site.run(&["check", &site.url("b.test", "/private/x")]));
    assert!(said.contains("looks like gzip data, which the server does not declare, not like a robots.txt"), "{said}");
}

#[test]
fn a_site_is_asked_once_and_the_answer_says_where_it_comes_from() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    let url = site.url("a.test", "/private/x");
    let first = site.run(&["check", &url, "--agent", "bingbot"]);
    let said = text(&first);
    assert_eq!(first.status.code(), Some(1), "{said}");
    for part in [
        &format!("No. bingbot may not fetch {url}"),
        "     2 | Disallow: /private/",
        &format!("Line 2 of {} decides.", site.url("a.test", "/robots.txt")),
        "Fetched just now. The next fetch is in 24 hours at the earliest.",
        "The file asks it to wait 2 s between requests (line 3).",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
    let second = site.run(&["check", &site.url("a.test", "/public"), "--agent", "Googlebot", "--explain"]);
    assert_eq!(second.status.code(), Some(0), "{}", text(&second));
    assert!(text(&second).contains("verdict   allowed: no rule matches"), "{}", text(&second));
    assert_eq!(site.server.requests().len(), 1, "the second question is answered from the cache");
    assert_eq!(site.server.requests()[0].header("user-agent"), Some(concat!("comity/", env!("CARGO_PKG_VERSION"))));

    site.run(&["check", &url, "--max-age", "0"]);
    assert_eq!(site.server.requests().len(), 2);
    let offline = site.run(&["check", &url, "--offline"]);
    assert_eq!((offline.status.code(), site.server.requests().len()), (Some(1), 2));
    let unknown = site.run(&["check", &site.url("b.test", "/"), "--offline"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown).contains("no file of"), "{}", text(&unknown));
}

#[test]
fn a_site_that_fails_allows_nothing_and_says_why() {
    let site = Site::new();
    site.serve("a.test", Reply::status(503).header("Retry-After", "120"));
    site.serve("b.test", Reply::ok(RULES).cut(At::Body(10)));
    for (host, why) in [("a.test", "answered 503"), ("b.test", "broke off in the middle of the file")] {
        let output = site.run(&["check", &site.url(host, "/public")]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        for part in ["No. ", why, "so everything is disallowed", "Policy standard: RFC 9309 §2.3.1.4"] {
            assert!(said.contains(part), "{part:?} is not in\n{said}");
        }
    }
    let again = site.run(&["check", &site.url("a.test", "/public")]);
    assert!(text(&again).contains("The next fetch is in 2 minutes at the earliest"), "{}", text(&again));
    assert_eq!(site.server.count("a.test", "/robots.txt"), 1, "a failure is remembered, too");
    // Another policy fetches for itself, and may have another ruling.
    let archive = site.run(&["check", &site.url("a.test", "/public"), "--policy", "archive"]);
    assert_eq!(archive.status.code(), Some(0), "{}", text(&archive));
    assert!(text(&archive).contains("so everything is allowed"), "{}", text(&archive));

    site.serve("c.test", Reply::status(404));
    let missing = site.run(&["check", &site.url("c.test", "/public")]);
    assert_eq!(missing.status.code(), Some(0), "{}", text(&missing));
    assert!(text(&missing).contains("answered 404, so everything is allowed"), "{}", text(&missing));
}

#[test]
fn many_urls_of_many_sites_make_a_table_and_a_summary() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    site.serve("b.test", Reply::status(404));
    site.serve("c.test", Reply::status(500));
    let urls = site.cache.path().join("urls.txt");
    let lines: Vec<String> = ["a.test/", "a.test/private/", "b.test/x", "c.test/x", "a.test/private/y"]
        .map(|url| {
            let (host, path) = url.split_once('/').unwrap();
            site.url(host, &format!("/{path}"))
        })
        .into();
    std::fs::write(&urls, lines.join("\n")).unwrap();
    let urls = urls.to_str().unwrap();
    // These hosts are from a file, so private addresses are refused.
    let refused = site.run(&["check", "--urls", urls]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused);
    assert!(said.contains("0 allowed, 0 disallowed, 5 without a verdict."), "{said}");
    assert!(
        said.contains("3 sites were not contacted, since comity's own address rules refuse them")
            && said.contains("--addresses"),
        "{said}"
    );
    assert_eq!(site.server.connections(), 0);
    let refused = site.run(&["check", "--urls", urls, "--format", "json"]);
    assert_eq!(refused.status.code(), Some(2));
    let row = &json(&refused)["answers"][0];
    assert_eq!(
        (&row["answer"], &row["allowed"], &row["reason"]),
        (&Value::Null, &Value::Null, &Value::from("no-answer"))
    );
    assert!(row["error"].as_str().unwrap().contains("--addresses"), "{row}");
    assert_eq!(site.server.connections(), 0);

    let output = site.run(&["check", "--urls", urls, "--addresses", "127.0.0.0/8", "--no-cache-of-refusals"]);
    assert_eq!(output.status.code(), Some(2), "an unknown option: {}", text(&output));
    // The earlier refusal is not stored.
    let output = site.run(&["check", "--urls", urls, "--addresses", "127.0.0.0/8"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let verdicts: Vec<&str> = said.lines().skip(1).take(5).map(|line| line[..15].trim_end()).collect();
    assert_eq!(verdicts, ["allowed", "blocked 2", "allowed", "blocked", "blocked 2"], "{said}");
    assert!(said.contains("2 allowed, 3 disallowed."), "{said}");
    assert!(said.contains("1 site answered 500: everything is disallowed"), "{said}");
    assert_eq!(site.server.requests().len(), 3, "each site is asked once");

    let report = json(&site.run(&["check", "--urls", urls, "--addresses", "any", "--format", "json", "--agent", "x"]));
    let answers: Vec<_> = report["answers"].as_array().unwrap().iter().map(|row| row["allowed"].clone()).collect();
    assert_eq!(answers, [true, false, true, false, false]);
    assert_eq!(report["answers"][1]["text"], "Disallow: /private/");
    assert_eq!(report["answers"][3]["reason"], "disallow-all");
    assert_eq!(report["sites"].as_array().unwrap().len(), 3);
    assert_eq!(report["sites"][2]["row"], "server-error");
}

#[test]
fn refusal_by_comity_is_no_answer_of_the_site() {
    let site = Site::new();
    // The host on the command line may have any address, but the target of its redirect may not.
    site.serve("a.test", Reply::redirect(302, format!("http://b.test:{}/robots.txt", site.port())));
    site.serve("b.test", Reply::ok(RULES));
    let url = site.url("a.test", "/x");
    let refused = site.run(&["check", &url, "--agent", "TestBot"]);
    let said = text(&refused);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.starts_with("No verdict. ") && !said.contains("everything is disallowed"), "{said}");
    assert!(said.contains("127.0.0.1") && said.contains("--addresses any"), "{said}");
    // The robots.txt itself is always allowed, so it is allowed here, too.
    assert_eq!(site.run(&["check", &site.url("a.test", "/robots.txt")]).status.code(), Some(0));
    let output = site.run(&["check", &url, "--addresses", "any"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    // The last good copy applies while no answer is available.
    let output = site.run(&["check", &site.url("a.test", "/private/"), "--max-age", "0"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

#[test]
fn fetch_shows_its_exchanges() {
    let site = Site::new();
    site.serve("a.test", Reply::redirect(301, site.url("b.test", "/elsewhere.txt")));
    site.server.serve("b.test", "/elsewhere.txt", Reply::ok(RULES).header("Content-Type", "text/\u{202E}nialp"));
    // The host on the command line may have any address, but the target of its redirect may not.
    let refused = site.run(&["fetch", &site.url("a.test", "/any/page")]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    assert!(text(&refused).contains("127.0.0.1 is not a public address"), "{}", text(&refused));
    let output = site.run(&["fetch", &site.url("a.test", "/any/page"), "--addresses", "any"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains('\u{202E}'), "{said:?}");
    for part in [
        format!("1  {}", site.url("a.test", "/robots.txt")),
        "301, HTTP/1.1, from 127.0.0.1:".to_owned(),
        format!("2  {}", site.url("b.test", "/elsewhere.txt")),
        format!("{} bytes: groups 1, rules 1, sitemaps 0.", RULES.len()),
        "to which".to_owned(),
        "Policy standard: RFC 9309 §2.3.1.1".to_owned(),
    ] {
        assert!(said.contains(&part), "{part:?} is not in\n{said}");
    }
    let body = site.run(&["fetch", "--addresses", "any", "--body", &site.url("a.test", "/")]);
    assert_eq!(body.stdout, RULES.as_bytes());
    // An empty file is not an empty pipe, which is the sign of a fetch that failed.
    site.serve("empty.test", Reply::ok(""));
    let empty = site.run(&["fetch", "--addresses", "any", "--body", &site.url("empty.test", "/")]);
    assert_eq!(empty.status.code(), Some(0), "{}", text(&empty));
    let comment = format!("# {} is empty\n", site.url("empty.test", "/robots.txt"));
    assert_eq!(String::from_utf8_lossy(&empty.stdout), comment);
    let log = json(&site.run(&["fetch", "--addresses", "any", "--format", "json", "--body", &site.url("a.test", "/")]));
    assert_eq!(log[0]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(log[0]["steps"][1]["status"], 200);
    assert_eq!(log[0]["body"], RULES);

    let gone = site.run(&["fetch", "http://127.0.0.1:1/"]);
    assert_eq!(gone.status.code(), Some(1), "{}", text(&gone));
    assert!(text(&gone).contains("could not be connected to"), "{}", text(&gone));
    let nobody = site.run(&["fetch", "mailto:a@b.test"]);
    assert_eq!(nobody.status.code(), Some(2), "{}", text(&nobody));
}

#[test]
fn cached_files_can_be_shown_exported_and_purged() {
    let site = Site::new();
    site.server.serve_in_turn("a.test", "/robots.txt", [Reply::ok(RULES), Reply::ok("User-agent: *\nDisallow: /\n")]);
    site.server.serve("b.test", ANY, Reply::status(410));
    let (a, b) = (site.url("a.test", "/"), site.url("b.test", "/"));
    for url in [&a, &a, &b] {
        site.run(&["fetch", url]);
    }
    let list = site.run(&["cache", "list"]);
    assert_eq!(list.status.code(), Some(0));
    assert!(text(&list).contains("26 bytes") && text(&list).contains("answered 410"), "{}", text(&list));
    let show = site.run(&["cache", "show", &a]);
    assert!(text(&show).contains("200  http://a.test"), "{}", text(&show));

    let history = json(&site.run(&["history", &a, "--format", "json"]));
    let sizes: Vec<_> = history.as_array().unwrap().iter().map(|row| row["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [26, RULES.len() as u64], "the newest first");
    let hash = history[1]["hash"].as_str().unwrap();
    let body = site.run(&["history", &a, "--body", &hash[..8]]);
    assert_eq!(body.stdout, RULES.as_bytes());

    assert_eq!(site.run(&["cache", "verify"]).status.code(), Some(0));
    let exported = site.run(&["cache", "export"]);
    let file = site.cache.path().join("exported.jsonl");
    std::fs::write(&file, &exported.stdout).unwrap();
    assert!(text(&site.run(&["cache", "purge", &b])).contains("1 origin forgotten"));
    assert!(text(&site.run(&["cache", "purge", "--all"])).contains("1 origin forgotten"));
    assert_eq!(site.run(&["history", &a]).status.code(), Some(1));
    let imported = site.run(&["cache", "import", file.to_str().unwrap()]);
    assert!(text(&imported).contains("2 origins imported"), "{}", text(&imported));
    assert_eq!(json(&site.run(&["history", &a, "--format", "json"])), history);
    assert_eq!(site.server.requests().len(), 3);
}

#[test]
fn a_history_says_what_each_version_changed() {
    let site = Site::new();
    let shop = format!("{RULES}Disallow: /shop/\n");
    let replies =
        [Reply::ok(RULES), Reply::status(503), Reply::ok(shop.clone()), Reply::ok(format!("# Equal\n{shop}"))];
    site.server.serve_in_turn("a.test", "/robots.txt", replies);
    let url = site.url("a.test", "/");
    for _ in 0..4 {
        site.run(&["fetch", &url]);
    }
    let versions = json(&site.run(&["history", &url, "--diff", "--format", "json"]));
    let versions = versions.as_array().unwrap();
    let found: Vec<_> = versions.iter().map(|row| (row["event"].as_str().unwrap(), &row["diff"]["outcome"])).collect();
    let [same, differs] = ["same", "differs"].map(Value::from);
    let sent = "sent a robots.txt";
    let expected = [(sent, &Value::Null), ("answered 503", &Value::Null), (sent, &differs), (sent, &same)];
    assert_eq!(found, expected, "the oldest first");
    assert_eq!(versions[2]["compared_with"], versions[0]["hash"], "the failed fetch is passed over");
    let change = &versions[2]["diff"]["changes"][0];
    assert_eq!((&change["to"], &change["rule"]["line"]), (&Value::from("blocked"), &Value::from(4)));

    let human = site.run(&["history", &url, "--diff"]);
    assert_eq!(human.status.code(), Some(0), "{}", text(&human));
    assert!(text(&human).contains("     4 | /shop/") && text(&human).contains("answered 503"), "{}", text(&human));
    for format in ["human", "json"] {
        let undecided = site.run(&["history", &url, "--diff", "--budget", "1", "--format", format]);
        assert_eq!(undecided.status.code(), Some(2), "{}", text(&undecided));
        assert!(!text(&undecided).contains("Same."), "{}", text(&undecided));
    }
    let nothing = site.run(&["history", &site.url("b.test", "/"), "--diff"]);
    assert_eq!(nothing.status.code(), Some(1), "{}", text(&nothing));
}

#[test]
fn commands_that_read_files_take_sites_as_well() {
    let site = Site::new();
    let sitemap = site.url("a.test", "/index.xml");
    site.serve("a.test", Reply::ok(format!("{RULES}Sitemap: {sitemap}\nUser-agent: GPTBot\nDisallow: /\n")));
    let index = format!("<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>", site.url("a.test", "/1.txt"));
    site.server.serve("a.test", "/index.xml", Reply::ok(index));
    let pages = format!("{}\n{}\n", site.url("a.test", "/page"), site.url("a.test", "/private/page"));
    site.server.serve("a.test", "/1.txt", Reply::ok(pages));
    let page = Reply::ok("<meta name=robots content=noindex>").header("X-Robots-Tag", "nosnippet");
    site.server.serve("a.test", "/page", page);
    let url = site.url("a.test", "/page");

    let inspected = json(&site.run(&["inspect", &url, "--format", "json"]));
    assert_eq!(inspected["groups"].as_array().unwrap().len(), 2);
    let lint = json(&site.run(&["lint", &url, "--format", "json"]));
    assert!(lint["files"][0]["findings"].as_array().is_some());
    let fixed = site.run(&["lint", &url, "--fix"]);
    assert_eq!(fixed.status.code(), Some(2), "{}", text(&fixed));
    let ai = site.run(&["ai", &url]);
    assert_eq!(ai.status.code(), Some(0), "{}", text(&ai));
    assert!(text(&ai).contains("GPTBot"), "{}", text(&ai));
    // A site implies that its sitemaps are fetched.
    let sitemaps = site.run(&["sitemaps", &url, "--blocked"]);
    assert_eq!(sitemaps.status.code(), Some(1), "{}", text(&sitemaps));
    let private = site.url("a.test", "/private/page");
    assert!(text(&sitemaps).contains(&format!("blocked 2      {private}")), "{}", text(&sitemaps));
    assert!(text(&sitemaps).contains("1 listed page may not be fetched"), "{}", text(&sitemaps));
    let page = site.run(&["page", &url, "--agent", "Googlebot"]);
    assert_eq!(page.status.code(), Some(1), "{}", text(&page));
    assert!(!text(&page).contains("Assumed"), "{}", text(&page));
    for part in ["noindex", "nosnippet"] {
        assert!(text(&page).contains(part), "{part} is not in\n{}", text(&page));
    }
    assert_eq!(site.server.count("a.test", "/robots.txt"), 1, "one fetch serves all commands");

    site.serve("b.test", Reply::status(503));
    let down = site.run(&["ai", &site.url("b.test", "/")]);
    assert_eq!(down.status.code(), Some(2), "{}", text(&down));
    assert!(text(&down).contains("answered 503"), "{}", text(&down));
    site.serve("c.test", Reply::status(404));
    let none = site.run(&["inspect", &site.url("c.test", "/")]);
    assert_eq!(none.status.code(), Some(0), "{}", text(&none));
}

#[test]
fn a_page_that_redirects_to_a_disallowed_one_may_not_be_fetched() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    site.serve("b.test", Reply::ok("User-agent: *\nDisallow: /\n"));
    let (here, there) = (site.url("a.test", "/private/page"), site.url("b.test", "/page"));
    for (path, target) in [("/here", &here), ("/there", &there)] {
        site.server.serve("a.test", path, Reply::redirect(301, target));
        let url = site.url("a.test", path);
        for (host, path) in [("a.test", "/private/page"), ("b.test", "/page")] {
            site.server.serve(host, path, Reply::ok("<p>Nothing is forbidden here.</p>"));
        }
        let human = site.run(&["page", &url, "--addresses", "any"]);
        assert_eq!(human.status.code(), Some(1), "{}", text(&human));
        assert!(
            text(&human).contains(&format!("it redirects to {target}, which it may not fetch")),
            "{}",
            text(&human)
        );
        assert!(!text(&human).contains("nothing forbids it"), "{}", text(&human));
        let found = json(&site.run(&["page", &url, "--addresses", "any", "--format", "json"]));
        assert_eq!(found["found_at_allowed"], false, "{found}");
        assert_eq!(found["index"]["stance"], "hidden", "{found}");
    }
}

/// Why a page is not in search results is an answer, and so is a page of another address that is.
#[test]
fn a_page_that_is_missing_moved_or_a_copy_has_an_answer() {
    let site = Site::new();
    site.serve("a.test", Reply::ok("User-agent: *\nDisallow: /hop/\n"));
    let at = |path: &str| site.url("a.test", path);
    site.server.serve("a.test", "/plain", Reply::ok("<p>Nothing is forbidden here.</p>"));
    site.server.serve("a.test", "/own", Reply::ok("<link rel=canonical href=\"/own#top\">"));
    site.server.serve("a.test", "/copy", Reply::ok("<link rel='canonical' href='/plain'>"));
    let link = Reply::ok("A file.").header("Link", format!("<{}>; rel=\"canonical\"", at("/plain")));
    site.server.serve("a.test", "/file", link);
    site.server.serve("a.test", "/moved", Reply::redirect(302, at("/plain")));
    site.server.serve("a.test", "/far", Reply::redirect(301, at("/hop/")));
    site.server.serve("a.test", "/hop/", Reply::redirect(301, at("/plain")));
    site.server.serve("a.test", "/broken", Reply::status(503));
    let plain = at("/plain");
    for (path, code, sentence) in [
        ("/plain", 0, "Googlebot may fetch this page and show it in search results.".to_owned()),
        ("/own", 0, "Googlebot may fetch this page and show it in search results.".to_owned()),
        (
            "/copy",
            1,
            format!("This page names {plain} as the original, which search engines usually show in its place."),
        ),
        (
            "/file",
            1,
            format!("This page names {plain} as the original, which search engines usually show in its place."),
        ),
        ("/moved", 1, format!("This page redirects to {plain}, which is shown in search results in its place.")),
        (
            "/far",
            1,
            format!("Googlebot may not fetch this page: it redirects to {}, which is not allowed.", at("/hop/")),
        ),
        (
            "/nothing",
            1,
            "This page answered 404 (there is no such page), so it is not shown in search results.".to_owned(),
        ),
    ] {
        let human = site.run(&["page", &at(path), "--agent", "Googlebot"]);
        assert_eq!(human.status.code(), Some(code), "{path}: {}", text(&human));
        assert!(text(&human).contains(&sentence), "{path}: {sentence} is not in\n{}", text(&human));
        let found = json(&site.run(&["page", &at(path), "--agent", "Googlebot", "--format", "json"]));
        assert_eq!(found["headline"]["text"], sentence, "{found}");
    }
    let far = json(&site.run(&["page", &at("/far"), "--agent", "Googlebot", "--format", "json"]));
    let hops: Vec<_> = far["redirects"].as_array().unwrap().iter().map(|hop| hop["allowed"].as_bool()).collect();
    assert_eq!(hops, [Some(false), Some(true)], "{far}");
    let broken = site.run(&["page", &at("/broken")]);
    assert_eq!(broken.status.code(), Some(2), "{}", text(&broken));
}

#[test]
fn a_report_is_one_page_of_answers() {
    let site = Site::new();
    let at = |path: &str| site.url("a.test", path);
    let rules = format!("User-agent: *\nDisallow: /cart/\nSitemap: {}\n", at("/s.txt"));
    site.serve("a.test", Reply::ok(rules));
    site.serve("www.a.test", Reply::ok("User-agent: *\nDisallow: /\n"));
    site.server.serve("a.test", "/s.txt", Reply::ok(format!("{}\n{}\n", at("/"), at("/cart/"))));
    site.server.serve("a.test", "/", Reply::ok("<link rel=stylesheet href=/a.css><script src=/cart/a.js></script>"));
    let human = site.run(&["report", &at("/")]);
    assert_eq!(human.status.code(), Some(1), "{}", text(&human));
    for sentence in [
        "Open to Google, Bing, Yandex, DuckDuckGo and every other crawler, except for what single rules block.",
        "No mistakes in the file.",
        "1 of 2 sitemap pages is blocked for Google.",
        "AI: may search and train and fetch pages that people ask for.",
        "Googlebot may fetch this page and show it in search results.",
        "Googlebot may not load 1 of 2 files of this page",
        "sends another file. The whole site is blocked for every crawler",
        "First seen now",
    ] {
        assert!(text(&human).contains(sentence), "{sentence} is not in\n{}", text(&human));
    }
    let found = json(&site.run(&["report", &at("/"), "--format", "json"]));
    assert_eq!(found["parts"].as_array().unwrap().len(), 8, "{found}");
    assert_eq!(
        found["parts"][2]["command"],
        format!("comity sitemaps {} --agent Googlebot --blocked", at("")),
        "{found}"
    );
    let html = text(&site.run(&["report", &at("/"), "--format", "html"]));
    assert!(html.starts_with("<!doctype html>") && html.contains("1 of 2 sitemap pages is blocked"), "{html}");
    assert!(!html.contains("<script") && html.contains("default-src 'none'"), "{html}");

    site.serve("down.test", Reply::status(503));
    let down = site.run(&["report", &site.url("down.test", "/")]);
    assert_eq!(down.status.code(), Some(1), "{}", text(&down));
    assert!(text(&down).contains("Crawlers stay away for now: the site answered 503."), "{}", text(&down));

    let file = site.cache.path().join("robots.txt");
    std::fs::write(&file, "User-agent: *\nDisallow: /\n").unwrap();
    let alone = site.run(&["report", file.to_str().unwrap()]);
    assert_eq!(alone.status.code(), Some(1), "{}", text(&alone));
    assert!(text(&alone).contains("not asked: it needs the address of the site"), "{}", text(&alone));
}

#[test]
fn a_sitemap_covers_what_is_below_it_unless_the_robots_txt_names_it() {
    let outside = |report: &Value, sitemap: &str| -> Vec<Option<String>> {
        let files = report["sitemaps"].as_array().unwrap();
        let file = files.iter().find(|file| file["file"].as_str() == Some(sitemap)).unwrap();
        let entries = file["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["outside"].as_str().map(ToOwned::to_owned)).collect()
    };
    for is_named in [false, true] {
        let site = Site::new();
        let at = |path: &str| site.url("a.test", path);
        let [index, list, deep] = ["/maps/index.xml", "/maps/list.txt", "/maps/deep/list.txt"].map(at);
        // The dots in the last URL are resolved before it is compared.
        let [page, below, dots] = ["/page", "/maps/deep/page", "/maps/deep/../../page"].map(at);
        let named = if is_named { format!("Sitemap: {list}\n") } else { String::new() };
        site.serve("a.test", Reply::ok(format!("User-agent: *\nDisallow:\nSitemap: {index}\n{named}")));
        let entries = [&list, &deep].map(|url| format!("<sitemap><loc>{url}</loc></sitemap>")).concat();
        let listing = Reply::ok(format!("<sitemapindex>{entries}</sitemapindex>"));
        site.server.serve("a.test", "/maps/index.xml", listing);
        for path in ["/maps/list.txt", "/maps/deep/list.txt"] {
            site.server.serve("a.test", path, Reply::ok(format!("{page}\n{below}\n{dots}\n")));
        }

        let report = json(&site.run(&["sitemaps", &index, "--fetch", "--format", "json"]));
        let (maps, maps_deep) = (Some(at("/maps/")), Some(at("/maps/deep/")));
        assert_eq!(outside(&report, &index), [None, None]);
        assert_eq!(outside(&report, &list), if is_named { [None, None, None] } else { [maps.clone(), None, maps] });
        assert_eq!(outside(&report, &deep), [maps_deep.clone(), None, maps_deep]);
        let human = site.run(&["sitemaps", &index, "--fetch", "--blocked"]);
        assert_eq!(human.status.code(), Some(1), "{}", text(&human));
        assert!(text(&human).contains(&format!("{page}  not below {}", at("/maps/deep/"))), "{}", text(&human));
        let count = if is_named { 2 } else { 4 };
        let sum = format!("{count} entries are not below the sitemap that lists them");
        assert!(text(&human).contains(&sum), "{}", text(&human));
    }
}

#[test]
fn sitemaps_that_are_not_read_are_told() {
    let site = Site::new();
    let none = site.url("b.test", "/");
    site.serve("b.test", Reply::ok("User-agent: *\nDisallow: /private/\n"));
    let output = site.run(&["sitemaps", &none, "--blocked"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("No page was checked: the robots.txt names no sitemap"), "{stderr}");
    site.server.clear_requests();

    let index = site.url("a.test", "/index.xml");
    site.serve("a.test", Reply::ok(format!("Sitemap: {index}\n")));
    // The index lists itself, a web page, and more sitemaps than are read.
    let listed =
        (0..1_100).map(|number| format!("<sitemap><loc>{}</loc></sitemap>", site.url("a.test", &format!("/{number}"))));
    let listed: String = listed.collect();
    let own = format!("<sitemap><loc>{index}</loc></sitemap>");
    site.server.serve("a.test", "/index.xml", Reply::ok(format!("<sitemapindex>{own}{listed}</sitemapindex>")));
    site.server.serve("a.test", ANY, Reply::ok("<!doctype html><title>Not here</title>"));
    let output = site.run(&["sitemaps", &index, "--fetch", "--blocked"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("found an HTML page"), "{}", text(&output));
    assert!(text(&output).contains("101 more sitemaps were not read"), "{}", text(&output));
    assert_eq!(site.server.requests().len(), 1_001); // the robots.txt and a thousand sitemaps
}

/// Returns the codes of the findings with their lines, in order.
fn codes(output: &Output) -> Vec<String> {
    let report = json(output);
    let findings = report["files"][0]["findings"].as_array().unwrap_or_else(|| panic!("{}", text(output)));
    let code = |found: &Value| format!("{} {}", found["code"].as_str().unwrap(), found["line"]);
    findings.iter().map(code).collect()
}

#[test]
fn pages_are_evidence() {
    let site = Site::new();
    let rules = "User-agent: *\nDisallow: /thanks\nDisallow: /build/\nDisallow: /closed\n";
    site.serve("a.test", Reply::ok(rules));
    let html =
        "<base href=/build/><link rel=stylesheet href=site.css><script src=https://cdn.test/build/x.js></script>";
    site.server.serve("a.test", "/page", Reply::ok(html));
    site.server.serve("a.test", "/moved", Reply::redirect(302, site.url("a.test", "/thanks/again")));
    site.server.serve("a.test", "/thanks/again", Reply::ok("").header("X-Robots-Tag", "googlebot: noindex"));
    let file = site.cache.path().join("a=b.html");
    std::fs::write(&file, "<meta name=robots content=none>").unwrap();
    let of_file = format!("{}={}", file.display(), site.url("a.test", "/closed"));
    let (page, moved) = (site.url("a.test", "/page"), site.url("a.test", "/moved"));
    let select = "--select=L021,L027";
    let pages = ["--page", &page, "--page", &moved, "--page", &of_file, select];
    let live = site.run(&[&["lint", &site.url("a.test", "/"), "--format", "json"][..], &pages].concat());
    assert_eq!(codes(&live), ["L021 2", "L027 3", "L021 4"], "{}", text(&live));
    let said = json(&live)["files"][0]["findings"][1]["message"].to_string();
    assert!(said.contains("the style sheet `/build/site.css`") && said.contains("/page"), "{said}");

    let missing = site.run(&["lint", &site.url("a.test", "/"), "--page", &site.url("a.test", "/nothing")]);
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
    let where_is_it = site.run(&["lint", &site.url("a.test", "/"), "--page", "about.html"]);
    assert_eq!(where_is_it.status.code(), Some(2));
    assert!(text(&where_is_it).contains("about.html=https://example.com/about"), "{}", text(&where_is_it));
}

#[test]
fn lint_fetches_the_file_of_a_site() {
    let site = Site::new();
    let url = |path: &str| site.url("a.test", path);
    let rules = format!(
        "User-agent: *\nDisallow: /private/\nSitemap: {}\nSitemap: {}\nSitemap: {}\n",
        url("/index.xml"),
        url("/gone.xml"),
        url("/page.xml")
    );
    site.serve("a.test", Reply::status(200).header("Content-Type", "application/octet-stream").body(rules));
    site.serve("www.a.test", Reply::ok("User-agent: *\nDisallow: /\n"));
    let sitemap = |url: String| format!("<sitemapindex><sitemap><loc>{url}</loc></sitemap></sitemapindex>");
    site.server.serve("a.test", "/index.xml", Reply::ok(sitemap(url("/2.xml"))));
    // The first entry is a cycle, the second one is another sitemap.
    let more = sitemap(url("/index.xml")).replace("</sitemapindex>", "")
        + &sitemap(url("/3.txt")).replace("<sitemapindex>", "");
    site.server.serve("a.test", "/2.xml", Reply::ok(more));
    site.server.serve("a.test", "/3.txt", Reply::ok(format!("{}\n{}\n", url("/private/x"), url("/y"))));
    site.server.serve("a.test", "/page.xml", Reply::ok("<!DOCTYPE html><title>Not found</title>"));
    let output = site.run(&["lint", &url("/"), "--fetch", "--addresses", "any", "--format", "json"]);
    assert_eq!(codes(&output), ["L022 1", "L051 1", "L047 2", "L052 4", "L052 5"], "{}", text(&output));
    let messages = json(&output)["files"][0]["findings"].to_string();
    for part in [
        "www.a.test",
        "lists `/private/x`",
        "it answered 404",
        "it is not a sitemap: expected a sitemap, found an HTML page",
        "application/octet-stream",
    ] {
        assert!(messages.contains(part), "{part} is not in {messages}");
    }
    assert_eq!(site.server.count("a.test", "/index.xml"), 1);

    // A draft is compared with the other addresses of the site, and not with the file that it will replace.
    let draft = site.cache.path().join("draft.txt");
    std::fs::write(&draft, "User-agent: *\nDisallow: /drafts/\n").unwrap();
    let draft = draft.to_str().unwrap();
    site.server.serve("www.a.test", "/robots.txt", Reply::redirect(301, url("/robots.txt")));
    let output = site.run(&["lint", draft, "--fetch", "--url", &url("/"), "--addresses=any", "--format", "json"]);
    assert_eq!(codes(&output), ["L022 1"], "{}", text(&output));
    let whose = site.run(&["lint", draft, "--fetch"]);
    assert_eq!(whose.status.code(), Some(2));
    assert!(text(&whose).contains("--fetch needs a site"), "{}", text(&whose));
}

/// Checks that a site's sitemaps lead to no address that another argument opens.
#[test]
fn a_sitemap_leads_to_no_other_typed_site() {
    let site = Site::new();
    let secret = site.url("a.test", "/secret.xml");
    site.serve("b.test", Reply::ok(format!("User-agent: *\nDisallow: /x\nSitemap: {secret}\n")));
    site.serve("a.test", Reply::ok("User-agent: *\nDisallow: /y\n"));
    site.server.serve("a.test", "/secret.xml", Reply::ok("http://a.test/1\n"));
    let list = format!("<sitemapindex><sitemap><loc>{secret}</loc></sitemap></sitemapindex>");
    site.server.serve("b.test", "/index.xml", Reply::ok(list));
    let (evil, own, index) = (site.url("b.test", "/"), site.url("a.test", "/"), site.url("b.test", "/index.xml"));
    let fetched = site.run(&["lint", &evil, &own, "--fetch"]);
    assert!(text(&fetched).contains("L052"), "{}", text(&fetched));
    site.run(&["lint", &own, "--sitemap", &index]);
    assert_eq!(site.server.count("a.test", "/secret.xml"), 0);
    // Those of a site itself are fetched.
    site.serve("a.test", Reply::ok(format!("User-agent: *\nDisallow: /y\nSitemap: {secret}\n")));
    site.run(&["lint", &evil, &own, "--fetch"]);
    assert_eq!(site.server.count("a.test", "/secret.xml"), 1);
}

#[test]
fn missing_robots_txt_is_explained() {
    let site = Site::new();
    site.serve("a.test", Reply::status(503));
    site.serve("b.test", Reply::status(404));
    site.serve("www.a.test", Reply::status(500));
    let down = site.run(&["lint", &site.url("a.test", "/any/page"), "--fetch", "--addresses=any"]);
    let said = text(&down);
    assert_eq!(down.status.code(), Some(1), "{said}");
    assert!(said.contains("error[L049]") && said.contains("answers 503, so nothing may be fetched"), "{said}");
    assert!(said.contains("error[L051]") && said.contains("answers 500"), "{said}");
    let none = site.run(&["lint", &site.url("b.test", "/"), "--fetch"]);
    assert_eq!(none.status.code(), Some(0), "{}", text(&none));
    assert!(text(&none).contains("note[L049]"), "{}", text(&none));
    // The file redirects to itself.
    site.server.serve("c.test", ANY, Reply::redirect(302, "/robots.txt"));
    let round = site.run(&["lint", &site.url("c.test", "/"), "--fetch"]);
    assert_eq!(round.status.code(), Some(1), "{}", text(&round));
    assert!(text(&round).contains("the redirects lead in a circle"), "{}", text(&round));
}

#[test]
fn lint_tells_the_status_of_a_site_without_a_file() {
    let site = Site::new();
    for (host, status, code, said) in [
        ("a.test", 503, 1, "error[L049]: the site answers 503, so nothing may be fetched"),
        ("b.test", 403, 1, "warning[L049]: the site answers 403: for most crawlers there are no rules"),
        ("c.test", 404, 0, "note[L049]: the site answers 404: there is no robots.txt"),
    ] {
        site.serve(host, Reply::status(status));
        let linted = site.run(&["lint", &site.url(host, "/")]);
        assert_eq!(linted.status.code(), Some(code), "{}", text(&linted));
        assert!(text(&linted).contains(said), "{}", text(&linted));
    }
    // Without a response, there is nothing to lint.
    site.serve("www.a.test", Reply::ok(RULES).cut(At::Headers));
    let cut = site.run(&["lint", &site.url("www.a.test", "/")]);
    assert_eq!(cut.status.code(), Some(2), "{}", text(&cut));
}

#[test]
fn a_quiet_check_answers_with_its_exit_code() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    site.serve("b.test", Reply::status(503));
    for (arguments, code) in
        [(&["--agent", "Googlebot", "a.test/"][..], 0), (&["a.test/", "a.test/private/x"], 1), (&["b.test/"], 1)]
    {
        let urls = arguments.iter().map(|argument| match argument.split_once(".test") {
            Some((host, path)) => site.url(&format!("{host}.test"), path),
            None => (*argument).to_owned(),
        });
        let words: Vec<String> = ["check", "--quiet"].map(String::from).into_iter().chain(urls).collect();
        let quiet = site.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(quiet.status.code(), Some(code), "{}", text(&quiet));
        assert_eq!(text(&quiet), "");
    }
    let down = Site::new();
    let url = down.url("a.test", "/");
    drop(down.server);
    let error = site.run(&["check", "--quiet", "--offline", &url]);
    assert_eq!(error.status.code(), Some(2), "{}", text(&error));
    assert!(error.stdout.is_empty() && text(&error).starts_with("error: "), "{}", text(&error));
}

#[test]
fn tests_are_put_to_sites_and_drafts() {
    let site = Site::new();
    let (a, b) = (site.url("a.test", "/"), site.url("b.test", "/some/page"));
    let index = format!("<sitemapindex><sitemap><loc>{a}1.txt</loc></sitemap></sitemapindex>");
    site.server.serve("a.test", "/index.xml", Reply::ok(index));
    site.server.serve("a.test", "/1.txt", Reply::ok(format!("{a}page\n{a}private/1\n{a}private/2\n")));
    site.serve("a.test", Reply::ok(RULES));
    site.serve("b.test", Reply::ok("User-agent: *\nDisallow:\n"));
    let folder = site.cache.path();
    let tests_file = folder.join("robots.test.toml");
    let tests = format!(
        "robots = \"{a}\"\n\n[[test]]\nagent = \"bingbot\"\nurl = \"/private/\"\nexpect = \"disallow\"\n\n\
         [[test]]\nagent = \"bingbot\"\nsitemap = \"{a}index.xml\"\nexpect = \"EXPECT\"\n"
    );
    let write = |expect: &str| std::fs::write(&tests_file, tests.replace("EXPECT", expect)).unwrap();
    let tests_file = tests_file.to_str().unwrap();

    write("allow");
    let live = site.run(&["test", tests_file]);
    assert_eq!(live.status.code(), Some(1), "{}", text(&live));
    for part in
        ["ok    bingbot may not fetch /private/", "2 of 3 URLs are wrong:", "1 passed, 1 failed against http://a.test"]
    {
        assert!(text(&live).contains(part), "{part:?} is not in\n{}", text(&live));
    }
    // A local index refers to the local files next to it.
    std::fs::write(
        folder.join("index.xml"),
        format!("<sitemapindex><sitemap><loc>{a}deep/2.txt</loc></sitemap></sitemapindex>"),
    )
    .unwrap();
    write("allow");
    std::fs::write(
        tests_file,
        std::fs::read_to_string(tests_file).unwrap().replace(&format!("{a}index.xml"), "index.xml"),
    )
    .unwrap();
    let missing = site.run(&["test", tests_file]);
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
    assert!(text(&missing).contains("is not in its folder"), "{}", text(&missing));
    std::fs::write(folder.join("2.txt"), format!("{a}page\n")).unwrap();
    assert_eq!(site.run(&["test", tests_file]).status.code(), Some(0));

    write("unchanged");
    let against = site.run(&["test", tests_file]);
    assert_eq!(against.status.code(), Some(2));
    assert!(text(&against).contains("`unchanged` needs --against"), "{}", text(&against));
    let report = folder.join("report.xml");
    let against = site.run(&["test", tests_file, "--against", &b, "--junit", report.to_str().unwrap()]);
    assert_eq!(against.status.code(), Some(1), "{}", text(&against));
    for part in [
        "/private/: allowed",
        "FAIL  bingbot has the same answer for every URL of",
        "expected no change, found disallowed by line 2",
        "2 answers differ from those of http://b.test",
    ] {
        assert!(text(&against).contains(part), "{part:?} is not in\n{}", text(&against));
    }
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("<system-out>/private/: allowed"), "{report}");
    assert!(report.contains(r#"failures="1""#), "{report}");
    let same = site.run(&["test", tests_file, "--against", &a]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(text(&same).contains("All answers are the same as those of http://a.test"), "{}", text(&same));
    let of_other = site.run(&["test", tests_file, "--origin", &b, "--against", &a]);
    let expected = format!("The file of {} was tested as that of http://b.test", a.trim_end_matches('/'));
    assert!(text(&of_other).contains(&expected), "{}", text(&of_other));
}

/// A rule whose line ends exactly at the limit applies, in a file, in a fetched file, and in a batch.
#[test]
fn a_file_in_utf16_has_one_answer_at_the_size_limit() {
    let site = Site::new();
    for (host, is_little) in [("a.test", true), ("b.test", false)] {
        let order = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        for units_over in [-1, 0, 1] {
            let (start, rule, last) = ("\u{FEFF}User-agent: a\n#", "\nDisallow: /xyz", "\nDisallow: /last\n");
            let fill =
                (comity::SIZE_LIMIT / 2).wrapping_add_signed(units_over) - start.encode_utf16().count() - rule.len();
            let text = [start, &"x".repeat(fill), rule, last].concat();
            let body: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            let robots = site.cache.path().join("robots.txt");
            std::fs::write(&robots, &body).unwrap();
            site.serve(host, Reply::ok(body.clone()));
            let url = site.url(host, "/xyz");
            // The line is complete unless the limit cuts it.
            let expected = if units_over > 0 { "allowed" } else { "disallowed" };
            let by_file = ["check", "--robots", robots.to_str().unwrap(), &url, "--agent", "a", "--format", "json"];
            let by_file = json(&Command::new(env!("CARGO_BIN_EXE_comity")).args(by_file).output().unwrap());
            let live = json(&site.run(&["check", &url, "--agent", "a", "--format", "json", "--max-age", "0"]));
            for (way, found) in [("file", &by_file), ("fetch", &live)] {
                let answer = &found["answers"][0]["answer"];
                assert_eq!(answer, expected, "by {way} from {host}, {units_over} units from the limit");
            }
            let question = serde_json::json!({"robots_file": robots, "agent": "a", "url": "/xyz"});
            let lines = site.cache.path().join("questions.jsonl");
            std::fs::write(&lines, question.to_string()).unwrap();
            let batch =
                Command::new(env!("CARGO_BIN_EXE_comity")).args(["batch", lines.to_str().unwrap()]).output().unwrap();
            assert_eq!(json(&batch)["allowed"], expected == "allowed", "by batch from {host}, {units_over}");
        }
    }
}

#[test]
fn a_fetched_file_is_compared_with_how_the_operator_reads_it() {
    let site = Site::new();
    let rules = "\u{FEFF}User-agent: *\nDisallow: /private/\n";
    site.serve("a.test", Reply::ok(rules.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()));
    let url = site.url("a.test", "/private/");
    let sentence = "Google's own dialect (google) answers differently, allowed: it does not decode UTF-16";
    let one = site.run(&["check", &url, "--agent", "Googlebot"]);
    assert_eq!(one.status.code(), Some(1));
    assert!(text(&one).contains(sentence), "{}", text(&one));
    for arguments in [&["--agent", "GPTBot"][..], &["--agent", "Googlebot", "--literal"]] {
        let other = site.run(&[&["check", &url], arguments].concat());
        assert!(!text(&other).contains("answers differently"), "{}", text(&other));
    }
    let many = site.run(&["check", &url, &site.url("a.test", "/"), "--agent", "Googlebot", "--agent", "GPTBot"]);
    let summary =
        "Google's own dialect (google) answers 1 question of Googlebot differently: it does not decode UTF-16";
    assert!(text(&many).contains(summary), "{}", text(&many));
    let document = json(&site.run(&["check", &url, "--agent", "Googlebot", "--format", "json"]));
    assert_eq!(document["answers"][0]["operator_answer"]["answer"], "allowed");
}

#[test]
fn a_robots_txt_in_a_directory_is_not_the_one_that_crawlers_request() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    let root = site.url("a.test", "/robots.txt");
    let below = site.run(&["lint", &site.url("a.test", "/users/robots.txt")]);
    let note = format!("crawlers only request /robots.txt at the top level of a site: this is {root}");
    assert!(text(&below).contains(&note), "{}", text(&below));
    for typed in ["/robots.txt", "/", "/users/", "/robots.txt?a=/robots.txt"] {
        let other = site.run(&["lint", &site.url("a.test", typed)]);
        assert!(!text(&other).contains("top level"), "{typed}: {}", text(&other));
    }
}

#[test]
fn a_list_is_checked_by_the_files_of_its_sites() {
    let site = Site::new();
    for host in ["a.test", "b.test"] {
        site.serve(host, Reply::ok(RULES));
    }
    let folder = tempfile::tempdir().unwrap();
    let export = folder.path().join("export.csv");
    let rows = [
        "Address;Status Code".to_owned(),
        format!("{};200", site.url("a.test", "/private/x")),
        "mailto:me@a.test;".to_owned(),
        format!("{};200", site.url("b.test", "/")),
    ];
    std::fs::write(&export, rows.join("\r\n")).unwrap();
    let missing = folder.path().join("missing.csv");
    let lists = ["--urls", missing.to_str().unwrap(), "--urls", export.to_str().unwrap()];
    let run = |format: &str| {
        site.run(&[&["check", "--addresses", "any", "--agent", "bingbot", "--format", format], &lists[..]].concat())
    };

    let table = run("human");
    let said = text(&table);
    assert_eq!(table.status.code(), Some(2), "{said}");
    for part in ["blocked 2 ", "no URL ", "line 3: ", "allowed ", "missing.csv could not be opened"] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
    let document = json(&run("json"));
    let answers: Vec<&Value> = document["answers"].as_array().unwrap().iter().map(|row| &row["answer"]).collect();
    assert_eq!(answers, [&Value::from("disallowed"), &Value::Null, &Value::from("allowed")]);
    assert_eq!(document["sites"].as_array().unwrap().len(), 2);
    let csv = run("csv");
    let lines = String::from_utf8(csv.stdout).unwrap();
    assert_eq!((csv.status.code(), lines.lines().count()), (Some(2), 4), "{lines}");
    assert!(lines.contains(&format!(",disallowed,rule,2,disallow,Disallow: /private/,2,{}", site.url("a.test", ""))));
    assert_eq!(site.server.requests().len(), 2, "each file is fetched once");
}

#[test]
fn a_matrix_asks_the_site() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    let output = site.run(&["matrix", "--agent", "bingbot", &site.url("a.test", "/private/x")]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in ["blocked 2", &format!("A number is the line of {}", site.url("a.test", "/robots.txt"))] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
    assert!(!said.contains("Assumed"), "{said}");
    let path = site.run(&["matrix", "/private/x"]);
    assert!(path.status.code() == Some(2) && text(&path).contains("--origin"), "{}", text(&path));
}

#[test]
fn a_refusal_of_ours_is_no_answer_of_the_site() {
    let site = Site::new();
    site.serve("a.test", Reply::status(302).header("Location", site.url("b.test", "/robots.txt")));
    for command in ["lint", "inspect", "ai", "matrix", "page"] {
        let output = site.run(&[command, &site.url("a.test", "/x")]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("127.0.0.1 is not a public address"), "{command}: {said}");
        assert!(said.contains("--addresses any") && !said.contains("ClientBuilder"), "{command}: {said}");
        assert!(!said.contains("allowed") && !said.contains("blocked"), "{command}: {said}");
    }
}

#[test]
fn the_command_of_a_counterexample_asks_the_site() {
    let site = Site::new();
    site.serve("a.test", Reply::ok(RULES));
    let url = site.url("a.test", "");
    let said = text(&site.run(&["prove", &url, "--all-allowed", "/private/", "--agent", "Googlebot"]));
    let command = format!("  comity check --agent Googlebot --dialect google {url}/private/\n");
    assert!(said.contains(&command), "{said}");
    site.serve("b.test", Reply::ok("<!doctype html>\n"));
    let said = text(&site.run(&["matrix", &site.url("b.test", "/")]));
    let robots = site.url("b.test", "/robots.txt");
    let warning = format!("warning: {robots} looks like an HTML page, not like a robots.txt.\n");
    assert_eq!(said.matches(&warning).count(), 1, "{said}");
    site.serve("c.test", Reply::status(404));
    let said = text(&site.run(&["matrix", &site.url("c.test", "/")]));
    assert!(said.contains("treated as empty") && !said.contains("warning: "), "{said}");
}
