//! FTP: found, missing, refused, slow, and servers that lie.

use std::net::Ipv4Addr;
use std::time::Duration;

use comity_fetch::Addresses;
use comity_fetch::transport::{Options, Protocol, TransportError};
use comity_policy::{Failure, Head};
use comity_testserver::{At, FtpServer, Reply, Trap};

use crate::{ROBOTS, SILENCE, fetch, hurried, is, options, problem, read, send};

async fn server() -> (FtpServer, Options) {
    let server = FtpServer::start().await;
    server.serve("/robots.txt", Reply::raw(ROBOTS));
    let options = options(server.addr());
    (server, options)
}

#[tokio::test]
async fn found() {
    let (server, options) = server().await;
    let (answer, body) = fetch(options, "ftp://user:secret@a.test/page").await.expect("a file");
    assert_eq!(body, ROBOTS.as_bytes());
    assert_eq!((answer.head, answer.protocol, answer.peer), (Head::ftp(150), Some(Protocol::Ftp), Some(server.addr())));
    assert_eq!(
        server.commands(),
        ["USER anonymous", "PASS TestBot/1.0 (+http://bot.test/)", "TYPE I", "EPSV", "RETR robots.txt"]
    );
    assert_eq!((server.connections(), server.data_connections()), (1, 1));
}

#[tokio::test]
async fn files_of_all_sizes() {
    let (server, options) = server().await;
    server.serve("/robots.txt", Reply::raw(""));
    assert_eq!(fetch(options.clone(), "ftp://a.test/").await.expect("a file").1, b"");
    let long = ROBOTS.repeat(10_000);
    server.serve("/robots.txt", Reply::raw(long.clone()));
    assert!(fetch(options.clone(), "ftp://a.test/").await.expect("a file").1 == long.as_bytes());
    server.serve("/robots.txt", Reply::raw("").endless("User-agent: *\n"));
    let mut answer = send(options, "ftp://a.test/").await.expect("an answer");
    let mut read = 0;
    while read <= 512_000 {
        read += answer.body.chunk().await.expect("good so far").expect("there is more").len();
    }
}

#[tokio::test]
async fn old_servers_know_no_epsv() {
    for reply in ["500 What?", "502 Not here.", "522 Not this family.", "501 Syntax."] {
        let (server, options) = server().await;
        server.answer("EPSV", Reply::line(reply));
        // The file comes from the server itself, no matter which address it states.
        let trap = Trap::set_at((Ipv4Addr::new(127, 0, 0, 7), 0)).expect("a port");
        server.passive_host(Ipv4Addr::new(127, 0, 0, 7));
        assert_eq!(fetch(options, "ftp://a.test/").await.expect("a file").1, ROBOTS.as_bytes());
        assert_eq!(server.commands()[3..], ["EPSV", "PASV", "RETR robots.txt"]);
        assert_eq!(trap.connections(), 0);
    }
}

