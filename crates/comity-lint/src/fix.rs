//! Fixes of a file: their edits, and how they are applied to the bytes of a body.

use std::ops::Range;

use crate::proof::VerdictChange;

/// A fix of one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fix {
    /// The effect of the fix, as an imperative without a period.
    pub title: String,
    /// The safety of the fix.
    pub safety: Safety,
    /// The edits, in the order of the file. They do not overlap.
    pub edits: Vec<Edit>,
    /// True if the fix newly blocks `/`, or a path that no rule names, for any crawler; also if that takes too long to
    /// check. `None` for a safe fix, and until [`Linter::check_blocking`](crate::Linter::check_blocking) is called.
    pub blocks_site: Option<bool>,
}

impl Fix {
    /// Returns true if the fix may newly block `/`, or a path that no rule names: it is unsafe, and
    /// [`Linter::check_blocking`](crate::Linter::check_blocking) did not find that it does not. Such a fix should not be
    /// applied without a person who has read it.
    #[must_use]
    pub fn may_block_site(&self) -> bool {
        self.safety == Safety::Unsafe && self.blocks_site != Some(false)
    }
}

/// A replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Edit {
    /// The range of the body to replace; empty to insert.
    pub span: Range<usize>,
    /// The bytes that replace the range. With the feature `serde` they are serialized as text, with U+FFFD for bytes
    /// that are not UTF-8.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub text: Vec<u8>,
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

/// The safety of a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Safety {
    /// No verdict changes in any of the [`CHECKED_DIALECTS`](crate::CHECKED_DIALECTS), no sitemap is lost, and no delay
    /// or signal changes. This is checked before the fix is applied.
    Safe,
    /// Verdicts change or may change, which is the purpose of the fix. A person should review it.
    Unsafe,
}

comity::__names! {
    Safety is "a safety" {
        Safe = "safe",
        Unsafe = "unsafe",
    }, Display
}

/// A choice of the fixes to apply. A [`Safety`] converts into a choice without [`allow_blocking`](Self::allow_blocking).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixes {
    /// The safety of the least safe fixes to apply.
    pub at_most: Safety,
    /// True to apply also unsafe fixes that newly block `/`, or paths that no rule named before. Defaults to false.
    pub allow_blocking: bool,
}

impl Fixes {
    /// Chooses the fixes of this safety and safer ones, without those that newly block paths that no rule named.
    pub fn new(at_most: Safety) -> Self {
        Self { at_most, allow_blocking: false }
    }

    /// Allows unsafe fixes to newly block `/`, or paths that no rule named before. Defaults to false.
    #[must_use]
    pub fn allow_blocking(mut self, allow: bool) -> Self {
        self.allow_blocking = allow;
        self
    }
}

impl From<Safety> for Fixes {
    fn from(at_most: Safety) -> Self {
        Self::new(at_most)
    }
}

impl Edit {
    pub(crate) fn new(span: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { span, text: text.into() }
    }
}

/// The result of fixing a file.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct FixedFile {
    /// The body with the fixes. All bytes that no fix replaces are unchanged.
    pub body: Vec<u8>,
    /// The number of fixes that were applied.
    pub applied: usize,
    /// The fixes that were left out, in the order of the file.
    pub left_out: Vec<LeftOut>,
    /// The bound that stopped the run, if one did before everything was fixed.
    pub bound: Option<&'static str>,
    /// The verdicts that the fixes changed. There are none if only safe fixes were requested.
    pub changes: crate::VerdictChanges,
}

/// A fix that was not applied.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LeftOut {
    /// The lint that offers the fix. With the feature `serde` its `code` and `name` are serialized.
    #[cfg_attr(feature = "serde", serde(flatten, serialize_with = "crate::diagnostic::code_and_name"))]
    pub lint: &'static crate::Lint,
    /// The line of the finding in [`FixedFile::body`], from 1.
    pub line: u32,
    /// The effect that the fix would have, in words.
    pub title: String,
    /// The reason.
    pub reason: LeftOutReason,
}

/// The reason why a fix was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "kind"))]
#[non_exhaustive]
pub enum LeftOutReason {
    /// The fix is marked as safe, but changes this verdict.
    ChangesVerdict(VerdictChange),
    /// The fix is marked as safe, but takes a sitemap, a delay or another record away, or gives one to other crawlers.
    ChangesRecord {
        /// The field of the record.
        field: &'static str,
        /// The dialect in which the record changes.
        dialect: &'static str,
    },
    /// The fix newly blocks `/` or a path that no rule named, and [`Fixes::allow_blocking`] is not set.
    BlocksSite(VerdictChange),
    /// A bound was reached before the check of the fix was complete.
    Unchecked,
}

/// The result of applying the edits of several fixes together.
pub(crate) struct Applied {
    pub(crate) body: Vec<u8>,
    /// The range of each edit in the new body, with the index of its fix, in order.
    pub(crate) places: Vec<(usize, Range<usize>)>,
    /// The end of each edit in the old body and in the new one.
    shifts: Vec<(usize, usize)>,
    pub(crate) count: usize,
}

impl Applied {
    /// Returns the position in the new body that corresponds to a position in the old one.
    pub(crate) fn place(&self, old: usize) -> usize {
        let edits = self.shifts.partition_point(|(before, _)| *before <= old);
        let (before, after) = edits.checked_sub(1).map_or((0, 0), |last| self.shifts[last]);
        (after + (old - before)).min(self.body.len())
    }
}

/// Applies these fixes, in the order of the file. Skips each fix that conflicts with one before it.
pub(crate) fn apply<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> Applied {
    let mut edits: Vec<(usize, &Edit)> = Vec::new();
    let mut count = 0;
    let mut fixes: Vec<(usize, &Fix)> =
        fixes.into_iter().enumerate().filter(|(_, fix)| !fix.edits.is_empty()).collect();
    fixes.sort_by_key(|(_, fix)| fix.edits[0].span.start);
    let mut end = 0;
    for (index, fix) in fixes {
        // If a fix ends where the next one only inserts, both may be meant for the same position.
        let first = &fix.edits[0].span;
        if first.start < end || first.start == end && first.is_empty() && count > 0 {
            continue;
        }
        edits.extend(fix.edits.iter().map(|edit| (index, edit)));
        end = fix.edits.iter().map(|edit| edit.span.end).max().unwrap_or(end);
        count += 1;
    }
    let mut applied = Applied { body: Vec::with_capacity(body.len()), places: Vec::new(), shifts: Vec::new(), count };
    let mut at = 0;
    for (index, edit) in edits {
        applied.body.extend_from_slice(&body[at..edit.span.start]);
        let start = applied.body.len();
        applied.body.extend_from_slice(&edit.text);
        at = edit.span.end;
        applied.places.push((index, start..applied.body.len()));
        applied.shifts.push((at, applied.body.len()));
    }
    applied.body.extend_from_slice(&body[at..]);
    applied
}
