//! Documents that stay the same while the service runs: compressed once, with entity tags.

use std::sync::OnceLock;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Crc;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, StatusCode};

use crate::accept::prefers_gzip;
use crate::compression::{KEPT, MIN_BYTES, compress};

/// A document that stays the same while the service runs.
#[derive(Debug)]
pub(crate) struct FixedDocument {
    kind: &'static str,
    pub(crate) body: Bytes,
    /// An entity tag, which changes with the body.
    tag: String,
    /// The compressed form, as soon as a client has asked for it.
    gzipped: OnceLock<Bytes>,
}

impl FixedDocument {
    /// Returns a document of this content type.
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let mut sum = Crc::new();
        sum.update(&body);
        let tag = format!("{:08x}-{:x}", sum.sum(), body.len());
        Self { kind, body, tag, gzipped: OnceLock::new() }
    }

    /// Returns a document of this content type that was compressed before.
    pub(crate) fn with_gzipped(kind: &'static str, body: &'static [u8], gzipped: &'static [u8]) -> Self {
        Self { gzipped: Bytes::from_static(gzipped).into(), ..Self::new(kind, body) }
    }

    /// Returns the document in the coding that the client prefers; nothing but its tag if the client has it already.
    pub(crate) fn respond(&self, asked: &HeaderMap) -> Response {
        let gzipped = if prefers_gzip(asked) { self.gzipped() } else { None };
        let tag = format!("\"{}{}\"", self.tag, if gzipped.is_some() { "-gzip" } else { "" });
        let about = [(CACHE_CONTROL, "no-cache"), (ETAG, &*tag), (VARY, "accept-encoding")];
        if names(asked, &tag) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        let kind = [(CONTENT_TYPE, self.kind)];
        match gzipped {
            Some(body) => (about, kind, [(CONTENT_ENCODING, "gzip")], body).into_response(),
            None => (about, kind, self.body.clone()).into_response(),
        }
    }

    /// Returns the compressed form, unless the document is short and was not compressed before.
    pub(crate) fn gzipped(&self) -> Option<Bytes> {
        if let Some(found) = self.gzipped.get() {
            return Some(found.clone());
        }
        if self.body.len() < MIN_BYTES {
            return None;
        }
        let gzipped = compress(&self.body, KEPT).ok()?;
        Some(self.gzipped.get_or_init(|| gzipped.into()).clone())
    }
}

/// Returns true if `If-None-Match` contains this tag, by weak comparison (RFC 9110 §13.1.2).
fn names(asked: &HeaderMap, tag: &str) -> bool {
    let lists = asked.get_all(IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

#[cfg(test)]
pub(crate) mod tests {
    use http::header::{ACCEPT_ENCODING, HeaderName};

    use super::*;

    /// Returns the headers of a request.
    pub(crate) fn asked(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    /// Returns the value of a header of a response, or an empty text.
    pub(crate) fn header(response: &Response, name: HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn each_coding_has_a_tag_of_its_own() {
        let document = FixedDocument::new("text/plain", "x".repeat(5000));
        let mut tags = Vec::new();
        for list in ["", "gzip"] {
            let found = document.respond(&asked(&[(ACCEPT_ENCODING, list)]));
            assert_eq!(header(&found, CONTENT_ENCODING), list);
            assert_eq!(header(&found, VARY), "accept-encoding");
            assert_eq!(header(&found, CACHE_CONTROL), "no-cache");
            let tag = header(&found, ETAG).to_owned();
            let again =
                document.respond(&asked(&[(ACCEPT_ENCODING, list), (IF_NONE_MATCH, &format!("\"x\", W/{tag}"))]));
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{list}");
            assert_eq!(header(&again, ETAG), tag);
            assert_eq!(header(&again, CONTENT_ENCODING), "");
            tags.push(tag);
        }
        tags.sort();
        tags.dedup();
        assert_eq!(tags.len(), 2, "{tags:?}");
        let other = asked(&[(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, &tags[0])]);
        assert_eq!(document.respond(&other).status(), StatusCode::OK, "{tags:?}");
        let short = FixedDocument::new("text/plain", "short");
        assert_eq!(header(&short.respond(&asked(&[(ACCEPT_ENCODING, "gzip")])), CONTENT_ENCODING), "");
    }
}
