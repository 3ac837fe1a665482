//! What follows a head, decoded.

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

/// A body. What is not read is not received; dropping it drops the connection.
pub struct Body {
    source: Source,
    stall_timeout: Duration,
}

enum Source {
    Http(Box<Decoded>),
    #[cfg(feature = "ftp")]
    Ftp(Box<Download>),
    /// It was complete.
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

    /// None at all, as after a reply that refused.
    #[cfg(feature = "ftp")]
    pub(super) fn none() -> Self {
        Self { source: Source::Over, stall_timeout: Duration::ZERO }
    }

    /// A body that can't be read, whose head may be all that is wanted.
    pub(super) fn broken(problem: Problem) -> Self {
        Self { source: Source::Broken(problem), stall_timeout: Duration::ZERO }
    }

    /// Lets it be so many bytes long, where a coded one is else read no further than a robots.txt ever is.
    pub(crate) fn make_room_for(&mut self, bytes: usize) {
        if let Source::Http(decoded) = &mut self.source {
            decoded.make_room_for(bytes);
        }
    }

    /// The next bytes, decoded and never empty; none when the body was complete.
    ///
    /// After a problem there is nothing but that problem.
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
