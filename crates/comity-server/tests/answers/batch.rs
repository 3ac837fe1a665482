//! Batches: which fields are kept, in which order answers come, and which errors do not end a batch.

use std::time::Duration;

use comity::Dialect;
use comity_server::ServerLimits;
use comity_testserver::{At, Gate, Reply};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::service::{Service, read_chunk, read_head, send_chunk};

const RULES: &str = "User-agent: *\nDisallow: /private/\n";

fn jsonl(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

#[tokio::test]
async fn sites_are_asked_once_and_fields_pass_through() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    service.sites.serve("b.test", "/robots.txt", Reply::status(404));
    service.sites.serve("c.test", "/robots.txt", Reply::status(500));
    let mut lines = Vec::new();
    for nth in 0..300 {
        let host = ["a.test", "b.test", "c.test"][nth % 3];
        let path = ["/x", "/private/x", "/private/../y", "/ü", "/robots.txt"][nth % 5];
        lines.extend(format!("{{\"nth\": {nth}.50, \"url\": \"http://{host}{path}\",\"agent\":\"x\"}}\n").into_bytes());
    }
    for query in ["", "?ordered=true"] {
        let answer = service.batch(query, &lines).await;
        assert_eq!(answer.status, 200);
        let answers = answer.lines();
        assert_eq!(answers.len(), 300);
        for (nth, answer) in answers.iter().enumerate() {
            let (allowed, line) = match (nth % 3, nth % 5) {
                (0, 1) => (false, Some(2)),
                (2, path) if path != 4 => (false, None),
                _ => (true, None),
            };
            assert_eq!((&answer["allowed"], &answer["line"]), (&json!(allowed), &json!(line)), "{answer}");
            assert_eq!(answer["copy"].is_string(), nth % 3 == 0, "{answer}");
        }
        assert!(answer.text().contains("\"nth\":7.50"), "numbers keep their digits");
        let head = answer.head.to_ascii_lowercase();
        for field in ["comity-policy: standard", "comity-dialect: standard", "content-type: application/x-ndjson"] {
            assert!(head.contains(field), "{head}");
        }
    }
    assert_eq!(service.sites.requests().len(), 3);
    // Answers are the same as those to single questions.
    let one = service.get("/v1/check?url=http://a.test/private/x&agent=x&literal=true").await.json();
    let many = service.batch("", &jsonl(&[json!({"url": "http://a.test/private/x", "agent": "x"})])).await.lines();
    for name in ["allowed", "line", "names_crawler", "reason"] {
        assert_eq!(one[name], many[0][name]);
    }
    assert!(one["copy"]["sha256"].as_str().unwrap().starts_with(many[0]["copy"].as_str().unwrap()));
}

#[tokio::test]
async fn an_array_is_answered_with_an_array() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let questions = json!([
        {"n": 1.5, "url": "http://a.test/private/", "agent": "x"},
        {"n": 2, "url": "/private/", "agent": "x", "robots": "User-agent: *\nDisallow: /\n"},
        ["no question"],
        {"n": 4, "origin": "http://a.test", "urls": ["/private/", "/"], "agent": "x"},
    ]);
    for body in [questions.to_string(), serde_json::to_string_pretty(&questions).unwrap().replace('\n', "\r\n")] {
        for query in ["", "?ordered=false"] {
            let answer = service.send(&format!("/v1/batch{query}"), "application/json", body.as_bytes()).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert!(answer.head.contains("content-type: application/json\r\n"), "{}", answer.head);
            let mut found = answer.json().as_array().unwrap().clone();
            assert_eq!(found.len(), 4, "{found:?}");
            let bad = found.iter().position(|answer| answer.get("error").is_some()).unwrap();
            let bad = found.remove(bad);
            assert_eq!(bad["input_line"], 3);
            assert!(bad["error"].as_str().unwrap().contains("expected an object"), "{bad}");
            found.sort_by_key(|answer| answer["n"].as_f64().unwrap().to_bits());
            let part = |nth: usize, name: &str| found[nth][name].clone();
            assert_eq!([part(0, "allowed"), part(0, "line")], [json!(false), json!(2)]);
            assert_eq!([part(1, "allowed"), part(1, "copy")], [json!(false), json!(null)]);
            assert_eq!(part(2, "allowed"), json!([false, true]));
            assert!(answer.text().contains("\"n\":1.5,"), "numbers keep their digits");
        }
    }
    let empty = service.send("/v1/batch", "application/json", b"[]").await;
    assert_eq!((empty.status, empty.json()), (200, json!([])));
    for (body, status) in [(&b"{}"[..], 400), (b"[", 400), (b"[1] 2", 400), (&vec![b' '; 5 << 20], 413)] {
        assert_eq!(service.send("/v1/batch", "application/json", body).await.status, status);
    }
    // As many questions as fit into a document.
    let many = json!(vec![json!({"url": "http://a.test/private/", "agent": "x"}); 20_000]).to_string();
    let answer = service.send("/v1/batch", "application/json", many.as_bytes()).await;
    assert_eq!(answer.json().as_array().unwrap().len(), 20_000);
}

