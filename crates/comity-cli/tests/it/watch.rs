//! `comity watch`, `comity check --at` and `comity history import` with real servers and repositories.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use comity_testserver::{HttpServer, Reply};
use serde_json::Value;
use tempfile::TempDir;

use crate::service::Service;

const OPEN: &str = "User-agent: *\nDisallow: /cart\n";
const SHOP: &str = "User-agent: *\nDisallow: /cart\nDisallow: /shop/\n";

/// Sites, and a folder with a configuration.
pub(crate) struct Sites {
    server: HttpServer,
    pub(crate) folder: TempDir,
    _runtime: tokio::runtime::Runtime,
}

impl Sites {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(HttpServer::start());
        Self { server, folder: tempfile::tempdir().unwrap(), _runtime: runtime }
    }

    pub(crate) fn url(&self, host: &str) -> String {
        format!("http://{host}:{}", self.server.addr().port())
    }

    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.folder.path().join("comity.toml"), text).unwrap();
    }

    pub(crate) fn serve(&self, host: &str, text: &str) {
        self.server.serve(host, "/robots.txt", Reply::ok(text.to_owned()));
    }

    pub(crate) fn options(&self) -> [String; 4] {
        let cache = self.folder.path().join("cache").to_str().unwrap().to_owned();
        ["--cache".to_owned(), cache, "--resolve".to_owned(), format!("*:{}:127.0.0.1", self.server.addr().port())]
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String) {
        self.run_with(arguments, &self.options())
    }

    /// Runs a command that sends no request, and has no options for requests.
    pub(crate) fn run_offline(&self, arguments: &[&str]) -> (i32, String) {
        self.run_with(arguments, &self.options()[..2])
    }

    fn run_with(&self, arguments: &[&str], options: &[String]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_comity"))
            .args(arguments)
            .args(options)
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        (output.status.code().unwrap(), text(&output))
    }
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_change_is_printed_and_delivered_once() {
    let sites = Sites::new();
    let (a, b) = (sites.url("a.test"), sites.url("b.test"));
    sites.serve("a.test", OPEN);
    sites.serve("b.test", OPEN);
    fs::write(sites.folder.path().join("urls.txt"), format!("{a}/shop/hats\n{a}/cart\n{b}/shop/\n")).unwrap();
    sites.configure(&format!(
        "[watch]\nevery = \"1h\"\n[[watch.site]]\norigins = [\"{a}\", \"{b}\"]\nknown = [\"urls.txt\"]\n[[watch.to]]\njsonl = \"alerts.jsonl\"\n"
    ));
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("Nothing new. 2 asked now, 0 not due. The next one is due at 20"), "{said}");
    // Whoever fetches a version, the watcher judges it.
    sites.serve("a.test", SHOP);
    sites.run(&["fetch", &a]);
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 1, "{said}");
    for part in [
        &format!("{a}   newly blocked, for every crawler"),
        "\n     3 | Disallow: /shop/\n",
        &format!("such as {a}/shop/hats; 1 of 2 listed URLs"),
        "1 of 2 watched sites needs attention. 0 asked now, 2 not due.",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 0, "{said}");
    let lines = fs::read_to_string(sites.folder.path().join("alerts.jsonl")).unwrap();
    let alert: Value = serde_json::from_str(lines.trim_end()).unwrap();
    assert_eq!((&alert["kind"], &alert["origin"]), (&Value::from("blocked"), &Value::from(a.as_str())));
}

