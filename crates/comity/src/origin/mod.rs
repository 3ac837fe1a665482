//! Whose robots.txt governs which URL (RFC 9309 §2.3). Feature `url`.

mod plain;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use url::{Host, Url};

use crate::crawler::identity::Crawler;
use crate::document::Robots;
use crate::escape::Escaped;
pub use plain::is_plain_path;

use self::plain::Parts;
use crate::verdict::Verdict;

/// A scheme, a host and a port: what a robots.txt governs, no more and no less.
///
/// Hosts are compared as browsers compare them: case folded, IDN as punycode, IP addresses in one spelling. But a dot at
/// the end is dropped, which browsers keep: `example.com.` is the same name to DNS, so the same site answers. The default ports (80, 443, and 21 for FTP) equal none. A file on `example.com` says nothing about
/// `www.example.com`, nor one on `http:` about `https:`.
///
/// ```
/// use comity::Origin;
///
/// let origin = Origin::of("https://Müller.example:443/a/b?c")?;
/// assert_eq!(origin.robots_url(), "https://xn--mller-kva.example/robots.txt");
/// assert!(origin.governs("https://xn--mller-kva.example/"));
/// assert!(!origin.governs("https://www.xn--mller-kva.example/"));
/// assert!(!origin.governs("http://xn--mller-kva.example/"));
/// # Ok::<(), comity::OriginError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// As people write it: `https://example.com:8443`.
    text: String,
    /// Octets of the scheme in it.
    scheme: u16,
    port: Option<u16>,
}

impl Origin {
    /// The origin of a URL.
    pub fn of(url: &str) -> Result<Self, OriginError> {
        match plain::parts(url) {
            Some(parts) => Ok(Self::of_parts(&parts)),
            None => Self::parse_url(url).map(|(_, origin)| origin),
        }
    }

    /// A URL as a browser would send it, and its origin. Nearly all stand so already, to the letter; those are not
    /// parsed, which is a fifth of the work.
    ///
    /// ```
    /// use comity::Origin;
    ///
    /// let (sent, origin) = Origin::parse_url("HTTPS://example.com:8443/a/../b")?;
    /// assert_eq!((&*sent, origin.as_str()), ("https://example.com:8443/b", "https://example.com:8443"));
    /// # Ok::<(), comity::OriginError>(())
    /// ```
    pub fn parse_url(url: &str) -> Result<(Cow<'_, str>, Self), OriginError> {
        if let Some(parts) = plain::parts(url).filter(|parts| parts.has_path) {
            return Ok((Cow::Borrowed(url), Self::of_parts(&parts)));
        }
        let failed = |kind| OriginError { kind, url: without_userinfo(url).into_owned() };
        let parsed = Url::parse(url).map_err(|e| failed(ErrorKind::NotAUrl(e)))?;
        let origin = Self::of_url(&parsed).ok_or_else(|| failed(ErrorKind::NoHost))?;
        Ok((Cow::Owned(parsed.into()), origin))
    }

    /// The origin of a URL that was parsed; none if it has no host, as `mailto:` and `file:` have none.
    pub fn of_url(url: &Url) -> Option<Self> {
        let host = match url.host()? {
            Host::Domain(domain) => {
                let domain = domain.strip_suffix('.').unwrap_or(domain).to_ascii_lowercase();
                // Schemes that browsers don't know keep their hosts as they stand; names are names all the same.
                if url.is_special() { domain } else { idn(&domain).unwrap_or(domain) }
            }
            address => address.to_string(),
        };
        // The parser drops the default ports of the schemes that have one.
        if host.is_empty() { None } else { Self::new(url.scheme(), &host, url.port()) }
    }

    /// Returns `None` if the scheme is longer than any that there is.
    fn new(scheme: &str, host: &str, port: Option<u16>) -> Option<Self> {
        let mut text = String::with_capacity(scheme.len() + host.len() + "://:65535".len());
        for part in [scheme, "://", host] {
            text.push_str(part);
        }
        if let Some(port) = port {
            text.push(':');
            text.push_str(&port.to_string());
        }
        Some(Self { text, scheme: u16::try_from(scheme.len()).ok()?, port })
    }

    fn of_parts(parts: &Parts<'_>) -> Self {
        Self::new(parts.scheme, parts.host, parts.port).expect("http and https are short")
    }

