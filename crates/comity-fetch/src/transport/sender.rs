//! Sends the requests of a policy through a transport, and checks what it returns.

use std::net::SocketAddr;
use std::sync::Arc;

use ::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use comity::Origin;
use comity_policy::{Failure, Head, Request};
use url::{Host, Url};

use super::body::Body;
use super::error::{TransportError, shown};
use super::exchange::{Protocol, Transport, TransportRequest, TransportResponse};
use super::options::{Kind, Options, OptionsError};
use crate::address::{Addresses, Trust, Way, way};

/// The maximum number of fields of a head. Sites with several security products and cookies send more than 100.
pub(super) const MAX_FIELDS: usize = 1000;

/// The maximum size of a head in bytes.
pub(super) const MAX_HEAD: usize = 32 * 1024;

/// The fields that a caller cannot add: those of the message and of its connection, which the transport writes.
const NOT_ADDED: [HeaderName; 9] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

const ACCEPT: HeaderValue = HeaderValue::from_static("text/plain,*/*;q=0.8");

/// Sends the requests of a [`comity_policy::Site`] through a [`Transport`], checks heads and lengths, and decodes bodies.
/// Clones share the transport.
///
/// ```no_run
/// # async fn example(site: &mut comity_policy::Site, now: comity_policy::Time) -> Result<(), Box<dyn std::error::Error>> {
/// use comity::Origin;
/// use comity_fetch::transport::{Options, Sender};
/// use comity_policy::Action;
///
/// let sender = Sender::new(Options::new("ExampleBot/1.0 (+https://example.com/bot)"))?;
/// let origin = Origin::of("https://example.org/")?;
/// if let Action::Send(request) = site.poll(now) {
///     let mut answer = sender.send(&request, &origin).await?;
///     while let Some(bytes) = answer.body.chunk().await? {
///         println!("{} bytes", bytes.len());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sender {
    user_agent: HeaderValue,
    addresses: Addresses,
    trust: Trust,
    transport: Arc<dyn Transport>,
}

