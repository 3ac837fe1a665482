//! Start and shutdown.

use super::*;

#[tokio::test]
async fn shutdown_finishes_requests_in_progress() {
    let service = start(builder(ServerLimits::default()));
    let held = service.getting("/v1/test/hold");
    service.arrived(1).await;
    let mut idle = service.connect().await;
    assert_eq!(ask(&mut idle, &get_request("/readyz")).await.status, 200);

    service.handle.shut_down();
    assert!(is_closed(&mut idle).await);
    // Nobody listens any more, and requests in progress continue.
    soon(async { while TcpStream::connect(service.address).await.is_ok() {} }).await;
    assert!(!service.running.is_finished());
    service.door.add_permits(1);
    let answer = soon(held).await.unwrap();
    assert_eq!((answer.status, answer.text().as_str()), (200, "held"));
    assert_eq!(answer.headers["connection"], "close");
    assert_eq!(soon(service.running).await.unwrap(), 0);
}

#[tokio::test]
async fn a_handshake_that_does_not_come_is_not_waited_for_at_the_end() {
    let (certificate, key) = comity_testserver::Tls::named(["localhost"]).pem();
    let tls = crate::Tls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let service =
        start(builder(ServerLimits { head_timeout: Duration::from_secs(60), ..ServerLimits::default() }).tls(tls));
    let mut silent = service.connect().await;
    // So that it is accepted; if it is not, it is closed as well.
    tokio::time::sleep(Duration::from_millis(100)).await;
    service.handle.shut_down();
    assert!(is_closed(&mut silent).await);
    assert_eq!(soon(service.running).await.unwrap(), 0);
}

#[tokio::test]
async fn shutdown_closes_connections_after_the_grace() {
    let service = start(builder(ServerLimits { grace: Duration::from_millis(50), ..ServerLimits::default() }));
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    service.handle.shut_down();
    assert_eq!(soon(service.running).await.unwrap(), 1);
    assert!(soon(read_answer(&mut held)).await.is_none());
}

#[tokio::test]
async fn second_stop_order_ends_at_once() {
    let service = start(builder(ServerLimits::default()));
    let mut held = service.connect().await;
    held.write_all(get_request("/v1/test/hold").as_bytes()).await.unwrap();
    service.arrived(1).await;
    service.handle.shut_down();
    service.handle.abort();
    service.handle.shut_down();
    assert_eq!(soon(service.running).await.unwrap(), 1);
    assert!(soon(read_answer(&mut held)).await.is_none());
}

#[tokio::test]
async fn on_a_connection_that_is_left_it_is_not_ready() {
    // With HTTP/2, a connection still accepts requests in progress after the order to end.
    let service = start(builder(ServerLimits::default()));
    let mut pipelined = service.connect().await;
    let both = get_request("/v1/test/hold") + &get_request("/readyz");
    pipelined.write_all(both.as_bytes()).await.unwrap();
    service.arrived(1).await;
    service.handle.shut_down();
    service.door.add_permits(1);
    assert_eq!(answer(&mut pipelined).await.text(), "held");
    // With HTTP/1, the next request is not processed; the client knows that from `Connection: close`.
    assert!(soon(read_answer(&mut pipelined)).await.is_none());
    assert_eq!(soon(service.running).await.unwrap(), 0);
}

#[tokio::test]
async fn a_client_that_went_away_costs_nothing() {
    let service = start(builder(ServerLimits::default()));
    let held = service.getting("/v1/test/hold");
    service.arrived(1).await;
    service.until("comity_http_working", 2.0).await;
    held.abort();
    // Only the request for the number is left.
    service.until("comity_http_working", 1.0).await;
    service.until("comity_connections", 1.0).await;
}

#[tokio::test]
async fn a_panic_is_a_problem_of_one_request() {
    let service = start(builder(ServerLimits::default()));
    let mut stream = service.connect().await;
    for path in ["/v1/test/panic", "/v1/test/compute/panic"] {
        let answer = ask(&mut stream, &get_request(path)).await;
        assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
        assert!(!answer.text().contains("told"), "what it panicked with is for the log");
    }
    assert_eq!(ask(&mut stream, &get_request("/v1/test/compute")).await.text(), "computed");
    service.until("comity_http_problems_total{code=\"internal\"}", 2.0).await;
}
