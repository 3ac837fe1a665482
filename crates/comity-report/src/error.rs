//! The error of a question that can't be answered because it is not valid.

use std::fmt::{self, Write};

use comity::crawlers::Misnomer;
use comity::{Escaped, Origin, OriginError};

/// An error about a question that is not valid. Its text states what was expected, what was found, and what to do.
///
/// The text names the fields of a request to the service; that of [`in_options`](Self::in_options) names the options of
/// the command.
#[derive(Clone, Debug)]
pub struct AskError(Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    NoAgent,
    Header { name: String, token: Option<String> },
    List(String),
    Misnomer(Misnomer),
    NoUrl,
    TwoSlashes(String),
    Url(OriginError),
    NotAUrl(String),
    Unclear { url: String, error: url::ParseError },
    Origin { given: String, error: OriginError },
    SeveralSites(Origin, Origin),
    WhichSite(String),
}

/// The names of the parts of a question: fields of a request, or options of the command.
struct Names {
    agent: &'static str,
    origin: &'static str,
}

const FIELDS: Names = Names { agent: "`agent`", origin: "`origin`" };
const OPTIONS: Names = Names { agent: "--agent", origin: "--origin" };

impl AskError {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(kind)
    }

    /// Returns true if the error is about the crawler.
    pub fn is_agent(&self) -> bool {
        matches!(self.0, Kind::NoAgent | Kind::Header { .. } | Kind::List(_) | Kind::Misnomer(_))
    }

    /// Returns the product tokens that the name of a crawler may mean, most likely first. Empty if none is known, and for
    /// other errors.
    pub fn meant(&self) -> &[String] {
        match &self.0 {
            Kind::Header { token: Some(token), .. } => std::slice::from_ref(token),
            Kind::Misnomer(misnomer) => misnomer.meant(),
            _ => &[],
        }
    }

    /// Returns true if the error is about a URL, or about a missing URL.
    pub fn is_url(&self) -> bool {
        matches!(self.0, Kind::NoUrl | Kind::TwoSlashes(_) | Kind::Url(_) | Kind::NotAUrl(_) | Kind::Unclear { .. })
    }

    /// Returns true if the error is about the site of the file.
    pub fn is_origin(&self) -> bool {
        matches!(self.0, Kind::Origin { .. } | Kind::SeveralSites(..) | Kind::WhichSite(_))
    }

    /// Returns the text of the error with the names of options: `--origin` instead of `origin`, for example.
    pub fn in_options(&self) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = self.write(&mut text, &OPTIONS);
        text
    }

    fn write(&self, f: &mut impl Write, names: &Names) -> fmt::Result {
        let Names { agent, origin } = names;
        let has_options = *origin == OPTIONS.origin;
        match &self.0 {
            Kind::NoAgent => {
                write!(f, "{agent} is empty: expected a product token such as Googlebot, or * for any crawler")
            }
            Kind::Header { name, token: Some(token) } => {
                let (name, token) = (Escaped(name.as_bytes()), Escaped(token.as_bytes()));
                write!(f, "expected a product token, found a whole User-Agent header: `{name}`. ")?;
                write!(f, "It probably means ")?;
                if has_options { write!(f, "{agent} {token}") } else { write!(f, "`{token}`") }
            }
            Kind::Header { name, token: None } => write!(
                f,
                "expected a product token such as Googlebot, found a whole User-Agent header of no known crawler: `{}`",
                Escaped(name.as_bytes())
            ),
            Kind::List(name) => {
                write!(f, "expected one product token, found a list: `{}`. ", Escaped(name.as_bytes()))?;
                if !has_options {
                    return f.write_str("Give each as an item of `agents`");
                }
                f.write_str("Repeat the option:")?;
                name.split(',').try_for_each(|token| write!(f, " {agent} {}", Escaped(token.trim().as_bytes())))
            }
            Kind::Misnomer(misnomer) => {
                write!(f, "{misnomer}: ")?;
                match misnomer.meant() {
                    [] => f.write_str("expected a product token such as Googlebot")?,
                    [one] if has_options => write!(f, "write {agent} {}", quoted(one))?,
                    [one] => write!(f, "write {one}")?,
                    [..] => f.write_str("write the one that you mean")?,
                }
                if has_options { f.write_str(", or add --literal for the name as it is") } else { Ok(()) }
            }
            Kind::NoUrl if has_options => {
                f.write_str("expected a URL, or a list with --urls FILE, --sitemap FILE or --log FILE")
            }
            Kind::NoUrl => f.write_str("expected a URL in `url`, or several in `urls`"),
            Kind::TwoSlashes(url) => {
                let url = Escaped(url.as_bytes());
                let starts = if url.0.starts_with(b"//") { "starts with" } else { "is read like" };
                write!(f, "`{url}` {starts} `//`, so a browser would read a host from it: write the whole URL, ")?;
                write!(f, "https://HOST{url} for a path or https:{url} for a host")
            }
            Kind::Url(error) => write!(f, "{error}"),
            Kind::NotAUrl(url) => {
                let shown = Escaped(url.as_bytes());
                write!(f, "expected an absolute URL or a path that starts with `/`, found `{shown}`")?;
                let looks_like_one = url.contains(['.', '/']) && !url.contains(char::is_whitespace);
                if looks_like_one { write!(f, "; did you mean https://{shown} or /{shown}?") } else { Ok(()) }
            }
            Kind::Unclear { url, error } => write!(f, "`{}`: {error}", Escaped(url.as_bytes())),
            Kind::Origin { given, error } => {
                // People type hosts where URLs are expected. The scheme is not guessed, since another scheme is another
                // site with its own file.
                let host = Escaped(given.as_bytes());
                if given.contains("://") {
                    write!(f, "{origin}: {error}")
                } else {
                    write!(f, "{origin}: expected a URL of the site, found `{host}`; did you mean https://{host}?")
                }
            }
            Kind::SeveralSites(first, other) => write!(
                f,
                "these URLs are on several sites ({first} and {other}), and each site has a robots.txt of its own: \
                 name the site of this file with {origin}"
            ),
            Kind::WhichSite(path) => {
                let (shown, robots) = (Escaped(path.as_bytes()), if has_options { "--robots" } else { "`robots`" });
                write!(
                    f,
                    "the site of `{shown}` is unknown: give the whole URL, the site with {origin}, or its file with "
                )?;
                f.write_str(robots)
            }
        }
    }
}

/// Returns a token as a word of a shell, which would take `*` for the files of the folder.
fn quoted(token: &str) -> &str {
    if token == "*" { "'*'" } else { token }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &FIELDS)
    }
}

impl std::error::Error for AskError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            // It speaks for itself.
            Kind::Url(error) => error.source(),
            Kind::Unclear { error, .. } => Some(error),
            Kind::Origin { error, .. } => Some(error),
            _ => None,
        }
    }
}
