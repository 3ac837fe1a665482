//! Access control: by host name, by the origin of the page, and by token.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use comity::Escaped;
use http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Request};
use subtle::ConstantTimeEq;

use crate::problem::Problem;

/// A secret that clients must send as `Authorization: Bearer …` (RFC 6750 §2.1).
#[derive(Clone)]
pub struct BearerToken(Box<[u8]>);

impl BearerToken {
    /// Creates a token. It must consist of visible ASCII characters, because a header can contain no others.
    ///
    /// ```
    /// use comity_server::BearerToken;
    ///
    /// assert!(BearerToken::new("mF_9.B5f-4.1JqM").is_ok());
    /// assert!(BearerToken::new("").is_err());
    /// ```
    pub fn new(text: &str) -> Result<Self, BearerTokenError> {
        let is_sayable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_sayable { Ok(Self(text.as_bytes().into())) } else { Err(BearerTokenError(())) }
    }

    /// Compares in constant time for tokens of the same length.
    fn is(&self, other: &[u8]) -> bool {
        self.0.ct_eq(other).into()
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

/// A token that no header can contain. The error does not include the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearerTokenError(());

impl fmt::Display for BearerTokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a token of visible ASCII characters, found none, or others")
    }
}

impl std::error::Error for BearerTokenError {}

/// The rules for access.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// The host names for which requests are accepted, in addition to the service's own.
    pub(crate) hosts: Vec<String>,
    /// The other origins whose pages may send requests.
    pub(crate) origins: Vec<String>,
    pub(crate) token: Option<BearerToken>,
}

/// The kind of a path, which decides what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A health check, available to everybody under any host name.
    Health,
    /// An endpoint of the API.
    Api,
    /// The page or its files, which hold no secrets, and which other sites may link to.
    Page,
}

impl Kind {
    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/healthz" | "/readyz" => Self::Health,
            "/metrics" => Self::Api,
            _ if path.starts_with("/v1/") => Self::Api,
            _ => Self::Page,
        }
    }
}

