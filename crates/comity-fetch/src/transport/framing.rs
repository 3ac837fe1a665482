//! Checks the length of a body before its content coding is decoded, for any transport.

use ::http::{HeaderMap, header};
use comity_policy::Failure;

use super::error::{TransportError, shown};
use super::exchange::{Chunk, End, Protocol, ResponseBody};

/// A body as its transport returns it. It ends without an error only if it is complete.
pub(super) struct Framed {
    body: Box<dyn ResponseBody>,
    /// The value of `Content-Length`, if it applies.
    expected: Option<u64>,
    received: u64,
}

impl Framed {
    /// Returns a body with the length that its head states.
    ///
    /// # Errors
    ///
    /// If the head does not determine the end of the body.
    pub(super) fn new(
        body: Box<dyn ResponseBody>,
        status: u16,
        headers: &HeaderMap,
        protocol: Option<Protocol>,
    ) -> Result<Self, TransportError> {
        let is_chunked = check_transfer_encoding(headers)?;
        // Without a body, the field is about another response (RFC 9110 §8.6).
        let has_length = !is_chunked && !matches!(status, 204 | 304) && protocol != Some(Protocol::Ftp);
        let expected = if has_length { content_length(headers)? } else { None };
        Ok(Self { body, expected, received: 0 })
    }

    /// Returns the next bytes, which are not empty, or `None` after the end of a whole body.
    pub(super) async fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        loop {
            match self.body.next_chunk().await? {
                Chunk::Bytes(bytes) if bytes.is_empty() => {}
                Chunk::Bytes(bytes) => {
                    self.received += bytes.len() as u64;
                    return Ok(Some(bytes));
                }
                Chunk::End(end) => return self.check_end(end).map(|()| None),
            }
        }
    }

    fn check_end(&self, end: End) -> Result<(), TransportError> {
        match self.expected {
            Some(expected) if expected != self.received => {
                Err(truncated(&format!("expected {expected} bytes by its length, found {}", self.received)))
            }
            None if end == End::Unverified => {
                Err(truncated("it has no length, and nothing shows that this was the end"))
            }
            _ => Ok(()),
        }
    }
}

/// Returns true if the body came in chunks. Fails for a transfer coding that has not been decoded, because it would be
/// taken for the file.
fn check_transfer_encoding(headers: &HeaderMap) -> Result<bool, TransportError> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(false),
        (Some(one), None) if one.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(true),
        (Some(one), _) => Err(invalid(format!("an unknown Transfer-Encoding, `{}`", shown(one)))),
    }
}

fn content_length(headers: &HeaderMap) -> Result<Option<u64>, TransportError> {
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    let Some(first) = lengths.next() else { return Ok(None) };
    let digits = first.as_bytes().trim_ascii();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let length = std::str::from_utf8(digits).ok().filter(|_| is_number).and_then(|digits| digits.parse().ok());
    match length {
        Some(length) if lengths.all(|other| other == first) => Ok(Some(length)),
        _ => Err(invalid(format!("an unusable Content-Length, `{}`", shown(first)))),
    }
}

fn invalid(detail: String) -> TransportError {
    TransportError::new(Failure::InvalidResponse, detail)
}

/// Returns the error for a body that is not complete.
pub(super) fn truncated(reason: &str) -> TransportError {
    TransportError::new(Failure::Truncated, format!("the body is not complete: {reason}"))
}
