//! The limits on the requests that a client can make the service send. Connections are counted where they are opened; each request has a
//! connection of its own.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use comity_fetch::transport::{Connect, Connecting};
use comity_server::ServerLimits;
use comity_testserver::{At, Gate, Reply};
use serde_json::{Value, json};

use crate::service::Service;

/// The requests per minute that one client can cause at a site.
const BUDGET: usize = 60;

/// A connector that counts.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Connect for Counting {
    fn connect(&self, address: SocketAddr) -> Connecting<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { tokio::net::TcpStream::connect(address).await?.into_std() })
    }
}

async fn counted() -> (Service, Arc<Counting>) {
    counted_with(ServerLimits::default()).await
}

async fn counted_with(limits: ServerLimits) -> (Service, Arc<Counting>) {
    let connector = Arc::new(Counting::default());
    let service = Service::with(limits, |client| client.connector(connector.clone())).await;
    (service, connector)
}

impl Counting {
    fn number(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn victim(number: usize) -> String {
    format!("http://n{number}.victim.co.uk/x")
}

#[tokio::test]
async fn names_under_one_wildcard_domain_share_a_budget() {
    let (service, connector) = counted().await;
    let names: Vec<String> = (0..250).map(victim).collect();
    let found = service.post("/v1/check", &json!({"urls": names, "agents": ["x"]})).await.json();
    assert_eq!(connector.number(), BUDGET);
    let rows = found["answers"].as_array().unwrap();
    let (answered, refused): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| row["error"].is_null());
    assert_eq!((answered.len(), refused.len()), (BUDGET, 250 - BUDGET));
    for row in refused {
        assert_eq!((&row["allowed"], &row["answer"]), (&Value::Null, &Value::Null), "{row}");
        assert!(row["error"].as_str().unwrap().contains("the limit of requests to the site of n"), "{row}");
    }
    // What was not asked is not known, by any way to ask.
    let left = rows.iter().position(|row| !row["error"].is_null()).unwrap();
    let answer = service.get(&format!("/v1/check?url={}", victim(left))).await;
    assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("rate-limited")), "{}", answer.text());
    assert!(answer.head.contains("retry-after: ") && answer.head.contains("ratelimit: \"fetches\";r=0;t="));
    let line = json!({"url": victim(left), "agent": "x"}).to_string();
    let line = &service.batch("", line.as_bytes()).await.lines()[0];
    assert!(line["error"].is_string() && line["allowed"].is_null(), "{line}");
    for path in ["/v1/fetch", "/v1/page", "/v1/sitemaps", "/v1/inspect"] {
        assert_eq!(service.post(path, &json!({"url": victim(left)})).await.status, 429, "{path}");
    }
    assert_eq!(connector.number(), BUDGET);
    let origin = comity::Origin::of(&victim(left)).unwrap();
    assert!(service.client.cached(&origin).await.unwrap().is_none(), "nothing is stored about it");
    assert!(service.client.robots(&origin).await.is_ok(), "the client itself has no budget, and finds no failure");
    // Other sites are not affected, and neither are answers from memory.
    let answered = rows.iter().position(|row| row["error"].is_null()).unwrap();
    assert_eq!(service.get(&format!("/v1/check?url={}", victim(answered))).await.status, 200);
    assert_eq!(service.get("/v1/check?url=http://victim.com/x").await.status, 200);
    let metrics = service.get("/metrics").await.text();
    assert!(metrics.contains("comity_fetch_requests_refused_total{budget=\"client\"}"), "{metrics}");
    assert!(metrics.contains("comity_fetch_budgets 2\n"), "{metrics}");
}