impl Access {
    /// Adds the service's own names: those of loopback, and the address of the listener.
    ///
    /// A page can let its own host name resolve to 127.0.0.1, and then send requests from the user's browser (DNS
    /// rebinding). It cannot prevent the browser from sending that name as the host. Addresses cannot be rebound, so if
    /// the service listens on all addresses, requests for any address are accepted.
    pub(crate) fn listening_on(self, address: SocketAddr) -> Self {
        let mut access = self.named_locally();
        access.hosts.push(match address.ip() {
            ip if ip.is_unspecified() => ANY_ADDRESS.to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        access
    }

    /// Adds the names of loopback.
    pub(crate) fn named_locally(mut self) -> Self {
        self.hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        self
    }

    /// Returns true if pages of this origin may send requests, although it is not the service's own.
    pub(crate) fn names_origin(&self, origin: &[u8]) -> bool {
        self.origins.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(origin))
    }

    /// Refuses requests without access. The least specific check comes first, so that a stranger learns no more than
    /// that.
    pub(crate) fn check<B>(&self, request: &Request<B>, kind: Kind) -> Result<(), Problem> {
        if kind == Kind::Health {
            return Ok(());
        }
        let host = host(request)?;
        self.check_host(host)?;
        self.check_page(request.headers(), request.method(), kind, host)?;
        if kind == Kind::Api { self.check_token(request.headers()) } else { Ok(()) }
    }

    /// Refuses a preflight for another host. Browsers send preflights without a token.
    pub(crate) fn check_preflight<B>(&self, request: &Request<B>) -> Result<(), Problem> {
        self.check_host(host(request)?)
    }

    fn check_host(&self, host: &str) -> Result<(), Problem> {
        let name = name(host);
        let is_known = |known: &String| match known.as_str() {
            "*" => true,
            ANY_ADDRESS => is_address(name),
            known => known.eq_ignore_ascii_case(name),
        };
        if self.hosts.iter().any(is_known) {
            return Ok(());
        }
        // A client that takes the service for a proxy may send a user name and a password here.
        let shown = Escaped(host.rsplit('@').next().unwrap_or_default().as_bytes());
        Err(Problem::misdirected(format!(
            "the request is for `{shown}`, which is not a name of this service: `comity serve --host NAME` adds one"
        )))
    }

    /// Refuses requests that a page of another origin makes its reader's browser send.
    fn check_page(&self, headers: &HeaderMap, method: &Method, kind: Kind, host: &str) -> Result<(), Problem> {
        // Viewing the page or loading its files is harmless; other headers keep pages from embedding it.
        if kind == Kind::Page && matches!(*method, Method::GET | Method::HEAD) {
            return Ok(());
        }
        let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
        let site = headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes);
        let is_known = |origin: &[u8]| {
            let own = [b"http://".as_slice(), b"https://"].iter().any(|scheme| {
                origin.strip_prefix(*scheme).is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_bytes()))
            });
            own || self.names_origin(origin)
        };
        let is_fine = match (origin, site) {
            (Some(origin), _) => is_known(origin),
            (None, Some(site)) => matches!(site, b"same-origin" | b"none"),
            // Not from a browser.
            (None, None) => true,
        };
        if is_fine {
            return Ok(());
        }
        let shown = match origin {
            Some(origin) => format!("a page of `{}`", Escaped(origin)),
            None => "a page of another site".to_owned(),
        };
        Err(Problem::foreign_origin(format!("{shown} asks, and only this service's own page may: `--origin` adds one")))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = &self.token else { return Ok(()) };
        let Some(given) = headers.get(AUTHORIZATION) else {
            return Err(Problem::unauthorized("expected the header `Authorization: Bearer TOKEN`, found none"));
        };
        let is_right = given
            .as_bytes()
            .split_at_checked(BEARER.len())
            .is_some_and(|(scheme, given)| scheme.eq_ignore_ascii_case(BEARER) && token.is(given.trim_ascii()));
        if is_right { Ok(()) } else { Err(Problem::unauthorized("the bearer token is wrong")) }
    }
}

