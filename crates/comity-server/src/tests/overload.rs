//! Load beyond the limits.

use comity_fetch::store::MemoryStore;
use comity_fetch::{Addresses, Fixed};
use comity_testserver::{ANY, At, Gate, HttpServer, Reply};
use serde_json::json;

use super::*;

fn few(in_flight: usize, queue: usize) -> ServerLimits {
    ServerLimits { in_flight, queue, queue_wait: TEST_TIMEOUT, ..ServerLimits::default() }
}

#[tokio::test]
async fn some_are_worked_on_some_wait_and_the_rest_is_sent_away() {
    let service = start(builder(few(2, 1)));
    let held = [service.getting("/v1/test/hold"), service.getting("/v1/test/hold")];
    service.arrived(2).await;
    assert_eq!(service.get("/readyz").await.status, 200, "one may wait");
    let waiting = service.getting("/v1/test/hold");
    // Nothing outside shows that it waits, because requests for metrics have to wait, too.
    let refused = soon(async {
        loop {
            let ready = service.get("/readyz").await;
            if ready.status == 503 {
                break ready;
            }
        }
    })
    .await;
    assert_eq!((refused.code().as_str(), refused.headers["retry-after"].as_str()), ("overloaded", "1"));
    let refused = service.get("/v1/service").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(service.get("/healthz").await.status, 200, "it lives");

    service.door.add_permits(3);
    for held in held.into_iter().chain([waiting]) {
        assert_eq!(soon(held).await.unwrap().text(), "held");
    }
    assert_eq!(service.get("/v1/service").await.status, 200);
    assert_eq!(service.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn waiting_request_times_out() {
    let mut limits = few(1, 10);
    limits.queue_wait = Duration::from_millis(20);
    let service = start(builder(limits));
    let held = service.getting("/v1/test/hold");
    service.arrived(1).await;
    let refused = service.get("/v1/service").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    service.door.add_permits(1);
    assert_eq!(soon(held).await.unwrap().text(), "held");
}

#[tokio::test]
async fn slow_answer_times_out() {
    let service =
        start(builder(ServerLimits { request_timeout: Duration::from_millis(30), ..ServerLimits::default() }));
    let answer = service.get("/v1/test/hold").await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "timed-out"));
    service.until("comity_http_working", 1.0).await;
}

#[tokio::test]
async fn request_that_waits_for_a_site_frees_its_slot() {
    let mut limits = few(1, 0);
    limits.waiting = 16;
    let service = start(builder(limits));
    let aside = service.getting("/v1/test/aside");
    service.arrived(1).await;
    assert_eq!(service.get("/v1/service").await.status, 200, "the place is free meanwhile");
    // An eighth of the waiting requests may wait for one site.
    let second = service.getting("/v1/test/aside");
    service.arrived(1).await;
    service.until("comity_http_waiting", 2.0).await;
    let refused = service.get("/v1/test/aside").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("http://a.test"), "{refused:?}");
    // A quarter of them may be one client's, for whichever site.
    let others = [1, 2].map(|nth| service.getting(&format!("/v1/test/aside?site{nth}.test")));
    service.until("comity_http_waiting", 4.0).await;
    let refused = service.get("/v1/test/aside?site3.test").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("of this client"), "{refused:?}");
    others.iter().for_each(tokio::task::JoinHandle::abort);
    service.until("comity_http_waiting", 2.0).await;

    service.door.add_permits(1);
    // The requests that were refused or canceled had waited at the door, too.
    service.arrived(4).await;
    service.until("comity_http_waiting", 1.0).await;
    second.abort();
    aside.abort();
    service.until("comity_http_waiting", 0.0).await;
}