#[test]
fn mistakes_in_the_configuration_are_named() {
    let sites = Sites::new();
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("expected a comity.toml with the section [watch]"), "{said}");
    fs::write(sites.folder.path().join("page.html"), "<!doctype html>\n").unwrap();
    fs::write(sites.folder.path().join("two.txt"), "https://a.test\nhttps://a.test\n").unwrap();
    for (text, parts) in [
        ("[watch]\nevrey = \"1h\"\n", &["comity.toml", "line 2", "evrey", "did you mean `every`?"][..]),
        ("[watch]\nevery = \"10s\"\n", &["comity.toml", "line 2", "at least 1 minute"]),
        ("[watch]\n", &["expected [[watch.site]]"]),
        ("[watch]\n[[watch.site]]\norigins = [\"https://a.test\"]\nexpected = \"no.txt\"\n", &["no.txt"]),
        ("[watch]\n[[watch.site]]\nlist = \"no.txt\"\n", &["no.txt"]),
        (
            "[watch]\n[[watch.site]]\norigins = [\"https://a.test\"]\nexpected = \"page.html\"\n",
            &["page.html is an HTML page, expected a robots.txt"],
        ),
        (
            "[watch]\n[[watch.site]]\norigins = [\"https://a.test\"]\n[[watch.site]]\norigins = [\"https://b.test\", \"https://a.test\"]\n",
            &["expected https://a.test in `origins` of one [[watch.site]], found it in number 1 and number 2"],
        ),
        (
            "[watch]\n[[watch.site]]\nlist = \"two.txt\"\n[[watch.site]]\nlist = \"two.txt\"\n",
            &["expected https://a.test in `list` of one [[watch.site]], found it in number 1 and number 2"],
        ),
    ] {
        sites.configure(text);
        let (code, said) = sites.run(&["watch", "--once"]);
        assert_eq!(code, 2, "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{text}\n{said}");
    }
    let many: String = (0..1000).map(|number| format!("https://{number}.test\n")).collect();
    fs::write(sites.folder.path().join("many.txt"), many).unwrap();
    sites.configure("[watch]\n[[watch.site]]\nlist = \"many.txt\"\n");
    let (code, said) = sites.run(&["watch", "--once"]);
    assert!(code == 2 && said.contains("expected --user-agent"), "{said}");
}