/// Matches every address, and no name.
const ANY_ADDRESS: &str = "any address";
const BEARER: &[u8] = b"Bearer ";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns the host of a request: the authority of its URI if it has one, as in HTTP/2, otherwise its `Host` (RFC 9112
/// §3.2).
fn host<B>(request: &Request<B>) -> Result<&str, Problem> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = match (request.uri().authority(), hosts.next(), hosts.next()) {
        (Some(authority), _, None) => Some(authority.as_str()),
        (None, Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    host.ok_or_else(|| Problem::bad_request("expected one header `Host` with the name of this service"))
}

/// Returns a host without its port.
fn name(host: &str) -> &str {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    name.strip_suffix('.').unwrap_or(name)
}

fn is_address(name: &str) -> bool {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
        None => name.parse::<std::net::Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str) -> Access {
        Access::default().listening_on(address.parse().unwrap())
    }

    fn get(path: &str, headers: &[(&'static str, &str)]) -> Request<()> {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    fn code(result: Result<(), Problem>) -> &'static str {
        result.map_or_else(|problem| problem.code(), |()| "fine")
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let local = access("127.0.0.1:9309");
        let everywhere = access("[::]:9309");
        for (host, of_local, of_everywhere) in [
            ("localhost", "fine", "fine"),
            ("LOCALHOST:9309", "fine", "fine"),
            ("localhost.:80", "fine", "fine"),
            ("127.0.0.1:1", "fine", "fine"),
            ("[::1]:9309", "fine", "fine"),
            ("evil.example", "misdirected", "misdirected"),
            ("evil.example:9309", "misdirected", "misdirected"),
            ("localhost.evil.example", "misdirected", "misdirected"),
            ("127.0.0.1.evil.example", "misdirected", "misdirected"),
            ("10.0.0.5:9309", "misdirected", "fine"),
            ("[fd00::5]", "misdirected", "fine"),
            ("[evil]", "misdirected", "misdirected"),
            ("", "misdirected", "misdirected"),
            ("localhost:80:80", "misdirected", "misdirected"),
        ] {
            let request = get("/v1/service", &[("host", host)]);
            assert_eq!(code(local.check(&request, Kind::Api)), of_local, "{host}");
            assert_eq!(code(everywhere.check(&request, Kind::Api)), of_everywhere, "{host}");
        }
        assert_eq!(code(local.check(&get("/", &[]), Kind::Page)), "bad-request");
        let two = get("/", &[("host", "localhost"), ("host", "evil.example")]);
        assert_eq!(code(local.check(&two, Kind::Page)), "bad-request");
        assert_eq!(code(local.check(&get("/healthz", &[("host", "10.1.2.3")]), Kind::Health)), "fine");
        // The authority of the URI takes precedence (RFC 9112 §3.2.2).
        let absolute = get("http://evil.example/v1/service", &[("host", "localhost")]);
        assert_eq!(code(local.check(&absolute, Kind::Api)), "misdirected");
        let any = Access { hosts: vec!["*".to_owned()], ..Access::default() };
        assert_eq!(code(any.check(&get("/", &[("host", "x.example")]), Kind::Page)), "fine");
    }

    #[test]
    fn pages_from_elsewhere_can_look_and_not_ask() {
        let mut access = access("127.0.0.1:9309");
        access.origins.push("https://tester.example".to_owned());
        let own = ("host", "localhost:9309");
        for (headers, of_api, of_page) in [
            (vec![], "fine", "fine"),
            (vec![("origin", "http://localhost:9309")], "fine", "fine"),
            (vec![("origin", "https://localhost:9309")], "fine", "fine"),
            (vec![("origin", "http://localhost:3000")], "foreign-origin", "fine"),
            (vec![("origin", "http://localhost")], "foreign-origin", "fine"),
            (vec![("origin", "https://tester.example")], "fine", "fine"),
            (vec![("origin", "null")], "foreign-origin", "fine"),
            (vec![("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")], "foreign-origin", "fine"),
            (vec![("sec-fetch-site", "same-origin")], "fine", "fine"),
            (vec![("sec-fetch-site", "none")], "fine", "fine"),
            (vec![("sec-fetch-site", "same-site")], "foreign-origin", "fine"),
            (vec![("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], "foreign-origin", "fine"),
        ] {
            let request = get("/", &[[own].as_slice(), &headers].concat());
            assert_eq!(code(access.check(&request, Kind::Api)), of_api, "{headers:?}");
            assert_eq!(code(access.check(&request, Kind::Page)), of_page, "{headers:?}");
        }
        let mut post = get("/", &[own, ("origin", "https://evil.example")]);
        *post.method_mut() = Method::POST;
        assert_eq!(code(access.check(&post, Kind::Page)), "foreign-origin");
    }

    #[test]
    fn a_token_is_asked_for_where_answers_are() {
        let mut access = access("127.0.0.1:9309");
        access.token = BearerToken::new("s3cret").ok();
        for (headers, found) in [
            (vec![], "unauthorized"),
            (vec![("authorization", "Bearer s3cret")], "fine"),
            (vec![("authorization", "bearer s3cret")], "fine"),
            (vec![("authorization", "Bearer s3cre")], "unauthorized"),
            (vec![("authorization", "Bearer s3crets")], "unauthorized"),
            (vec![("authorization", "Basic s3cret")], "unauthorized"),
            (vec![("authorization", "Bearer")], "unauthorized"),
            (vec![("authorization", "")], "unauthorized"),
        ] {
            let request = get("/", &[[("host", "localhost")].as_slice(), &headers].concat());
            assert_eq!(code(access.check(&request, Kind::Api)), found, "{headers:?}");
            assert_eq!(code(access.check(&request, Kind::Page)), "fine", "{headers:?}");
        }
        assert!(["", "a b", "ä", "a\n"].iter().all(|text| BearerToken::new(text).is_err()));
        assert_eq!(format!("{:?}", access.token), "Some(BearerToken(..))");
    }
}