#[tokio::test]
async fn a_bad_line_ends_nothing_and_no_old_answer_is_passed_on() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let long = format!("{{\"url\": \"{}\"}}", "x".repeat(3 << 20));
    let lines = [
        "\u{FEFF}{\"n\": 1, \"url\": \"http://a.test/private/\", \"agent\": \"x\", \"error\": \"old\", \"input_line\": 7}",
        "",
        "no JSON",
        "[1]",
        r#"{"n": 5, "allowed": true, "line": 3, "agent": "x", "url": "/x"}"#,
        r#"{"n": 6, "robots_file": "/etc/passwd", "agent": "x", "url": "/x"}"#,
        r#"{"n": 7, "robots": "", "robots": "", "agent": "x", "url": "/x"}"#,
        r#"{"n": 8, "url": "mailto:a@b.test", "agent": "x"}"#,
        r#"{"n": 9, "url": "gopher://a.test/", "agent": "x"}"#,
        r#"{"n": 10, "url": "http://a.test/", "crawler": "nobody"}"#,
        r#"{"n": 11, "urls": ["/a"], "agent": "x"}"#,
        r#"{"n": 12, "urls": ["/a", 1], "agent": "x", "robots": ""}"#,
        &long,
        r#"{"n": 14, "url": "http://a.test/private/", "agent": "x"}"#,
    ];
    for query in ["", "?ordered=false"] {
        let mut answers = service.batch(query, lines.join("\n").as_bytes()).await.lines();
        answers.sort_by_key(|answer| answer["input_line"].as_u64().or(answer["n"].as_u64()).unwrap());
        assert_eq!(answers.len(), 13, "{answers:?}");
        assert_eq!((&answers[0]["allowed"], answers[0].get("error")), (&json!(false), None));
        for (answer, (number, says)) in answers[1..12].iter().zip([
            (3, "expected a JSON object"),
            (4, "expected an object"),
            (5, "expected an absolute URL"),
            (6, "`robots_file` is not read here"),
            (7, "several times"),
            (8, "no host"),
            (9, "gopher://a.test"),
            (10, "known crawler"),
            (11, "expected the site of `urls`"),
            (12, "a list of texts in `urls`"),
            (13, "at most 2097152 bytes"),
        ]) {
            assert_eq!(answer["input_line"], number, "{answer}");
            assert!(answer["error"].as_str().unwrap().contains(says), "{answer}");
            assert!(answer.get("allowed").is_none() && answer.get("line").is_none(), "{answer}");
        }
        assert_eq!(answers[12]["line"], 2);
    }
}

#[tokio::test]
async fn long_urls_are_errors() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let path = |bytes: usize| format!("/{}", "a".repeat(bytes - 1));
    let max = 20 << 10;
    let site = "http://a.test";
    let lines = [
        json!({"url": path(max), "agent": "x", "robots": RULES}),
        json!({"urls": ["/private/", path(max)], "agent": "x", "robots": RULES}),
        // No robots.txt is about it, whatever its size.
        json!({"urls": [format!("data:,{}", path(max))], "agent": "x", "robots": RULES}),
        json!({"url": path(max + 1), "agent": "x", "robots": RULES}),
        json!({"urls": ["/a", path(max + 1)], "agent": "x", "robots": RULES}),
        json!({"url": format!("{site}{}", path(max)), "agent": "x"}),
        json!({"urls": [format!("{site}{}", path(max))], "origin": site, "agent": "x"}),
    ];
    let host = json!({"url": format!("http://{}/", "a".repeat(1025)), "agent": "x"});
    let answer = &service.batch("", &jsonl(&[host])).await.lines()[0];
    assert!(answer["error"].as_str().unwrap().contains("expected a host of at most 1024 bytes"), "{answer}");
    for query in ["", "?dialect=google-parser"] {
        let answers = service.batch(query, &jsonl(&lines)).await.lines();
        assert_eq!(answers[0]["allowed"], true);
        assert_eq!(answers[1]["allowed"], json!([false, true]));
        // This dialect takes any text for a path.
        assert_eq!(answers[2].get("error").is_some(), query.ends_with("google-parser"), "{}", answers[2]["error"]);
        for answer in &answers[3..] {
            assert!(answer["error"].as_str().unwrap().contains("expected at most 20480 bytes"), "{}", answer["error"]);
        }
    }
}

