//! Answers that are one document: each endpoint, its refusals, and its limits.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::Origin;
use comity_fetch::store::{MemoryStore, Saved, Store, StoreError, StoreFuture, Stored, Ticket};
use comity_fetch::{Addresses, StoredRecord};
use comity_server::ServerLimits;
use comity_testserver::{At, Gate, Reply};
use serde_json::{Value, json};

use crate::service::Service;

const RULES: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n\nUser-agent: GPTBot\nDisallow: /\n";

#[tokio::test]
async fn the_rate_of_fetches_is_told() {
    let mut limits = comity_server::ServerLimits::default();
    limits.fetch_rate = std::num::NonZeroU32::new(2);
    let service = Service::with(limits, |client| client).await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    for (status, left) in [(200, "r=1;t=60"), (200, "r=0;t="), (429, "r=0;t=")] {
        let answer = service.post("/v1/fetch", &json!({"url": "http://a.test/"})).await;
        assert_eq!(answer.status, status);
        assert!(answer.head.contains("ratelimit-policy: \"fetches\";q=2;w=60\r\n"), "{}", answer.head);
        assert!(answer.head.contains(&format!("ratelimit: \"fetches\";{left}")), "{}", answer.head);
    }
}

/// The verdict remains, since the standard allows everything that no rule disallows.
#[tokio::test]
async fn a_file_that_is_no_robots_txt_is_named() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok("Not Found"));
    service.sites.serve("b.test", "/robots.txt", Reply::ok(RULES));
    for (site, kind) in [("a", json!("text of another kind")), ("b", Value::Null)] {
        let url = format!("http://{site}.test/x");
        let one = service.get(&format!("/v1/check?url={url}")).await.json();
        assert_eq!((&one["allowed"], &one["looks_like"]), (&json!(true), &kind), "{one}");
        let many = service.post("/v1/check", &json!({"urls": [url]})).await.json();
        assert_eq!(many["sites"][0]["looks_like"], kind, "{many}");
        let log = service.post("/v1/fetch", &json!({"url": url})).await.json();
        assert_eq!(log["looks_like"], kind, "{log}");
    }
    let given = |robots: &str| json!({"urls": ["/x"], "robots": robots});
    let json_file = service.post("/v1/check", &given("{\"error\": 404}")).await.json();
    assert_eq!(json_file["looks_like"], "JSON", "{json_file}");
    assert_eq!(service.post("/v1/check", &given(RULES)).await.json()["looks_like"], Value::Null);
}

#[tokio::test]
async fn the_policy_of_one_question_can_be_chosen() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::status(403));
    service.sites.serve("b.test", "/robots.txt", Reply::ok(RULES));
    let check = async |url: &str, policy: &str| service.get(&format!("/v1/check?url={url}{policy}")).await;
    for (policy, name, allowed) in
        [("", "standard", true), ("&policy=google", "google", true), ("&policy=strict", "strict", false)]
    {
        let found = check("http://a.test/", policy).await.json();
        assert_eq!((&found["policy"], &found["allowed"]), (&json!(name), &json!(allowed)), "{found}");
        let found = check("http://b.test/private/", policy).await.json();
        assert_eq!((&found["policy"], &found["line"]), (&json!(name), &json!(2)), "{found}");
        let found = check("http://b.test/private/", &format!("{policy}&dialect=google")).await.json();
        assert_eq!((&found["policy"], &found["dialect"]), (&json!(name), &json!("google")), "{found}");
    }
    let refused = check("http://a.test/", "&policy=lenient").await;
    assert_eq!(refused.status, 400);
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("rfc9309") && detail.contains("`lenient`"), "{detail}");
    assert_eq!(service.sites.requests().len(), 2, "each site is asked once");
}

#[tokio::test]
async fn large_documents_are_compressed_if_the_client_accepts_it() {
    let service = Service::start().await;
    let urls: Vec<String> = (0..500).map(|nth| format!("/private/{nth}")).collect();
    let question = json!({"urls": urls, "robots": RULES}).to_string();
    let plain = service.send("/v1/check", "application/json", question.as_bytes()).await;
    assert!(!plain.head.contains("content-encoding") && plain.head.contains("vary: accept-encoding"), "{}", plain.head);
    for urls in [urls.len(), 10] {
        let paths: Vec<String> = (0..urls).map(|nth| format!("/private/{nth}")).collect();
        let question = json!({"urls": paths, "robots": RULES}).to_string();
        let kind = "application/json\r\nAccept-Encoding: gzip, br, zstd";
        let answer = service.send("/v1/check", kind, question.as_bytes()).await;
        assert_eq!(answer.status, 200);
        assert!(answer.head.contains("content-encoding: gzip\r\n"), "{}", answer.head);
        assert!(answer.body.len() < plain.body.len() / 5, "{}", answer.body.len());
        let lengths = answer.head.lines().filter_map(|line| line.strip_prefix("content-length: "));
        assert_eq!(lengths.collect::<Vec<_>>(), [answer.body.len().to_string()], "its size is known, and limited");
    }
    // A batch is a stream of answers that are sent at once.
    let line = format!("{}\n", json!({"url": "/private/", "agent": "x", "robots": RULES}));
    let kind = "application/x-ndjson\r\nAccept-Encoding: gzip";
    let batch = service.send("/v1/batch", kind, line.repeat(100).as_bytes()).await;
    assert!(!batch.head.contains("content-encoding"), "{}", batch.head);
    assert_eq!(batch.lines().len(), 100);
}

