//! FTP, with and without faults.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use crate::client::{Client, End};
use comity_testserver::{At, FtpServer, Reply, Trap};
use tokio::net::TcpStream;

const LOGIN: [&str; 4] = ["", "USER anonymous", "PASS a@a.test", "TYPE I"];

struct Control(Client);

impl Control {
    async fn connect(server: &FtpServer) -> Self {
        Control(Client(TcpStream::connect(server.addr()).await.unwrap()))
    }

    /// Sends a command, if there is one, and reads the reply.
    async fn say(&mut self, command: &str) -> String {
        if !command.is_empty() {
            self.0.send(&format!("{command}\r\n")).await;
        }
        self.reply().await
    }

    /// Reads lines up to one with a number that is not followed by a hyphen (RFC 959 §4.2).
    async fn reply(&mut self) -> String {
        let is_last = |line: &str| line.ends_with("\r\n") && line.as_bytes().get(3) == Some(&b' ');
        let enough = |bytes: &[u8]| String::from_utf8_lossy(bytes).split_inclusive('\n').any(is_last);
        self.0.read_until(enough).await.text()
    }

    async fn login(server: &FtpServer) -> Self {
        let mut control = Control::connect(server).await;
        for command in LOGIN {
            control.say(command).await;
        }
        control
    }

    /// Opens a data connection with `EPSV`.
    async fn data(&mut self, server: &FtpServer) -> Client {
        let text = self.say("EPSV").await;
        let port = text.split('|').nth(3).unwrap_or_else(|| panic!("{text}")).parse().unwrap();
        Client(TcpStream::connect((server.addr().ip(), port)).await.unwrap())
    }

    /// Requests a file, and returns its data connection.
    async fn retrieve(&mut self, server: &FtpServer, path: &str) -> Client {
        let data = self.data(server).await;
        self.0.send(&format!("RETR {path}\r\n")).await;
        data
    }
}

async fn server() -> FtpServer {
    let server = FtpServer::start().await;
    server.serve("/robots.txt", Reply::raw("User-agent: *\nDisallow: /\n"));
    server
}

#[tokio::test]
async fn a_good_session() {
    let server = server().await;
    server.serve("/a/b", Reply::raw("b"));
    let mut control = Control::connect(&server).await;
    for (command, reply) in [
        ("", "220 Ready.\r\n"),
        ("RETR /robots.txt", "530 Who are you?\r\n"),
        ("USER anonymous", "331 Any password will do.\r\n"),
        ("pass a@a.test", "230 Welcome.\r\n"),
        ("TYPE I", "200 Fine.\r\n"),
        ("FEAT", "211-Features:\r\n EPSV\r\n SIZE\r\n211 End\r\n"),
        ("SIZE /robots.txt", "213 26\r\n"),
        ("SIZE /none", "550 Not there.\r\n"),
        ("RETR /none", "550 Not there.\r\n"),
        ("RETR /robots.txt", "425 Where to?\r\n"),
        ("PWD", "257 \"/\"\r\n"),
        ("CWD a", "250 Here.\r\n"),
        ("PWD", "257 \"/a\"\r\n"),
        ("SIZE b", "213 1\r\n"),
        ("STOR b", "502 Not here.\r\n"),
    ] {
        assert_eq!(control.say(command).await, reply, "{command}");
    }
    let mut data = control.retrieve(&server, "/robots.txt").await;
    data.expect("User-agent: *\nDisallow: /\n", End::Closed).await;
    control.0.expect("150 Here it comes.\r\n226 That was it.\r\n", End::Silent).await;
    control.0.send("QUIT\r\n").await;
    control.0.expect("221 Bye.\r\n", End::Closed).await;

    let commands = server.commands();
    assert_eq!(commands[..3], ["RETR /robots.txt", "USER anonymous", "pass a@a.test"]);
    assert_eq!(commands[14..], ["EPSV", "RETR /robots.txt", "QUIT"]);
    assert_eq!((server.connections(), server.data_connections()), (1, 1));
    assert!(server.url("/x").starts_with("ftp://127.0.0.1:"));
    assert_eq!(server.url_of("a.test", "/x"), format!("ftp://a.test:{}/x", server.addr().port()));
}

#[tokio::test]
async fn passive_by_the_old_command() {
    let server = server().await;
    let mut control = Control::login(&server).await;
    server.answer("EPSV", Reply::line("500 What?"));
    assert_eq!(control.say("EPSV").await, "500 What?\r\n");
    let text = control.say("PASV").await;
    let numbers: Vec<u8> =
        text.split(['(', ')']).nth(1).unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    let [a, b, c, d, high, low] = numbers.try_into().unwrap();
    let addr = SocketAddr::from(([a, b, c, d], u16::from_be_bytes([high, low])));
    let mut data = Client(TcpStream::connect(addr).await.unwrap());
    control.0.send("RETR /robots.txt\r\n").await;
    data.expect("User-agent: *\nDisallow: /\n", End::Closed).await;
}

