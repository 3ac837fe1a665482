//! Paths that no dialect takes for a URL.

use alloc::borrow::Cow;

/// Returns a path in a form that every dialect reads as this path.
///
/// Google's parser reads a host after two slashes, so a path that starts with them becomes a URL of the host
/// `path.invalid`. Other paths are returned unchanged. Normalization can make such a path of one that seems harmless: a
/// browser sends `/.//a` as `//a`.
///
/// ```
/// use comity::unambiguous_path;
///
/// assert_eq!(unambiguous_path("/a//b"), "/a//b");
/// assert_eq!(unambiguous_path("//a/b"), "http://path.invalid//a/b");
/// ```
pub fn unambiguous_path(path: &str) -> Cow<'_, str> {
    if path.starts_with("//") { Cow::Owned(alloc::format!("http://path.invalid{path}")) } else { Cow::Borrowed(path) }
}
