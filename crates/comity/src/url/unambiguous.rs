//! Paths as they are sent, which no dialect takes for a URL.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use url::{Position, Url};

use super::escaped::escape;
use super::resolve::join_url;

/// Returns a path in a form that every dialect reads as this path.
///
/// Google's parser reads a host after two slashes, so a path that starts with them becomes a URL of the host
/// `path.invalid`. Other paths are returned unchanged. Normalization can make such a path of one that seems harmless: a
/// browser sends `/.//a` as `//a`.
///
/// ```
/// use comity::url::unambiguous_path;
///
/// assert_eq!(unambiguous_path("/a//b"), "/a//b");
/// assert_eq!(unambiguous_path("//a/b"), "http://path.invalid//a/b");
/// ```
pub fn unambiguous_path(path: &str) -> Cow<'_, str> {
    if path.starts_with("//") { Cow::Owned(alloc::format!("http://path.invalid{path}")) } else { Cow::Borrowed(path) }
}

/// Returns a path, with its query and fragment, in the form in which a browser would send it, and in which no dialect
/// reads a host. Returns `None` for text that does not begin with a slash, and for a path in which a browser would read
/// a host.
///
/// ```
/// use comity::url::sent_path;
///
/// assert_eq!(sent_path("/a/../é").as_deref(), Some("/%C3%A9"));
/// assert_eq!(sent_path("/.//a").as_deref(), Some("http://path.invalid//a"));
/// assert_eq!(sent_path("//a.example/"), None);
/// assert_eq!(sent_path("a"), None);
/// ```
pub fn sent_path(path: &str) -> Option<String> {
    if path.starts_with('/') && !path.starts_with("//") {
        let mut escaped = Vec::with_capacity(path.len() + 32);
        if escape(path, &mut escaped).is_some() {
            return String::from_utf8(escaped).ok();
        }
    }
    let root = Url::parse("http://path.invalid/").ok()?;
    let url = join_url(&root, path).ok().filter(|url| path.starts_with('/') && url.host() == root.host())?;
    Some(unambiguous_path(&url[Position::BeforePath..]).into_owned())
}