#[tokio::test]
async fn one_question_is_answered_with_all_that_it_rests_on() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let answer = service.get("/v1/check?url=http%3A%2F%2Fa.test%2Fprivate%2Fx%3Fa%3Db&agent=bingbot").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    for (name, value) in [
        ("url", json!("http://a.test/private/x?a=b")),
        ("asked", json!("http://a.test/private/x?a=b")),
        ("agent", json!("bingbot")),
        ("known", json!(true)),
        ("origin", json!("http://a.test")),
        ("answer", json!("disallowed")),
        ("allowed", json!(false)),
        ("reason", json!("rule")),
        ("line", json!(2)),
        ("rule", json!("disallow")),
        ("priority", json!(9)),
        ("basis", json!("star")),
        ("names_crawler", json!(false)),
        ("advisory", json!(false)),
        ("text", json!("Disallow: /private/")),
        ("crawl_delay", json!(2.0)),
        ("dialect", json!("standard")),
        ("policy", json!("standard")),
        ("access", json!("rules")),
        ("rung", json!(null)),
    ] {
        assert_eq!(found[name], value, "{name} in {found}");
    }
    assert_eq!(found["copy"]["source"], "fetched");
    assert_eq!(found["copy"]["robots_url"], "http://a.test/robots.txt");
    assert_eq!(found["copy"]["bytes"], RULES.len());
    assert_eq!(found["copy"]["sha256"], comity_fetch::store::ContentHash::of(RULES.as_bytes()).to_string());

    // The same answer as that to many questions at once, with one fetch for both.
    let many =
        service.post("/v1/check", &json!({"url": "http://a.test/private/x?a=b", "agent": "bingbot"})).await.json();
    let row = many["answers"][0].as_object().unwrap();
    for (name, value) in row {
        assert_eq!(&found[name], value, "{name}");
    }
    assert_eq!(many["sites"][0]["origin"], "http://a.test");
    assert_eq!(many["copy"]["sha256"], found["copy"]["sha256"]);
    assert_eq!(service.sites.count("a.test", "/robots.txt"), 1);

    let google = service.get("/v1/check?url=http://a.test/robots.txt&agent=GPTBot&dialect=google").await.json();
    assert_eq!((&google["allowed"], &google["dialect"]), (&json!(false), &json!("google")));
    let own = service.get("/v1/check?url=http://a.test/robots.txt&agent=GPTBot").await.json();
    assert_eq!((&own["allowed"], &own["reason"]), (&json!(true), &json!("robots-txt")));
    assert_eq!(service.client.stats().fail_open_total, 0);
}

/// Asks about a UTF-16 file, which has no rules for Google, whether it is in the request or on a site.
#[tokio::test]
async fn another_answer_of_the_crawlers_operator_is_said() {
    let service = Service::start().await;
    let body: Vec<u8> = "\u{FEFF}User-agent: *\nDisallow: /a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    service.sites.serve("a.test", "/robots.txt", Reply::ok(body.clone()));
    let agents = json!(["Googlebot", "GPTBot"]);
    let by_file = json!({"urls": ["/a", "/b"], "agents": agents, "robots_b64": BASE64.encode(&body)});
    let by_site = json!({"urls": ["http://a.test/a", "http://a.test/b"], "agents": agents});
    for question in [by_file, by_site] {
        let found = service.post("/v1/check", &question).await.json();
        let rows = found["answers"].as_array().unwrap();
        let other = &rows[0]["operator_answer"];
        assert_eq!((&rows[0]["answer"], &other["answer"]), (&json!("disallowed"), &json!("allowed")), "{found}");
        assert_eq!((&other["operator"], &other["dialect"]), (&json!("Google"), &json!("google")));
        assert!(other["sentence"].as_str().unwrap().contains("it does not decode UTF-16"), "{other}");
        for row in &rows[1..] {
            assert!(row.get("operator_answer").is_none(), "{row}");
        }
        let mut literal = question.clone();
        literal["literal"] = json!(true);
        let found = service.post("/v1/check", &literal).await.json();
        assert!(found["answers"][0].get("operator_answer").is_none(), "{found}");
    }
    // Twice: the file is read once.
    for _ in 0..2 {
        let found = service.get("/v1/check?url=http://a.test/a&agent=Googlebot").await.json();
        assert_eq!((&found["answer"], &found["operator_answer"]["answer"]), (&json!("disallowed"), &json!("allowed")));
        let found = service.get("/v1/check?url=http://a.test/b&agent=Googlebot").await.json();
        assert!(found.get("operator_answer").is_none(), "{found}");
    }
}

