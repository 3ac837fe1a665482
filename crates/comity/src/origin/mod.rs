//! Origins: the scope of a robots.txt (RFC 9309 §2.3). Requires the feature `url`.

mod plain;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use url::{Host, Url};

use crate::crawler::identity::Crawler;
use crate::document::Robots;
use crate::escape::Escaped;
pub use plain::{is_plain_path, is_plain_url};

use self::plain::Parts;
use crate::verdict::Verdict;

/// A scheme, a host and a port: the scope that one robots.txt governs.
///
/// Hosts are compared as in browsers: case folded, IDN as punycode, IP addresses in one spelling. Unlike in browsers, a
/// trailing dot is removed, since `example.com.` is the same name in DNS. An explicit default port (80, 443, or 21 for
/// FTP) equals no port. A file on `example.com` does not govern `www.example.com`, and a file on `http:` does not
/// govern `https:`.
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
    /// The usual notation, such as `https://example.com:8443`.
    text: String,
    /// The length of the scheme in `text`.
    scheme: u16,
    port: Option<u16>,
}

impl Origin {
    /// Returns the origin of a URL.
    pub fn of(url: &str) -> Result<Self, OriginError> {
        match plain::parts(url) {
            Some(parts) => Ok(Self::of_parts(&parts)),
            None => Self::parse_url(url).map(|(_, origin)| origin),
        }
    }

    /// Returns a URL as a browser would send it, and its origin.
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

    /// Returns the origin of a parsed URL. Returns `None` if it has no host, as with `mailto:` and `file:`.
    pub fn of_url(url: &Url) -> Option<Self> {
        let host = match url.host()? {
            Host::Domain(domain) => {
                let domain = domain.strip_suffix('.').unwrap_or(domain).to_ascii_lowercase();
                // The URL parser keeps the hosts of unknown schemes unchanged; they are normalized here like any other
                // name.
                if url.is_special() { domain } else { idn(&domain).unwrap_or(domain) }
            }
            address => address.to_string(),
        };
        // `Url::port` is `None` for the default port of the scheme.
        if host.is_empty() { None } else { Self::new(url.scheme(), &host, url.port()) }
    }

    /// Returns the origin with this notation, as another URL parser normalized it: a browser's, for example, in a
    /// WebAssembly module without one. Returns `None` if the text is not a scheme, `://`, a host and perhaps a port, in
    /// the form in which they are sent.
    ///
    /// ```
    /// use comity::Origin;
    ///
    /// let origin = Origin::from_normalized("https://xn--mller-kva.example:8443");
    /// assert_eq!(origin, Some(Origin::of("https://Müller.example:8443/a")?));
    /// assert_eq!(Origin::from_normalized("https://Müller.example"), None);
    /// # Ok::<(), comity::OriginError>(())
    /// ```
    pub fn from_normalized(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let (host, port) = match authority.rsplit_once(':') {
            // Other colons are inside of the brackets of an IPv6 address.
            Some((host, port)) if !port.ends_with(']') => (host, Some(plain::port_of(port)?)),
            _ => (authority, None),
        };
        let is_default =
            matches!((scheme, port), ("http" | "ws", Some(80)) | ("https" | "wss", Some(443)) | ("ftp", Some(21)));
        let is_scheme = |octet: u8| octet.is_ascii_lowercase() || octet.is_ascii_digit() || b"+-.".contains(&octet);
        let is_sent =
            |octet: u8| octet.is_ascii_graphic() && !octet.is_ascii_uppercase() && !b"/?#@\\".contains(&octet);
        let has_host = !host.is_empty() && !host.ends_with('.') && (host.starts_with('[') || !host.contains(':'));
        let is_normalized = !scheme.is_empty() && scheme.bytes().all(is_scheme) && host.bytes().all(is_sent);
        if is_normalized && has_host && !is_default { Self::new(scheme, host, port) } else { None }
    }

    /// Returns `None` if the scheme is longer than `u16::MAX` octets.
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

