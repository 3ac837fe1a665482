//! Origins: the scope of a robots.txt (RFC 9309 §2.3). Requires the feature `url`.

mod error;

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use url::{Host, Url};

pub use error::OriginError;

use self::error::ErrorKind;
use crate::crawler::identity::Crawler;
use crate::document::Robots;
use crate::url::parse_url;
use crate::url::plain::{self, Parts};
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
        let (parsed, origin) = Self::parsed(url)?;
        Ok((Cow::Owned(parsed.into()), origin))
    }

    /// Parses a URL, and returns it with its origin.
    fn parsed(url: &str) -> Result<(Url, Self), OriginError> {
        let parsed = parse_url(url).map_err(|e| OriginError::new(ErrorKind::NotAUrl(e), url))?;
        let origin = Self::of_url(&parsed).ok_or_else(|| OriginError::new(ErrorKind::NoHost, url))?;
        Ok((parsed, origin))
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

    /// Returns `None` if the scheme is longer than `u16::MAX` bytes.
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
        let (parsed, origin) = Self::parsed(url)?;
        if parsed.path() != "/robots.txt" || parsed.query().is_some() {
            return Err(OriginError::new(ErrorKind::Misplaced, url));
        }
        Ok(origin)
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
        match parse_url(url.as_ref()) {
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
        let (url, origin) = Self::parsed(text)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() || has_user {
            return Err(OriginError::new(ErrorKind::NotAnOrigin(origin), text));
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
}
