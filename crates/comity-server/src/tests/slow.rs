//! Clients that are slow, or send too much.

use super::*;

/// Returns limits for tests in which every client exceeds them.
fn short() -> ServerLimits {
    timeouts(Duration::from_millis(100))
}

/// Returns limits for tests in which a client must stay within them on a busy machine as well.
fn longer() -> ServerLimits {
    timeouts(Duration::from_secs(2))
}

fn timeouts(timeout: Duration) -> ServerLimits {
    ServerLimits {
        head_timeout: timeout,
        body_timeout: timeout,
        write_timeout: timeout,
        idle_timeout: timeout,
        ..ServerLimits::default()
    }
}

#[tokio::test]
async fn heads_that_do_not_come_are_not_waited_for() {
    let service = start(builder(short()));
    for beginning in ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: local"] {
        let mut stream = service.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        assert!(is_closed(&mut stream).await, "{beginning:?}");
    }
    // Neither is a second request that arrives byte by byte.
    let mut stream = service.connect().await;
    assert_eq!(ask(&mut stream, &get_request("/healthz")).await.status, 200);
    let (mut reader, mut writer) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while writer.write_all(b"G").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(is_closed(&mut reader).await);
    soon(dripping).await.unwrap();
}

#[tokio::test]
async fn clients_are_not_blamed_for_a_pause_of_the_service() {
    let service = start(builder(short()));
    for _ in 0..20 {
        // Client and service share the thread of the test: neither runs during the pause.
        let mut stream = service.connect().await;
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(ask(&mut stream, &get_request("/healthz")).await.status, 200);
    }
}