#[tokio::test]
async fn a_site_that_fails_is_an_answer_by_policy() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::status(503));
    service.sites.serve("b.test", "/robots.txt", Reply::status(404));
    let down = service.get("/v1/check?url=http://a.test/x&agent=x").await;
    assert_eq!(down.status, 200);
    let down = down.json();
    assert_eq!(
        (&down["allowed"], &down["reason"], &down["row"]),
        (&json!(false), &json!("disallow-all"), &json!("server-error"))
    );
    assert_eq!(down["copy"], Value::Null);
    let none = service.get("/v1/check?url=http://b.test/x").await.json();
    assert_eq!(
        (&none["allowed"], &none["reason"], &none["access"]),
        (&json!(true), &json!("allow-all"), &json!("allow-all"))
    );
    // Endpoints about a file need one.
    for path in ["/v1/inspect", "/v1/lint", "/v1/ai"] {
        let answer = service.post(path, &json!({"url": "http://a.test/"})).await;
        assert_eq!(answer.status, 422, "{path}: {}", answer.text());
        assert!(answer.text().contains("answered 503"), "{}", answer.text());
        let answer = service.post(path, &json!({"url": "http://b.test/"})).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_refusal_of_the_service_is_no_answer_of_the_site() {
    // The name of the site leads to loopback, which is not a public address.
    let service = Service::with(ServerLimits::default(), |client| client.addresses(Addresses::Public)).await;
    let one = service.get("/v1/check?url=http://a.test/x&agent=x").await.json();
    assert_eq!((&one["row"], &one["access"]), (&json!("refused"), &json!("disallow-all")));
    let many = service.post("/v1/check", &json!({"url": "http://a.test/x", "agent": "x"})).await.json();
    for row in [&one, &many["answers"][0]] {
        assert_eq!((&row["answer"], &row["allowed"]), (&Value::Null, &Value::Null), "{row}");
        assert_eq!(row["reason"], "no-answer", "{row}");
        assert!(row["error"].as_str().unwrap().contains("the site has not answered"), "{row}");
    }
    let lines = "{\"url\":\"http://a.test/x\",\"agent\":\"x\"}\n{\"urls\":[\"/x\"],\"origin\":\"http://a.test\",\"agent\":\"x\"}\n";
    for line in service.batch("", lines.as_bytes()).await.lines() {
        assert!(line["error"].as_str().unwrap().contains("the site has not answered"), "{line}");
        assert!(line.get("allowed").is_none(), "{line}");
    }
    // The robots.txt itself may be fetched, whatever it contains.
    let itself = service.get("/v1/check?url=http://a.test/robots.txt&agent=x").await.json();
    assert_eq!(itself["answer"], "allowed", "{itself}");
}

#[tokio::test]
async fn access_of_a_fetch_replaces_a_file() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::status(503));
    service.sites.serve("b.test", "/robots.txt", Reply::status(404));
    for (site, allowed) in [("a.test", false), ("b.test", true)] {
        let origin = format!("http://{site}");
        let told = service.post("/v1/fetch", &json!({"url": origin})).await.json();
        let urls = [format!("{origin}/cart/"), format!("{origin}/robots.txt"), "https://c.test/".to_owned()];
        let agents = ["GPTBot", "Google-Read-Aloud"];
        let question = json!({"access": told["access"], "origin": origin, "urls": urls, "agents": agents});
        let found = service.post("/v1/check", &question).await.json();
        assert_eq!((&found["origin"], &found["copy"], &found["size"]), (&json!(origin), &Value::Null, &Value::Null));
        let answers = found["answers"].as_array().unwrap();
        let short: Vec<_> =
            answers.iter().map(|row| (row["answer"].as_str().unwrap(), row["reason"].as_str().unwrap())).collect();
        let ruled = if allowed { ("allowed", "allow-all") } else { ("disallowed", "disallow-all") };
        let unbound = ("not-governed", "not-governed");
        let elsewhere = ("out-of-scope", "out-of-scope");
        assert_eq!(short, [ruled, unbound, ("allowed", "robots-txt"), unbound, elsewhere, elsewhere]);
        assert!(answers.iter().all(|row| row["line"].is_null()), "{found}");
        // The same answer as the site's own.
        let live = service.get(&format!("/v1/check?url={origin}/cart/&agent=GPTBot")).await.json();
        assert_eq!((&live["allowed"], &live["reason"]), (&answers[0]["allowed"], &answers[0]["reason"]));
    }
    assert_eq!(service.sites.requests().len(), 2, "no question asks the site again");
}

#[tokio::test]
async fn a_url_that_can_not_be_asked_about_is_named() {
    let service = Service::start().await;
    let urls = ["http://a.test/", "//a.test/x"];
    let refused = service.post("/v1/check", &json!({"urls": urls, "robots": ""})).await;
    assert_eq!((refused.status, &refused.json()["url"]), (422, &json!("//a.test/x")), "{}", refused.text());
}

#[tokio::test]
async fn a_fetch_tells_a_cut_file_and_a_web_page() {
    let service = Service::start().await;
    let long = "Disallow: /shelf/\n".repeat(40_000);
    service.sites.serve("a.test", "/robots.txt", Reply::ok(long));
    service.sites.serve("b.test", "/robots.txt", Reply::ok("<!doctype html><title>Shop</title>"));
    service.sites.serve("c.test", "/robots.txt", Reply::ok(RULES));
    for (site, is_cut, is_html) in [("a", true, false), ("b", false, true), ("c", false, false)] {
        let told = service.post("/v1/fetch", &json!({"url": format!("http://{site}.test/")})).await.json();
        assert_eq!((&told["is_cut"], &told["looks_like_html"]), (&json!(is_cut), &json!(is_html)), "{site}");
    }
}

