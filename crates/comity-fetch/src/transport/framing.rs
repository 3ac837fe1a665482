//! Where the body of an HTTP answer ends, and whether all of it has come (RFC 9112 §6, RFC 9113 §8.1).

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use comity_policy::Failure;
use http::response::Parts;
use http::{HeaderMap, StatusCode, Version, header};
use hyper::body::{Body as _, Incoming};

use super::http::Connection;
use super::problem::{Problem, cause, shown};

/// A body as it comes, before its content coding is undone.
///
/// It ends without a problem only if it is whole: by the length or the last chunk in HTTP/1.1, by `END_STREAM` and the
/// length, if there is one, in HTTP/2. Without any of them it ends with the connection, within TLS with `close_notify`.
pub(super) struct RawBody {
    incoming: Incoming,
    /// As `Content-Length` has it.
    expected: Option<u64>,
    received: u64,
    is_http2: bool,
    connection: Connection,
}

impl RawBody {
    /// Fails if the head does not tell how the body ends.
    pub(super) fn new(incoming: Incoming, parts: &Parts, connection: Connection) -> Result<Self, Problem> {
        check_transfer_encoding(&parts.headers)?;
        // These have no body, whatever they say of its length (RFC 9110 §8.6).
        let has_body = !matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let expected = incoming.size_hint().exact().filter(|_| has_body);
        Ok(Self { incoming, expected, received: 0, is_http2: parts.version == Version::HTTP_2, connection })
    }

    /// Returns the next bytes, which are not empty; none when the body is whole.
    pub(super) fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Problem>>> {
        loop {
            let frame = match ready!(Pin::new(&mut self.incoming).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                Some(Err(e)) => return Poll::Ready(Some(Err(self.connection.problem().unwrap_or_else(|| broken(&e))))),
                None => return Poll::Ready(self.check_end().err().map(Err)),
            };
            // Trailers are not used.
            let Ok(bytes) = frame.into_data() else { continue };
            if !bytes.is_empty() {
                self.received += bytes.len() as u64;
                return Poll::Ready(Some(Ok(bytes)));
            }
        }
    }

    /// Fails unless the end that hyper reports is one.
    fn check_end(&self) -> Result<(), Problem> {
        if let Some(expected) = self.expected.filter(|expected| *expected != self.received) {
            return Err(truncated(&format!("expected {expected} bytes by its length, found {}", self.received)));
        }
        // hyper also takes RST_STREAM and GOAWAY with NO_ERROR for the end.
        if self.is_http2 && !self.incoming.is_end_stream() {
            return Err(truncated("the server ended it early, without an error"));
        }
        Ok(())
    }
}

/// Fails if there is a transfer coding that is not undone: it would be taken for the file.
fn check_transfer_encoding(fields: &HeaderMap) -> Result<(), Problem> {
    let mut codings = fields.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(one), None) if one.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(()),
        (Some(one), _) => {
            let detail = format!("an unknown Transfer-Encoding, `{}`", shown(one));
            Err(Problem::new(Failure::InvalidResponse, detail))
        }
    }
}

fn broken(error: &hyper::Error) -> Problem {
    if let Some(error) = cause::<h2::Error>(error) {
        let detail = format!("the server broke off in the body: {}", shown(error.to_string()));
        Problem::new(Failure::Truncated, detail)
    } else if let Some(error) = cause::<std::io::Error>(error) {
        // Bad chunks are reported as these too.
        truncated(&shown(error.to_string()))
    } else {
        truncated("the server hung up in the middle")
    }
}

fn truncated(reason: &str) -> Problem {
    Problem::new(Failure::Truncated, format!("the body is not complete: {reason}"))
}
