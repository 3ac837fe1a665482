//! Identifiers of requests, for the log and for clients.

use std::fmt;

use bytes::Bytes;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest identifier that is accepted from a client, in bytes.
const MAX_GIVEN_LEN: usize = 64;

/// A request's identifier in the log and in its answer.
#[derive(Clone, Debug)]
pub(super) struct RequestId(HeaderValue);

impl RequestId {
    /// Returns the identifier that the client sent in `x-request-id`, so that a request can be traced through several
    /// services; a random one if it sent none that is usable.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_usable = |value: &&HeaderValue| {
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
            (1..=MAX_GIVEN_LEN).contains(&value.len()) && value.as_bytes().iter().all(is_plain)
        };
        if let Some(given) = headers.get(X_REQUEST_ID).filter(is_usable) {
            return Self(given.clone());
        }
        let random = Bytes::from(format!("{:016x}", fastrand::u64(..)));
        Self(HeaderValue::from_maybe_shared(random).unwrap_or_else(|_| HeaderValue::from_static("-")))
    }

    /// Returns the identifier as the value of a header.
    pub(super) fn into_header(self) -> HeaderValue {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_str().unwrap_or_default())
    }
}
