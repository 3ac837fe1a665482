//! More than is taken on.

use super::*;

fn few(in_flight: usize, queue: usize) -> Limits {
    Limits { in_flight, queue, queue_wait: LONG, ..Limits::default() }
}

#[tokio::test]
async fn some_are_worked_on_some_wait_and_the_rest_is_sent_away() {
    let service = start(builder(few(2, 1)));
    let held = [service.getting("/v1/test/hold"), service.getting("/v1/test/hold")];
    service.arrived(2).await;
    assert_eq!(service.get("/readyz").await.status, 200, "one may wait");
    let waiting = service.getting("/v1/test/hold");
    // It can't be seen from outside that it waits: numbers have to wait, too.
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
async fn nobody_waits_for_ever() {
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
async fn what_takes_too_long_is_given_up() {
    let service = start(builder(Limits { request_timeout: Duration::from_millis(30), ..Limits::default() }));
    let answer = service.get("/v1/test/hold").await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "timed-out"));
    service.until("comity_http_working", 1.0).await;
}

#[tokio::test]
async fn who_waits_for_a_site_holds_up_nobody() {
    let mut limits = few(1, 0);
    limits.waiting = 16;
    let service = start(builder(limits));
    let aside = service.getting("/v1/test/aside");
    service.arrived(1).await;
    assert_eq!(service.get("/v1/service").await.status, 200, "the place is free meanwhile");
    // An eighth of those who may wait may wait for one site.
    let second = service.getting("/v1/test/aside");
    service.arrived(1).await;
    service.until("comity_http_waiting", 2.0).await;
    let refused = service.get("/v1/test/aside").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("http://a.test"), "{refused:?}");
    // A quarter of them may be one client's, whatever it waits for.
    let others = [1, 2].map(|nth| service.getting(&format!("/v1/test/aside?site{nth}.test")));
    service.until("comity_http_waiting", 4.0).await;
    let refused = service.get("/v1/test/aside?site3.test").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("of this client"), "{refused:?}");
    others.iter().for_each(tokio::task::JoinHandle::abort);
    service.until("comity_http_waiting", 2.0).await;

    service.door.add_permits(1);
    // Those who were refused, or went away, had stood at the door, too.
    service.arrived(4).await;
    service.until("comity_http_waiting", 1.0).await;
    second.abort();
    aside.abort();
    service.until("comity_http_waiting", 0.0).await;
}

#[tokio::test]
async fn of_connections_the_idlest_goes() {
    let service = start(builder(Limits { connections: 2, ..Limits::default() }));
    let mut idle = service.connect().await;
    assert_eq!(ask(&mut idle, &get_request("/v1/service")).await.status, 200);
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;

    let mut third = service.connect().await;
    third.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    assert!(is_closed(&mut idle).await);
    // All are busy: who comes now is told so.
    let mut refused = service.connect().await;
    let refused = answer(&mut refused).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(refused.headers["connection"], "close");

    service.door.add_permits(2);
    assert_eq!(answer(&mut held).await.text(), "held");
    assert_eq!(answer(&mut third).await.text(), "held");
    // To ask for the numbers takes a connection, too.
    service.until("comity_connections_refused_total", 1.0).await;
    assert!(service.number("comity_connections_evicted_total").await > 1.5);
}

#[tokio::test]
async fn large_bodies_share_memory() {
    let mut limits = few(8, 8);
    limits.body_bytes = 300 << 10;
    limits.bodies_bytes = 400 << 10;
    limits.queue_wait = Duration::from_millis(20);
    let service = start(builder(limits));
    let body = format!("\"{}\"", "a".repeat((300 << 10) - 2));
    // Not quite all of one.
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
    // A quarter of them is one client's.
    let refused = service.ask(head).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(service.get("/v1/service").await.status, 200);
    for batch in &mut batches {
        batch.write_all(b"4\r\na\nb\n\r\n1\r\nc\r\n0\r\n\r\n").await.unwrap();
        assert_eq!(answer(batch).await.text(), "a\nb\nc");
    }
    service.until("comity_http_batches", 0.0).await;
}
