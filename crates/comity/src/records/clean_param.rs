//! `Clean-param`, as documented by Yandex: query parameters that do not change the page.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use memchr::memchr;

use crate::document::Robots;
use crate::escape::Escaped;
use crate::matcher::pattern;
use crate::matcher::search::Search;
use crate::parse::directive::{is_space, trim};
use crate::records::Meaning;

/// A `Clean-param` record: names of query parameters, and the paths on which they do not change the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanParam<'a> {
    names: &'a [u8],
    path: Option<&'a [u8]>,
}

/// The maximum length of a record in characters. A longer record is ignored, since dropping too many parameters would
/// merge different pages.
const MAX_LEN: usize = 500;

impl<'a> CleanParam<'a> {
    /// Parses `p[&p2…] [path]`.
    pub(super) fn parse(value: &'a [u8]) -> Option<Self> {
        let end = value.iter().position(|b| is_space(*b)).unwrap_or(value.len());
        let (names, path) = (&value[..end], trim(&value[end..]));
        let has_name = names.split(|b| *b == b'&').any(|name| !name.is_empty());
        let is_path = match path {
            [] => true,
            [b'/' | b'*', ..] => !path.iter().any(|b| is_space(*b)),
            _ => false,
        };
        let is_one =
            value.len() <= MAX_LEN && has_name && is_path && !names.iter().any(|b| matches!(b, b'=' | b'/' | b'?'));
        is_one.then_some(Self { names, path: (!path.is_empty()).then_some(path) })
    }

    /// Returns the names of the parameters. They are case-sensitive.
    pub fn names(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.names.split(|b| *b == b'&').filter(|name| !name.is_empty())
    }

    /// Returns the prefix of the paths that it applies to, with `*` as a wildcard. Returns `None` if it applies to all
    /// paths.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    fn covers(&self, search: &mut Search<'_>) -> bool {
        self.path.is_none_or(|start| pattern::matches_segments(start, false, 0, search))
    }
}

impl Robots {
    /// Returns the canonical form of a URL, or of a path with its query: without the parameters that a `Clean-param` of
    /// this file declares irrelevant. The other parameters keep their order and spelling. Yandex supports such records;
    /// other crawlers may not.
    ///
    /// ```
    /// use comity::Robots;
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow:\nClean-param: ref&sid /books/\n");
    /// let canonical = |url| robots.canonical(url);
    /// assert_eq!(canonical("https://a.example/books/?id=7&ref=x&sid=9"), "https://a.example/books/?id=7");
    /// assert_eq!(canonical("https://a.example/books/?ref=x#top"), "https://a.example/books/#top");
    /// assert_eq!(canonical("https://a.example/films/?ref=x"), "https://a.example/films/?ref=x");
    /// ```
    pub fn canonical<'u>(&self, url: &'u (impl AsRef<str> + ?Sized)) -> Cow<'u, str> {
        let url = url.as_ref();
        let end = memchr(b'#', url.as_bytes()).unwrap_or(url.len());
        let Some(mark) = memchr(b'?', &url.as_bytes()[..end]) else { return Cow::Borrowed(url) };
        let path = path_of(&url.as_bytes()[..mark]);
        let mut search = Search::new(path);
        let covering = self.records().filter_map(|record| match record.meaning() {
            Meaning::CleanParam(clean) if clean.covers(&mut search) => Some(clean),
            _ => None,
        });
        let mut names: Vec<&[u8]> = covering.flat_map(|clean| clean.names()).collect();
        names.sort_unstable(); // a file may list very many
        let is_kept = |parameter: &&str| {
            let name = &parameter.as_bytes()[..parameter.find('=').unwrap_or(parameter.len())];
            names.binary_search(&name).is_err()
        };
        let query = &url[mark + 1..end];
        if query.split('&').all(|parameter| is_kept(&parameter)) {
            return Cow::Borrowed(url);
        }
        let mut canonical = String::with_capacity(url.len());
        canonical.push_str(&url[..mark]);
        for (i, parameter) in query.split('&').filter(is_kept).enumerate() {
            canonical.push(if i == 0 { '?' } else { '&' });
            canonical.push_str(parameter);
        }
        canonical.push_str(&url[end..]);
        Cow::Owned(canonical)
    }
}

/// Returns the path of a URL without its query, or `/` if it is empty.
fn path_of(url: &[u8]) -> &[u8] {
    let slash = |from: usize| memchr(b'/', &url[from..]).map(|i| from + i);
    let start = match slash(0) {
        Some(first) if url[..first].ends_with(b":") && url[first..].starts_with(b"//") => slash(first + 2),
        first => first,
    };
    start.map_or(b"/", |start| &url[start..])
}

impl fmt::Display for CleanParam<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, Escaped(name))?;
        }
        f.write_str(if self.names().nth(1).is_some() { " don't matter" } else { " doesn't matter" })?;
        match self.path {
            Some(path) => write!(f, " on {}", Escaped(path)),
            None => Ok(()),
        }
    }
}
