//! Parts of a robots.txt that a CDN adds to the file of the site, recognized by their markers.

use comity::{Line, SourceText};

use crate::recognize::comments::comment_of;

/// A part of a file that a CDN adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ManagedPart {
    /// The operator that adds it.
    pub by: &'static str,
    /// The line of its first marker, from 1.
    pub first: u32,
    /// The line of its last marker.
    pub last: u32,
}

/// The operators, and the comments with which they start and end a part, in lower case.
const MARKERS: [(&str, &str, &str); 1] =
    [("Cloudflare", "begin cloudflare managed content", "end cloudflare managed content")];

impl ManagedPart {
    /// Returns true if a line is in the part.
    #[must_use]
    pub fn contains(&self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

/// Returns the parts of a file that a CDN adds, in the order of the file.
///
/// ```
/// use comity::{Dialect, SourceText};
///
/// let body = b"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare Managed Content\n";
/// let parts = comity_lint::managed_parts(&SourceText::new(body, &Dialect::STANDARD));
/// assert_eq!((parts[0].by, parts[0].first, parts[0].last), ("Cloudflare", 1, 4));
/// ```
pub fn managed_parts(text: &SourceText<'_>) -> Vec<ManagedPart> {
    let lines: Vec<Line<'_>> = text.lines().collect();
    parts_of(&lines)
}

/// Returns the parts of a file whose lines are known.
pub(crate) fn parts_of(lines: &[Line<'_>]) -> Vec<ManagedPart> {
    let mut parts = Vec::new();
    let mut open: Option<(usize, u32)> = None;
    for line in lines.iter().filter(|line| line.comment) {
        let comment = comment_of(line.text).unwrap_or_default().trim_ascii();
        let is = |marker: &str| comment.eq_ignore_ascii_case(marker.as_bytes());
        if let Some(begun) = MARKERS.iter().position(|(_, begin, _)| is(begin)) {
            open = Some((begun, line.number));
        } else if let Some((begun, first)) = open.filter(|(begun, _)| is(MARKERS[*begun].2)) {
            parts.push(ManagedPart { by: MARKERS[begun].0, first, last: line.number });
            open = None;
        }
    }
    parts
}
