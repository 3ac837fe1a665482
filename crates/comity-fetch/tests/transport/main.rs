//! The transport with servers on loopback, good ones and bad ones.

mod addresses;
mod failures;
mod floods;
#[cfg(feature = "ftp")]
mod ftp;
mod hostile;
mod http;
#[path = "../loopback/mod.rs"]
mod loopback;
mod own;
mod proxy;
mod secure;
mod whole;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::transport::{CheckedResponse, Options, Sender, TransportError};
use comity_fetch::{Addresses, Fixed, Resolve};
use comity_policy::{Action, Failure, Head, Input, Policy, Request, Site, Time};

pub(crate) const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

pub(crate) const NOW: Time = Time::from_unix_seconds(1_800_000_000);

/// Returns options that resolve every name to this address. The timeouts are long, because machines that run tests may
/// be slow.
pub(crate) fn options(server: SocketAddr) -> Options {
    options_with(Fixed::new([server]))
}

pub(crate) fn options_with(resolver: impl Resolve + 'static) -> Options {
    let mut options = Options::new("TestBot/1.0 (+http://bot.test/)");
    options.builtin.resolver = Some(Arc::new(resolver));
    options.builtin.connector = Some(Arc::new(loopback::Loopback::default()));
    options.addresses = "127.0.0.0/8,::1".parse().expect("ranges");
    hurried(options, Duration::from_secs(20))
}

/// Returns the options with this timeout for everything.
pub(crate) fn hurried(mut options: Options, most: Duration) -> Options {
    options.builtin.connect_timeout = most;
    options.builtin.stall_timeout = most;
    options
}

/// The time to wait for something that must not happen.
pub(crate) const SILENCE: Duration = Duration::from_millis(300);

pub(crate) fn sender(options: Options) -> Sender {
    Sender::new(options).expect("options that work")
}

/// Returns the request for the robots.txt of a URL's origin, as a policy sends it.
pub(crate) fn request(url: &str) -> (Request, Origin) {
    let origin = Origin::of(url).expect("a URL with a host");
    match Site::new(&origin, Policy::STANDARD).poll(NOW) {
        Action::Send(request) => (request, origin),
        other => panic!("expected a request, found {other:?}"),
    }
}

/// Returns the request for the redirect target of an origin's robots.txt.
pub(crate) fn redirected(from: &str, to: &str) -> (Request, Origin) {
    let origin = Origin::of(from).expect("a URL with a host");
    let mut site = Site::new(&origin, Policy::STANDARD);
    let _ = site.poll(NOW);
    site.handle(Input::Head(Head::http(302).with("Location", to.as_bytes())), NOW);
    match site.poll(NOW) {
        Action::Send(request) => (request, origin),
        other => panic!("expected a request to {to}, found {other:?}"),
    }
}

pub(crate) async fn send(options: Options, url: &str) -> Result<CheckedResponse, TransportError> {
    let (request, origin) = request(url);
    sender(options).send(&request, &origin).await
}

/// Reads all of a body, up to 1 MiB.
pub(crate) async fn read(answer: &mut CheckedResponse) -> Result<Vec<u8>, TransportError> {
    let mut body = Vec::new();
    while let Some(bytes) = answer.body.chunk().await? {
        assert!(!bytes.is_empty(), "chunks are not empty");
        body.extend_from_slice(&bytes);
        assert!(body.len() < 1 << 20, "nobody reads as much as that");
    }
    assert_eq!(answer.body.chunk().await, Ok(None), "the end is the end");
    Ok(body)
}

/// Sends and reads.
pub(crate) async fn fetch(options: Options, url: &str) -> Result<(CheckedResponse, Vec<u8>), TransportError> {
    let mut answer = send(options, url).await?;
    let body = read(&mut answer).await?;
    Ok((answer, body))
}

/// Returns the error of a request. Checks that later calls return the same one.
pub(crate) async fn problem(options: Options, url: &str) -> TransportError {
    let mut answer = match send(options, url).await {
        Ok(answer) => answer,
        Err(problem) => return problem,
    };
    let problem = match read(&mut answer).await {
        Ok(body) => panic!("expected a problem, found {:?} and {} bytes", answer.head, body.len()),
        Err(problem) => problem,
    };
    assert_eq!(answer.body.chunk().await.as_ref(), Err(&problem), "a body stays broken");
    problem
}

#[track_caller]
pub(crate) fn is(problem: &TransportError, failure: Failure, detail: &str) {
    assert_eq!(problem.failure, failure, "{}", problem.detail);
    assert!(problem.detail.contains(detail), "expected `{detail}`, found `{}`", problem.detail);
    assert!(problem.detail.len() < 300, "{}", problem.detail);
}

pub(crate) fn any() -> Addresses {
    Addresses::Any
}