impl Sender {
    /// Returns a sender with these options.
    ///
    /// # Errors
    ///
    /// If the options cannot work, for example if the user agent is empty.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        let user_agent = Some(options.user_agent.trim()).filter(|agent| !agent.is_empty() && agent.is_ascii());
        let user_agent = user_agent.and_then(|agent| HeaderValue::from_str(agent).ok());
        Ok(Self {
            user_agent: user_agent.ok_or_else(|| OptionsError::new(Kind::UserAgent))?,
            transport: options.transport()?,
            addresses: options.addresses,
            trust: options.trust,
        })
    }

    /// Returns true if requests for URLs of a scheme are sent.
    pub(crate) fn has_scheme(&self, scheme: &str) -> bool {
        self.transport.has_scheme(scheme)
    }

    /// Returns true if the host of a URL is exempt from the address rules, because the user typed it.
    pub(crate) fn trusts(&self, url: &Url) -> bool {
        Origin::of_url(url).is_some_and(|origin| self.trust.has(&origin))
    }

    /// Sends a request for the robots.txt of this origin, and waits for the head of the response.
    ///
    /// It has no clock: to keep the request's deadline, drop the future.
    ///
    /// # Errors
    ///
    /// If there is no response, or the address rules forbid the request.
    pub async fn send(&self, request: &Request, origin: &Origin) -> Result<CheckedResponse, TransportError> {
        self.send_with(request, origin, &HeaderMap::new(), false).await
    }

    /// Sends a request as [`send`](Self::send) does, with more fields. Of the client's own, they replace
    /// only `Accept`.
    pub(crate) async fn send_with(
        &self,
        request: &Request,
        origin: &Origin,
        more: &HeaderMap,
        keeps_alive: bool,
    ) -> Result<CheckedResponse, TransportError> {
        self.exchange(request, origin, more, keeps_alive, None).await
    }

    /// Sends a text by `POST`, with more fields, as [`send_with`](Self::send_with) does.
    pub(crate) async fn post(
        &self,
        request: &Request,
        origin: &Origin,
        more: &HeaderMap,
        text: &str,
    ) -> Result<CheckedResponse, TransportError> {
        if !self.transport.can_post() || !matches!(request.url.scheme(), "http" | "https") {
            return Err(TransportError::new(Failure::Refused, "the transport sends no POST requests for such a URL"));
        }
        self.exchange(request, origin, more, false, Some(text)).await
    }

    async fn exchange(
        &self,
        request: &Request,
        origin: &Origin,
        more: &HeaderMap,
        keeps_alive: bool,
        text: Option<&str>,
    ) -> Result<CheckedResponse, TransportError> {
        let url = &request.url;
        let refused = |reason| TransportError::new(Failure::Refused, reason);
        if !self.has_scheme(url.scheme()) {
            return Err(refused(format!("nothing is fetched by {}:", shown(url.scheme()))));
        }
        let addresses = match way(&self.addresses, &self.trust, origin, url) {
            Way::Open(addresses) => addresses,
            Way::Closed(reason) => return Err(refused(reason)),
        };
        if let Some(refusal) = literal(url).and_then(|address| addresses.check(address).err()) {
            return Err(refused(refusal.to_string()));
        }
        let (mut headers, mut own) = (more.clone(), self.headers(request));
        for name in &NOT_ADDED {
            headers.remove(name);
        }
        if headers.contains_key(header::ACCEPT) {
            own.remove(header::ACCEPT);
        }
        headers.extend(own);
        let request = TransportRequest { keeps_alive, text, ..TransportRequest::new(url, &headers, addresses) };
        answer(self.transport.send(&request).await?)
    }

    fn headers(&self, request: &Request) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, self.user_agent.clone());
        headers.insert(header::ACCEPT, ACCEPT);
        headers.insert(header::ACCEPT_ENCODING, super::decode::ACCEPTED);
        if let Some(validators) = &request.validators {
            // A server's field value can usually be sent back as one. If it cannot, the request is unconditional.
            let mut ask = |name, value: &Option<String>| {
                if let Some(value) = value.as_ref().and_then(|value| HeaderValue::try_from(value).ok()) {
                    headers.insert(name, value);
                }
            };
            ask(header::IF_NONE_MATCH, &validators.etag);
            ask(header::IF_MODIFIED_SINCE, &validators.last_modified);
        }
        headers
    }
}

/// Returns the address in a URL, if its host is not a name.
fn literal(url: &Url) -> Option<std::net::IpAddr> {
    match url.host()? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
    }
}

fn answer(response: TransportResponse) -> Result<CheckedResponse, TransportError> {
    let TransportResponse { status, headers, protocol, peer, body } = response;
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > MAX_FIELDS || bytes > MAX_HEAD {
        let detail = format!(
            "the head of the answer is too large: {} header fields with {bytes} bytes, and at most {MAX_FIELDS} with \
             {MAX_HEAD} are read",
            headers.len()
        );
        return Err(TransportError::new(Failure::InvalidResponse, detail));
    }
    let mut head = if protocol == Some(Protocol::Ftp) { Head::ftp(status) } else { Head::http(status) };
    let mut fields = Vec::with_capacity(headers.len());
    for (name, value) in &headers {
        head = head.with(name.as_str(), value.as_bytes());
        fields.push((name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    }
    Ok(CheckedResponse { head, peer, protocol, fields, body: Body::new(body, status, &headers, protocol) })
}

/// A response that the sender has checked: its head, and its body, which is decoded while it is read.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedResponse {
    /// The part of the head that policies decide by.
    pub head: Head,
    /// The address of the server, or of the proxy if it is the one that answered; `None` if it is not known.
    pub peer: Option<SocketAddr>,
    /// The protocol, if it is known.
    pub protocol: Option<Protocol>,
    /// The fields, for people: names in lower case, values as they were received. At most 1,000 and at most 32 KiB; none
    /// with FTP.
    pub fields: Vec<(String, String)>,
    /// The body. Dropping it drops the connection.
    pub body: Body,
}
