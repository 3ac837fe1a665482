//! Patterns outside of rules, matched as rules are.

use alloc::vec::Vec;

use crate::dialect::{Dialect, LINE_LIMIT};
use crate::matcher::pattern;
use crate::matcher::search::Search;
use crate::normal_form::normalize;
use crate::normal_form::path::with_path;

impl Dialect {
    /// Matches patterns of other sources than a robots.txt against a URL, as this dialect matches rules. Returns, for
    /// each pattern, the octets of its normal form if it matches. The longest one counts between rules.
    ///
    /// A pattern longer than [`LINE_LIMIT`] bytes matches nothing. The searches in the URL are shared, so that many
    /// patterns take no longer than as many rules.
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
        with_path(url.as_ref().as_bytes(), self, |path| {
            let mut search = Search::new(path.octets);
            let mut length_of = |pattern: &[u8]| {
                normal.clear();
                if pattern.len() > LINE_LIMIT {
                    return None;
                }
                normalize::normalize(pattern, false, self, &mut normal);
                pattern::matches(&normal, &mut search, self.wildcards).then_some(normal.len())
            };
            patterns.into_iter().map(|pattern| length_of(pattern.as_ref())).collect()
        })
    }
}