#[tokio::test]
async fn many_urls_in_one_line_have_the_answers_of_single_ones() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let urls = json!([
        "http://a.test/private/1",
        "/private/2",
        "/public",
        "http://a.test/private/../x",
        "/robots.txt",
        "http://b.test/private/",
        "no URL",
        "http://a.test",
        "//a.test/private/",
        "/priv\u{61}te/\\u00fc",
        "HTTP://A.TEST/private/"
    ]);
    let expected = json!([false, false, true, true, true, null, null, true, null, false, false]);
    let lines = json!([2, 2, null, null, null, null, null, null, null, 2, 2]);
    for question in [
        json!({"id": 1, "origin": "http://a.test", "agent": "x", "urls": urls}),
        json!({"id": 2, "origin": "http://a.test/", "crawler": "Googlebot", "urls": urls, "robots": RULES}),
    ] {
        let answer = &service.batch("", &jsonl(std::slice::from_ref(&question))).await.lines()[0];
        assert_eq!((&answer["allowed"], &answer["lines"]), (&expected, &lines), "{answer}");
        assert_eq!(answer["urls"], urls);
        assert_eq!(answer["id"], question["id"]);
    }
    let none =
        &service.batch("", &jsonl(&[json!({"origin": "http://a.test", "agent": "x", "urls": []})])).await.lines()[0];
    assert_eq!((&none["allowed"], &none["lines"]), (&json!([]), &json!([])));
    // A line so large that it is answered on another thread, between two that are not.
    let many: Vec<String> = (0..20_000).map(|nth| format!("/{}/{nth}", ["private", "x"][nth % 2])).collect();
    let one = json!({"url": "http://a.test/private/", "agent": "x"});
    let group = json!({"origin": "http://a.test", "agent": "x", "urls": many});
    let answers = service.batch("", &jsonl(&[one.clone(), group, one])).await.lines();
    assert_eq!((&answers[0]["line"], &answers[2]["line"]), (&json!(2), &json!(2)));
    let allowed = answers[1]["allowed"].as_array().unwrap();
    assert_eq!(allowed.len(), many.len());
    assert!(allowed.iter().enumerate().all(|(nth, allowed)| *allowed == json!(nth % 2 == 1)));
    // The same for a line with many URLs about a file with many rules, whether it is in the line or on a site.
    let rules: String = (0..2000).map(|nth| format!("Disallow: /private/*{nth}x\n")).collect();
    let rules = format!("{RULES}{rules}");
    service.sites.serve("large.test", "/robots.txt", Reply::ok(rules.clone()));
    let many = &many[..1000];
    let brought = json!({"origin": "http://large.test", "agent": "x", "urls": many, "robots": rules[..40_000]});
    let fetched = json!({"origin": "http://large.test", "agent": "x", "urls": many});
    let answers = service.batch("", &jsonl(&[fetched.clone(), brought, fetched])).await.lines();
    for answer in answers {
        let allowed = answer["allowed"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert!(allowed.len() == 1000 && allowed[0] == json!(false) && allowed[1] == json!(true), "{answer}");
    }
}

