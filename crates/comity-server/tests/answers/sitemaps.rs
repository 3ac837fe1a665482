//! The pages of sitemaps, against a robots.txt.

use comity_server::ServerLimits;
use comity_testserver::Reply;
use serde_json::{Value, json};

use crate::service::Service;

const RULES: &str = "User-agent: *\nDisallow: /private/\nSitemap: http://a.test/index.xml\nSitemap: /relative.xml\n";

fn sitemap(urls: &[&str]) -> String {
    let entries: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>")
}

fn index(urls: &[&str]) -> String {
    let entries: String = urls.iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>")).collect();
    format!("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</sitemapindex>")
}

async fn site() -> Service {
    let service = Service::start().await;
    let sites = &service.sites;
    sites.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let listed = index(&["http://a.test/one.xml", "http://a.test/gone.xml"]);
    sites.serve("a.test", "/index.xml", Reply::ok(listed));
    let pages = ["http://a.test/", "http://a.test/private/a", "http://b.test/", "no address"];
    sites.serve("a.test", "/one.xml", Reply::ok(sitemap(&pages)));
    service
}

async fn ask(service: &Service, question: Value) -> Value {
    let answer = service.post("/v1/sitemaps", &question).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn pages_that_the_file_blocks_are_found() {
    let service = site().await;
    let found = ask(&service, json!({"url": "http://a.test/any", "agent": "Googlebot"})).await;
    assert_eq!((&found["robots"], &found["agent"]), (&json!("http://a.test/robots.txt"), &json!("Googlebot")));
    assert_eq!(found["named"][0]["verdict"]["answer"], "allowed");
    assert!(found["named"][1]["problem"].is_string(), "{found}");
    let files = found["sitemaps"].as_array().unwrap();
    assert_eq!(files[0]["sitemaps"], 2);
    let counts = ["allowed", "disallowed", "no_verdict", "problems"].map(|name| files[1][name].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 1, 1]);
    let urls: Vec<&Value> = files[1]["entries"].as_array().unwrap().iter().map(|row| &row["url"]).collect();
    assert_eq!(json!(urls), json!(["http://a.test/private/a", "http://b.test/", "no address"]));
    assert_eq!(files[1]["entries"][0]["verdict"]["line"], 2);
    assert!(files[2]["error"].as_str().unwrap().contains("answered 404"), "{found}");
    let all = ask(&service, json!({"url": "http://a.test/", "all": true})).await;
    assert_eq!(all["sitemaps"][1]["entries"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_draft_is_tested_against_the_sitemaps_that_it_names() {
    let service = site().await;
    let draft = "User-agent: *\nDisallow: /\nSitemap: http://a.test/one.xml\n";
    let found = ask(&service, json!({"url": "http://a.test/", "robots": draft})).await;
    assert_eq!((&found["robots"], &found["sitemaps"][0]["disallowed"]), (&json!("robots.txt"), &json!(2)));
    assert_eq!(service.sites.count("a.test", "/robots.txt"), 0);
}

#[tokio::test]
async fn a_request_reads_a_limited_number_of_sitemaps() {
    let service = Service::start().await;
    let lines: String = (0..30).map(|nth| format!("Sitemap: http://a.test/{nth}.xml\n")).collect();
    for nth in 0..30 {
        service.sites.serve("a.test", &format!("/{nth}.xml"), Reply::ok(sitemap(&["http://a.test/"])));
    }
    let found = ask(&service, json!({"url": "http://a.test/", "robots": lines})).await;
    assert_eq!(found["sitemaps"].as_array().unwrap().len(), 20);
    assert_eq!(found["left_out"], 10);
    assert_eq!(service.sites.requests().len(), 20);

    let pages: Vec<String> = (0..1_500).map(|nth| format!("http://a.test/private/{nth}")).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    service.sites.serve("a.test", "/many.xml", Reply::ok(sitemap(&pages)));
    let draft = "User-agent: *\nDisallow: /private/\nSitemap: http://a.test/many.xml\n";
    let found = ask(&service, json!({"url": "http://a.test/", "robots": draft})).await;
    assert_eq!(found["sitemaps"][0]["disallowed"], 1_500);
    assert_eq!(found["sitemaps"][0]["entries"].as_array().unwrap().len(), 1_000);
}

#[tokio::test]
async fn a_service_that_fetches_nothing_reads_no_sitemaps() {
    let question = json!({"url": "http://a.test/", "robots": "Sitemap: http://a.test/s.xml\n"});
    let offline = Service::with(ServerLimits::default(), |client| client.offline(true)).await;
    let answer = offline.post("/v1/sitemaps", &question).await;
    assert!(answer.status == 422 && answer.text().contains("fetches nothing"), "{}", answer.text());
}
