//! Answers about pages, with their rules and resources.

use std::num::NonZeroU32;

use comity_fetch::Addresses;
use comity_server::ServerLimits;
use comity_testserver::Reply;
use serde_json::{Value, json};

use crate::service::Service;

const RULES: &str = "User-agent: *\nDisallow: /assets/private/\nDisallow: /closed\n";
const PAGE: &str = "<meta name=robots content='nosnippet, nofollow'><meta name=bingbot content=noindex>
    <link rel=stylesheet href=/assets/shop.css><script src=/assets/private/shop.js></script>
    <img src=assets/private/logo.png><img src=http://cdn.test/a.png>";

/// A page of a shop, with a resource on another site.
async fn shop() -> Service {
    let service = Service::start().await;
    let sites = &service.sites;
    sites.serve("shop.test", "/robots.txt", Reply::ok(RULES));
    sites.serve("shop.test", "/", Reply::ok(PAGE).header("X-Robots-Tag", "max-image-preview: none"));
    sites.serve("shop.test", "/old", Reply::redirect(301, "/"));
    sites.serve("shop.test", "/closed", Reply::ok("<meta name=robots content=noindex>"));
    sites.serve("cdn.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    service
}

async fn page(service: &Service, question: Value) -> Value {
    let answer = service.post("/v1/page", &question).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn a_page_is_answered_with_its_rules_and_resources() {
    let service = shop().await;
    let found = page(&service, json!({"url": "http://shop.test/old", "agent": "Googlebot"})).await;
    assert_eq!((&found["found_at"], &found["status"]), (&json!("http://shop.test/"), &json!(200)));
    assert_eq!((&found["fetch"]["answer"], &found["index"]["stance"]), (&json!("allowed"), &json!("not-stated")));
    assert_eq!(found["follow"]["because"][0]["source"], "meta");
    assert_eq!((&found["max_snippet"], &found["max_image_preview"]), (&json!(0), &json!("none")));
    assert_eq!(
        (&found["applied"][0]["source"], &found["applied"][0]["rule"]),
        (&json!("x-robots-tag"), &json!("max-image-preview:none"))
    );
    assert_eq!(found["others"][0]["agent"], "bingbot");
    let rows = found["resources"].as_array().unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (&row["kind"], &row["url"], &row["answer"], &row["line"])).collect();
    assert_eq!(
        json!(rows),
        json!([
            ["style", "http://shop.test/assets/shop.css", "allowed", null],
            ["script", "http://shop.test/assets/private/shop.js", "disallowed", 2],
            ["image", "http://shop.test/assets/private/logo.png", "disallowed", 2],
            ["image", "http://cdn.test/a.png", "disallowed", 2],
        ])
    );

    let found = page(&service, json!({"url": "http://shop.test/", "agent": "bingbot"})).await;
    assert_eq!(found["index"]["stance"], "no");
}

#[tokio::test]
async fn rules_of_a_page_that_may_not_be_fetched_are_never_seen() {
    let service = shop().await;
    let found = page(&service, json!({"url": "http://shop.test/closed"})).await;
    assert_eq!((&found["fetch"]["answer"], &found["index"]["stance"]), (&json!("disallowed"), &json!("hidden")));
    assert_eq!((&found["fetch"]["line"], &found["text"]), (&json!(3), &json!("Disallow: /closed")));
    assert_eq!(found["conflicts"][0]["conflict"], "never-seen");
}

#[tokio::test]
async fn resources_are_judged_in_the_dialect_of_the_question() {
    let service = Service::start().await;
    for site in ["a.test", "cdn.test"] {
        service.sites.serve(site, "/robots.txt", Reply::ok("User-agent: *\nDisallow: /a\nAllow: /a.png\n"));
    }
    service.sites.serve("a.test", "/", Reply::ok("<img src=/a.png><img src=http://cdn.test/a.png>"));
    // In the draft of 1996, the first rule that matches decides.
    for (dialect, expected) in [("standard", "allowed"), ("norobots-1996", "disallowed")] {
        let found = page(&service, json!({"url": "http://a.test/", "dialect": dialect})).await;
        let answers: Vec<_> = found["resources"].as_array().unwrap().iter().map(|row| &row["answer"]).collect();
        assert_eq!(json!(answers), json!([expected, expected]), "{dialect}");
    }
}

#[tokio::test]
async fn the_target_of_a_redirect_is_judged_as_well() {
    let service = shop().await;
    let sites = &service.sites;
    sites.serve("shop.test", "/to-closed", Reply::redirect(301, "/closed"));
    sites.serve("shop.test", "/to-cdn", Reply::redirect(301, "http://cdn.test/page"));
    sites.serve("cdn.test", "/page", Reply::ok("Nothing is loaded."));
    sites.serve("shop.test", "/to-down", Reply::redirect(301, "http://down.test/page"));
    sites.serve("down.test", "/robots.txt", Reply::status(503));
    sites.serve("down.test", "/page", Reply::ok("<meta name=robots content=noindex>"));
    for (path, target) in [
        ("/to-closed", "http://shop.test/closed"),
        ("/to-cdn", "http://cdn.test/page"),
        ("/to-down", "http://down.test/page"),
    ] {
        let found = page(&service, json!({"url": format!("http://shop.test{path}")})).await;
        assert_eq!((&found["found_at"], &found["fetch"]["answer"]), (&json!(target), &json!("allowed")));
        assert_eq!(found["found_at_allowed"], false, "{path}");
        for about in ["index", "follow", "training", "ai_input", "search"] {
            assert_eq!(found[about]["stance"], "hidden", "{path}: {about}");
        }
        assert!(found["notes"][0].as_str().unwrap().contains(&format!("redirects to {target}")), "{}", found["notes"]);
    }
    let found = page(&service, json!({"url": "http://shop.test/old"})).await;
    assert_eq!((&found["found_at_allowed"], &found["index"]["stance"]), (&json!(true), &json!("not-stated")));
    let found = page(&service, json!({"url": "http://shop.test/"})).await;
    assert!(found["found_at_allowed"].is_null(), "{found}");
}

#[tokio::test]
async fn what_a_cut_page_does_not_forbid_is_not_known() {
    let service = Service::start().await;
    service.sites.serve("a.test", "/robots.txt", Reply::status(404));
    service.sites.serve("a.test", "/", Reply::ok("<meta name=robots content=nofollow><title>Never closed"));
    let found = page(&service, json!({"url": "http://a.test/"})).await;
    assert_eq!((&found["index"]["stance"], &found["follow"]["stance"]), (&json!("hidden"), &json!("no")));
    assert!(found["notes"][0].as_str().unwrap().starts_with("A part of the page was not read"), "{}", found["notes"]);
}

#[tokio::test]
async fn few_sites_are_asked_for_one_page() {
    let service = Service::start().await;
    let images: String = (0..20).map(|nth| format!("<img src=http://cdn{nth}.test/a.png>")).collect();
    service.sites.serve("many.test", "/robots.txt", Reply::status(404));
    service.sites.serve("many.test", "/", Reply::ok(images));
    let found = page(&service, json!({"url": "http://many.test/"})).await;
    let unasked = found["resources"].as_array().unwrap().iter().filter(|row| row["answer"].is_null());
    let unasked: Vec<&Value> = unasked.collect();
    assert_eq!(unasked.len(), 13);
    assert_eq!(unasked[0]["error"], "at most 8 sites are asked for one page");
    let asked = service.sites.requests().iter().filter(|request| request.path == "/robots.txt").count();
    assert_eq!(asked, 8);
}

#[tokio::test]
async fn url_without_a_page_is_refused() {
    let service = shop().await;
    service.sites.serve("down.test", "/robots.txt", Reply::status(503));
    for (question, status, says) in [
        (json!({"url": "/path"}), 422, "with `origin`"),
        (json!({"url": "gopher://shop.test/"}), 422, ""),
        (json!({"url": "http://down.test/"}), 422, "answered 503"),
        (json!({"url": "http://shop.test/", "dialect": "latin"}), 400, "norobots-1996"),
        (json!({"url": "http://shop.test/", "agents": ["a"]}), 400, "unknown field"),
    ] {
        let answer = service.post("/v1/page", &question).await;
        assert_eq!(answer.status, status, "{question}: {}", answer.text());
        assert!(answer.json()["detail"].as_str().unwrap().contains(says), "{question}: {}", answer.text());
    }
    assert_eq!(service.sites.count("down.test", "/"), 0, "nothing is fetched from a site without a known file");
    // That there is no such page is the answer about it.
    let missing = service.post("/v1/page", &json!({"url": "http://shop.test/missing"})).await.json();
    assert_eq!((&missing["status"], &missing["headline"]["tone"]), (&json!(404), &json!("bad")), "{missing}");
}

#[tokio::test]
async fn pages_are_fetched_within_the_budget_of_requests() {
    let mut limits = ServerLimits::default();
    limits.fetch_rate = NonZeroU32::new(2);
    let service = Service::with(limits, |client| client).await;
    service.sites.serve("a.test", "/robots.txt", Reply::status(404));
    service.sites.serve("a.test", "/", Reply::ok("<img src=/a.png>"));
    let question = json!({"url": "http://a.test/"});
    let first = service.post("/v1/page", &question).await;
    assert_eq!(first.status, 200, "{}", first.text());
    assert_eq!(service.post("/v1/page", &question).await.status, 429);

    let careful = Service::with(ServerLimits::default(), |client| client.addresses(Addresses::Public)).await;
    assert_eq!(careful.post("/v1/page", &question).await.status, 422);
    assert_eq!(careful.sites.connections(), 0, "only public addresses are connected to");

    let offline = Service::with(ServerLimits::default(), |client| client.offline(true)).await;
    let answer = offline.post("/v1/page", &question).await;
    assert!(answer.status == 422 && answer.text().contains("fetches nothing"), "{}", answer.text());
}