#[tokio::test]
async fn the_addresses_of_a_site_share_its_budget() {
    let (service, connector) = counted().await;
    for number in 0..40 {
        let answer = service.post("/v1/variants", &json!({"url": victim(number)})).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    assert_eq!(connector.number(), BUDGET);
}

#[tokio::test]
async fn different_sites_are_not_limited() {
    let (service, connector) = counted().await;
    let names: Vec<String> = (0..250).map(|number| format!("http://site{number}.com/x")).collect();
    let found = service.post("/v1/check", &json!({"urls": names, "agents": ["x"]})).await.json();
    assert!(found["answers"].as_array().unwrap().iter().all(|row| row["error"].is_null()), "{found}");
    assert_eq!(connector.number(), 250);
}

/// Serves sitemaps on a host that redirects each of them without end.
fn serve_endless_redirects(service: &Service) {
    for sitemap in 0..20 {
        for hop in 0..30 {
            let next = format!("http://www.victim.co.uk/{sitemap}-{}", hop + 1);
            service.sites.serve("www.victim.co.uk", &format!("/{sitemap}-{hop}"), Reply::redirect(302, next));
        }
    }
}

fn named_sitemaps() -> String {
    (0..20).map(|number| format!("Sitemap: http://www.victim.co.uk/{number}-0\n")).collect()
}

#[tokio::test]
async fn a_stranger_s_file_names_no_sitemaps_of_others() {
    let (service, connector) = counted().await;
    serve_endless_redirects(&service);
    let question = json!({"url": "http://a.test/", "robots": named_sitemaps()});
    let found = service.post("/v1/sitemaps", &question).await.json();
    assert_eq!((connector.number(), service.sites.count("a.test", "/robots.txt")), (1, 1), "{found}");
    let sitemaps = found["sitemaps"].as_array().unwrap();
    assert_eq!(sitemaps.len(), 20);
    for sitemap in sitemaps {
        assert_eq!(sitemap["error"], "is on a host that the robots.txt of http://a.test does not name: not fetched");
    }
}

#[tokio::test]
async fn sitemaps_that_redirect_without_end_stay_within_the_budget() {
    let (service, connector) = counted().await;
    serve_endless_redirects(&service);
    service.sites.serve("a.test", "/robots.txt", Reply::ok(named_sitemaps()));
    for question in [json!({"url": "http://a.test/"}), json!({"url": "http://a.test/", "robots": named_sitemaps()})] {
        let found = service.post("/v1/sitemaps", &question).await.json();
        let errors: Vec<&str> =
            found["sitemaps"].as_array().unwrap().iter().map(|one| one["error"].as_str().unwrap()).collect();
        assert_eq!(errors.len(), 20);
        assert!(errors[19].contains("the limit of requests to the site of www.victim.co.uk is reached"), "{errors:?}");
    }
    assert_eq!(connector.number(), BUDGET + 1, "one is for the site's own file");
    assert_eq!(service.sites.count("www.victim.co.uk", "/0-5"), 1);
    assert_eq!(service.sites.count("www.victim.co.uk", "/0-6"), 0, "at most five redirects");
}

#[tokio::test]
async fn a_refused_hop_of_a_robots_txt_is_no_state_of_its_site() {
    let mut limits = ServerLimits::default();
    limits.fetch_rate = NonZeroU32::new(2);
    let (service, connector) = counted_with(limits).await;
    service.sites.serve("www.target.com", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    for number in 0..3 {
        let host = format!("a{number}.test");
        service.sites.serve(&host, "/robots.txt", Reply::redirect(301, "http://www.target.com/robots.txt"));
        let answer = service.get(&format!("/v1/check?url=http://{host}/x")).await;
        if number < 2 {
            assert_eq!((answer.status, &answer.json()["allowed"]), (200, &json!(false)), "{}", answer.text());
        } else {
            assert_eq!(answer.status, 429, "{}", answer.text());
            let origin = comity::Origin::of(&format!("http://{host}/")).unwrap();
            assert!(service.client.cached(&origin).await.unwrap().is_none());
        }
    }
    assert_eq!(connector.number(), 5);
}

#[tokio::test]
async fn redirects_of_many_sites_to_one_host_have_one_connection() {
    let service = Service::start().await;
    let gate = Gate::new();
    let file = Reply::ok("User-agent: *\nDisallow: /\n").hold(At::Start, &gate);
    service.sites.serve("one.test", "/robots.txt", file);
    let hosts: Vec<String> = (0..10).map(|number| format!("a{number}.test")).collect();
    for host in &hosts {
        service.sites.serve(host, "/robots.txt", Reply::redirect(301, "http://one.test/robots.txt"));
    }
    let urls: Vec<String> = hosts.iter().map(|host| format!("http://{host}/x")).collect();
    let question = json!({"urls": urls});
    let watch = async {
        while service.sites.requests().len() < 11 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Enough for others to connect as well, if they did.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(service.sites.count("one.test", "/robots.txt"), 1);
        gate.open();
    };
    let (answer, ()) = tokio::join!(service.post("/v1/check", &question), watch);
    let found = answer.json();
    assert!(found["answers"].as_array().unwrap().iter().all(|row| row["allowed"] == false), "{found}");
    assert_eq!(service.sites.count("one.test", "/robots.txt"), 10);
}
