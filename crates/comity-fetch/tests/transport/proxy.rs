//! Requests through proxies.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use comity_fetch::Addresses;
use comity_fetch::transport::Proxy;
use comity_policy::Failure;
use comity_testserver::{ANY, Accept, HttpServer, Reply, Tls, Trap, ca_pem, closed_port};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::{ROBOTS, SILENCE, fetch, hurried, is, options_with, problem};
use comity_fetch::Fixed;

/// A proxy that makes tunnels to one place, by CONNECT or by SOCKS, and records its requests.
struct Tunnels {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Tunnels {
    async fn start(to: SocketAddr, socks: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let log = log.clone();
                tokio::spawn(async move {
                    let greeted = if socks { socks5(client).await } else { connect(client).await };
                    let Ok((mut client, target)) = greeted else { return };
                    log.lock().expect("no panics").push(target);
                    let mut server = TcpStream::connect(to).await.expect("the server");
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { addr, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panics").clone()
    }
}

async fn connect(mut client: TcpStream) -> std::io::Result<(TcpStream, String)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    client.write_all(b"HTTP/1.1 200 Fine\r\n\r\n").await?;
    Ok((client, String::from_utf8_lossy(&head).trim().replace("\r\n", " | ")))
}

/// Implements RFC 1928, with RFC 1929 if a password is offered.
async fn socks5(mut client: TcpStream) -> std::io::Result<(TcpStream, String)> {
    let text = async |client: &mut TcpStream| {
        let mut text = vec![0; usize::from(client.read_u8().await?)];
        client.read_exact(&mut text).await?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&text).into_owned())
    };
    client.read_u8().await?;
    let mut methods = vec![0; usize::from(client.read_u8().await?)];
    client.read_exact(&mut methods).await?;
    let mut who = String::new();
    client.write_all(&[5, methods[0]]).await?;
    if methods[0] == 2 {
        client.read_u8().await?;
        who = format!("{}:{}@", text(&mut client).await?, text(&mut client).await?);
        client.write_all(&[1, 0]).await?;
    }
    let mut ask = [0; 4];
    client.read_exact(&mut ask).await?;
    let host = match ask[3] {
        3 => text(&mut client).await?,
        1 => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        other => format!("kind {other}"),
    };
    let port = client.read_u16().await?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok((client, format!("{who}{host}:{port}")))
}

/// Returns options for a proxy. The client cannot resolve names: the proxy does.
fn through(proxy: &str) -> comity_fetch::transport::Options {
    let mut options = options_with(Fixed::new([]));
    options.builtin.proxy = Some(proxy.parse().expect("a proxy"));
    options.addresses = Addresses::Public;
    options.builtin.extra_roots = ca_pem().into_bytes();
    options
}

/// Makes a proxy forward this response, and refuse tunnels.
fn forward(proxy: &HttpServer, reply: Reply) {
    proxy.serve_with(ANY, ANY, move |request| match request.method.as_str() {
        "CONNECT" => Reply::status(405).header("Server", "gate"),
        _ => reply.clone(),
    });
}

#[tokio::test]
async fn plain_requests_go_through_tunnels_as_well() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let proxy = Tunnels::start(server.addr(), false).await;
    let (answer, body) = fetch(through(&format!("http://u:p@{}", proxy.addr)), "http://a.test/").await.expect("a file");
    assert_eq!((body.as_slice(), answer.peer), (ROBOTS.as_bytes(), None));
    assert_eq!(proxy.asked(), ["CONNECT a.test:80 HTTP/1.1 | Host: a.test:80 | Proxy-Authorization: Basic dTpw"]);
    let request = server.requests().remove(0);
    assert_eq!((request.path.as_str(), request.header("Host")), ("/robots.txt", Some("a.test")));
    assert_eq!(request.header("Proxy-Authorization"), None, "that is the proxy's alone");
}

#[tokio::test]
async fn plain_requests_are_forwarded_where_there_are_no_tunnels() {
    let proxy = HttpServer::start().await;
    forward(&proxy, Reply::ok(ROBOTS));
    let options = through(&format!("http://user:p%40ss@{}", proxy.addr()));
    let (answer, body) = fetch(options, "http://a.test/").await.expect("a file");
    assert_eq!((body.as_slice(), answer.peer), (ROBOTS.as_bytes(), None));
    let [connect, asked] = proxy.requests().try_into().expect("two requests");
    assert_eq!((connect.method.as_str(), asked.method.as_str()), ("CONNECT", "GET"));
    assert_eq!((asked.host.as_str(), asked.header("Host")), ("a.test", Some("a.test")));
    for request in [connect, asked] {
        assert_eq!(request.header("Proxy-Authorization"), Some("Basic dXNlcjpwQHNz"));
    }
    // With a wrong password, or none, no request reaches the site.
    forward(&proxy, Reply::status(407).header("Proxy-Authenticate", "Basic"));
    let refused = "it refused the user name and password (407)";
    let problem = problem(through(&format!("http://u:p@{}", proxy.addr())), "http://a.test/").await;
    is(&problem, Failure::Connect, refused);
    assert!(!problem.detail.contains("u:p"), "{}", problem.detail);
}