#[tokio::test]
async fn a_file_of_a_site_is_looked_at() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let url = "http://a.test/";
    let inspected = service.post("/v1/inspect", &json!({"url": url})).await.json();
    assert_eq!(inspected["groups"].as_array().unwrap().len(), 2);
    assert_eq!(inspected["file"], "http://a.test/robots.txt");
    let ai = service.post("/v1/ai", &json!({"url": url})).await.json();
    let gptbot = ai["crawlers"].as_array().unwrap().iter().find(|row| row["token"] == "GPTBot").unwrap();
    assert_eq!((&gptbot["reach"], &gptbot["line"]), (&json!("nothing"), &json!(6)));
    let matrix =
        service.post("/v1/matrix", &json!({"url": url, "urls": ["/private/"], "agents": ["GPTBot"]})).await.json();
    assert_eq!(matrix["rows"][0]["dialects"]["bing"]["line"], 6);
    assert_eq!(matrix["origin"], "http://a.test");
    let lint = service.post("/v1/lint", &json!({"url": url})).await.json();
    assert!(lint["findings"].is_array() && lint["fixed"].is_null(), "{lint}");
    for found in [&inspected, &ai, &matrix, &lint] {
        assert_eq!(
            (&found["copy"]["robots_url"], &found["policy"]),
            (&json!("http://a.test/robots.txt"), &json!("standard"))
        );
        assert!(found["dialect"].is_string());
    }
    assert_eq!(service.sites.requests().len(), 1, "one fetch serves all");
}

#[tokio::test]
async fn lint_applies_safe_fixes() {
    let service = Service::start().await;
    let file = "User-agent: *\nDisalow: /a\n";
    let lint = service.post("/v1/lint", &json!({"robots": file})).await.json();
    assert_eq!(lint["findings"][0]["name"], "misspelled-field", "{lint}");
    assert_eq!(lint["fixed"], "User-agent: *\nDisallow: /a\n");
    assert_eq!(lint["fixes"]["applied"], 1);
    assert_eq!(
        lint["fixes"]["left_out_counts"],
        json!({"changes_verdict": 0, "changes_record": 0, "blocks_site": 0, "unchecked": 0})
    );
    let none = service.post("/v1/lint", &json!({"robots": file, "ignore": ["misspelled-field"]})).await.json();
    assert_eq!((&none["findings"], &none["fixed"]), (&json!([]), &json!(null)));
    let unknown = service.post("/v1/lint", &json!({"robots": file, "select": ["mispelled-field"]})).await;
    assert_eq!(unknown.status, 422);
    assert!(unknown.text().contains("did you mean"), "{}", unknown.text());
}

#[tokio::test]
async fn lint_marks_fixes_that_close_the_site() {
    let service = Service::start().await;
    for (file, code, closes) in [
        ("User-agent: * Disallow: /\n", "L043", true),
        ("User-agent: *\nDisallow: /* */\n", "L012", true),
        ("User-agent: *\nDisallow: private/\n", "L010", false),
        ("User-agent: *\nDisalow: /a\n", "L014", false),
    ] {
        let lint = service.post("/v1/lint", &json!({"robots": file})).await.json();
        let findings = lint["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["code"] == code).unwrap_or_else(|| panic!("{lint}"));
        assert_eq!(found["fix"]["blocks_site"], closes, "{lint}");
    }
}

#[tokio::test]
async fn changes_are_told_for_all_urls() {
    let service = Service::start().await;
    let [old, new] = ["/cart", "/cart/"].map(|path| format!("User-agent: *\nDisallow: {path}\n"));
    let diff = service
        .post(
            "/v1/diff",
            &json!({"old": old, "new": new, "urls": ["/cart", "/cart/1", "/x"], "dialects": ["standard"]}),
        )
        .await
        .json();
    assert_eq!((&diff["outcome"], &diff["changes"].as_array().unwrap().len()), (&json!("differs"), &1), "{diff}");
    let change = &diff["changes"][0];
    assert_eq!(
        (&change["to"], &change["rule"]["line"], &change["witness"]),
        (&json!("allowed"), &json!(2), &json!("/cart"))
    );
    assert_eq!(change["listed"], json!({"count": 1, "of": 3, "first": "/cart"}));
    let same = service.post("/v1/diff", &json!({"old": old, "new_b64": BASE64.encode(&old)})).await.json();
    assert_eq!((&same["outcome"], &same["undecided"]), (&json!("same"), &json!([])), "{same}");
    let part = service.post("/v1/diff", &json!({"old": old, "new": new, "under": "/cart/"})).await.json();
    assert_eq!(part["outcome"], "same");
    let one = service.post("/v1/diff", &json!({"old": old, "new": new, "agents": ["AdsBot-Google"]})).await.json();
    assert_eq!((&one["outcome"], &one["crawlers"]), (&json!("same"), &json!(["AdsBot-Google"])));

    let rules = |paths: &[&str]| {
        paths.iter().fold("User-agent: *\n".to_owned(), |text, path| format!("{text}Disallow: {path}\n"))
    };
    let question = json!({"old": rules(&["/a", "/b"]), "new": rules(&["/c", "/d", "/e"]), "max_changes": 1});
    let limited = service.post("/v1/diff", &question).await.json();
    let kept: Vec<&Value> = limited["changes"].as_array().unwrap().iter().map(|change| &change["witness"]).collect();
    assert_eq!((kept, &limited["omitted"]), (vec![&json!("/c"), &json!("/a")], &json!({"blocked": 2, "allowed": 1})));
    let question = json!({"old": "<!DOCTYPE html><title>x</title>", "new": new, "max_changes": 0});
    let html = service.post("/v1/diff", &question).await.json();
    assert_eq!((&html["looks_like_html"], &html["outcome"]), (&json!(["old"]), &json!("differs")));

    let undecided = service.post("/v1/diff", &json!({"old": old, "new": new, "budget": 1})).await.json();
    assert_eq!(undecided["outcome"], "undecided");
    assert!(!undecided["undecided"].as_array().unwrap().is_empty());
    for (question, status, text) in [
        (json!({"old": old}), 400, "expected a file in `new` or `new_b64`"),
        (json!({"old": old, "new": new, "new_b64": ""}), 400, "found both"),
        (json!({"old": old, "new": new, "budget": 0}), 400, "expected 1 to 8000000 steps"),
        (json!({"old": old, "new": new, "budget": 8_000_001}), 400, "expected 1 to 8000000 steps"),
        (json!({"old": old, "new": new, "dialects": ["altavista"]}), 400, "expected one of standard"),
        (json!({"old": old, "new": new, "under": "cart"}), 422, "expected a path pattern"),
        (json!({"old": old, "new": new, "agents": ["FeedFetcher-Google"]}), 422, "that robots.txt governs"),
    ] {
        let refused = service.post("/v1/diff", &question).await;
        assert_eq!(refused.status, status, "{question}");
        assert!(refused.text().contains(text), "{question}: {}", refused.text());
    }
}

#[tokio::test]
async fn claims_are_proven_or_refuted() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let claims = json!([
        {"claim": "none_allowed", "matching": "/private/"},
        {"claim": "all_allowed", "matching": "/", "except": ["/private/"]},
    ]);
    let question = |agent: &str| json!({"url": "http://a.test/", "claims": claims, "agents": [agent]});
    let held = service.post("/v1/prove", &question("bingbot")).await.json();
    assert_eq!((&held["outcome"], &held["dialects"]), (&json!("held"), &json!(["bing"])), "{held}");
    assert_eq!(held["copy"]["source"], "fetched");
    let found = service.post("/v1/prove", &question("GPTBot")).await.json();
    assert_eq!((&found["outcome"], &found["claims"][0]["outcome"]), (&json!("refuted"), &json!("held")));
    assert_eq!(
        found["claims"][1]["counterexample"],
        json!({"crawler": "GPTBot", "dialect": "standard", "path": "/", "line": 6, "sent": true}),
        "{found}"
    );
    for (question, status, text) in [
        (json!({"robots": RULES, "claims": []}), 400, "at least one claim"),
        (json!({"robots": RULES, "claims": [{"claim": "none_allowed", "matching": "x"}]}), 422, "a path pattern"),
        (json!({"robots": RULES, "claims": [{"claim": "some_allowed", "matching": "/"}]}), 400, "some_allowed"),
        (json!({"robots": RULES, "claims": vec![&claims[0]; 101]}), 413, "at most 100"),
        (json!({"robots": "<!doctype html>", "claims": claims}), 422, "an HTML page"),
        (json!({"robots": "Not Found", "claims": claims}), 422, "text of another kind"),
    ] {
        let refused = service.post("/v1/prove", &question).await;
        assert_eq!(refused.status, status, "{question}: {}", refused.text());
        assert!(refused.text().contains(text), "{question}: {}", refused.text());
    }
}