#[tokio::test]
async fn idle_connections_are_closed_and_busy_ones_are_not() {
    let service = start(builder(short()));
    let mut idle = service.connect().await;
    assert_eq!(ask(&mut idle, &get_request("/healthz")).await.status, 200);
    let held = service.getting("/v1/test/hold");
    service.arrived(1).await;
    assert!(is_closed(&mut idle).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    service.door.add_permits(1);
    assert_eq!(soon(held).await.unwrap().text(), "held");
}

#[tokio::test]
async fn bodies_that_do_not_come_are_not_waited_for() {
    let service = start(builder(short()));
    let mut stream = service.connect().await;
    let whole = post_request("/v1/test/echo", "application/json", "[1, 2, 3]");
    let answer = ask(&mut stream, &whole[..whole.len() - 4]).await;
    assert_eq!((answer.status, answer.code().as_str()), (408, "slow-body"));
    assert!(is_closed(&mut stream).await);

    let head = "POST /v1/test/lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/jsonl\r\nContent-Length: 100\r\n\r\n{}\n{";
    assert_eq!(service.ask(head).await.text(), "{}\nslow-body", "what came before counts");
}

#[tokio::test]
async fn so_many_of_a_client_wait_for_their_bodies() {
    let service = start(builder(ServerLimits { waiting: 16, ..ServerLimits::default() }));
    let whole = post_request("/v1/test/echo", "application/json", "[1, 2, 3]");
    let (beginning, rest) = whole.split_at(whole.len() - 4);
    let mut begun = Vec::new();
    for _ in 0..4 {
        let mut stream = service.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        begun.push(stream);
    }
    service.until("comity_http_arriving", 4.0).await;
    let refused = service.ask(beginning).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    for stream in &mut begun {
        stream.write_all(rest.as_bytes()).await.unwrap();
        assert_eq!(answer(stream).await.text(), "[1,2,3]");
    }
}

#[tokio::test]
async fn many_small_pieces_take_no_more_memory_than_a_large_one() {
    let service = start(builder(ServerLimits { body_bytes: 4096, bodies_bytes: 4096, ..ServerLimits::default() }));
    let head = "POST /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let number = "1".repeat(20);
    let pieces: String = number.chars().map(|digit| format!("1\r\n{digit}\r\n")).collect();
    assert_eq!(service.ask(&format!("{head}{pieces}0\r\n\r\n")).await.status, 200);
}

#[tokio::test]
async fn bodies_that_are_too_long_are_refused_before_they_come() {
    let service = start(builder(ServerLimits { body_bytes: 1000, ..ServerLimits::default() }));
    let announced = "POST /v1/test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n";
    let answer = service.ask(announced).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "too-large"));
    assert_eq!(answer.json()["max"], 1000);

    let mut endless = service.connect().await;
    endless
        .write_all(announced.replace("Content-Length: 999999999999", "Transfer-Encoding: chunked").as_bytes())
        .await
        .unwrap();
    let (mut reader, mut writer) = endless.into_split();
    let sending = tokio::spawn(async move {
        let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
        while writer.write_all(chunk.as_bytes()).await.is_ok() {}
    });
    // The answer can be read although more was sent.
    assert_eq!(super::answer(&mut reader).await.status, 413);
    assert!(is_closed(&mut reader).await);
    soon(sending).await.unwrap();

    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(1000));
    assert_eq!(service.ask(&many).await.status, 431);
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000));
    assert!([414, 431].contains(&service.ask(&long).await.status));
    assert_eq!(service.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn connection_with_a_stopped_answer_is_closed() {
    let service = start(builder(longer()));
    let (mut sender, connection) = h2::client::handshake(service.connect().await).await.unwrap();
    let driver = tokio::spawn(connection);
    let mut stopped = Vec::new();
    for path in ["/v1/test/large", "/v1/crawlers"] {
        let request = ::http::Request::get(format!("http://localhost{path}")).body(()).unwrap();
        sender = soon(sender.ready()).await.unwrap();
        let (response, _) = sender.send_request(request, true).unwrap();
        // Its body is never read, so the client grants no window for more of it.
        stopped.push(soon(response).await.unwrap());
    }
    // It ignores the order to end, so it is closed.
    let _ = soon(driver).await.unwrap();
    service.until("comity_connections", 1.0).await;
}

/// Leaves one byte of a stream's window missing: the body has been read to its end, but its memory is not free.
#[tokio::test]
async fn an_answer_holds_its_memory_until_it_has_left() {
    const ANSWER_BYTES: usize = 8 << 20;
    let limits = ServerLimits {
        answers_bytes: ANSWER_BYTES + 1024,
        answer_bytes: ANSWER_BYTES + 1024,
        ..ServerLimits::default()
    };
    let service = start(builder(limits));
    let mut client = h2::client::Builder::new();
    client.initial_window_size(ANSWER_BYTES as u32 - 1).initial_connection_window_size(2 * ANSWER_BYTES as u32);
    let (sender, connection) = client.handshake::<_, Bytes>(service.connect().await).await.unwrap();
    tokio::spawn(connection);
    let request = ::http::Request::get("http://localhost/v1/test/large").body(()).unwrap();
    let (response, _) = soon(sender.ready()).await.unwrap().send_request(request, true).unwrap();
    let mut body = soon(response).await.unwrap().into_body();
    let mut read = 0;
    while read < ANSWER_BYTES - 1 {
        read += soon(body.data()).await.unwrap().unwrap().len();
    }
    assert_eq!(service.get("/v1/test/large").await.status, 503);
    body.flow_control().release_capacity(read).unwrap();
    assert_eq!(soon(body.data()).await.unwrap().unwrap().len(), 1);
    assert!(soon(body.data()).await.is_none());
    assert_eq!(service.get("/v1/test/large").await.status, 200);
}

#[tokio::test]
async fn connection_of_a_client_that_does_not_read_is_closed() {
    let service = start(builder(longer()));
    let mut stream = service.connect().await;
    stream.write_all(get_request("/v1/test/large").repeat(8).as_bytes()).await.unwrap();
    // The client reads nothing, and the system's buffers are full long before 64 MiB.
    service.until("comity_connections", 1.0).await;
    let whole = service.get("/v1/test/large").await;
    assert_eq!(whole.body.len(), 8 << 20);
}
