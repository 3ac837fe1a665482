//! Detects the end of the body of an HTTP response (RFC 9112 §6, RFC 9113 §8.1).

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use comity_policy::Failure;
use http::response::Parts;
use http::{StatusCode, Version, header};
use hyper::body::{Body as _, Incoming};
use url::Origin;

use super::http::Connection;
use super::pool::Pool;
use super::received::add_to_tail;
use crate::transport::error::{TransportError, cause, shown};
use crate::transport::exchange::{Chunk, End, NextChunk, ResponseBody};
use crate::transport::framing::truncated;

/// A body as hyper returns it.
///
/// It ends without an error only by the length or the last chunk in HTTP/1.1 (the empty line after it may be missing), and by `END_STREAM` in HTTP/2. Without any of
/// them it ends with the connection, within TLS with `close_notify`.
#[derive(Debug)]
pub(super) struct IncomingBody {
    incoming: Incoming,
    is_http2: bool,
    is_chunked: bool,
    /// The last bytes of the data, if the body is chunked.
    data_end: Vec<u8>,
    end: End,
    /// The connection until the end of the body.
    connection: Option<Connection>,
    /// The pool that gets the connection then, and its site.
    pool: Option<(Pool, Origin)>,
}

impl IncomingBody {
    pub(super) fn new(
        incoming: Incoming,
        parts: &Parts,
        is_secure: bool,
        connection: Connection,
        pool: Option<(Pool, Origin)>,
    ) -> Self {
        let is_http2 = parts.version == Version::HTTP_2;
        let is_bodiless = matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let has_length = incoming.size_hint().exact().is_some();
        let is_chunked = parts.headers.contains_key(header::TRANSFER_ENCODING);
        let is_verified = is_http2 || is_secure || is_bodiless || has_length || is_chunked;
        let end = if is_verified { End::Verified } else { End::Closed };
        Self { incoming, is_http2, is_chunked, data_end: Vec::new(), end, connection: Some(connection), pool }
    }

    async fn next(&mut self) -> Result<Chunk, TransportError> {
        loop {
            let frame = match poll_fn(|cx| Pin::new(&mut self.incoming).poll_frame(cx)).await {
                Some(Ok(frame)) => frame,
                Some(Err(e)) if self.is_cut_after_last_chunk(&e) => return Ok(Chunk::End(self.end)),
                Some(Err(e)) => {
                    let problem = self.connection.as_ref().and_then(Connection::problem);
                    return Err(problem.unwrap_or_else(|| broken(&e)));
                }
                // hyper also treats RST_STREAM and GOAWAY with NO_ERROR as the end.
                None if self.is_http2 && !self.incoming.is_end_stream() => {
                    return Err(truncated("the server ended it early, without an error"));
                }
                None => {
                    if let (Some((pool, site)), Some(connection)) = (self.pool.take(), self.connection.take()) {
                        pool.put(site, connection);
                    }
                    return Ok(Chunk::End(self.end));
                }
            };
            // Trailers are not used.
            if let Ok(bytes) = frame.into_data() {
                if self.is_chunked {
                    add_to_tail(&mut self.data_end, &bytes);
                }
                return Ok(Chunk::Bytes(bytes.into()));
            }
        }
    }

    fn is_cut_after_last_chunk(&self, error: &hyper::Error) -> bool {
        let is_eof = cause::<io::Error>(error).is_some_and(|e| e.kind() == io::ErrorKind::UnexpectedEof);
        let connection = self.connection.as_ref().filter(|_| self.is_chunked && is_eof);
        connection.is_some_and(|connection| connection.ends_in_last_chunk(&self.data_end))
    }
}

impl ResponseBody for IncomingBody {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        Box::pin(self.next())
    }
}

fn broken(error: &hyper::Error) -> TransportError {
    if let Some(error) = cause::<h2::Error>(error) {
        let detail = format!("the server broke off in the body: {}", shown(error.to_string()));
        TransportError::new(Failure::Truncated, detail)
    } else if let Some(error) = cause::<io::Error>(error) {
        // hyper reports invalid chunks as these errors too.
        truncated(&shown(error.to_string()))
    } else {
        truncated("the server hung up in the middle")
    }
}