#[tokio::test]
async fn a_fetch_is_told_step_by_step_and_remembered() {
    let service = Service::start().await;
    service.sites.serve_in_turn("a.test", "/robots.txt", [Reply::ok(RULES), Reply::status(500)]);
    let nothing = service.get("/v1/origins?origin=http://a.test").await;
    assert_eq!(nothing.status, 404, "{}", nothing.text());
    assert_eq!(service.sites.requests().len(), 0);

    let log = service.post("/v1/fetch", &json!({"url": "http://a.test/any"})).await.json();
    assert_eq!((&log["steps"][0]["status"], &log["body"]), (&json!(200), &json!(RULES)));
    assert_eq!((&log["access"], &log["copy"]["source"]), (&json!("rules"), &json!("fetched")));
    let again =
        service.post("/v1/fetch", &json!({"url": "http://a.test/", "body": false, "policy": "archive"})).await.json();
    assert_eq!((&again["steps"][0]["status"], &again["policy"]), (&json!(500), &json!("archive")));
    assert!(again.get("body").is_none());

    let known = service.get("/v1/origins?origin=http://a.test/x").await.json();
    assert_eq!((&known["event"], &known["policy"]), (&json!("answered 500"), &json!("standard")));
    assert_eq!(known["due"], again["due"], "another policy's opinion changes nothing");
    let history: Vec<&Value> = known["history"].as_array().unwrap().iter().map(|version| &version["size"]).collect();
    assert_eq!(history, [&json!(null), &json!(RULES.len())]);
    assert!(known.get("changes").is_none());
    assert_eq!(service.sites.requests().len(), 2);
}

