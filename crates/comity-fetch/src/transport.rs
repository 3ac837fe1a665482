//! One request, one answer, by HTTP or FTP.
//!
//! A [`Transport`] sends what a [`comity_policy::Site`] asks for: once, without following redirects, without cookies,
//! without trying again, and without a connection from the request before, which the server may just be closing. A
//! connection is made where the [`Addresses`](crate::Addresses) allow it, which is asked for every address at the moment of connecting.
//!
//! Whatever is not understood is a [`Problem`], never an empty body: an empty robots.txt allows everything.

mod body;
mod connect;
mod connector;
mod decode;
mod framing;
#[cfg(feature = "ftp")]
mod ftp;
mod http;
mod link;
mod meter;
mod options;
mod problem;
mod proxy;
mod tls;
mod zstd;

use std::fmt;
use std::net::SocketAddr;

use comity::Origin;
use comity_policy::{Failure, Head, Request};

use crate::address::{Way, way};

pub use body::Body;
pub use connector::{Connect, Connecting, SystemConnector};
pub use options::{Options, OptionsError};
pub use problem::Problem;
pub use proxy::{Proxy, ProxyError};

/// Sends requests. Building one costs something, sending with it does not; clones share what was built.
///
/// ```no_run
/// # async fn example(site: &mut comity_policy::Site, now: comity_policy::Time) -> Result<(), Box<dyn std::error::Error>> {
/// use comity::Origin;
/// use comity_fetch::transport::{Options, Transport};
/// use comity_policy::Action;
///
/// let transport = Transport::new(Options::new("ExampleBot/1.0 (+https://example.com/bot)"))?;
/// let origin = Origin::of("https://example.org/")?;
/// if let Action::Send(request) = site.poll(now) {
///     let mut answer = transport.send(&request, &origin).await?;
///     while let Some(bytes) = answer.body.chunk().await? {
///         println!("{} bytes", bytes.len());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Transport {
    options: Options,
    dialer: connect::Dialer,
    http: http::Http,
}

impl Transport {
    /// A transport with these options. Fails if they can't work: a user agent that is empty, say.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        let dialer = connect::Dialer::new(options.resolver(), options.connector(), options.connect_timeout);
        let http = http::Http::new(&options)?;
        Ok(Self { options, dialer, http })
    }

    /// Sends a request that is for the robots.txt of this origin, and waits for the head of the answer.
    ///
    /// Of the request's deadline it knows nothing, for it has no clock: what takes too long, drop.
    pub async fn send(&self, request: &Request, origin: &Origin) -> Result<Answer, Problem> {
        let url = &request.url;
        let is_fetched = matches!(url.scheme(), "http" | "https") || (cfg!(feature = "ftp") && url.scheme() == "ftp");
        if !is_fetched {
            return Err(Problem::new(
                Failure::Refused,
                format!("nothing is fetched by {}:", problem::shown(url.scheme())),
            ));
        }
        let addresses = match way(&self.options.addresses, &self.options.trust, origin, url) {
            Way::Open(addresses) => addresses,
            Way::Closed(reason) => return Err(Problem::new(Failure::Refused, reason)),
        };
        #[cfg(feature = "ftp")]
        if url.scheme() == "ftp" {
            return ftp::send(url, &self.dialer, addresses, &self.options).await;
        }
        self.http.send(request, &self.dialer, addresses).await
    }
}

/// The head of an answer, and its body to come.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answer {
    /// What decides.
    pub head: Head,
    /// Who answered: the proxy, if there is one.
    pub peer: Option<SocketAddr>,
    /// How it came.
    pub protocol: Protocol,
    /// The header fields, for people: their names in lower case, their values as they came. No more than 100, and no more
    /// than 32 KiB; none by FTP.
    pub fields: Vec<(String, String)>,
    /// What follows. Drop it to drop the connection.
    pub body: Body,
}

/// How an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
    /// FTP.
    Ftp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Ftp => "FTP",
        })
    }
}