/// Checks replies with another address, and a port that is either that of the file or a trap's.
#[tokio::test]
async fn hostile_addresses() {
    let server = server().await;
    let mut control = Control::login(&server).await;
    server.passive_host(Ipv4Addr::new(10, 0, 0, 1));
    assert!(control.say("PASV").await.starts_with("227 Listening (10,0,0,1,"));

    let trap = Trap::set();
    let [high, low] = trap.addr().port().to_be_bytes();
    let lie = format!("227 Listening (127,0,0,1,{high},{low})");
    server.answer("PASV", Reply::line(&lie));
    assert_eq!(control.say("PASV").await, format!("{lie}\r\n"));
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn greetings() {
    let server = server().await;
    for (reply, text, end) in [
        (Reply::line("421 Too many.").cut(At::End), "421 Too many.\r\n", End::Closed),
        (Reply::line("220 Ready.").stall(At::Start), "", End::Silent),
        (Reply::line("220 Ready.").stall(At::Body(5)), "220 R", End::Silent),
        (Reply::line("220 Ready.").reset(At::Start), "", End::Reset),
        (Reply::raw("\x00\u{7f}garbage"), "\x00\u{7f}garbage", End::Silent),
        (Reply::line("220 Ready.").drip(At::Start, 3, Duration::from_millis(10)), "220 Ready.\r\n", End::Silent),
    ] {
        server.greet(reply);
        Control::connect(&server).await.0.expect(text, end).await;
    }
    for line in ["220-more\r\n", "2"] {
        server.greet(Reply::raw("").endless(line));
        let seen = Control::connect(&server).await.0.read(1_000_000).await;
        assert_eq!(seen.end, None);
        assert!(seen.text().starts_with(&line.repeat(1000)));
    }
}

#[tokio::test]
async fn commands_that_fail() {
    let server = server().await;
    server.answer("PASS", Reply::line("530 Not you."));
    server.answer("RETR", Reply::line("150 Wait.").stall(At::End));
    let mut control = Control::login(&server).await;
    assert_eq!(control.say("PASS x").await, "530 Not you.\r\n");
    let mut data = control.retrieve(&server, "/robots.txt").await;
    control.0.expect("150 Wait.\r\n", End::Silent).await;
    data.expect("", End::Silent).await;
    assert_eq!(server.data_connections(), 0);
}

#[tokio::test]
async fn data_that_fails() {
    let server = server().await;
    let file = || Reply::raw("0123456789");
    server.serve("/cut", file().cut(At::Body(4)));
    server.serve("/reset", file().reset(At::Body(4)));
    server.serve("/stall", file().stall(At::Body(4)));
    server.serve("/drip", file().drip(At::Start, 2, Duration::from_millis(20)));
    server.serve("/endless", Reply::raw("").endless("abc"));
    for (path, text, end, last) in [
        ("/cut", "0123", End::Closed, "426 That was not all.\r\n"),
        ("/reset", "0123", End::Reset, "426 That was not all.\r\n"),
        ("/drip", "0123456789", End::Closed, "226 That was it.\r\n"),
        ("/stall", "0123", End::Silent, "426 That was not all.\r\n"),
    ] {
        let mut control = Control::login(&server).await;
        let start = Instant::now();
        let mut data = control.retrieve(&server, path).await;
        data.expect(text, end).await;
        assert!(path != "/drip" || start.elapsed() >= Duration::from_millis(80));
        drop(data);
        control.0.expect(format!("150 Here it comes.\r\n{last}"), End::Silent).await;
    }
    let mut control = Control::login(&server).await;
    let mut data = control.retrieve(&server, "/endless").await;
    assert_eq!(data.read(1_000_000).await.end, None);
    drop(data);
    control.0.expect("150 Here it comes.\r\n426 That was not all.\r\n", End::Silent).await;
    assert_eq!(control.say("SIZE /endless").await, "550 Not there.\r\n");

    // Half a file that is reported as whole.
    server.finish(Reply::line("226 That was it."));
    control.retrieve(&server, "/cut").await.expect("0123", End::Closed).await;
    control.0.expect("150 Here it comes.\r\n226 That was it.\r\n", End::Silent).await;
}

#[tokio::test]
async fn dropping_the_server_ends_everything() {
    let server = server().await;
    server.serve("/stall", Reply::raw("0123456789").stall(At::Body(4)));
    let addr = server.addr();
    let mut control = Control::login(&server).await;
    let mut data = control.retrieve(&server, "/stall").await;
    data.expect("0123", End::Silent).await;
    control.0.expect("150 Here it comes.\r\n", End::Silent).await;
    drop(server);
    assert!(data.read(1).await.end.is_some());
    assert!(control.0.read(1).await.end.is_some());
    assert!(TcpStream::connect(addr).await.is_err());
}