#[tokio::test]
async fn versions_are_listed_for_each_variant_of_a_site() {
    let service = Service::start().await;
    service.sites.serve_in_turn("a.test", "/robots.txt", [Reply::ok(RULES), Reply::status(500)]);
    service.sites.serve("www.a.test", "/robots.txt", Reply::status(404));
    for url in ["http://a.test/", "http://a.test/", "http://www.a.test/"] {
        service.post("/v1/fetch", &json!({"url": url, "body": false})).await;
    }
    let found = service.get("/v1/versions?origin=http://a.test/any").await.json();
    let rows = found.as_array().unwrap().iter().map(|row| {
        let versions = row["versions"].as_array().unwrap().iter();
        (row["origin"].clone(), versions.map(|version| json!([version["event"], version["size"]])).collect::<Vec<_>>())
    });
    assert_eq!(
        json!(rows.collect::<Vec<_>>()),
        json!([
            ["http://a.test", [["answered 500", null], ["sent a robots.txt", RULES.len()]]],
            ["https://a.test", []],
            ["https://www.a.test", []],
            ["http://www.a.test", [["answered 404", null]]],
        ])
    );
    assert_eq!(service.sites.requests().len(), 3);
    // Without a history, the last fetch is known.
    let plain = Service::with(ServerLimits::default(), |client| client.store(Arc::new(MemoryStore::new(0)))).await;
    plain.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    plain.post("/v1/fetch", &json!({"url": "http://a.test/", "body": false})).await;
    let found = plain.get("/v1/versions?origin=http://a.test").await.json();
    assert_eq!(found[0]["versions"][0]["size"], RULES.len());
}

#[tokio::test]
async fn a_history_says_what_each_version_changed() {
    let service = Service::start().await;
    let shop = format!("{RULES}\nUser-agent: shopbot\nDisallow: /shop/\n");
    let replies =
        [Reply::ok(RULES), Reply::status(503), Reply::ok(shop.clone()), Reply::ok(format!("# Equal\n{shop}"))];
    service.sites.serve_in_turn("a.test", "/robots.txt", replies);
    for lasting in [
        json!(null),
        json!("After 30 days with failures on at least 5 of them, the last copy"),
        json!(null),
        json!(null),
    ] {
        let told = service.post("/v1/fetch", &json!({"url": "http://a.test/"})).await.json()["if_it_lasts"].clone();
        assert_eq!(told.is_null(), lasting.is_null(), "{told}");
        assert!(lasting.is_null() || told.as_str().unwrap().starts_with(lasting.as_str().unwrap()), "{told}");
    }
    let known = service.get("/v1/origins?origin=http://a.test&diff=true").await.json();
    let outcomes: Vec<&Value> =
        known["changes"].as_array().unwrap().iter().map(|row| &row["diff"]["outcome"]).collect();
    assert_eq!(outcomes, [&json!(null), &json!(null), &json!("differs"), &json!("same")]);
    assert_eq!(known["changes"][2]["diff"]["changes"][0]["crawlers"], json!(["shopbot"]));
    let plain = service.get("/v1/origins?origin=http://a.test&diff=false").await.json();
    assert_eq!(known["history"], plain["history"]);
    assert!(plain.get("changes").is_none());
}

