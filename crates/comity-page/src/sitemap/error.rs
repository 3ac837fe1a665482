//! Errors of reading a sitemap.

use std::{error, fmt, io};

use comity::Escaped;

/// An error that prevents or ends the reading of a sitemap.
#[derive(Debug)]
pub struct SitemapError(Kind);

#[derive(Debug)]
pub(super) enum Kind {
    Io(io::Error),
    TooLarge,
    TooMany,
    TooDeep(u64),
    PieceTooLarge(u64),
    DocumentType(u64),
    Entity(u64, String),
    Malformed(u64, Box<dyn error::Error + Send + Sync>),
    /// It has no element.
    Empty(u64),
    /// It ends within an element.
    Cut(u64),
    /// The name of the outermost element.
    NotASitemap(String),
    NotText(u64),
    /// It is not UTF-8. The encoding that it declares.
    Encoding(u64, Option<String>),
    /// It has no byte, or only white space.
    Nothing,
    /// It has no entry, but something else in its place.
    NotUnderstood {
        line: u64,
        found: String,
        expected: String,
    },
}

impl SitemapError {
    /// Returns true if the sitemap could not be read: the reader or the decompression failed.
    pub fn is_io(&self) -> bool {
        matches!(self.0, Kind::Io(_))
    }

    /// Returns true if the sitemap exceeds the limit of bytes or entries. The entries before the error are correct.
    pub fn is_over_limit(&self) -> bool {
        matches!(self.0, Kind::TooLarge | Kind::TooMany)
    }

    /// Returns true if the sitemap contains something that sitemaps do not need but attacks use: a document type,
    /// entities, very deep nesting, or very long pieces.
    pub fn is_refused(&self) -> bool {
        matches!(self.0, Kind::TooDeep(_) | Kind::PieceTooLarge(_) | Kind::DocumentType(_) | Kind::Entity(..))
    }

    /// Returns true if the input is something else than a sitemap, such as an HTML page, an empty file, or XML without
    /// an entry where sitemaps have them.
    pub fn is_not_a_sitemap(&self) -> bool {
        matches!(self.0, Kind::NotASitemap(_) | Kind::NotText(_) | Kind::Nothing | Kind::NotUnderstood { .. })
    }

    /// Returns true if the sitemap is malformed XML.
    pub fn is_malformed(&self) -> bool {
        matches!(self.0, Kind::Malformed(..) | Kind::Encoding(..) | Kind::Empty(_) | Kind::Cut(_))
    }
}

impl From<Kind> for SitemapError {
    fn from(kind: Kind) -> Self {
        Self(kind)
    }
}

impl From<SitemapError> for io::Error {
    fn from(error: SitemapError) -> Self {
        match error.0 {
            Kind::Io(error) => error,
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

impl fmt::Display for SitemapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Io(error) => write!(f, "the sitemap could not be read: {error}"),
            Kind::TooLarge => {
                f.write_str("expected at most 50 MB uncompressed, found more: split it, and list the parts in an index")
            }
            Kind::TooMany => {
                f.write_str("expected at most 50,000 entries, found more: split it, and list the parts in an index")
            }
            Kind::TooDeep(line) => {
                write!(f, "line {line}: expected a sitemap, found elements that are nested too deeply")
            }
            Kind::PieceTooLarge(line) => {
                write!(f, "line {line}: expected a sitemap, found a piece of XML that is too long")
            }
            Kind::DocumentType(line) => {
                write!(f, "line {line}: expected a sitemap without a document type, which attacks use")
            }
            Kind::Entity(line, name) => {
                write!(
                    f,
                    "line {line}: the entity `&{};`, which XML does not know: write the character itself",
                    Escaped(name.as_bytes())
                )
            }
            Kind::Malformed(line, error) => {
                write!(f, "line {line}: expected XML: {}", Escaped(error.to_string().as_bytes()))
            }
            Kind::Empty(line) => write!(f, "line {line}: expected XML, found no element"),
            Kind::Cut(line) => write!(f, "line {line}: expected XML, found the end of the file in the middle"),
            Kind::NotASitemap(name) if name.eq_ignore_ascii_case("html") => {
                f.write_str("expected a sitemap, found an HTML page: an error page, perhaps")
            }
            Kind::NotASitemap(name) => {
                write!(f, "expected <urlset>, <sitemapindex>, <rss> or <feed>, found <{}>", Escaped(name.as_bytes()))
            }
            Kind::NotText(line) => write!(f, "line {line}: expected a URL on each line, found bytes that are not text"),
            Kind::Encoding(line, declared) => {
                write!(f, "line {line}: expected UTF-8, as sitemaps must be (sitemaps.org), found other bytes")?;
                match declared {
                    Some(name) if !name.eq_ignore_ascii_case("utf-8") => {
                        write!(f, ": the file is declared as {}", Escaped(name.as_bytes()))
                    }
                    _ => Ok(()),
                }
            }
            Kind::Nothing => f.write_str("expected a sitemap, found an empty file"),
            Kind::NotUnderstood { line, found, expected } => {
                let (found, expected) = (Escaped(found.as_bytes()), Escaped(expected.as_bytes()));
                write!(f, "line {line}: expected {expected}, found {found}: nothing in the sitemap was understood")
            }
        }
    }
}

impl error::Error for SitemapError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0 {
            Kind::Io(error) => Some(error),
            Kind::Malformed(_, error) => Some(&**error),
            _ => None,
        }
    }
}
