//! Matching of patterns that are not rules of a robots.txt.

use alloc::vec::Vec;

use crate::dialect::{Dialect, LINE_LIMIT};
use crate::matcher::pattern;
use crate::matcher::search::Search;
use crate::normal_form::normalize;
use crate::normal_form::path::with_path;

impl Dialect {
    /// Matches patterns from sources other than a robots.txt against a URL, as this dialect matches rules. Returns the
    /// length of the normal form for each pattern that matches. Among rules, the longest decides.
    ///
    /// A pattern longer than [`LINE_LIMIT`] bytes matches nothing. The patterns share their searches in the URL, so
    /// that many patterns take no longer than as many rules.
    ///
    /// ```
    /// use comity::Dialect;
    ///
    /// let lengths = Dialect::STANDARD.match_lengths("https://example.com/a/b.html", ["/", "/b", "/*.html$"]);
    /// assert_eq!(lengths, [Some(1), None, Some(8)]);
    /// ```
    pub fn match_lengths<P: AsRef<[u8]>>(
        &self,
        url: impl AsRef<str>,
        patterns: impl IntoIterator<Item = P>,
    ) -> Vec<Option<usize>> {
        let mut normal = Vec::new();
        let mut patterns = patterns.into_iter();
        let lengths = with_path(url.as_ref().as_bytes(), self, |path| {
            let mut search = Search::new(path.octets);
            let mut length_of = |pattern: &[u8]| {
                normal.clear();
                if pattern.len() > LINE_LIMIT {
                    return None;
                }
                normalize::normalize(pattern, false, self, &mut normal);
                pattern::matches(&normal, &mut search, self.wildcards).then_some(normal.len())
            };
            patterns.by_ref().map(|pattern| length_of(pattern.as_ref())).collect()
        });
        // No pattern matches text that is neither a path nor a URL.
        lengths.unwrap_or_else(|| patterns.map(|_| None).collect())
    }
}