#[tokio::test]
async fn invalid_question_is_refused_with_a_reason() {
    let mut limits = ServerLimits::default();
    limits.urls = 10;
    limits.agents = 5;
    limits.questions = 20;
    let service = Service::with(limits, |client| client.offline(true)).await;
    let urls = |count: usize| vec!["/a"; count];
    for (path, question, status, says) in [
        ("/v1/check", json!({}), 422, "expected a URL in `url`, or several in `urls`"),
        ("/v1/check", json!({"url": "/a", "uri": "/a"}), 400, "unknown field `uri`"),
        ("/v1/check", json!({"url": "/a", "urls": ["/a"]}), 400, "found both"),
        ("/v1/check", json!({"url": "/a", "robots": "", "robots_b64": ""}), 400, "found both"),
        ("/v1/check", json!({"url": "/a", "robots": "", "access": "allow-all"}), 400, "found both"),
        ("/v1/check", json!({"url": "/a", "robots_b64": "", "access": "allow-all"}), 400, "found both"),
        ("/v1/check", json!({"url": "/a", "access": "rules"}), 400, "expected one of allow-all, disallow-all in"),
        ("/v1/check", json!({"url": "/a", "robots_b64": "!"}), 400, "base64"),
        ("/v1/check", json!({"url": "/a", "robots": "", "dialect": "latin"}), 400, "norobots-1996"),
        ("/v1/check", json!({"url": "a.test/x", "robots": ""}), 422, "did you mean https://a.test/x"),
        ("/v1/check", json!({"url": "/a"}), 422, "with `origin`, or its file with `robots`"),
        ("/v1/check", json!({"url": "/a", "origin": "a.test", "robots": ""}), 422, "did you mean https://a.test"),
        ("/v1/check", json!({"urls": ["http://a.test/", "http://b.test/"], "robots": ""}), 422, "several sites"),
        (
            "/v1/check",
            json!({"url": "/a", "robots": "", "agent": "Mozilla/5.0 (compatible; GPTBot/1.2)"}),
            422,
            "GPTBot",
        ),
        ("/v1/check", json!({"url": "/a", "robots": "", "agents": ["a,b"]}), 422, "`agents`"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agents": []}), 422, "at least one crawler in `agents`"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agent": ""}), 422, "`agent` is empty"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agents": [""], "literal": true}), 422, "is empty"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agent": "GPTBot;"}), 422, "it has `;` in it"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agent": "ChatGPT"}), 422, "ChatGPT is a product"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agents": ["GPTBot", "my bot"]}), 422, "white space"),
        ("/v1/matrix", json!({"robots": "", "urls": ["/"], "agents": ["Google"]}), 422, "Googlebot"),
        ("/v1/matrix", json!({"robots": "", "urls": ["/"], "agents": []}), 422, "at least one crawler"),
        ("/v1/diff", json!({"old": "", "new": "", "agents": ["all"]}), 422, "`all` is no crawler"),
        ("/v1/diff", json!({"old": "", "new": "", "agents": []}), 422, "at least one crawler"),
        (
            "/v1/prove",
            json!({"robots": "", "claims": [{"claim": "all_allowed", "matching": "/"}], "agents": []}),
            422,
            "at least one crawler",
        ),
        ("/v1/page", json!({"url": "http://a.test/", "agent": "Bing"}), 422, "bingbot"),
        ("/v1/sitemaps", json!({"url": "http://a.test/", "agent": "Gemini"}), 422, "Google-Extended"),
        ("/v1/generate", json!({"block": ["Claude"]}), 422, "ClaudeBot, Claude-SearchBot and Claude-User"),
        ("/v1/check", json!({"urls": urls(11), "robots": ""}), 413, "at most 10"),
        ("/v1/check", json!({"urls": urls(5), "robots": "", "agents": ["a", "b", "c", "d", "e"]}), 413, "at most 20"),
        ("/v1/check", json!({"url": "/a", "robots": "", "agents": ["a", "b", "c", "d", "e", "f"]}), 413, "at most 5"),
        ("/v1/check", json!({"url": format!("/{}", "a".repeat(20 << 10)), "robots": ""}), 413, "at most 20480 bytes"),
        ("/v1/fetch", json!({"url": format!("http://a.test/{}", "a".repeat(20 << 10))}), 413, "at most 20480 bytes"),
        (
            "/v1/check",
            json!({"url": format!("http://{}/", "a".repeat(1025)), "robots": ""}),
            413,
            "expected a host of at most 1024 bytes, found one of 1025",
        ),
        ("/v1/fetch", json!({"url": format!("http://{}/", "ü".repeat(1000))}), 413, "found one of 2000"),
        ("/v1/matrix", json!({"robots": "", "urls": urls(1), "all_crawlers": true}), 413, "at most 20"),
        ("/v1/matrix", json!({"robots": "", "urls": ["/"], "agents": [], "all_crawlers": true}), 400, "found both"),
        ("/v1/inspect", json!({}), 400, "or a site in `url`, found none"),
        ("/v1/inspect", json!({"robots": "", "url": "http://a.test/"}), 400, "found both"),
        ("/v1/inspect", json!({"url": "mailto:a@b.test"}), 422, "no host"),
        ("/v1/inspect", json!({"url": "http://a.test/"}), 422, "no file of"),
        ("/v1/fetch", json!({"url": "http://a.test/"}), 422, "fetches nothing"),
        ("/v1/fetch", json!({"url": "http://a.test/", "policy": "kind"}), 400, "archive"),
    ] {
        let answer = service.post(path, &question).await;
        assert_eq!(answer.status, status, "{path} {question}: {}", answer.text());
        let problem = answer.json();
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].as_str().unwrap().contains(says), "{path} {question}: {problem}");
        assert!(answer.head.contains("application/problem+json"), "{}", answer.head);
    }
    for (target, status) in [
        ("/v1/check", 400),
        ("/v1/check?url=/a", 422),
        ("/v1/check?url=http://a.test/&agnet=x", 400),
        ("/v1/check?url=http://a.test/&url=http://a.test/", 400),
        ("/v1/check?url=http://a.test/", 422),
        ("/v1/check?url=gopher://a.test/", 422),
        ("/v1/check?url=http://a.test/&agent=", 422),
        ("/v1/check?url=http://a.test/&agent=&literal=true", 422),
        ("/v1/check?url=http://a.test/&agent=ChatGPT", 422),
        ("/v1/check?url=http://a.test/&agent=ChatGPT&literal=true", 422),
        ("/v1/origins", 400),
        ("/v1/origins?origin=a", 422),
        ("/v1/origins?origin=http://a.test&x=y", 400),
        ("/v1/origins?origin=http://a.test&diff=1", 400),
        ("/v1/versions", 400),
        ("/v1/watch/alerts?limit=0", 400),
        ("/v1/watch/alerts?after=-1", 400),
    ] {
        let answer = service.get(target).await;
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
    }
    assert_eq!(service.sites.connections(), 0);
}

#[tokio::test]
async fn many_urls_are_parsed_on_another_thread() {
    let service = Service::start().await;
    let urls: Vec<String> = (0..1000).map(|nth| format!("/private/{}/{nth}", "a".repeat(100))).collect();
    let mut question = json!({"urls": urls, "robots": RULES});
    let answers = service.post("/v1/check", &question).await.json();
    let answers = answers["answers"].as_array().unwrap();
    assert_eq!(answers.len(), urls.len());
    for (answer, url) in answers.iter().zip(&urls) {
        assert_eq!((&answer["url"], &answer["line"]), (&json!(url), &json!(2)));
    }
    question["urls"][999] = json!("mailto:a@b.test");
    let refused = service.post("/v1/check", &question).await;
    assert_eq!((refused.status, &refused.json()["url"]), (422, &json!("mailto:a@b.test")));
}