    /// The origin that the robots.txt at this URL governs: its path must be `/robots.txt`, to the letter
    /// (RFC 9309 §2.3).
    pub fn of_robots_url(url: &str) -> Result<Self, OriginError> {
        let failed = |kind| OriginError { kind, url: without_userinfo(url).into_owned() };
        let parsed = Url::parse(url).map_err(|e| failed(ErrorKind::NotAUrl(e)))?;
        if parsed.path() != "/robots.txt" || parsed.query().is_some() {
            return Err(failed(ErrorKind::Misplaced));
        }
        Self::of_url(&parsed).ok_or_else(|| failed(ErrorKind::NoHost))
    }

    /// The URL of the robots.txt that governs this origin.
    pub fn robots_url(&self) -> String {
        alloc::format!("{self}/robots.txt")
    }

    /// Whether a robots.txt of this origin governs a URL.
    pub fn governs(&self, url: &str) -> bool {
        Self::of(url).is_ok_and(|other| other == *self)
    }

    /// Decides whether a crawler may fetch a URL, by a robots.txt of this origin. The URL is parsed as a browser would, and
    /// asked for as it would be sent. Out of scope if it is another origin's, or no URL at all.
    ///
    /// ```
    /// use comity::{Answer, Crawler, Origin, Robots};
    ///
    /// let origin = Origin::of("https://example.com/")?;
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /b\n");
    /// assert!(origin.check(&robots, &Crawler::ANY, "https://example.com/a/../b").is_disallowed());
    /// assert_eq!(origin.check(&robots, &Crawler::ANY, "https://example.org/b").answer(), Answer::OutOfScope);
    /// # Ok::<(), comity::OriginError>(())
    /// ```
    pub fn check(&self, robots: &Robots, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Verdict {
        match Url::parse(url.as_ref()) {
            Ok(url) if Self::of_url(&url).is_some_and(|other| other == *self) => robots.check(crawler, url),
            _ => Verdict::out_of_scope(),
        }
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.text[..usize::from(self.scheme)]
    }

    /// The host: a domain name in lower case and punycode, or an IP address.
    pub fn host(&self) -> &str {
        let rest = &self.text[usize::from(self.scheme) + "://".len()..];
        match self.port {
            Some(_) => rest.rsplit_once(':').map_or(rest, |(host, _)| host),
            None => rest,
        }
    }

    /// The port, if it is not the scheme's default.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// As people write it: `https://example.com:8443`.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Returns a URL without the user name and the password that stand before its host, for messages and logs.
///
/// The text need not be a URL that can be parsed. What has no `@` before its path stays as it is.
///
/// ```
/// use comity::without_userinfo;
///
/// assert_eq!(without_userinfo("https://user:password@shop.example/a@b"), "https://shop.example/a@b");
/// assert_eq!(without_userinfo("https://shop.example/?mail=a@b"), "https://shop.example/?mail=a@b");
/// assert_eq!(without_userinfo("mailto:me@shop.example"), "mailto:me@shop.example");
/// ```
pub fn without_userinfo(url: &str) -> Cow<'_, str> {
    if !url.contains('@') {
        return Cow::Borrowed(url);
    }
    // Tabs and line ends count nowhere in a URL, and browsers take a backslash for a slash (URL Standard, basic parser).
    let slashes = ['/', '\\', '\t', '\n', '\r'];
    let colon = url.find([':', '/', '\\', '?', '#', '@']);
    let Some((scheme, rest)) = colon.and_then(|at| Some((&url[..at], url[at..].strip_prefix(':')?))) else {
        return Cow::Borrowed(url);
    };
    let authority = rest.trim_start_matches(slashes);
    let scheme: String = scheme.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let is_special = ["http", "https", "ftp", "ws", "wss"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    if rest.len() - authority.len() < 2 && !is_special {
        return Cow::Borrowed(url);
    }
    let ends = |c: char| matches!(c, '/' | '?' | '#') || (is_special && c == '\\');
    let end = authority.find(ends).unwrap_or(authority.len());
    match authority[..end].rfind('@') {
        Some(at) => Cow::Owned(alloc::format!("{}{}", &url[..url.len() - authority.len()], &authority[at + 1..])),
        None => Cow::Borrowed(url),
    }
}

/// A domain name of an unknown scheme, as a browser would have it of a known one.
fn idn(domain: &str) -> Option<String> {
    let url = Url::parse(&alloc::format!("http://{domain}/")).ok()?;
    url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host).to_string())
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Parses an origin: a URL with nothing after its host and port but perhaps a `/`. For any URL, see
    /// [`of`](Self::of).
    ///
    /// ```
    /// use comity::Origin;
    ///
    /// let origin: Origin = "https://Example.com:443".parse()?;
    /// assert_eq!(origin.to_string(), "https://example.com");
    /// assert!("https://example.com/page".parse::<Origin>().unwrap_err().is_not_an_origin());
    /// # Ok::<(), comity::OriginError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, OriginError> {
        let failed = |kind| OriginError { kind, url: without_userinfo(text).into_owned() };
        let url = Url::parse(text).map_err(|e| failed(ErrorKind::NotAUrl(e)))?;
        let origin = Self::of_url(&url).ok_or_else(|| failed(ErrorKind::NoHost))?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() || has_user {
            return Err(failed(ErrorKind::NotAnOrigin(origin)));
        }
        Ok(origin)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Origin {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl AsRef<str> for Origin {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Origin {
    /// Writes it as people do: `https://example.com:8443`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origin").field(&self.text).finish()
    }
}

/// Why a URL has no origin, or is no robots.txt's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginError {
    kind: ErrorKind,
    url: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorKind {
    NotAUrl(url::ParseError),
    NoHost,
    Misplaced,
    NotAnOrigin(Origin),
}

impl OriginError {
    /// Whether the text is no absolute URL.
    pub fn is_not_a_url(&self) -> bool {
        matches!(self.kind, ErrorKind::NotAUrl(_))
    }

    /// Whether it is a URL without a host, which no robots.txt can govern.
    pub fn is_without_host(&self) -> bool {
        self.kind == ErrorKind::NoHost
    }

    /// Whether it is a URL where no robots.txt can be.
    pub fn is_misplaced(&self) -> bool {
        self.kind == ErrorKind::Misplaced
    }

    /// Returns true if an origin was expected, and it is a URL with more than that.
    pub fn is_not_an_origin(&self) -> bool {
        matches!(self.kind, ErrorKind::NotAnOrigin(_))
    }
}

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = Escaped(self.url.as_bytes());
        match &self.kind {
            ErrorKind::NotAUrl(url::ParseError::RelativeUrlWithoutBase) => {
                write!(f, "expected an absolute URL such as https://example.com/page, found `{url}`")
            }
            ErrorKind::NotAUrl(e) => write!(f, "`{url}` is not a URL: {e}"),
            ErrorKind::NoHost => write!(f, "`{url}` has no host, so no robots.txt governs it"),
            ErrorKind::Misplaced => write!(
                f,
                "a robots.txt counts only at the path `/robots.txt`, in lower case and without a query, found `{url}`"
            ),
            ErrorKind::NotAnOrigin(origin) => {
                write!(f, "expected an origin such as https://example.com, found `{url}`: its origin is {origin}")
            }
        }
    }
}

