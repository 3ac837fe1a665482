//! What happens on the way: silence, slowness, broken connections.

mod client;

use std::time::Duration;

use client::{Client, End, SHORT, ask};
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

/// Every fault, at every place: what comes before it comes whole, and nothing after it.
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
            let got = ask(&server(reply).await).await;
            assert_eq!((got.text(), got.end), (seen.clone(), end), "{at:?}");
        }
    }
}

#[tokio::test]
async fn faults_inside_a_chunk() {
    let got = ask(&server(reply().chunked(4).cut(At::Body(10))).await).await;
    assert_eq!((got.body(), got.end), (b"4\r\n0123\r\n4".as_slice(), End::Closed));
}

#[tokio::test]
async fn a_stall_ends_when_the_client_goes() {
    let server = server(reply().stall(At::Body(1))).await;
    let mut client = Client::connect(&server).await;
    client.ask("a.test", "/").await;
    assert_eq!(client.read(usize::MAX).await.end, End::Silent);
    assert_eq!(server.open_connections(), 1);
    drop(client);
    for _ in 0..100 {
        if server.open_connections() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection is still there");
}

#[tokio::test]
async fn a_pause_passes() {
    let got = ask(&server(reply().pause(At::Body(5), SHORT / 2)).await).await;
    assert_eq!(got.text(), format!("{HEAD}0123456789"));
    assert!(got.took >= SHORT / 2);
}

#[tokio::test]
async fn a_drip_takes_its_time() {
    let drip = reply().drip(At::Body(0), 2, Duration::from_millis(20));
    let got = ask(&server(drip).await).await;
    assert_eq!(got.text(), format!("{HEAD}0123456789"));
    assert!(got.took >= Duration::from_millis(80), "{:?}", got.took);

    let mut client = Client::connect(&server(reply().drip(At::Start, 1, SHORT * 2)).await).await;
    client.ask("a.test", "/").await;
    assert_eq!(client.read(usize::MAX).await.text(), "", "the server that is dropped sends nothing");

    let server = server(reply().drip(At::Start, 1, SHORT * 2)).await;
    assert_eq!(ask(&server).await.text(), "H");
}

#[tokio::test]
async fn a_gate_holds_until_it_opens() {
    let gate = Gate::new();
    let server = server(reply().hold(At::Start, &gate)).await;
    let (mut one, mut two) = (Client::connect(&server).await, Client::connect(&server).await);
    one.ask("a.test", "/").await;
    two.ask("a.test", "/").await;
    assert_eq!(one.read(1).await.end, End::Silent);
    assert_eq!(server.count("a.test", "/"), 2);
    gate.open();
    assert_eq!(one.read(usize::MAX).await.body(), b"0123456789");
    assert_eq!(two.read(usize::MAX).await.body(), b"0123456789");
    assert_eq!(ask(&server).await.body(), b"0123456789");
}

#[tokio::test]
async fn doors() {
    let server = server(reply()).await;
    for (accept, end) in [(Accept::Close, End::Closed), (Accept::Reset, End::Reset), (Accept::Stall, End::Silent)] {
        server.accept(accept);
        let got = Client::connect(&server).await.read(usize::MAX).await;
        assert_eq!((got.text().as_str(), got.end), ("", end));
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
    let mut client = Client::connect(&server).await;
    client.ask("a.test", "/").await;
    assert_eq!(client.read(usize::MAX).await.end, End::Silent);
    drop(server);
    assert_ne!(client.read(usize::MAX).await.end, End::Silent);
    assert!(TcpStream::connect(addr).await.is_err());
}