#[tokio::test]
async fn each_crawler_of_a_large_file_has_its_answer() {
    let service = Service::start().await;
    let file = format!("{RULES}Disallow: /b\n{}", "# a comment\n".repeat(2000));
    service.sites.serve("large.test", "/robots.txt", Reply::ok(file));
    let long = format!("/private/{}", "a".repeat(2000));
    // Twice: before the rules are compiled, and after.
    for _ in 0..2 {
        for (agent, path, line) in [
            ("x", "/private/", 2),
            ("GPTBot", "/a", 6),
            ("gptbot", "/a", 6),
            ("x", long.as_str(), 2),
            ("GPTBot", "/b", 7),
        ] {
            for literal in ["", "&literal=true"] {
                let target = format!("/v1/check?url=http://large.test{path}&agent={agent}{literal}");
                let found = service.get(&target).await.json();
                assert_eq!((&found["allowed"], &found["line"]), (&json!(false), &json!(line)), "{agent}: {found}");
            }
        }
    }
    assert_eq!(service.sites.count("large.test", "/robots.txt"), 1);
}

#[tokio::test]
async fn large_files_of_sites_need_memory_for_bodies() {
    let mut limits = ServerLimits::default();
    (limits.body_bytes, limits.bodies_bytes) = (64 << 10, 1 << 20);
    let service = Service::with(limits, |client| client).await;
    for nth in 0..4 {
        let file = format!("{RULES}{}", "# a comment\n".repeat(7000));
        service.sites.serve(&format!("large{nth}.test"), "/robots.txt", Reply::ok(file));
        service.sites.serve(&format!("small{nth}.test"), "/robots.txt", Reply::ok(RULES));
    }
    let ask = async |size: &str, sites: usize| {
        let urls: Vec<String> = (0..sites).map(|nth| format!("http://{size}{nth}.test/private/")).collect();
        service.post("/v1/check", &json!({"urls": urls})).await
    };
    // One client may have a quarter of the memory. Twice: before the files are known, and after.
    for _ in 0..2 {
        assert_eq!(ask("small", 4).await.status, 200);
        assert_eq!(ask("large", 1).await.status, 200);
        let refused = ask("large", 4).await;
        assert_eq!(refused.status, 503, "{}", refused.text());
    }
}

/// Returns a file of half a megabyte that is slow to process.
fn hostile() -> String {
    let mut file = String::from("User-agent: *\n");
    while file.len() < 500_000 {
        file += "Disallow: /*aaaaaaaa*x\n";
    }
    file
}

#[tokio::test]
async fn excessive_work_is_refused() {
    let service = Service::start().await;
    let urls: Vec<String> = (0..257).map(|nth| format!("http://site{nth}.test/")).collect();
    let refused = service.post("/v1/check", &json!({"urls": urls})).await;
    assert_eq!((refused.status, &refused.json()["max"]), (413, &json!(256)));
    assert!(service.sites.requests().is_empty());
    let mut limits = ServerLimits::default();
    limits.answer_time = Duration::from_millis(300);
    limits.answer_bytes = 1 << 20;
    let service = Service::with(limits, |client| client).await;
    let file = hostile();
    let url = format!("/{}", "aaaaaaab".repeat(1000));
    for (path, question) in [
        ("/v1/check", json!({"robots": file, "urls": vec![&url; 200], "agents": ["a", "b", "c"]})),
        ("/v1/check", json!({"robots": file, "url": "/a", "explain": true})),
        ("/v1/matrix", json!({"robots": file, "urls": [url], "all_crawlers": true})),
    ] {
        // Without limits, each takes seconds or minutes.
        let answer = service.post(path, &question).await;
        assert_eq!(answer.status, 413, "{path}: {}", &answer.text()[..500]);
        assert!(answer.text().contains("ask for less at once"), "{}", answer.text());
        // Other requests are answered meanwhile and afterward.
        assert_eq!(service.get("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn a_slow_site_does_not_slow_the_others() {
    let service = Service::start().await;
    let gate = Gate::new();
    service.sites.serve("slow.test", "/robots.txt", Reply::ok(RULES).hold(At::Body(3), &gate));
    service.sites.serve("fast.test", "/robots.txt", Reply::ok(RULES));
    let slow = service.get("/v1/check?url=http://slow.test/private/");
    let fast = async {
        for nth in 0..20 {
            let answer = service.get(&format!("/v1/check?url=http://fast.test/{nth}")).await;
            assert_eq!(answer.json()["allowed"], true);
        }
        gate.open();
    };
    let (slow, ()) = tokio::join!(slow, fast);
    assert_eq!(slow.json()["line"], 2);
}

/// A store without room: it reads, and writes nothing.
#[derive(Debug, Default)]
struct Full(std::sync::atomic::AtomicBool);

impl Store for Full {
    fn load<'a>(&'a self, _: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async { Ok(None) })
    }

    fn complete<'a>(&'a self, _: &'a StoredRecord, _: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        let has_room = self.0.load(std::sync::atomic::Ordering::Relaxed);
        Box::pin(async move { if has_room { Ok(Saved::Kept) } else { Err(StoreError::full("no room")) } })
    }
}

#[tokio::test]
async fn a_service_without_the_store_that_it_requires_is_not_ready() {
    for (is_required, status) in [(false, 200), (true, 503)] {
        let store = Arc::new(Full::default());
        let service =
            Service::with(ServerLimits::default(), |client| client.store(store.clone()).require_store(is_required))
                .await;
        service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
        assert_eq!(service.get("/readyz").await.status, 200);
        assert_eq!(service.get("/v1/check?url=http://a.test/x").await.status, status);
        let ready = service.get("/readyz").await;
        assert_eq!(ready.status, status, "{}", ready.text());
        store.0.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(service.get("/v1/check?url=http://b.test/x").await.status, 200);
        assert_eq!(service.get("/readyz").await.status, 200, "a result was saved");
    }
}