impl core::error::Error for OriginError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            // The message of a relative URL says it all.
            ErrorKind::NotAUrl(error) if *error != url::ParseError::RelativeUrlWithoutBase => Some(error),
            ErrorKind::NotAUrl(_) | ErrorKind::NoHost | ErrorKind::Misplaced | ErrorKind::NotAnOrigin(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_name_and_no_password_stay() {
        for url in [
            "https://user:s3cret@shop.example/a@b?c@d#e@f",
            "HTTPS://s3cret@shop.example",
            "https://user:s3cret@@shop.example:8443/",
            "https:/user:s3cret@shop.example/",
            "https:user:s3cret@shop.example/",
            "https:\\\\user:s3cret@shop.example\\a@b",
            " https://user:s3cret@shop.example/",
            "ht\ntps:/\t/user:s3cret@shop.example/",
            "https://us\ner:s3cret@shop.example/",
            "ftp://user:s3cret@shop.example/",
            "other://user:s3\\cret@shop.example/a@b",
            "https://%75ser:s3cret%40@shop.example/",
        ] {
            let (with, without) = (Url::parse(url).unwrap(), Url::parse(&without_userinfo(url)).unwrap());
            assert!(!with.username().is_empty(), "{url}");
            assert!(without.username().is_empty() && without.password().is_none(), "{url}: {without}");
            let rest = |url: &Url| {
                [url.host_str(), Some(url.path()), url.query(), url.fragment()]
                    .map(|part| part.map(ToString::to_string))
            };
            assert_eq!((rest(&with), with.port()), (rest(&without), without.port()), "{url}");
            assert!(!without_userinfo(url).contains("s3"), "{url}");
        }
        for url in [
            "",
            "@",
            "/a@b",
            "?a@b",
            "https://shop.example/a@b",
            "mailto:me@shop.example",
            "x:y@z",
            "https:",
            "//a@b/c",
        ] {
            assert_eq!(without_userinfo(url), url);
        }
        for url in ["https://user:s3cret@", "https://user:s3cret@shop.example:99999/"] {
            assert!(!without_userinfo(url).contains("s3cret"), "{url}");
            assert!(!Origin::of(url).unwrap_err().to_string().contains("s3cret"), "{url}");
        }
    }
}
