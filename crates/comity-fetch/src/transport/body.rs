//! The body of an answer, checked and decoded.

use std::fmt;

use ::http::HeaderMap;

use super::decode::Decoded;
use super::error::TransportError;
use super::exchange::{Protocol, ResponseBody};
use super::framing::Framed;

/// The body of an answer, received as it is read. Dropping it drops the connection.
///
/// It ends without an error only if it is complete, by the framing of its protocol and by its content coding.
pub struct Body(Source);

enum Source {
    Open(Box<Decoded>),
    /// The body has been read to its end.
    Over,
    Broken(TransportError),
}

impl Body {
    pub(super) fn new(
        body: Box<dyn ResponseBody>,
        status: u16,
        headers: &HeaderMap,
        protocol: Option<Protocol>,
    ) -> Self {
        let framed = Framed::new(body, status, headers, protocol);
        // The head may be all that is needed, so this is an error of the body.
        Self(match framed.and_then(|framed| Decoded::new(framed, headers)) {
            Ok(decoded) => Source::Open(Box::new(decoded)),
            Err(error) => Source::Broken(error),
        })
    }

    /// Raises the limit on the compressed bytes, so that a document of `bytes` decoded bytes fits. Must be called
    /// before the first read. By default, the limit is the one for a robots.txt.
    pub(crate) fn make_room_for(&mut self, bytes: usize) {
        if let Source::Open(decoded) = &mut self.0 {
            decoded.make_room_for(bytes);
        }
    }

    /// Returns the next bytes, decoded and never empty, or `None` after the end of a whole body.
    ///
    /// # Errors
    ///
    /// If the body is incomplete, cannot be decoded, or stalls. Every later call returns the same error.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let next = match &mut self.0 {
            Source::Open(decoded) => decoded.chunk().await,
            Source::Over => Ok(None),
            Source::Broken(error) => Err(error.clone()),
        };
        match &next {
            Ok(Some(_)) => {}
            Ok(None) => self.0 = Source::Over,
            Err(error) => self.0 = Source::Broken(error.clone()),
        }
        next
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Source::Open(_) => "Body(open)",
            Source::Over => "Body(over)",
            Source::Broken(_) => "Body(broken)",
        })
    }
}
