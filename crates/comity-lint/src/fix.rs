//! Fixes of a file: edits, and applying them byte for byte.

use std::ops::Range;

use crate::verdicts::Change;

/// A fix of one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fix {
    /// What it does, as an imperative without its full stop.
    pub title: String,
    /// What it promises.
    pub safety: Safety,
    /// What to change, in the order of the file; they don't overlap.
    pub edits: Vec<Edit>,
}

/// Bytes to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Edit {
    /// Which, of the body; empty to insert.
    pub span: Range<usize>,
    /// The bytes to put there. With the feature `serde` they are written as text; bytes that are not UTF-8, as U+FFFD.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub text: Vec<u8>,
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

/// What a fix promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Safety {
    /// No verdict changes in any of the [`CHECKED_DIALECTS`](crate::CHECKED_DIALECTS). That is checked before it is
    /// applied.
    Safe,
    /// Verdicts change, or may: that is the point of it, and a person should look.
    Unsafe,
}

comity::__names! {
    Safety is "a safety" {
        Safe = "safe",
        Unsafe = "unsafe",
    }, Display
}

/// The fixes to apply. A [`Safety`] converts into one that refuses to close anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixes {
    /// The least safe fixes to apply.
    pub at_most: Safety,
    /// Also applies unsafe fixes that newly block `/`, or paths that no rule named before. Defaults to false.
    pub allow_closing: bool,
}

impl Fixes {
    /// Returns fixes up to this safety, without those that close what no rule named.
    pub fn new(at_most: Safety) -> Self {
        Self { at_most, allow_closing: false }
    }

    /// Sets whether unsafe fixes may newly block `/`, or paths that no rule named before. Defaults to false.
    #[must_use]
    pub fn allow_closing(mut self, allow: bool) -> Self {
        self.allow_closing = allow;
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
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Mended {
    /// The body with the fixes. What no fix touched is as it was, byte for byte.
    pub body: Vec<u8>,
    /// The number of fixes that were applied.
    pub applied: usize,
    /// The fixes that were left out, in the order of the file.
    pub left_out: Vec<LeftOut>,
    /// The bound that ended the work, if one did before there was nothing left to fix.
    pub bound: Option<&'static str>,
    /// The verdicts that differ now. None if only safe fixes were asked for.
    pub changes: crate::Changes,
}

/// A fix that was not applied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeftOut {
    /// The lint that offers it.
    pub lint: &'static crate::Lint,
    /// The line of its finding in [`Mended::body`], from 1.
    pub line: u32,
    /// What it would do.
    pub title: String,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a fix was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "kind"))]
#[non_exhaustive]
pub enum Reason {
    /// It was called safe, and changes a verdict.
    ChangesVerdict(Change),
    /// It newly blocks `/`, or a path that no rule named, and that was not allowed.
    Closes(Change),
    /// The bound was reached before the check of it was complete.
    Unchecked,
}

/// The edits of several fixes, applied together.
pub(crate) struct Applied {
    pub(crate) body: Vec<u8>,
    /// The fixes, and where each one's edits are in the new body, in order.
    pub(crate) places: Vec<(usize, Range<usize>)>,
    /// For each edit, the place after it in the old body and in the new one.
    shifts: Vec<(usize, usize)>,
    pub(crate) count: usize,
}

impl Applied {
    /// Returns where a place of the old body is in the new one.
    pub(crate) fn place(&self, old: usize) -> usize {
        let edits = self.shifts.partition_point(|(before, _)| *before <= old);
        let (before, after) = edits.checked_sub(1).map_or((0, 0), |last| self.shifts[last]);
        (after + (old - before)).min(self.body.len())
    }
}

/// Applies as many of these fixes as don't get into each other's way, the first ones first.
pub(crate) fn apply<'f>(body: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> Applied {
    let mut edits: Vec<(usize, &Edit)> = Vec::new();
    let mut count = 0;
    let mut fixes: Vec<(usize, &Fix)> =
        fixes.into_iter().enumerate().filter(|(_, fix)| !fix.edits.is_empty()).collect();
    fixes.sort_by_key(|(_, fix)| fix.edits[0].span.start);
    let mut end = 0;
    for (index, fix) in fixes {
        // Where one ends and the next one only inserts, they might mean the same place.
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