#[tokio::test]
async fn idlest_connection_makes_room() {
    let service = start(builder(ServerLimits { connections: 2, ..ServerLimits::default() }));
    let mut idle = service.connect().await;
    assert_eq!(ask(&mut idle, &get_request("/v1/service")).await.status, 200);
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;

    let mut third = service.connect().await;
    third.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    assert!(is_closed(&mut idle).await);
    // All are busy: a new one can only ask about health.
    let mut refused = service.connect().await;
    let answered = ask(&mut refused, &get_request("/v1/service")).await;
    assert_eq!((answered.status, answered.code().as_str()), (503, "overloaded"));
    assert_eq!(answered.headers["connection"], "close");
    assert!(is_closed(&mut refused).await);
    let mut prober = service.connect().await;
    let answered = ask(&mut prober, &get_request("/healthz")).await;
    assert_eq!((answered.status, answered.headers["connection"].as_str()), (200, "close"));
    let by_http2 = async |path: &str| {
        let (sender, connection) = h2::client::handshake(service.connect().await).await.unwrap();
        let driver = tokio::spawn(connection);
        let request = ::http::Request::get(format!("http://localhost{path}")).body(()).unwrap();
        let (response, _) = soon(sender.ready()).await.unwrap().send_request(request, true).unwrap();
        let status = soon(response).await.unwrap().status();
        // The service closes the connection.
        soon(driver).await.unwrap().unwrap();
        status
    };
    assert_eq!((by_http2("/healthz").await.as_u16(), by_http2("/v1/service").await.as_u16()), (200, 503));

    service.door.add_permits(2);
    assert_eq!(answer(&mut held).await.text(), "held");
    assert_eq!(answer(&mut third).await.text(), "held");
    // The request for the numbers may have been refused, too.
    assert!(service.number("comity_connections_refused_total").await > 3.5);
    assert!(service.number("comity_connections_evicted_total").await > 1.5);
}

#[tokio::test]
async fn a_connection_whose_body_does_not_come_makes_room() {
    let service =
        start(builder(ServerLimits { connections: 2, head_timeout: TEST_TIMEOUT, ..ServerLimits::default() }));
    let mut stalled = service.connect().await;
    let whole = post_request("/v1/test/echo", "application/json", "[1, 2, 3]");
    stalled.write_all(&whole.as_bytes()[..whole.len() - 4]).await.unwrap();
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    // Eventually: another connection of the same client may still be open.
    soon(async { while service.get("/v1/service").await.status != 200 {} }).await;
    assert!(soon(read_answer(&mut stalled)).await.is_none());
    service.door.add_permits(1);
    assert_eq!(answer(&mut held).await.text(), "held");
}

#[tokio::test]
async fn refused_client_may_send_on_and_reads_why() {
    let service = start(builder(ServerLimits { connections: 1, ..ServerLimits::default() }));
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    let body = format!("\"{}\"", "a".repeat(1 << 20));
    let request = post_request("/v1/test/echo", "application/json", &body);
    let mut refused = Vec::new();
    for _ in 0..20 {
        let (reader, mut writer) = service.connect().await.into_split();
        let request = request.clone();
        let sending = tokio::spawn(async move { writer.write_all(request.as_bytes()).await });
        refused.push((reader, sending));
    }
    for (mut reader, sending) in refused {
        // The service reads all of it; a reset would have been an error.
        soon(sending).await.unwrap().unwrap();
        let answer = super::answer(&mut reader).await;
        assert_eq!((answer.status, answer.code().as_str()), (503, "overloaded"));
        assert_eq!(soon(reader.read(&mut [0; 1])).await.unwrap(), 0);
    }
    service.door.add_permits(1);
    assert_eq!(answer(&mut held).await.text(), "held");
}

#[tokio::test]
async fn documents_obey_their_time_limit() {
    let mut limits = ServerLimits { answer_time: Duration::from_millis(2), ..ServerLimits::default() };
    let hostile = |field: &str| {
        let mut file = "User-agent: *\n".to_owned();
        let lines = (1..).map(|n| format!("{field}: /{n}\n"));
        file.extend(lines.take(512_000 / (field.len() + 9)));
        serde_json::to_string(&file).unwrap()
    };
    let files = [hostile("Disallow"), hostile("Disalow"), hostile("Allow"), hostile("Disallow: /*")];
    let service = start(builder(limits.clone()));
    for (path, more) in [
        ("/v1/lint", ""),
        ("/v1/inspect", ""),
        ("/v1/ai", ""),
        ("/v1/matrix", ",\"urls\":[\"/1\"]"),
        ("/v1/check", ",\"url\":\"http://a.test/1\",\"explain\":true"),
    ] {
        for file in &files {
            let body = format!("{{\"robots\":{file}{more}}}");
            let refused = service.ask(&post_request(path, "application/json", &body)).await;
            assert_eq!((refused.status, refused.code().as_str()), (413, "too-large"), "{path}");
            assert_eq!(refused.json()["seconds"], 0.002, "{path}");
        }
    }
    limits.answer_time = TEST_TIMEOUT;
    let body = format!("{{\"robots\":{}}}", files[0]);
    assert_eq!(start(builder(limits)).ask(&post_request("/v1/inspect", "application/json", &body)).await.status, 200);
}

