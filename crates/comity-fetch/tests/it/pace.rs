//! The pace of visits, with a transport of its own and tokio's clock, which advances while everything waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use comity::Crawler;
use comity_fetch::transport::{
    Chunk, End, NextChunk, ResponseBody, Sending, Transport, TransportRequest, TransportResponse,
};
use comity_fetch::{Client, Pacer, Visit, Visitor};
use http::{HeaderMap, HeaderValue};
use tokio::task::JoinSet;
use tokio::time::{Instant, advance, sleep};

/// A web that logs the start of each request for a page.
#[derive(Debug)]
struct Web {
    began: Instant,
    /// The robots.txt of each host.
    files: HashMap<&'static str, &'static str>,
    /// The time until a page is answered.
    latency: Duration,
    /// The status of pages, and their `Retry-After`.
    answer: Mutex<(u16, &'static str)>,
    log: Mutex<Vec<(String, u64)>>,
}

struct Text(Vec<u8>);

impl ResponseBody for Text {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        let text = std::mem::take(&mut self.0);
        Box::pin(async { Ok(if text.is_empty() { Chunk::End(End::Verified) } else { Chunk::Bytes(text) }) })
    }
}

impl Transport for Web {
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a> {
        Box::pin(async move {
            let host = request.url.host_str().expect("a host");
            assert_eq!(request.keeps_alive, request.url.path() != "/robots.txt");
            if request.url.path() == "/robots.txt" {
                let file = self.files.get(host).copied().unwrap_or("User-agent: *\nAllow: /\n");
                return Ok(TransportResponse::new(200, HeaderMap::new(), Text(file.into())));
            }
            self.log.lock().unwrap().push((host.to_owned(), self.began.elapsed().as_secs()));
            sleep(self.latency).await;
            let (status, retry_after) = *self.answer.lock().unwrap();
            let mut headers = HeaderMap::new();
            if !retry_after.is_empty() {
                headers.insert("retry-after", HeaderValue::from_static(retry_after));
            }
            Ok(TransportResponse::new(status, headers, Text(b"page".to_vec())))
        })
    }
}

