//! A timeout for stalled bodies.

use std::time::Duration;

use comity_policy::Failure;
use tokio::time::timeout;

use crate::transport::error::TransportError;
use crate::transport::exchange::{NextChunk, ResponseBody};

/// A body with a timeout for its next bytes.
pub(super) struct StallTimeoutBody<B> {
    pub(super) body: B,
    pub(super) limit: Duration,
}

impl<B: ResponseBody> ResponseBody for StallTimeoutBody<B> {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        Box::pin(async move {
            timeout(self.limit, self.body.next_chunk()).await.unwrap_or_else(|_| {
                let detail = format!("no more of the body within {:?}", self.limit);
                Err(TransportError::new(Failure::Timeout, detail))
            })
        })
    }
}