#[tokio::test]
async fn hostile_passive_replies() {
    for reply in
        ["229 Here (|||22|)", "229 Here (|||0|)", "229 Here (|||99999|)", "229 Here", "229 Here (|1|127.0.0.7|6446|)"]
    {
        let (server, options) = server().await;
        server.answer("EPSV", Reply::line(reply));
        let problem = problem(options, "ftp://a.test/").await;
        assert!(matches!(problem.failure, Failure::Refused | Failure::InvalidResponse), "{reply}: {problem:?}");
        assert_eq!(server.data_connections(), 0);
    }
    for reply in [
        "227 Here (127,0,0,1,0,22)",
        "227 Here (127,0,0,7,0,22)",
        "227 Here (127,0,0,1,999,1)",
        "227 Here",
        "227 (1,2,3)",
    ] {
        let (server, options) = server().await;
        server.answer("EPSV", Reply::line("500 What?"));
        server.answer("PASV", Reply::line(reply));
        let problem = problem(options, "ftp://a.test/").await;
        assert!(matches!(problem.failure, Failure::Refused | Failure::InvalidResponse), "{reply}: {problem:?}");
    }
    // An address in a closed network, with an open port.
    let trap = Trap::set_at((Ipv4Addr::new(127, 0, 0, 7), 0)).expect("a port");
    let (server, options) = server().await;
    server.answer("EPSV", Reply::line("500 What?"));
    let port = trap.addr().port();
    server.answer("PASV", Reply::line(format!("227 Here (127,0,0,7,{},{})", port >> 8, port & 0xff)));
    problem(options, "ftp://a.test/").await;
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn both_connections_are_checked() {
    let (server, mut options) = server().await;
    options.addresses = Addresses::Public;
    is(&problem(options, "ftp://a.test/").await, Failure::Refused, "127.0.0.1 is not a public address");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn refusals_are_answers() {
    for (command, reply, code) in [
        ("RETR", "550 Not there.", 550),
        ("RETR", "550-Not\r\n 150 there,\r\n550 really.", 550),
        ("RETR", "450 Busy.", 450),
        ("RETR", "425 No connection.", 425),
        ("RETR", "530 Who are you?", 530),
        ("USER", "530 No anonymous users.", 530),
        ("USER", "332 Account?", 332),
        ("PASS", "331 And again?", 331),
        ("PASS", "530 Wrong.", 530),
        ("PASS", "332 Account?", 332),
        ("TYPE", "504 No such type.", 504),
        ("EPSV", "421 Bye.", 421),
    ] {
        let (server, options) = server().await;
        server.answer(command, Reply::line(reply));
        let mut answer = send(options, "ftp://a.test/").await.unwrap_or_else(|e| panic!("{reply}: {e}"));
        assert_eq!(answer.head, Head::ftp(code), "{command}: {reply}");
        assert_eq!(read(&mut answer).await.expect("nothing"), b"");
    }
    let (server, options) = server().await;
    server.greet(Reply::line("421 Too many users."));
    assert_eq!(send(options, "ftp://a.test/").await.expect("an answer").head, Head::ftp(421));
    let empty = FtpServer::start().await;
    assert_eq!(send(crate::options(empty.addr()), "ftp://a.test/").await.expect("an answer").head, Head::ftp(550));
}

#[tokio::test]
async fn only_the_file_can_be_missing() {
    for command in ["USER", "PASS", "TYPE", "PASV"] {
        let forbids = |server: &FtpServer| {
            server.answer("EPSV", Reply::line("550 Permission denied."));
            server.answer(command, Reply::line("550 Permission denied."));
        };
        is(&of(forbids).await, Failure::Other, "550 before it was asked for the file");
    }
}

/// Returns the error of a server with these settings.
async fn of(tell: impl Fn(&FtpServer)) -> TransportError {
    let (server, options) = server().await;
    tell(&server);
    problem(options, "ftp://a.test/").await
}

#[tokio::test]
async fn replies_out_of_turn() {
    for (command, reply) in [
        ("USER", "220 Again."),
        ("TYPE", "150 Here it comes."),
        ("EPSV", "150 Here it comes."),
        // "Transfer complete" before the transfer.
        ("RETR", "226 That was it."),
        ("RETR", "250 Fine."),
        ("RETR", "999 What?"),
        ("RETR", "550-Not\r\n226 there."),
        ("RETR", "550-Not\r\n451 there."),
        ("RETR", "150-Not\r\n550 there."),
        ("RETR", "hello"),
        ("RETR", ""),
    ] {
        let problem = of(|server| server.answer(command, Reply::line(reply))).await;
        is(&problem, Failure::InvalidResponse, "");
    }
    for greeting in ["HTTP/1.1 400 Bad Request", "SSH-2.0-OpenSSH_9.9", "120 Ready in ten minutes.", "\x1b[2J"] {
        is(&of(|server| server.greet(Reply::line(greeting))).await, Failure::InvalidResponse, "");
    }
}

#[tokio::test]
async fn replies_without_end() {
    let endless = Reply::raw("").endless("220-Welcome.\r\n");
    is(&of(|server| server.greet(endless.clone())).await, Failure::InvalidResponse, "too large");
    let long = Reply::raw("").endless("2");
    is(&of(|server| server.answer("USER", long.clone())).await, Failure::InvalidResponse, "too large");
}

#[tokio::test]
async fn slow_servers() {
    let stall = |at| Reply::line("220 Ready.").stall(at);
    let of = async |tell: &dyn Fn(&FtpServer)| {
        let (server, options) = server().await;
        tell(&server);
        problem(hurried(options, SILENCE), "ftp://a.test/").await
    };
    is(&of(&|server| server.greet(stall(At::Start))).await, Failure::Timeout, "no reply within 300ms");
    is(&of(&|server| server.greet(stall(At::Body(3)))).await, Failure::Timeout, "no reply within 300ms");
    for command in ["USER", "PASS", "TYPE", "EPSV", "RETR"] {
        is(&of(&|server| server.answer(command, stall(At::Start))).await, Failure::Timeout, "no reply within 300ms");
    }
    let drip = Reply::line("220 Ready.").drip(At::Start, 1, Duration::from_millis(100));
    is(&of(&|server| server.greet(drip.clone())).await, Failure::Timeout, "no reply within 300ms");
    let file = Reply::raw(ROBOTS).stall(At::Body(9));
    is(&of(&|server| server.serve("/robots.txt", file.clone())).await, Failure::Timeout, "no more of the body");
    is(&of(&|server| server.finish(stall(At::Start))).await, Failure::Timeout, "no more of the body");
}

#[tokio::test]
async fn connections_that_break_off() {
    is(&of(|server| server.greet(Reply::raw("").cut(At::Start))).await, Failure::Reset, "hung up");
    is(
        &of(|server| server.greet(Reply::line("220 Ready.").cut(At::Body(3)))).await,
        Failure::InvalidResponse,
        "not FTP",
    );
    for command in ["USER", "PASS", "TYPE", "EPSV", "RETR"] {
        is(&of(|server| server.answer(command, Reply::line("").cut(At::Start))).await, Failure::Reset, "hung up");
        is(&of(|server| server.answer(command, Reply::line("").reset(At::Start))).await, Failure::Reset, "hung up");
    }
}

#[tokio::test]
async fn files_that_break_off() {
    for at in [At::Body(0), At::Body(9)] {
        let file = Reply::raw(ROBOTS).cut(at);
        is(
            &of(|server| server.serve("/robots.txt", file.clone())).await,
            Failure::Truncated,
            "`426 That was not all.`",
        );
        let file = Reply::raw(ROBOTS).reset(at);
        is(&of(|server| server.serve("/robots.txt", file.clone())).await, Failure::Truncated, "");
    }
    for last in ["426 Broken.", "451 Disk.", "552 Too much.", "150 More.", "\x1b[2J"] {
        is(&of(|server| server.finish(Reply::line(last))).await, Failure::Truncated, "");
    }
    is(&of(|server| server.finish(Reply::line("226 Done.").cut(At::Start))).await, Failure::Truncated, "did not say");
}

#[tokio::test]
async fn not_through_a_proxy() {
    let (server, mut options) = server().await;
    options.builtin.proxy = Some("http://127.0.0.1:9".parse().expect("a proxy"));
    is(&problem(options, "ftp://a.test/").await, Failure::Refused, "through a proxy");
    assert_eq!(server.connections(), 0);
}
