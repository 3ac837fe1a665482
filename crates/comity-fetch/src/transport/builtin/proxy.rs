//! Connections through proxies.

mod forward;
mod socks;
mod tunnel;

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use comity::Escaped;
use comity_policy::Failure;
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

use super::connect::Dialer;
use super::link::Link;
use super::tls::{AlpnOffer, Tls};
use crate::address::Addresses;
use crate::transport::error::TransportError;
pub(super) use forward::Refusal;
use tunnel::Connected;

/// A proxy. It is only used if it is set in the options: environment variables are ignored.
///
/// The client asks each proxy for a tunnel to the site. Through a tunnel, every response is from the site itself.
///
/// Some `http://` and `https://` proxies refuse a tunnel to an `http:` site, as Squid does by default. The client then
/// sends them the request itself, and they forward it. In this case, a redirect or a 4xx counts only with evidence that
/// the site sent it: a `Via` field, and a `Server` field that names another program than the proxy. Without evidence,
/// it is a failure to connect. Every 407 is a failure to connect, too. To avoid all this, allow CONNECT to port 80 in
/// the configuration of the proxy.
///
/// Proxies resolve host names themselves, so the client cannot check the addresses that names resolve to. It still
/// checks addresses in URLs, and ports. The proxy itself may be at any address.
///
/// ```
/// use comity_fetch::transport::Proxy;
///
/// let proxy: Proxy = "http://user:password@proxy.example:3128".parse()?;
/// assert_eq!(proxy.to_string(), "http://proxy.example:3128");
/// assert!("ftp://proxy.example".parse::<Proxy>().is_err());
/// # Ok::<(), comity_fetch::transport::ProxyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    kind: Kind,
    host: Host,
    port: u16,
    user: Option<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Http,
    Https,
    Socks,
}

/// A connection through a proxy.
pub(super) enum ProxyConnection {
    /// A connection to the site.
    Tunnel(Link),
    /// A connection to the proxy, which refused a tunnel and is asked to forward the request.
    Forward(Link, Refusal),
}

impl Proxy {
    /// Connects to a host through the proxy. Only plain HTTP is forwarded.
    pub(super) async fn connect(
        &self,
        host: &Host<&str>,
        port: u16,
        is_secure: bool,
        dialer: &Dialer,
        tls: &Tls,
    ) -> Result<ProxyConnection, TransportError> {
        let failed = |detail: String| TransportError::new(Failure::Connect, format!("the proxy {self}: {detail}"));
        let mut link = self.link(dialer, tls).await?;
        let authority = format!("{host}:{port}");
        let tunnel = async {
            if self.kind != Kind::Socks {
                return tunnel::connect(link, &authority, self.authorization()).await.map_err(|e| self.named(e));
            }
            socks::connect(&mut link, host, port, self.user.as_ref()).await.map_err(|e| self.named(e))?;
            Ok(Connected::Tunnel(link))
        };
        match tokio::time::timeout(tls.timeout(), tunnel).await {
            Ok(Ok(Connected::Tunnel(link))) => Ok(ProxyConnection::Tunnel(link)),
            Ok(Ok(Connected::Refused(refusal))) if is_secure => Err(failed(refusal.of_tunnel(port))),
            Ok(Ok(Connected::Refused(refusal))) => Ok(ProxyConnection::Forward(self.link(dialer, tls).await?, refusal)),
            Ok(Err(problem)) => Err(problem),
            Err(_) => {
                Err(TransportError::new(Failure::Timeout, format!("the proxy {self}: it did not answer in time")))
            }
        }
    }

    /// Connects to the proxy itself.
    async fn link(&self, dialer: &Dialer, tls: &Tls) -> Result<Link, TransportError> {
        let host = match &self.host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        let stream = dialer.connect(&host, self.port, &Addresses::Any).await.map_err(|e| self.named(e))?;
        let link: Link = Box::new(stream);
        if self.kind != Kind::Https {
            return Ok(link);
        }
        Ok(Box::new(tls.connect(link, &host, AlpnOffer::Http11).await.map_err(|e| self.named(e))?))
    }

    fn named(&self, mut problem: TransportError) -> TransportError {
        problem.detail = format!("the proxy {self}: {}", problem.detail);
        problem
    }

    /// Returns the value of `Proxy-Authorization` (RFC 7617).
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        let (user, password) = self.user.as_ref()?;
        let coded = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        let mut value = HeaderValue::try_from(format!("Basic {coded}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Display for Proxy {
    /// Formats the URL of the proxy without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            Kind::Http => "http",
            Kind::Https => "https",
            Kind::Socks => "socks5h",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl FromStr for Proxy {
    type Err = ProxyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ProxyError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Proxy> {
    let url = Url::parse(text.trim()).ok()?;
    let kind = match url.scheme() {
        "http" => Kind::Http,
        "https" => Kind::Https,
        "socks5h" => Kind::Socks,
        _ => return None,
    };
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return None;
    }
    // With a scheme that the parser does not know, it takes a number for a name.
    let host = Host::parse(url.host_str()?).ok()?;
    let port = url.port_or_known_default().unwrap_or(1080);
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
    let user = match (url.username(), url.password()) {
        ("", None) => None,
        (user, password) => Some((decoded(user)?, decoded(password.unwrap_or_default())?)),
    };
    Some(Proxy { kind, host, port, user })
}

/// A text that is not a proxy's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyError(String);

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text is left out of the message if it may contain a password.
        let found = if self.0.contains('@') { "what was given" } else { &self.0 };
        write!(
            f,
            "expected a proxy as http://HOST:PORT, https://HOST:PORT or socks5h://HOST:PORT, found `{}`",
            Escaped(found.as_bytes())
        )
    }
}

impl std::error::Error for ProxyError {}