    /// Returns the origin that the robots.txt at this URL governs. The path must be exactly `/robots.txt` (RFC 9309
    /// §2.3).
    pub fn of_robots_url(url: &str) -> Result<Self, OriginError> {
        let failed = |kind| OriginError { kind, url: without_userinfo(url).into_owned() };
        let parsed = Url::parse(url).map_err(|e| failed(ErrorKind::NotAUrl(e)))?;
        if parsed.path() != "/robots.txt" || parsed.query().is_some() {
            return Err(failed(ErrorKind::Misplaced));
        }
        Self::of_url(&parsed).ok_or_else(|| failed(ErrorKind::NoHost))
    }

    /// Returns the URL of the robots.txt that governs this origin.
    pub fn robots_url(&self) -> String {
        alloc::format!("{self}/robots.txt")
    }

    /// Returns true if the robots.txt of this origin governs a URL.
    pub fn governs(&self, url: &str) -> bool {
        Self::of(url).is_ok_and(|other| other == *self)
    }

    /// Checks whether a crawler may fetch a URL, by a robots.txt of this origin. The URL is normalized as in a browser.
    /// The answer is [`OutOfScope`](crate::Answer::OutOfScope) if it belongs to another origin or cannot be parsed.
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

    /// Returns the scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.text[..usize::from(self.scheme)]
    }

    /// Returns the host: a domain name in lower case and punycode, or an IP address.
    pub fn host(&self) -> &str {
        let rest = &self.text[usize::from(self.scheme) + "://".len()..];
        match self.port {
            Some(_) => rest.rsplit_once(':').map_or(rest, |(host, _)| host),
            None => rest,
        }
    }

    /// Returns the port, unless it is the default of the scheme.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Returns the usual notation, such as `https://example.com:8443`.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Returns a URL without its user name and password, for messages and logs.
///
/// The text need not be a valid URL. Text without an `@` before its path is returned unchanged.
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
    // URL parsers ignore tabs and line ends, and take a backslash for a slash (URL Standard, basic URL parser).
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

/// Normalizes a domain name of an unknown scheme as a browser would for a known one.
fn idn(domain: &str) -> Option<String> {
    let url = Url::parse(&alloc::format!("http://{domain}/")).ok()?;
    url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host).to_string())
}

impl FromStr for Origin {
    type Err = OriginError;

    /// Parses an origin: a URL that ends after its host and port, or with a `/` after them. For any URL, use
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
    /// Writes the usual notation, such as `https://example.com:8443`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origin").field(&self.text).finish()
    }
}

/// The error of a URL that has no origin, or is not the URL of a robots.txt.
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
    /// Returns true if the text is not an absolute URL.
    pub fn is_not_a_url(&self) -> bool {
        matches!(self.kind, ErrorKind::NotAUrl(_))
    }

    /// Returns true if the URL has no host, so that no robots.txt can govern it.
    pub fn is_without_host(&self) -> bool {
        self.kind == ErrorKind::NoHost
    }

    /// Returns true if the URL of a robots.txt was expected and the path is another one.
    pub fn is_misplaced(&self) -> bool {
        self.kind == ErrorKind::Misplaced
    }

    /// Returns true if an origin was expected and the URL has more than that.
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
            // The message about relative URLs already covers it.
            ErrorKind::NotAUrl(error) if *error != url::ParseError::RelativeUrlWithoutBase => Some(error),
            ErrorKind::NotAUrl(_) | ErrorKind::NoHost | ErrorKind::Misplaced | ErrorKind::NotAnOrigin(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalized_origins_are_those_of_their_urls() {
        for url in [
            "https://example.com/a",
            "HTTP://EXAMPLE.com.:8080",
            "https://M\u{fc}ller.example:443",
            "http://[0::1]:90/",
            "https://[::1]",
            "http://127.1:1/",
            "ftp://example.com:2121/",
            "other://example.com/",
            "https://a_b.example",
        ] {
            let origin = Origin::of(url).unwrap();
            assert_eq!(Origin::from_normalized(origin.as_str()), Some(origin));
        }
        for text in [
            "",
            "example.com",
            "https://",
            "://a",
            "https://a/",
            "https://A",
            "https://u@a",
            "https://a.",
            "https://a:443",
            "https://a:",
            "https://a:080",
            "https://a:b:80",
            "https://a:99999",
            "https://\u{fc}",
            "https://a b",
            "HTTPS://a",
            "https://a?b",
        ] {
            assert_eq!(Origin::from_normalized(text), None, "{text}");
        }
    }

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
