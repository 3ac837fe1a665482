//! Drives a site's state machine, and records each exchange.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use comity::Origin;
use comity_policy::{Action, Failure, Input, Request, Site, Time};
use tokio::time::timeout_at;

use crate::budget::{Egress, Unsent};
use crate::client::Shared;
use crate::clock::Clock;
use crate::stats::Counters;
use crate::transport::{CheckedResponse, Protocol, Sender, TransportError, is_known_coding};

/// One request of an attempt, and its response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange {
    /// The URL of the request.
    pub url: String,
    /// True for a probe instead of a request for the robots.txt.
    pub is_probe: bool,
    /// The time when the request was sent.
    pub began: Time,
    /// The time from then until the head of the response, or the failure.
    pub head_took: Duration,
    /// The time from the head to the end of the body, or to the last byte that was read.
    pub body_took: Duration,
    /// The address of the server or proxy.
    pub peer: Option<SocketAddr>,
    /// The protocol of the response.
    pub protocol: Option<Protocol>,
    /// The status code of HTTP or FTP.
    pub status: Option<u16>,
    /// The header fields as they were received. Only [`Client::fetch`](crate::Client::fetch) keeps all; other methods keep
    /// a `Content-Encoding` that is not known.
    pub fields: Vec<(String, String)>,
    /// The number of bytes of the body that were read, after decoding.
    pub bytes: u64,
    /// The failure, and a description of it.
    pub problem: Option<(Failure, String)>,
}

impl Exchange {
    /// Returns the `Content-Encoding` of the response, if it has a coding that is not known. A body with it was read as it
    /// is, or is a failure.
    ///
    /// Google documents that its crawlers accept gzip, deflate and Brotli, and not what they do with another name. Browsers use
    /// the body as it is.
    pub fn unknown_coding(&self) -> Option<&str> {
        let codings = self.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        codings.map(|(_, value)| value.as_str()).find(|value| !is_known_coding(value))
    }

    pub(crate) fn keep_unknown_coding(&mut self) {
        let coding = self.unknown_coding().map(|coding| ("content-encoding".to_owned(), coding.to_owned()));
        self.fields = coding.into_iter().collect();
    }
}

/// Performs the actions of a site's state machine until there are none left, and reports all results to it.
///
/// # Errors
///
/// If a request is not sent, because there may be no more of them. The state of the machine is of no use then.
pub(crate) async fn drive(
    site: &mut Site,
    origin: &Origin,
    shared: &Shared,
    egress: &mut Egress<'_>,
) -> Result<Vec<Exchange>, Unsent> {
    let Shared { sender, clock, counters, .. } = shared;
    // The machine's deadline is by its clock, which may be set by hand; this one is in real time.
    let end = tokio::time::Instant::now() + site.policy().deadline;
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut answer: Option<CheckedResponse> = None;
    loop {
        let action = site.poll(clock.now());
        let is_probe = matches!(action, Action::Probe(_));
        match action {
            Action::Send(request) | Action::Probe(request) => {
                // The connection of the last answer is closed before another one is opened.
                drop(answer.take());
                egress.pass(&request.url, Some(end)).await?;
                Counters::count(&counters.requests_total);
                let (exchange, result) = send(sender, &request, origin, is_probe, clock, end).await;
                answer = report(site, clock, &exchange, result);
                exchanges.push(exchange);
            }
            Action::Read { max_bytes, .. } => {
                let (Some(answer), Some(exchange)) = (&mut answer, exchanges.last_mut()) else {
                    site.handle(Input::Failed(Failure::Other, "there is no answer to read"), clock.now());
                    continue;
                };
                let began = Instant::now();
                let chunk = timeout_at(end, answer.body.chunk()).await;
                exchange.body_took += began.elapsed();
                match chunk {
                    Ok(Ok(Some(bytes))) => {
                        let bytes = &bytes[..bytes.len().min(max_bytes)];
                        exchange.bytes += bytes.len() as u64;
                        Counters::add(&counters.body_bytes_total, bytes.len() as u64);
                        site.handle(Input::Bytes(bytes), clock.now());
                    }
                    Ok(Ok(None)) => site.handle(Input::End, clock.now()),
                    Ok(Err(problem)) => {
                        site.handle(Input::Failed(problem.failure, &problem.detail), clock.now());
                        exchange.problem = Some((problem.failure, problem.detail));
                    }
                    Err(_) => {
                        let detail = "the body took too long";
                        site.handle(Input::Failed(Failure::Timeout, detail), clock.now());
                        exchange.problem = Some((Failure::Timeout, detail.to_owned()));
                    }
                }
            }
            // An attempt that cannot continue is over, whatever actions future versions add.
            Action::Finish | Action::Wait(_) => return Ok(exchanges),
            _ => site.handle(Input::Failed(Failure::Other, "unknown action"), clock.now()),
        }
    }
}

async fn send(
    sender: &Sender,
    request: &Request,
    origin: &Origin,
    is_probe: bool,
    clock: &Clock,
    end: tokio::time::Instant,
) -> (Exchange, Result<CheckedResponse, TransportError>) {
    let (time, began) = (clock.now(), Instant::now());
    let result = match timeout_at(end, sender.send(request, origin)).await {
        Ok(result) => result,
        Err(_) => Err(TransportError::new(Failure::Timeout, "the attempt took too long")),
    };
    let mut exchange = Exchange {
        url: request.url.to_string(),
        is_probe,
        began: time,
        head_took: began.elapsed(),
        body_took: Duration::ZERO,
        peer: None,
        protocol: None,
        status: None,
        fields: Vec::new(),
        bytes: 0,
        problem: None,
    };
    match &result {
        Ok(answer) => {
            exchange.peer = answer.peer;
            exchange.protocol = answer.protocol;
            exchange.status = Some(answer.head.status());
            exchange.fields.clone_from(&answer.fields);
        }
        Err(problem) => exchange.problem = Some((problem.failure, problem.detail.clone())),
    }
    (exchange, result)
}

/// Reports a result to the machine. Returns the response if its body may be needed.
fn report(
    site: &mut Site,
    clock: &Clock,
    exchange: &Exchange,
    result: Result<CheckedResponse, TransportError>,
) -> Option<CheckedResponse> {
    match result {
        Ok(answer) => {
            site.handle(Input::Head(answer.head.clone()), clock.now());
            (!exchange.is_probe).then_some(answer)
        }
        Err(problem) => {
            site.handle(Input::Failed(problem.failure, &problem.detail), clock.now());
            None
        }
    }
}