/// Asks for more crawlers than lines that may wait. The rules for each of them are compiled on other threads.
#[tokio::test]
async fn many_crawlers_of_a_large_file_are_answered_in_order() {
    let service = Service::start().await;
    let rules: String = (0..700).map(|nth| format!("Disallow: /private/*{nth}x\n")).collect();
    let file = format!("{RULES}{rules}\nUser-agent: bot-ah\nDisallow: /7\n");
    let letter = |nth: usize| char::from(b'a' + (nth % 26) as u8);
    assert!(file.len() > 16 << 10);
    for (nth, query) in ["", "?ordered=false", "?dialect=google"].into_iter().enumerate() {
        let (large, failed) = (format!("large{nth}.test"), format!("failed{nth}.test"));
        service.sites.serve(&large, "/robots.txt", Reply::ok(file.clone()));
        service.sites.serve(&failed, "/robots.txt", Reply::status(500));
        // Once while the site is fetched, and once when it is known.
        for _ in 0..2 {
            let lines: Vec<_> = (0..600_usize)
                .map(|n| {
                    let (host, path) = if n % 50 == 9 { (&failed, "/x") } else { (&large, ["/private/", "/7"][n % 2]) };
                    // Each crawler twice in sequence.
                    let agent = format!("bot-{}{}", letter(n / 2 / 26), letter(n / 2));
                    json!({"n": n, "url": format!("http://{host}{path}"), "agent": agent})
                })
                .collect();
            let mut answers = service.batch(query, &jsonl(&lines)).await.lines();
            assert_eq!(answers.len(), lines.len());
            if query == "?ordered=false" {
                answers.sort_by_key(|answer| answer["n"].as_u64());
            }
            for (n, answer) in answers.iter().enumerate() {
                assert_eq!(answer["n"], n, "{answer}");
                let is_own_group = n / 2 == 7;
                let allowed = n % 50 != 9 && (n % 2 == 0) == is_own_group;
                assert_eq!(answer["allowed"], allowed, "{query} {answer}");
            }
        }
        assert_eq!(service.sites.count(&large, "/robots.txt"), 1);
    }
}

/// Checks paths in which a parser could read a host once they are normalized, and a user name in which Google's parser
/// could read a path.
#[tokio::test]
async fn no_host_is_read_in_a_path_and_no_path_in_a_user_name() {
    const RULES: &str = "User-agent: *\nDisallow: /*private\nDisallow: /private\nDisallow: //private\n";
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let paths = ["/.//private/x", "/a/..//private/x", "/%2e//private/x", "/\\private/x", "/private"];
    let urls = paths.iter().flat_map(|path| [(*path).to_owned(), format!("http://a.test{path}")]);
    // As a path alone, it is refused: a client would read a host from it.
    let urls = urls.filter(|url| url != "/\\private/x");
    let urls: Vec<String> = urls.chain(["http://u;x@a.test/private/x".to_owned()]).collect();
    for dialect in Dialect::ALL.iter().map(|dialect| dialect.name) {
        // By the file in the question, and by that of the site.
        for robots in [Some(RULES), None] {
            let mut question = json!({"origin": "http://a.test", "agent": "x", "urls": urls});
            if let Some(robots) = robots {
                question["robots"] = json!(robots);
            }
            let line = jsonl(std::slice::from_ref(&question));
            let batch = &service.batch(&format!("?dialect={dialect}"), &line).await.lines()[0];
            question["dialect"] = json!(dialect);
            let check = service.post("/v1/check", &question).await.json();
            for (at, url) in urls.iter().enumerate() {
                assert_eq!(batch["allowed"][at], false, "{url} in {dialect}: {batch}");
                assert_eq!(check["answers"][at]["allowed"], false, "{url} in {dialect}: {check}");
                assert_eq!(check["answers"][at]["line"], batch["lines"][at], "{url} in {dialect}");
            }
        }
        for url in urls.iter().filter(|url| !url.starts_with('/')) {
            let line = jsonl(&[json!({"url": url, "agent": "x"})]);
            let batch = &service.batch(&format!("?dialect={dialect}"), &line).await.lines()[0];
            let query: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
            let one = service.get(&format!("/v1/check?url={query}&agent=x&dialect={dialect}")).await.json();
            for answer in [batch, &one] {
                assert_eq!(answer["allowed"], false, "{url} in {dialect}: {answer}");
            }
            assert_eq!(one["line"], batch["line"], "{url} in {dialect}");
        }
    }
}

