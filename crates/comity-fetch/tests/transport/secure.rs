//! Valid and invalid certificates.

use comity_fetch::transport::{Options, Protocol, TransportError};
use comity_policy::Failure;
use comity_testserver::{ANY, Accept, Certificate, HttpServer, Reply, Tls, ca_pem};

use crate::{ROBOTS, fetch, is, options, problem};

async fn server(tls: Tls) -> (HttpServer, Options) {
    let server = HttpServer::start_tls(tls).await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let mut options = options(server.addr());
    options.builtin.extra_roots = ca_pem().into_bytes();
    (server, options)
}

async fn refused(certificate: Certificate) -> TransportError {
    let (server, options) = server(Tls::named(["a.test"]).certificate(certificate)).await;
    let problem = problem(options, "https://a.test/").await;
    assert_eq!(server.count(ANY, ANY), 0, "nothing is asked of them");
    problem
}

#[tokio::test]
async fn certificates_that_are_no_good() {
    is(&refused(Certificate::Expired).await, Failure::Tls, "the certificate expired at Mon, 01 Jan 2001 00:00:00 GMT");
    is(&refused(Certificate::NotYetValid).await, Failure::Tls, "the certificate is not valid before Wed, 01 Jan 3000");
    is(&refused(Certificate::OtherName).await, Failure::Tls, "the certificate is for other.test, not a.test");
    is(&refused(Certificate::UnknownAuthority).await, Failure::Tls, "the certificate");
    is(&refused(Certificate::SelfSigned).await, Failure::Tls, "the certificate");
}

#[tokio::test]
async fn authorities_are_the_system_s_and_those_that_were_given() {
    let (_server, mut options) = server(Tls::named(["a.test"])).await;
    fetch(options.clone(), "https://a.test/").await.expect("the authority was given");
    options.builtin.extra_roots.clear();
    let problem = problem(options, "https://a.test/").await;
    is(&problem, Failure::Tls, "the certificate was issued by nobody that is trusted here");
}

#[tokio::test]
async fn names_and_numbers() {
    let (server, options) = server(Tls::named(["a.test", "*.b.test", "127.0.0.1"])).await;
    for url in ["https://a.test/", "https://A.test./", "https://x.b.test/", &server.url("/")] {
        fetch(options.clone(), url).await.unwrap_or_else(|e| panic!("{url}: {e}"));
    }
    for url in ["https://b.test/", "https://x.y.b.test/", "https://a.test.b.test.c.test/"] {
        is(&problem(options.clone(), url).await, Failure::Tls, "the certificate is for a.test, *.b.test, ");
    }
}

#[tokio::test]
async fn protocols() {
    for (tls, protocol) in [
        (Tls::named(["a.test"]), Protocol::Http2),
        (Tls::named(["a.test"]).http2(), Protocol::Http2),
        (Tls::named(["a.test"]).http1(), Protocol::Http11),
    ] {
        let (_server, options) = server(tls).await;
        let (answer, _) = fetch(options, "https://a.test/").await.expect("a file");
        assert_eq!(answer.protocol, Some(protocol));
    }
}

#[tokio::test]
async fn answer_that_is_not_tls_fails() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    is(&problem(options(server.addr()), "https://a.test/").await, Failure::Tls, "");
    for (accept, detail) in [
        (Accept::Close, "hung up"),
        (Accept::Reset, "broke off"),
        (Accept::Say("SSH-2.0-OpenSSH_9.9\r\n".into()), "not TLS"),
        (
            Accept::Say(b"\x15\x03\x03\x00\x02\x02\x28".as_slice().into()),
            "refused the secure connection: HandshakeFailure",
        ),
    ] {
        server.accept(accept);
        is(&problem(options(server.addr()), "https://a.test/").await, Failure::Tls, detail);
    }
    // And vice versa.
    let secure = HttpServer::start_tls(Tls::named(["a.test"])).await;
    let url = format!("http://a.test:{}/", secure.addr().port());
    let problem = problem(options(secure.addr()), &url).await;
    assert!(matches!(problem.failure, Failure::InvalidResponse | Failure::Reset), "{problem:?}");
}