/// Work on a document checks again and again if there is time left, and ends soon after there is none. The checks are
/// counted, since the time that the work takes depends on the machine.
#[tokio::test]
async fn documents_check_the_time_while_they_work() {
    /// The maximum number of checks after the end of the time.
    const MAX_LATE: usize = 10;

    let rules: String = (0..800).map(|n| format!("Disallow: /{n}/*x\nAllow: /{n}/*y\n")).collect();
    let old = format!("User-agent: *\n{rules}");
    let new = old.replace("*x", "*z");
    let sites = HttpServer::start().await;
    sites.serve_in_turn("a.test", "/robots.txt", [&old, &new].map(|file| Reply::ok(file.clone())));
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([sites.addr()])))
        .store(Arc::new(MemoryStore::new(64 << 20)))
        .build()
        .unwrap();
    let with = |answer_time| {
        let limits = ServerLimits { answer_time, ..ServerLimits::default() };
        start(Server::builder(client.clone()).limits(limits))
    };
    let [patient, hurried] = [with(10 * TEST_TIMEOUT), with(Duration::ZERO)];
    let checks = async |service: &Service| -> [usize; 2] {
        serde_json::from_value(service.get("/v1/test/checks").await.json()).unwrap()
    };
    let post = |path: &str, question: Value| post_request(path, "application/json", &question.to_string());
    for _ in 0..2 {
        assert_eq!(patient.ask(&post("/v1/fetch", json!({"url": "http://a.test/"}))).await.status, 200);
    }

    let paths: Vec<String> = (0..100).map(|n| format!("/{n}/x")).collect();
    let long = format!("/*{}", "q".repeat(30));
    let claim = json!({"claim": "all_allowed", "matching": "/", "except": ["/*x"]});
    for (path, least, question) in [
        ("/v1/lint", 50, json!({"robots": old})),
        ("/v1/inspect", 1_600, json!({"robots": old})),
        ("/v1/ai", 10, json!({"robots": old})),
        ("/v1/matrix", 5, json!({"robots": old, "urls": ["/1/"]})),
        ("/v1/check", 100, json!({"robots": old, "urls": paths, "explain": true})),
        ("/v1/diff", 50, json!({"old": old, "new": new, "agents": ["*"]})),
        ("/v1/diff", 100, json!({"old": old, "new": "", "agents": ["*"], "urls": paths, "budget": 1})),
        ("/v1/prove", 10, json!({"robots": old, "claims": [claim], "agents": ["*"]})),
        ("/v1/generate", 50, json!({"robots": old, "protect": [long]})),
        ("/v1/origins?origin=http://a.test&diff=true", 50, Value::Null),
    ] {
        let request = if question.is_null() { get_request(path) } else { post(path, question) };
        checks(&patient).await;
        let answer = patient.ask(&request).await;
        let [all, late] = checks(&patient).await;
        assert_eq!((answer.status, late), (200, 0), "{path}: {}", answer.text());
        assert!(all > least, "{path}: {all} checks");
        let refused = hurried.ask(&request).await;
        assert_eq!((refused.status, refused.code().as_str()), (413, "too-large"), "{path}");
        let [all, late] = checks(&hurried).await;
        assert!(all == late && (1..=MAX_LATE).contains(&late), "{path}: {late} of {all} checks");
    }
}

#[tokio::test]
async fn a_busy_machine_refuses_no_document_as_too_large() {
    let time = Duration::from_millis(100);
    let start = |limits| {
        let (open, gate) = std::sync::mpsc::channel();
        let service = start(builder(limits));
        *service.works.lock().unwrap() = Some(gate);
        (service, open)
    };
    // The thread of the document waits, as if other threads had all processors.
    let (service, open) = start(ServerLimits { answer_time: time, ..ServerLimits::default() });
    let asked = service.getting("/v1/test/document");
    service.until("comity_http_computing", 1.0).await;
    tokio::time::sleep(2 * time).await;
    open.send(()).unwrap();
    let answer = soon(asked).await.unwrap();
    assert_eq!((answer.status, answer.text().as_str()), (200, "\"written\""), "{answer:?}");

    let (service, open) =
        start(ServerLimits { answer_time: time, request_timeout: 2 * time, ..ServerLimits::default() });
    let refused = service.get("/v1/test/document").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "timed-out"), "{refused:?}");
    assert_eq!((&refused.headers["retry-after"][..], &refused.json()["retry_after"]), ("1", &json!(1)));
    open.send(()).unwrap();
    service.until("comity_http_computing", 0.0).await;
}

