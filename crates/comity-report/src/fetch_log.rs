//! The log of an attempt to fetch a site's robots.txt, request by request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use comity_fetch::{Access, Exchange, Failure, SiteRobots};
use serde::Serialize;

use crate::site::{SiteFacts, stamp};

/// The log of the last attempt to fetch a site's robots.txt, with the facts that follow from it.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct FetchLog {
    /// The requests, in order.
    pub steps: Vec<ExchangeFacts>,
    /// The facts about the site after the attempt.
    #[serde(flatten)]
    pub site: SiteFacts,
    /// The file, if it was requested and is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The file as base64, if it was requested and is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_b64: Option<String>,
}

/// A request and its result.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExchangeFacts {
    /// The URL that was requested.
    pub url: String,
    /// True if the request was a probe and not a request for the robots.txt.
    pub probe: bool,
    /// The time at which the request was sent.
    pub began: String,
    /// The address that the request was sent to.
    pub peer: Option<String>,
    /// The protocol of the response, such as `HTTP/2`.
    pub protocol: Option<String>,
    /// The status code of HTTP or FTP.
    pub status: Option<u16>,
    /// The header fields of the response as received: names and values.
    pub fields: Vec<(String, String)>,
    /// The number of bytes of the body that were read, after decoding.
    pub bytes: u64,
    /// The milliseconds until the head of the response was received, or until the failure.
    pub head_ms: u128,
    /// The milliseconds from the head to the end of the body, or to the end of the part that was read.
    pub body_ms: u128,
    /// The kind of failure, if the request failed.
    pub failure: Option<Failure>,
    /// The failure in words.
    pub detail: Option<String>,
}

impl FetchLog {
    /// Returns the log of a client's last attempt, and the file itself if `with_body` is true.
    pub fn of(site: &SiteRobots, with_body: bool) -> Self {
        let in_force = site.copy().filter(|_| site.ruling().access == Access::Rules);
        let copy = in_force.filter(|_| with_body);
        let text = copy.and_then(|copy| std::str::from_utf8(&copy.body).ok());
        Self {
            steps: site.exchanges().iter().map(ExchangeFacts::of).collect(),
            site: SiteFacts::of(site),
            body: text.map(str::to_owned),
            body_b64: copy.filter(|_| text.is_none()).map(|copy| STANDARD.encode(&copy.body)),
        }
    }
}

impl ExchangeFacts {
    fn of(exchange: &Exchange) -> Self {
        Self {
            url: exchange.url.clone(),
            probe: exchange.is_probe,
            began: stamp(exchange.began),
            peer: exchange.peer.map(|peer| peer.to_string()),
            protocol: exchange.protocol.map(|protocol| protocol.to_string()),
            status: exchange.status,
            fields: exchange.fields.clone(),
            bytes: exchange.bytes,
            head_ms: exchange.head_took.as_millis(),
            body_ms: exchange.body_took.as_millis(),
            failure: exchange.problem.as_ref().map(|(failure, _)| *failure),
            detail: exchange.problem.as_ref().map(|(_, detail)| detail.clone()),
        }
    }
}