impl Web {
    fn new(files: &[(&'static str, &'static str)], latency: u64) -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            files: files.iter().copied().collect(),
            latency: Duration::from_secs(latency),
            answer: Mutex::new((200, "")),
            log: Mutex::default(),
        })
    }

    fn visitor(self: &Arc<Self>) -> Visitor {
        let client = Client::builder("TestBot/1.0").transport(self.clone()).build().expect("options that work");
        Visitor::new(client, Crawler::token("TestBot").expect("a token")).patience(HOUR)
    }

    fn answers(&self, status: u16, retry_after: &'static str) {
        *self.answer.lock().unwrap() = (status, retry_after);
    }

    /// Returns the seconds at which requests to a host started.
    fn starts(&self, host: &str) -> Vec<u64> {
        self.log.lock().unwrap().iter().filter(|(to, _)| to == host).map(|(_, at)| *at).collect()
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// Returns the seconds to wait, without any wait.
async fn wait(visitor: &Visitor, url: &str) -> u64 {
    let began = Instant::now();
    let visit = visitor.clone().patience(Duration::ZERO).visit(url).await.unwrap();
    let Visit::Later { wait, .. } = visit else { panic!("{url}: {visit:?}") };
    assert_eq!(began.elapsed(), Duration::ZERO, "an answer, not a sleep");
    // The file was obtained some time ago, and fractions of a millisecond are rounded up.
    (wait + Duration::from_millis(500)).as_secs()
}

async fn status(visitor: &Visitor, url: &str) -> u16 {
    visitor.visit(url).await.unwrap().page().expect("a page").response.status
}

#[tokio::test(start_paused = true)]
async fn each_host_has_its_pace_under_concurrency() {
    let web = Web::new(
        &[
            ("delay.test", "User-agent: *\nCrawl-delay: 10\n"),
            ("rate.test", "User-agent: *\nRequest-rate: 1/7s\n"),
            ("both.test", "User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/3s\n"),
            ("mine.test", "User-agent: TestBot\nCrawl-delay: 4\nAllow: /\n\nUser-agent: *\nCrawl-delay: 90\n"),
        ],
        0,
    );
    let visitor = web.visitor();
    // Another visitor of the same client, and a clone with options of its own, share the pace.
    let visitors = [visitor.clone(), web.visitor().pacer(Pacer::new()), visitor.clone().max_redirects(1)];
    let mut visits = JoinSet::new();
    for n in 0..4 {
        for host in ["delay.test", "rate.test", "both.test", "mine.test", "none.test"] {
            let visitor = visitors[if n % 2 == 0 { 0 } else { 2 }].clone();
            // Schemes and ports lead to one machine.
            let site = if n == 2 { format!("https://{host}:8443") } else { format!("http://{host}") };
            visits.spawn(async move { assert_eq!(status(&visitor, &format!("{site}/{n}")).await, 200) });
        }
    }
    visits.join_all().await;
    assert_eq!(web.starts("delay.test"), [0, 10, 20, 30]);
    assert_eq!(web.starts("rate.test"), [0, 7, 14, 21]);
    assert_eq!(web.starts("both.test"), [0, 3, 6, 9]);
    assert_eq!(web.starts("mine.test"), [0, 4, 8, 12]);
    assert_eq!(web.starts("none.test"), [0, 1, 2, 3], "a second by default");
    // A pacer of its own knows nothing of the others.
    assert_eq!(status(&visitors[1], "http://delay.test/").await, 200);
    assert_eq!(web.starts("delay.test").last(), Some(&30));
}

#[tokio::test(start_paused = true)]
async fn a_host_gets_one_request_at_a_time() {
    let web = Web::new(&[], 5);
    let visitor = web.visitor().pacer(Pacer::new().at_least(Duration::ZERO));
    let mut visits = JoinSet::new();
    for n in 0..3 {
        let visitor = visitor.clone();
        visits.spawn(async move { status(&visitor, &format!("http://a.test/{n}")).await });
    }
    assert_eq!(visits.join_all().await, [200; 3]);
    assert_eq!(web.starts("a.test"), [0, 5, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_is_an_answer() {
    let web = Web::new(
        &[
            ("a.test", "User-agent: *\nCrawl-delay: 10\n"),
            ("b.test", "User-agent: *\nCrawl-delay: 99999999999\n"),
            ("c.test", "User-agent: *\nRequest-rate: 1/9999999999h\n"),
        ],
        0,
    );
    let visitor = web.visitor();
    assert_eq!(status(&visitor, "http://a.test/").await, 200);
    assert_eq!(wait(&visitor, "http://a.test/").await, 10);
    advance(Duration::from_secs(4)).await;
    assert_eq!(wait(&visitor, "http://a.test/").await, 6);
    // Those that wait already come first.
    let waiting = tokio::spawn({
        let visitor = visitor.clone();
        async move { status(&visitor, "http://a.test/").await }
    });
    tokio::task::yield_now().await;
    assert_eq!(wait(&visitor, "http://a.test/").await, 16);
    let short = visitor.clone().patience(Duration::from_secs(15));
    assert!(matches!(short.visit("http://a.test/").await.unwrap(), Visit::Later { .. }));
    assert_eq!(waiting.await.unwrap(), 200);
    assert_eq!(web.starts("a.test"), [0, 10], "whoever is sent away leaves no gap");
    // No site can send the crawler away for years.
    for host in ["b.test", "c.test"] {
        assert_eq!(status(&visitor, &format!("http://{host}/")).await, 200);
        assert_eq!(wait(&visitor, &format!("http://{host}/")).await, 24 * 3_600, "{host}");
    }
    // A visit that waits forever ends with the wait.
    assert_eq!(status(&visitor.clone().patience(Duration::MAX), "http://b.test/").await, 200);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_gives_its_place_back() {
    let web = Web::new(&[("a.test", "User-agent: *\nCrawl-delay: 10\n")], 2);
    let visitor = web.visitor();
    let visit = |n: u64| {
        let visitor = visitor.clone();
        async move {
            // In this order.
            sleep(Duration::from_millis(n)).await;
            status(&visitor, &format!("http://a.test/{n}")).await
        }
    };
    let visits: Vec<_> = (0..5).map(|n| tokio::spawn(visit(n))).collect();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(wait(&visitor, "http://a.test/").await, 49);
    visits[0].abort(); // in the middle of its request
    visits[1].abort(); // the first that waits
    visits[3].abort();
    for visit in visits {
        let _ = visit.await;
    }
    assert_eq!(web.starts("a.test"), [0, 10, 20]);
    assert_eq!(wait(&visitor, "http://a.test/").await, 8);
}

#[tokio::test(start_paused = true)]
async fn busy_hosts_get_a_rest() {
    for (busy, retry_after, rest) in [
        (429, "120", 120),
        (503, "120", 120),
        (429, "", 60),
        (503, "soon", 60),
        (429, "0", 1),
        (503, "99999999999999999999", 3_600),
        (429, "Tue, 19 Jan 2038 03:14:07 GMT", 3_600),
        (503, "Sun, 06 Nov 1994 08:49:37 GMT", 1),
        (500, "120", 1),
        (404, "120", 1),
    ] {
        let web = Web::new(&[], 0);
        let visitor = web.visitor();
        web.answers(busy, retry_after);
        assert_eq!(status(&visitor, "http://a.test/").await, busy);
        assert_eq!(wait(&visitor, "http://a.test/").await, rest, "{busy} {retry_after}");
        web.answers(200, "");
        assert_eq!(status(&visitor, "http://b.test/").await, 200);
        assert_eq!(status(&visitor, "http://a.test/").await, 200);
        assert_eq!(web.starts("a.test"), [0, rest], "{busy} {retry_after}");
        assert_eq!(web.starts("b.test"), [0], "other hosts go on");
    }
}