#[tokio::test]
async fn so_many_large_questions_of_a_client_wait_for_a_processor() {
    let service = start(builder(ServerLimits { in_flight: 32, ..ServerLimits::default() }));
    let turns = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).saturating_sub(1).max(1);
    let (open, gate) = std::sync::mpsc::channel();
    *service.works.lock().unwrap() = Some(gate);
    let asked: Vec<_> = (0..turns).map(|_| service.getting("/v1/test/work")).collect();
    service.until("comity_http_computing", turns as f64).await;
    // An eighth of the requests in progress.
    let waiting = [(); 4].map(|()| service.getting("/v1/test/compute"));
    service.until("comity_http_computing_queued", 4.0).await;
    let refused = service.get("/v1/test/compute").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("of this client"), "{refused:?}");
    (0..turns).for_each(|_| open.send(()).unwrap());
    for asked in asked {
        assert_eq!(soon(asked).await.unwrap().text(), "worked");
    }
    for waiting in waiting {
        assert_eq!(soon(waiting).await.unwrap().text(), "computed");
    }
    service.until("comity_http_computing", 0.0).await;
}

#[tokio::test]
async fn large_bodies_share_memory() {
    let mut limits = few(8, 8);
    limits.body_bytes = 300 << 10;
    limits.bodies_bytes = 400 << 10;
    limits.queue_wait = Duration::from_millis(20);
    let service = start(builder(limits));
    let body = format!("\"{}\"", "a".repeat((300 << 10) - 2));
    // Almost all bytes of a request.
    let mut first = service.connect().await;
    let request = post_request("/v1/test/echo", "application/json", &body);
    let (most, rest) = request.split_at(request.len() - 1);
    first.write_all(most.as_bytes()).await.unwrap();
    let refused = soon(async {
        loop {
            let answer = service.ask(&request).await;
            if answer.status != 200 {
                break answer;
            }
        }
    })
    .await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    first.write_all(rest.as_bytes()).await.unwrap();
    assert_eq!(answer(&mut first).await.body, body.as_bytes());
    assert_eq!(service.ask(&request).await.status, 200, "it was given back");
}

#[tokio::test]
async fn batches_have_slots_of_their_own() {
    let mut limits = few(1, 0);
    limits.batches = 8;
    let service = start(builder(limits));
    let head = "POST /v1/test/lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut batches = Vec::new();
    for _ in 0..2 {
        let mut batch = service.connect().await;
        batch.write_all(head.as_bytes()).await.unwrap();
        batches.push(batch);
    }
    service.until("comity_http_batches", 2.0).await;
    // One client may have a quarter of them.
    let refused = service.ask(head).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(service.get("/v1/service").await.status, 200);
    for batch in &mut batches {
        batch.write_all(b"4\r\na\nb\n\r\n1\r\nc\r\n0\r\n\r\n").await.unwrap();
        assert_eq!(answer(batch).await.text(), "a\nb\nc");
    }
    service.until("comity_http_batches", 0.0).await;
}

/// Sites on many ports of a host are fetched one after the other. One client's do not all come before another's.
#[tokio::test]
async fn many_ports_of_one_host_hold_up_only_their_client() {
    let gate = Gate::new();
    let sites = HttpServer::start().await;
    sites.serve(ANY, "/robots.txt", Reply::status(404).hold(At::Start, &gate));
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([sites.addr()])))
        .build()
        .unwrap();
    let service = start(Server::builder(client).trust_proxies(["127.0.0.0/8".parse().unwrap()]));
    let question = |client: &str, path: &str, port: u16| {
        let body = json!({"url": format!("http://a.test:{port}/")}).to_string();
        let request = post_request(path, "application/json", &body);
        service.asking(&request.replacen("\r\n", &format!("\r\nX-Forwarded-For: {client}\r\n"), 1))
    };
    let mut answers = vec![question("192.0.2.1", "/v1/check", 8001)];
    soon(async {
        while sites.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    answers.extend((8002..8010).map(|port| question("192.0.2.1", "/v1/check", port)));
    answers.extend((8010..8020).map(|port| question("192.0.2.1", "/v1/fetch", port)));
    service.until("comity_http_waiting", 19.0).await;
    answers.push(question("192.0.2.2", "/v1/check", 8080));
    service.until("comity_http_waiting", 20.0).await;
    gate.open();
    for answer in answers {
        assert_eq!(soon(answer).await.unwrap().status, 200);
    }
    let hosts: Vec<_> = sites.requests().iter().map(|request| request.header("host").unwrap().to_owned()).collect();
    assert_eq!((hosts.len(), &*hosts[1]), (20, "a.test:8080"), "{hosts:?}");
}
