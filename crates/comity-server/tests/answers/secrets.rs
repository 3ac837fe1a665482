//! No answer contains the password of a URL in a question.

use comity_testserver::Reply;
use serde_json::json;

use crate::service::Service;

const SECRET: &str = "s3cret";

#[tokio::test]
async fn no_answer_contains_a_password() {
    let service = Service::start().await;
    let rules = "User-agent: *\nDisallow: /private/\nSitemap: http://a.test/s.xml\n";
    service.sites.serve("a.test", "/robots.txt", Reply::ok(rules));
    service.sites.serve("b.test", "/robots.txt", Reply::status(503));
    service.sites.serve("a.test", "/", Reply::ok("<meta name=robots content=noindex><img src=/private/a.png>"));
    service.sites.serve("a.test", "/s.xml", Reply::ok("http://a.test/private/\n"));
    let with_password = |url: &str| url.replace("//", &format!("//user:{SECRET}@"));
    let (site, page, failing, refused) = (
        with_password("http://a.test/"),
        with_password("http://a.test/private/x"),
        with_password("http://b.test/"),
        with_password("gopher://a.test/"),
    );
    let elsewhere = with_password("http://other.test/");
    let claims = json!([{"claim": "all_allowed", "matching": "/"}]);
    for (path, question) in [
        ("/v1/check", json!({"urls": [site, page, failing, refused], "explain": true})),
        ("/v1/check", json!({"urls": [page, elsewhere], "robots": rules, "origin": site})),
        ("/v1/check", json!({"url": page, "access": "disallow-all", "origin": site})),
        ("/v1/check", json!({"url": refused, "robots": rules})),
        ("/v1/inspect", json!({"url": page})),
        ("/v1/inspect", json!({"url": failing})),
        ("/v1/inspect", json!({"url": refused})),
        ("/v1/lint", json!({"url": page})),
        ("/v1/lint", json!({"url": failing})),
        ("/v1/matrix", json!({"robots": rules, "urls": [page, elsewhere]})),
        ("/v1/matrix", json!({"url": page, "urls": ["/a"]})),
        ("/v1/ai", json!({"url": page})),
        ("/v1/diff", json!({"old": rules, "new": "User-agent: *\nDisallow: /p\n", "urls": [page, site]})),
        ("/v1/diff", json!({"old": rules, "new": rules, "urls": [refused]})),
        ("/v1/prove", json!({"url": page, "claims": claims})),
        ("/v1/prove", json!({"url": refused, "claims": claims})),
        ("/v1/page", json!({"url": site})),
        ("/v1/page", json!({"url": page})),
        ("/v1/page", json!({"url": failing})),
        ("/v1/sitemaps", json!({"url": site, "all": true})),
        ("/v1/sitemaps", json!({"url": site, "robots": rules, "all": true})),
        ("/v1/variants", json!({"url": page})),
        ("/v1/fetch", json!({"url": page})),
        ("/v1/fetch", json!({"url": failing})),
        ("/v1/fetch", json!({"url": refused})),
    ] {
        let answer = service.post(path, &question).await;
        assert!([200, 422].contains(&answer.status), "{path} {question}: {} {}", answer.status, answer.text());
        assert!(!answer.text().contains(SECRET), "{path} {question}: {} {}", answer.status, answer.text());
    }
    for target in ["check?url=", "versions?origin=", "origins?origin=", "origins?diff=true&origin="] {
        for url in [&page, &failing, &refused] {
            let answer = service.get(&format!("/v1/{target}{url}")).await;
            assert!(!answer.text().contains(SECRET), "{target}{url}: {} {}", answer.status, answer.text());
        }
    }
    for question in [&page, &failing, &refused, &elsewhere] {
        let line = json!({"url": question, "agent": "a"}).to_string() + "\n";
        let answer = service.batch("", line.as_bytes()).await;
        assert!(!answer.text().contains(SECRET), "{question}: {}", answer.text());
        let line = json!({"url": question, "agent": "a", "robots": rules}).to_string() + "\n";
        let answer = service.batch("", line.as_bytes()).await;
        assert!(!answer.text().contains(SECRET), "{question}: {}", answer.text());
    }
}