/// Commits versions of a file, each at a time in seconds since 1970.
pub(crate) fn commit<'a>(folder: &Path, path: &str, versions: impl IntoIterator<Item = (u64, Option<&'a str>)>) {
    let git = |time: u64, arguments: &[&str]| {
        let date = format!("{time} +0000");
        let status = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["-c", "user.name=A", "-c", "user.email=a@a.test", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", text(&status));
    };
    git(0, &["init", "-q"]);
    for (time, body) in versions {
        match body {
            Some(body) => fs::write(folder.join(path), body).unwrap(),
            None => fs::remove_file(folder.join(path)).unwrap(),
        }
        git(time, &["add", "-A", "--", path]);
        git(time, &["commit", "-q", "-m", "change"]);
    }
}

#[test]
fn a_history_of_git_answers_for_earlier_times() {
    const DAY: u64 = 86_400;
    let start = 1_767_225_600; // 2026-01-01
    let sites = Sites::new();
    let versions =
        [(start, Some(OPEN)), (start + 10 * DAY, Some(SHOP)), (start + 20 * DAY, None), (start + 30 * DAY, Some(SHOP))];
    commit(sites.folder.path(), "robots.txt", versions);
    let import = ["history", "import", "--git", ".", "robots.txt", "--origin", "https://shop.example"];
    let run = |arguments: &[&str]| sites.run_offline(arguments);
    for _ in 0..2 {
        let (code, said) = run(&import);
        assert_eq!(code, 0, "{said}");
        assert!(said.starts_with("Imported 4 versions of https://shop.example"), "{said}");
    }
    let (code, said) = run(&["history", "https://shop.example", "--diff"]);
    assert!(code == 0 && said.contains("Newly blocked") && said.contains("answered 404"), "{said}");
    for (at, code, part) in [
        ("2025-12-31", 2, "first fetched later"),
        ("2026-01-05", 0, "Yes. GPTBot could fetch https://shop.example/shop/ at 2026-01-05T00:00:00Z."),
        ("2026-01-11T00:00:00Z", 1, "     3 | Disallow: /shop/"),
        ("2026-01-15", 1, "was seen from 2026-01-11T00:00:00Z to 2026-01-20T23:59:59Z."),
        ("2026-01-25", 0, "answered 404"),
        ("2026-02-05", 1, "No. GPTBot could not fetch"),
        ("2999-01-01", 2, "was last fetched before"),
    ] {
        let (got, said) = run(&["check", "https://shop.example/shop/", "--agent", "GPTBot", "--at", at]);
        assert_eq!(got, code, "{at}: {said}");
        assert!(said.contains(part), "{at}: {said}");
        let (got, said) = run(&["check", "https://shop.example/shop/", "--at", at, "--format", "json"]);
        let rows: Value = serde_json::from_str(&said).unwrap();
        assert_eq!((got, rows[0]["allowed"].as_bool()), (code, (code < 2).then_some(code == 0)), "{said}");
    }
    let (code, said) = run(&["check", "https://shop.example/", "--at", "yesterday"]);
    assert!(code == 2 && said.contains("expected a day, or a time with its zone"), "{said}");
    let (code, said) = run(&["history", "import", "--git", ".", "no.txt", "--origin", "https://shop.example"]);
    assert!(code == 2 && said.contains("no commit of this repository has `no.txt`"), "{said}");
}

#[test]
fn between_two_fetches_there_is_a_verdict_only_if_both_agree() {
    let sites = Sites::new();
    let url = sites.url("a.test");
    let now = || humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
    sites.serve("a.test", OPEN);
    sites.run(&["fetch", &url]);
    std::thread::sleep(std::time::Duration::from_millis(5));
    let between = now();
    std::thread::sleep(std::time::Duration::from_millis(5));
    sites.serve("a.test", SHOP);
    sites.run(&["fetch", &url]);
    let asked = sites.server.requests().len();
    for (path, code) in [("/shop/", 2), ("/cart", 1), ("/", 0)] {
        let (got, said) = sites.run(&["check", &format!("{url}{path}"), "--at", &between]);
        assert_eq!(got, code, "{said}");
        assert_eq!(said.matches("was seen from").count(), 2, "{said}");
        assert_eq!(said.contains("the files on both sides of the gap answer differently"), code == 2, "{said}");
    }
    assert_eq!(sites.server.requests().len(), asked, "no request is sent");
}

#[test]
fn drift_from_a_revision_is_found_with_the_first_look() {
    let sites = Sites::new();
    commit(sites.folder.path(), "robots.txt", [(1_767_225_600, Some(OPEN))]);
    let url = sites.url("a.test");
    sites.configure(&format!("[watch]\n[[watch.site]]\norigins = [\"{url}\"]\nexpected = \"HEAD:robots.txt\"\n"));
    sites.serve("a.test", SHOP);
    let (code, said) = sites.run(&["watch", "--once"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("differs in meaning from HEAD:robots.txt"), "{said}");
}

#[test]
fn a_named_site_keeps_its_options_beside_a_list() {
    let named = "[[watch.site]]\norigins = [\"URL\"]\nexpected = \"expected.txt\"\n";
    let list = "[[watch.site]]\nlist = \"sites.txt\"\n";
    for entries in [format!("{list}{named}"), format!("{named}{list}")] {
        let sites = Sites::new();
        let a = sites.url("a.test");
        fs::write(sites.folder.path().join("sites.txt"), format!("{a}\n")).unwrap();
        fs::write(sites.folder.path().join("expected.txt"), OPEN).unwrap();
        sites.configure(&format!("[watch]\n{}", entries.replace("URL", &a)));
        sites.serve("a.test", SHOP);
        let (code, said) = sites.run(&["watch", "--once"]);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(&format!("{a}   differs in meaning from expected.txt")), "{said}");
        assert!(said.contains("1 of 1 watched site needs attention. 1 asked"), "{said}");
    }
}

#[test]
fn a_service_watches_as_well() {
    let sites = Sites::new();
    let url = sites.url("a.test");
    sites.serve("a.test", "User-agent: *\nDisallow: /\n");
    sites.configure(&format!("[watch]\n[[watch.site]]\norigins = [\"{url}\"]\n"));
    let config = sites.folder.path().join("comity.toml").to_str().unwrap().to_owned();
    let options = sites.options();
    let mut arguments = vec!["--watch", "--config", &config];
    arguments.extend(options.iter().map(String::as_str));
    let service = Service::start(&arguments);
    let body = |path: &str| -> Value {
        let answer = service.get(path);
        serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap_or_else(|_| panic!("{answer}"))
    };
    let began = std::time::Instant::now();
    let alerts = loop {
        let found = body("/v1/watch/alerts");
        if found["alerts"].as_array().is_some_and(|alerts| !alerts.is_empty()) {
            break found;
        }
        assert!(began.elapsed().as_secs() < 60, "{found}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!((&alerts["alerts"][0]["kind"], &alerts["after"]), (&Value::from("leftover"), &Value::from(1)));
    assert_eq!(body("/v1/watch/alerts?after=1")["alerts"], Value::Array(Vec::new()));
    assert_eq!(body("/v1/watch")["open"]["leftover"], 1);
    assert_eq!(service.metric("comity_watch_sites"), 1);
    assert_eq!(service.metric("comity_watch_open{kind=\"leftover\"}"), 1);
    assert_eq!(service.metric("comity_watch_alerts_total{kind=\"leftover\"}"), 1);
    assert!(service.get("/readyz").starts_with("HTTP/1.1 200"));
    // The command says where else it can be read.
    let (_, said) = sites.run(&["watch", "--once"]);
    assert!(
        said.contains(&format!("A service watches with this cache: http://{}/v1/watch", service.address)),
        "{said}"
    );
    drop(service);
    let other = Service::start_offline(&[]);
    assert!(other.get("/v1/watch").contains("404"), "a service without --watch has no sites");
}
