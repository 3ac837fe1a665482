//! The URLs that a sitemap may list, which depend on its own URL.

use std::fmt;

/// The URLs that a sitemap may list: those below its own directory, on its own site (sitemaps.org, "Sitemap file
/// location").
///
/// If a robots.txt names the sitemap, the sitemap may instead list all URLs of the site of that robots.txt, wherever
/// the sitemap itself is.
///
/// ```
/// use comity_page::Scope;
///
/// let scope = Scope::of("https://a.example/shop/map.xml").unwrap();
/// assert!(scope.covers("https://a.example/shop/shoes?size=9"));
/// assert!(!scope.covers("https://a.example/blog/"));
/// assert!(!scope.covers("https://b.example/shop/shoes"));
/// assert_eq!(scope.directory(), "/shop/");
/// ```
///
/// URLs are compared as written, except for the case of scheme and host and for default ports. Pass them as a URL
/// parser returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope<'a> {
    site: Site<'a>,
    directory: &'a str,
}

#[derive(Clone, Copy, Debug, Eq)]
struct Site<'a> {
    scheme: &'a str,
    /// The authority, without a default port.
    authority: &'a str,
}

impl PartialEq for Site<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme) && self.authority.eq_ignore_ascii_case(other.authority)
    }
}

impl<'a> Scope<'a> {
    /// Returns the scope of the sitemap at this URL, or `None` if it is not an absolute URL.
    pub fn of(sitemap: &'a str) -> Option<Self> {
        let (site, path) = split(sitemap)?;
        let directory = path.rfind('/').map_or("/", |slash| &path[..=slash]);
        Some(Self { site, directory })
    }

    /// Returns the path of the directory, from the root of its site to a final `/`.
    pub fn directory(&self) -> &'a str {
        self.directory
    }

    /// Returns true if the sitemap may list a URL.
    #[must_use]
    pub fn covers(&self, url: &str) -> bool {
        split(url).is_some_and(|(site, path)| {
            let path = if path.is_empty() { "/" } else { path };
            site == self.site && path.starts_with(self.directory)
        })
    }
}

/// Writes the URL of the directory.
impl fmt::Display for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.site.scheme, self.site.authority, self.directory)
    }
}

/// Returns the site of an absolute URL, and its path without a query.
fn split(url: &str) -> Option<(Site<'_>, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    let port = match scheme {
        _ if scheme.eq_ignore_ascii_case("http") => ":80",
        _ if scheme.eq_ignore_ascii_case("https") => ":443",
        _ => return None,
    };
    let authority = authority.strip_suffix(port).unwrap_or(authority);
    (!authority.is_empty()).then_some((Site { scheme, authority }, path))
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn scope_covers_urls_below_its_directory() {
        for (sitemap, url, is_covered) in [
            // The examples of sitemaps.org.
            ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/show?item=23&user=3453", true),
            ("http://example.com/catalog/sitemap.xml", "http://example.com/image/show?item=23&user=3453", false),
            ("http://example.com/catalog/sitemap.xml", "https://example.com/catalog/page1.php", false),
            ("http://example.com/path/sitemap.xml", "http://example.com:100/path/", false),
            ("http://www.example.com/sitemap.xml", "http://subdomain.example.com/x", false),
            // A site's root covers all of it.
            ("https://a.example/sitemap.xml", "https://a.example", true),
            ("https://a.example/sitemap.xml", "https://a.example?x", true),
            ("https://a.example", "https://a.example/a/b", true),
            ("https://A.example:443/s.xml?of=/a/b#/c/", "HTTPS://a.EXAMPLE/x", true),
            // Directories end with a slash, and paths keep their case.
            ("https://a.example/a/s.xml", "https://a.example/ab", false),
            ("https://a.example/a/s.xml", "https://a.example/a", false),
            ("https://a.example/a/s.xml", "https://a.example/a/", true),
            ("https://a.example/a/s.xml", "https://a.example/A/x", false),
            ("https://a.example/a/s.xml", "https://a.example/?/a/", false),
            ("https://a.example/a/s.xml", "/a/x", false),
            ("https://a.example/a/s.xml", "", false),
        ] {
            assert_eq!(Scope::of(sitemap).unwrap().covers(url), is_covered, "{sitemap} {url}");
        }
        for none in ["", "/s.xml", "ftp://a.example/s.xml", "https:///s.xml", "https://:443/s.xml"] {
            assert_eq!(Scope::of(none), None, "{none}");
        }
    }
}
