//! The body of an answer, decoded.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use comity_policy::Failure;
use http::HeaderMap;
use tokio::time::timeout;

use super::decode::Decoded;
use super::framing::RawBody;
#[cfg(feature = "ftp")]
use super::ftp::Download;
use super::problem::Problem;

/// The body of an answer, received as it is read. Dropping it drops the connection.
///
/// It ends without a problem only if all of it has come: by the framing of its protocol, and by its content coding.
pub struct Body {
    source: Source,
    stall_timeout: Duration,
}

enum Source {
    Http(Box<Decoded>),
    #[cfg(feature = "ftp")]
    Ftp(Box<Download>),
    /// All of it was read.
    Over,
    Broken(Problem),
}

impl Body {
    pub(super) fn http(raw: RawBody, fields: &HeaderMap, stall_timeout: Duration) -> Self {
        match Decoded::new(raw, fields) {
            Ok(decoded) => Self { source: Source::Http(Box::new(decoded)), stall_timeout },
            Err(problem) => Self::broken(problem),
        }
    }

    #[cfg(feature = "ftp")]
    pub(super) fn ftp(download: Download, stall_timeout: Duration) -> Self {
        Self { source: Source::Ftp(Box::new(download)), stall_timeout }
    }

    /// Returns an empty body, as after a reply that refused.
    #[cfg(feature = "ftp")]
    pub(super) fn none() -> Self {
        Self { source: Source::Over, stall_timeout: Duration::ZERO }
    }

    /// Returns a body that can't be read, after a head that may be all that is needed.
    pub(super) fn broken(problem: Problem) -> Self {
        Self { source: Source::Broken(problem), stall_timeout: Duration::ZERO }
    }

    /// Raises the limit on a coded body, before the first read, for a document of so many decoded bytes. It defaults to
    /// what a robots.txt needs.
    pub(crate) fn make_room_for(&mut self, bytes: usize) {
        if let Source::Http(decoded) = &mut self.source {
            decoded.make_room_for(bytes);
        }
    }

    /// Returns the next bytes, decoded and never empty, or `None` after the end of a whole body.
    ///
    /// # Errors
    ///
    /// If the body is not whole, cannot be decoded, or does not go on within the stall timeout. The same problem is
    /// returned by every later call.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        let next = async {
            match &mut self.source {
                Source::Http(decoded) => decoded.chunk().await,
                #[cfg(feature = "ftp")]
                Source::Ftp(download) => download.chunk().await,
                Source::Over => Ok(None),
                Source::Broken(problem) => Err(problem.clone()),
            }
        };
        let came = timeout(self.stall_timeout, next).await.unwrap_or_else(|_| {
            let detail = format!("no more of the body within {:?}", self.stall_timeout);
            Err(Problem::new(Failure::Timeout, detail))
        });
        match &came {
            Ok(Some(_)) => {}
            Ok(None) => self.source = Source::Over,
            Err(problem) => self.source = Source::Broken(problem.clone()),
        }
        came
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.source {
            Source::Http(_) => "Body(HTTP)",
            #[cfg(feature = "ftp")]
            Source::Ftp(_) => "Body(FTP)",
            Source::Over => "Body(over)",
            Source::Broken(_) => "Body(broken)",
        })
    }
}