#[tokio::test]
async fn secure_ones_go_through_tunnels() {
    let server = HttpServer::start_tls(Tls::named(["a.test"])).await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let proxy = Tunnels::start(server.addr(), false).await;
    let (_, body) = fetch(through(&format!("http://u:p@{}", proxy.addr)), "https://a.test/").await.expect("a file");
    assert_eq!(body, ROBOTS.as_bytes());
    let asked = proxy.asked();
    assert_eq!(asked, ["CONNECT a.test:443 HTTP/1.1 | Host: a.test:443 | Proxy-Authorization: Basic dTpw"]);
    let request = server.requests().remove(0);
    assert_eq!(request.header("Proxy-Authorization"), None, "that is the proxy's alone");
}

#[tokio::test]
async fn the_way_to_a_proxy_may_be_secure() {
    let proxy = HttpServer::start_tls(Tls::named(["127.0.0.1"])).await;
    forward(&proxy, Reply::ok(ROBOTS));
    let (_, body) = fetch(through(&format!("https://{}", proxy.addr())), "http://a.test/").await.expect("a file");
    assert_eq!(body, ROBOTS.as_bytes());
    assert_eq!(proxy.requests().iter().filter(|request| !request.http2).count(), 2);
}

#[tokio::test]
async fn socks_proxies_look_up_names() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let proxy = Tunnels::start(server.addr(), true).await;
    for user in ["", "user:p%40ss@"] {
        let (_, body) =
            fetch(through(&format!("socks5h://{user}{}", proxy.addr)), "http://a.test/").await.expect("a file");
        assert_eq!(body, ROBOTS.as_bytes());
    }
    assert_eq!(proxy.asked(), ["a.test:80", "user:p@ss@a.test:80"]);
    assert!(server.requests().iter().all(|request| request.header("Proxy-Authorization").is_none()));
}

#[tokio::test]
async fn numbers_and_ports_are_checked_all_the_same() {
    let trap = Trap::set();
    let options = through(&format!("http://{}", trap.addr()));
    for url in ["http://127.0.0.1/", "https://10.0.0.1/", "http://[::1]/", "http://2130706433/"] {
        is(&problem(options.clone(), url).await, Failure::Refused, "is not a public address");
    }
    is(&problem(options, "http://a.test:6379/").await, Failure::Refused, "port 6379");
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn proxies_that_fail() {
    let closed = closed_port();
    let detail = format!("the proxy http://{}: nobody listens at", closed.addr());
    is(&problem(through(&format!("http://{}", closed.addr())), "http://a.test/").await, Failure::Connect, &detail);
    let proxy = HttpServer::start().await;
    for (said, failure) in [
        ("HTTP/1.1 407 Who\r\n\r\n", Failure::Connect),
        ("HTTP/1.1 502 No\r\n\r\n", Failure::Connect),
        ("SSH-2.0\r\n", Failure::Connect),
        ("", Failure::Connect),
        ("HTTP/1.1 200 Fine\r\n\r\nand then?", Failure::Tls),
    ] {
        proxy.accept(Accept::Say(said.into()));
        is(&problem(through(&format!("http://{}", proxy.addr())), "https://a.test/").await, failure, "");
    }
    proxy.accept(Accept::Say(b"\x05\xff".as_slice().into()));
    is(&problem(through(&format!("socks5h://{}", proxy.addr())), "http://a.test/").await, Failure::Connect, "SOCKS");
    proxy.accept(Accept::Stall);
    for scheme in ["http", "https", "socks5h"] {
        let hasty = hurried(through(&format!("{scheme}://{}", proxy.addr())), SILENCE);
        let problem = problem(hasty, "https://a.test/").await;
        is(&problem, Failure::Timeout, "the proxy");
    }
}

#[test]
fn invalid_proxy_is_named_without_its_password() {
    for text in [
        "",
        "proxy",
        "proxy:3128",
        "ftp://proxy",
        "socks5://proxy:1080",
        "http://",
        "http://p/path",
        "http://p/?q",
        "http://p#f",
    ] {
        let error = text.parse::<Proxy>().expect_err(text);
        assert!(error.to_string().contains(&format!("found `{text}`")), "{error}");
    }
    let error = "ftp://user:secret@proxy".parse::<Proxy>().expect_err("no proxy").to_string();
    assert!(!error.contains("secret"), "{error}");
    let proxy: Proxy = "socks5h://user:secret@proxy.test:1080".parse().expect("a proxy");
    assert_eq!(proxy.to_string(), "socks5h://proxy.test:1080");
    assert_eq!(format!("{proxy:?}"), "Proxy(socks5h://proxy.test:1080)");
}
