//! Fetches robots.txt files with a blocking HTTP client (ureq), as the state machine of [`comity_policy`] says.
//!
//! The state machine decides what to request, what each answer means and when the file is next due. This code sends the
//! requests. Store [`Site::record`] between runs, and continue with [`Site::resume`].
//!
//! It connects to every address that a name resolves to. If strangers choose the URLs, let ureq's resolver refuse
//! addresses that are not public, as `comity-fetch` does.

use std::io::Read;
use std::time::{Duration, SystemTime};

use comity_policy::{Action, Failure, Head, Input, Request, Ruling, Site, Time};
use ureq::http::Response;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderName, TRANSFER_ENCODING};
use ureq::{Agent, Body};

/// A blocking client that fetches robots.txt files.
#[derive(Clone, Debug)]
pub struct Fetcher {
    agent: Agent,
}

impl Fetcher {
    /// Creates a client with a `User-Agent`.
    pub fn new(user_agent: &str) -> Self {
        let config = Agent::config_builder()
            .user_agent(user_agent)
            // Redirects and error statuses are the state machine's business.
            .max_redirects(0)
            .http_status_as_error(false)
            // Bodies come as they are: the state machine expects decoded bytes.
            .accept_encoding("identity")
            .build();
        Self { agent: config.into() }
    }

    /// Returns what is in force for a site. Fetches its robots.txt if that is due.
    ///
    /// # Panics
    ///
    /// If `comity-policy` asks for an action that this example does not know.
    pub fn ruling(&self, site: &mut Site) -> Ruling {
        let mut body = None;
        let (mut is_coded, mut shows_end) = (false, false);
        loop {
            match site.poll(now()) {
                Action::Send(request) | Action::Probe(request) => match self.send(&request) {
                    Ok(response) => {
                        is_coded = has_coding(response.headers());
                        shows_end = shows_end_of_body(response.headers());
                        let fields = response.headers().iter();
                        let head = Head::http(response.status().as_u16());
                        let head = fields.fold(head, |head, (name, value)| head.with(name.as_str(), value.as_bytes()));
                        body = Some(response.into_body().into_reader());
                        site.handle(Input::Head(head), now());
                    }
                    Err(error) => site.handle(Input::Failed(failure(&error), &error.to_string()), now()),
                },
                // The server was asked for an uncoded body. This example decodes none, and coded text is no rules.
                Action::Read { .. } if is_coded => {
                    site.handle(Input::Failed(Failure::Encoding, "the body is coded"), now());
                }
                Action::Read { max_bytes, .. } => {
                    let mut chunk = vec![0; max_bytes.min(16 * 1024)];
                    match body.as_mut().map(|body| body.read(&mut chunk)) {
                        // ureq takes a broken connection for the end of such a body.
                        Some(Ok(0)) if !shows_end => {
                            site.handle(Input::Failed(Failure::Truncated, "nothing shows the end of the body"), now());
                        }
                        Some(Ok(0)) => site.handle(Input::End, now()),
                        Some(Ok(count)) => site.handle(Input::Bytes(&chunk[..count]), now()),
                        Some(Err(error)) => {
                            let failure = if error.kind() == std::io::ErrorKind::TimedOut {
                                Failure::Timeout
                            } else {
                                Failure::Truncated
                            };
                            site.handle(Input::Failed(failure, &error.to_string()), now());
                        }
                        None => site.handle(Input::Failed(Failure::Other, "there is no body"), now()),
                    }
                }
                // The attempt is over: store `site.record()` here. Even if the next one is due at once, this call makes
                // no more than one. Or nothing is due.
                Action::Finish | Action::Wait(_) => break,
                action => unreachable!("an action of a newer comity-policy: {action:?}"),
            }
        }
        site.last_ruling(now()).expect("an attempt was made")
    }

    /// Sends one request and follows no redirect.
    fn send(&self, request: &Request) -> Result<Response<Body>, ureq::Error> {
        let mut get = self.agent.get(request.url.as_str());
        if let Some(validators) = &request.validators {
            for (name, value) in [("If-None-Match", &validators.etag), ("If-Modified-Since", &validators.last_modified)]
            {
                if let Some(value) = value {
                    get = get.header(name, value);
                }
            }
        }
        // The time for the body counts too.
        let left = request.deadline.since(now()).max(Duration::from_millis(1));
        get.config().timeout_global(Some(left)).build().call()
    }
}

/// Returns true if a body has a coding, such as gzip, although none was accepted. ureq removes chunks, and nothing else.
fn has_coding(headers: &HeaderMap) -> bool {
    let is_coded = |name, plain: &[u8]| {
        elements(headers, name).any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(plain))
    };
    is_coded(&CONTENT_ENCODING, b"identity") || is_coded(&TRANSFER_ENCODING, b"chunked")
}

/// Returns true if the end of a body is known from its length, or from its last chunk.
fn shows_end_of_body(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING)
}

/// Returns the elements of the lists in all fields of a name.
fn elements<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h [u8]> {
    let values = headers.get_all(name).into_iter();
    values.flat_map(|value| value.as_bytes().split(|octet| *octet == b',')).map(<[u8]>::trim_ascii)
}

/// Returns the kind of failure. One that is not known is `Other`, which counts as unreachable.
fn failure(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::HostNotFound => Failure::Dns,
        ureq::Error::Timeout(_) => Failure::Timeout,
        ureq::Error::ConnectionFailed => Failure::Connect,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Failure::Connect,
        ureq::Error::Io(_) => Failure::Reset,
        ureq::Error::Protocol(_) | ureq::Error::Http(_) | ureq::Error::LargeResponseHeader(..) => {
            Failure::InvalidResponse
        }
        _ => Failure::Other,
    }
}

fn now() -> Time {
    SystemTime::now().into()
}
