//! What happened when a site was asked for its robots.txt, step by step.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use comity_fetch::{Access, Exchange, Failure, SiteRobots};
use serde::Serialize;

use crate::site::{SiteFacts, stamp};

/// What happened when a site was asked for its robots.txt, and what follows from it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct Story {
    /// Each request, in order.
    pub steps: Vec<StepFacts>,
    /// What is known of the site now.
    #[serde(flatten)]
    pub site: SiteFacts,
    /// The file, if it was wanted and is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The file as base64, if it was wanted and is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_b64: Option<String>,
}

/// One request and what came of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StepFacts {
    /// What was asked for.
    pub url: String,
    /// Whether it was a probe, and not for the robots.txt.
    pub probe: bool,
    /// When it was sent.
    pub began: String,
    /// The address that it was sent to.
    pub peer: Option<String>,
    /// How the answer came, such as `HTTP/2`.
    pub protocol: Option<String>,
    /// The status, HTTP's or FTP's.
    pub status: Option<u16>,
    /// The header fields as they came, names and values.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Vec<String>>))]
    pub fields: Vec<(String, String)>,
    /// Bytes of the body that were read, decoded.
    pub bytes: u64,
    /// Milliseconds until the head of the answer was there, or the failure.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub head_ms: u128,
    /// Milliseconds from the head to the end of the body, or as far as it was read.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub body_ms: u128,
    /// What kind of failure it was.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub failure: Option<Failure>,
    /// What went wrong, in words.
    pub detail: Option<String>,
}

impl Story {
    /// The last attempt of a client, and the file itself if that is wanted.
    pub fn of(site: &SiteRobots, with_body: bool) -> Self {
        let copy = site.copy().filter(|_| with_body && site.ruling().access == Access::Rules);
        let text = copy.and_then(|copy| std::str::from_utf8(&copy.body).ok());
        Self {
            steps: site.exchanges().iter().map(StepFacts::of).collect(),
            site: SiteFacts::of(site),
            body: text.map(str::to_owned),
            body_b64: copy.filter(|_| text.is_none()).map(|copy| STANDARD.encode(&copy.body)),
        }
    }
}

impl StepFacts {
    fn of(step: &Exchange) -> Self {
        Self {
            url: step.url.clone(),
            probe: step.is_probe,
            began: stamp(step.began),
            peer: step.peer.map(|peer| peer.to_string()),
            protocol: step.protocol.map(|protocol| protocol.to_string()),
            status: step.status,
            fields: step.fields.clone(),
            bytes: step.bytes,
            head_ms: step.head_took.as_millis(),
            body_ms: step.body_took.as_millis(),
            failure: step.problem.as_ref().map(|(failure, _)| *failure),
            detail: step.problem.as_ref().map(|(_, detail)| detail.clone()),
        }
    }
}