#[tokio::test]
async fn a_slow_site_holds_up_only_what_must_wait_for_it() {
    let service = Service::start().await;
    let gate = Gate::new();
    service.sites.serve("slow.test", "/robots.txt", Reply::ok(RULES).hold(At::Body(3), &gate));
    service.sites.serve("fast.test", "/robots.txt", Reply::ok(RULES));
    service.sites.serve("other.test", "/robots.txt", Reply::ok(RULES));
    let line = |host: &str, n: u32| format!("{{\"n\":{n},\"url\":\"http://{host}/private/\",\"agent\":\"x\"}}\n");

    // Without an order, other answers are sent while the slow one is awaited.
    let mut stream = service.begin_batch("?ordered=false").await;
    send_chunk(&mut stream, line("slow.test", 1).as_bytes()).await;
    for n in 2..40 {
        send_chunk(&mut stream, line(if n % 2 == 0 { "fast.test" } else { "other.test" }, n).as_bytes()).await;
    }
    read_head(&mut stream).await;
    let mut text = String::new();
    while text.lines().count() < 38 {
        text += &String::from_utf8(timeout(Duration::from_secs(60), read_chunk(&mut stream)).await.unwrap()).unwrap();
    }
    assert!(!text.contains("slow.test"), "{text}");

    // With an order they wait, but their sites are fetched.
    let mut ordered = service.begin_batch("").await;
    send_chunk(&mut ordered, line("fast.test", 0).as_bytes()).await;
    read_head(&mut ordered).await;
    let first = timeout(Duration::from_secs(60), read_chunk(&mut ordered)).await.unwrap();
    assert!(first.starts_with(b"{\"n\":0,"), "one question, one answer");
    service.sites.serve("late.test", "/robots.txt", Reply::ok(RULES));
    for (n, host) in ["slow.test", "late.test", "fast.test"].iter().enumerate() {
        send_chunk(&mut ordered, line(host, n as u32 + 1).as_bytes()).await;
    }
    for _ in 0..6_000 {
        if service.sites.count("late.test", "/robots.txt") == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(service.sites.count("late.test", "/robots.txt"), 1, "it is asked while the slow one is awaited");
    assert!(timeout(Duration::from_millis(200), read_chunk(&mut ordered)).await.is_err(), "nothing comes out of order");
    gate.open();
    let mut text = String::new();
    while text.lines().count() < 3 {
        text += &String::from_utf8(timeout(Duration::from_secs(60), read_chunk(&mut ordered)).await.unwrap()).unwrap();
    }
    let numbers: Vec<u64> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let rest = timeout(Duration::from_secs(60), read_chunk(&mut stream)).await.unwrap();
    assert!(String::from_utf8(rest).unwrap().contains("slow.test"));
    send_chunk(&mut stream, b"").await;
    assert_eq!(timeout(Duration::from_secs(60), read_chunk(&mut stream)).await.unwrap(), b"");
    assert_eq!(service.sites.count("slow.test", "/robots.txt"), 1);
}

#[tokio::test]
async fn batch_reads_no_more_than_it_answers_and_ends_with_its_client() {
    let mut limits = ServerLimits::default();
    limits.batches = 1;
    let service = Service::with(limits, |client| client).await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let line = format!("{{\"url\":\"http://a.test/private/{}\",\"agent\":\"x\"}}\n", "y".repeat(900));
    let chunk = line.repeat(64);
    let mut stream = service.begin_batch("").await;
    // A client that sends and does not read is blocked long before its data fills the service's memory.
    let mut sent = 0_usize;
    while timeout(Duration::from_secs(2), send_chunk(&mut stream, chunk.as_bytes())).await.is_ok() {
        sent += chunk.len();
        assert!(sent < 256 << 20, "it is not read forever");
    }
    let asked = service.client.stats().questions_total;
    assert!(asked > 0 && asked as usize * line.len() <= sent + chunk.len());
    // The only slot is taken; then the client goes away, and the slot is free.
    let full = service.batch("", line.as_bytes()).await;
    assert_eq!(full.status, 503, "{}", full.text());
    drop(stream);
    for _ in 0..1_200 {
        if service.batch("", line.as_bytes()).await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the batch of a client that went away still runs");
}

#[tokio::test]
async fn options_are_understood_or_refused() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    for (query, status) in
        [("?ordered=maybe", 400), ("?dialect=latin", 400), ("?order=false", 400), ("?ordered=true&ordered=true", 400)]
    {
        assert_eq!(service.batch(query, b"").await.status, status, "{query}");
    }
    assert_eq!(service.send("/v1/batch", "text/plain", b"{}").await.status, 415);
    let empty = service.batch("", b"").await;
    assert_eq!((empty.status, empty.body.len()), (200, 0));
    // Google's parser applies the rules to the robots.txt itself.
    let line = jsonl(&[json!({"url": "http://a.test/robots.txt", "agent": "x"})]);
    for (query, allowed) in [("", true), ("?dialect=google", false), ("?dialect=standard", true)] {
        assert_eq!(service.batch(query, &line).await.lines()[0]["allowed"], allowed, "{query}");
    }
}
