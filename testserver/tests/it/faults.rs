//! Faults during transmission: silence, slowness, broken connections.

use std::time::{Duration, Instant};

use crate::client::{Client, End, SILENCE, ask, asked, until};
use comity_testserver::{ANY, Accept, At, Gate, HttpServer, Reply, Trap, closed_port};
use tokio::net::TcpStream;

const HEAD: &str = "HTTP/1.1 200 \r\nContent-Length: 10\r\n\r\n";

fn reply() -> Reply {
    Reply::status(200).body("0123456789")
}

async fn server(reply: Reply) -> HttpServer {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, reply);
    server
}

/// Checks every fault at every place: all bytes before it arrive, and none after it.
#[tokio::test]
async fn faults_happen_where_they_are_put() {
    for (at, seen) in [
        (At::Start, String::new()),
        (At::Headers, "HTTP/1.1 200 \r\nContent-Len".to_owned()),
        (At::Body(0), HEAD.to_owned()),
        (At::Body(3), format!("{HEAD}012")),
        (At::Body(99), format!("{HEAD}0123456789")),
        (At::End, format!("{HEAD}0123456789")),
    ] {
        for (reply, end) in [
            (reply().stall(at), End::Silent),
            (reply().cut(at), End::Closed),
            (reply().reset(at), End::Reset),
            (reply().go_away(at), End::Closed),
        ] {
            asked(&server(reply).await).await.expect(&seen, end).await;
        }
    }
}

#[tokio::test]
async fn faults_inside_a_chunk() {
    let server = server(reply().chunked(4).cut(At::Body(10))).await;
    let text = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n4";
    asked(&server).await.expect(text, End::Closed).await;
}

#[tokio::test]
async fn a_stall_ends_when_the_client_goes() {
    let server = server(reply().stall(At::Body(1))).await;
    let mut client = asked(&server).await;
    client.expect(format!("{HEAD}0"), End::Silent).await;
    assert_eq!(server.open_connections(), 1);
    drop(client);
    until(|| server.open_connections() == 0).await;
}

#[tokio::test]
async fn a_pause_passes() {
    let start = Instant::now();
    let got = ask(&server(reply().pause(At::Body(5), SILENCE)).await).await;
    assert_eq!(got.text(), format!("{HEAD}0123456789"));
    assert!(start.elapsed() >= SILENCE);
}

#[tokio::test]
async fn a_drip_takes_its_time() {
    let start = Instant::now();
    let drip = reply().drip(At::Body(0), 2, Duration::from_millis(20));
    let got = ask(&server(drip).await).await;
    assert_eq!(got.text(), format!("{HEAD}0123456789"));
    assert!(start.elapsed() >= Duration::from_millis(80));

    let server = server(reply().drip(At::Start, 1, SILENCE * 50)).await;
    asked(&server).await.expect("H", End::Silent).await;
}

#[tokio::test]
async fn a_gate_holds_until_it_opens() {
    let gate = Gate::new();
    let server = server(reply().hold(At::Start, &gate)).await;
    let (mut one, mut two) = (Client::connect(&server).await, Client::connect(&server).await);
    one.ask("a.test", "/").await;
    two.ask("a.test", "/").await;
    one.expect("", End::Silent).await;
    until(|| server.count("a.test", "/") == 2).await;
    gate.open();
    assert_eq!(one.response().await.body(), b"0123456789");
    assert_eq!(two.response().await.body(), b"0123456789");
    assert_eq!(ask(&server).await.body(), b"0123456789");
}

#[tokio::test]
async fn doors() {
    let server = server(reply()).await;
    for (accept, end) in [(Accept::Close, End::Closed), (Accept::Reset, End::Reset), (Accept::Stall, End::Silent)] {
        server.accept(accept);
        Client::connect(&server).await.expect("", end).await;
    }
    assert_eq!((server.connections(), server.requests().len()), (3, 0));
    server.accept(Accept::Serve);
    assert_eq!(ask(&server).await.body(), b"0123456789");
}

#[tokio::test]
async fn closed_ports_refuse() {
    let closed = closed_port();
    for _ in 0..3 {
        let refused = TcpStream::connect(closed.addr()).await.unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}

#[tokio::test]
async fn traps_count() {
    let trap = Trap::set();
    assert_eq!(trap.connections(), 0);
    let _one = TcpStream::connect(trap.addr()).await.unwrap();
    let _two = TcpStream::connect(trap.addr()).await.unwrap();
    assert_eq!(trap.connections(), 2);
    assert_eq!(trap.connections(), 2);
}

#[tokio::test]
async fn dropping_the_server_ends_everything() {
    let server = server(reply().stall(At::Body(1))).await;
    let addr = server.addr();
    let mut client = asked(&server).await;
    client.expect(format!("{HEAD}0"), End::Silent).await;
    drop(server);
    assert!(client.read(1).await.end.is_some());
    assert!(TcpStream::connect(addr).await.is_err());
}
