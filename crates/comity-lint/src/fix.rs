//! Mending a file: edits, and applying them byte for byte.

use std::ops::Range;

/// A fix of one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fix {
    /// What it does, as an imperative without its full stop.
    pub title: String,
    /// What to change, in the order of the file; they don't overlap.
    pub edits: Vec<Edit>,
    /// What it promises.
    pub safety: Safety,
}

/// Bytes to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Edit {
    /// Which, of the body; empty to insert.
    pub span: Range<usize>,
    /// By what.
    pub text: Vec<u8>,
}

/// What a fix promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Safety {
    /// No verdict changes, neither by RFC 9309 nor for Google. That is checked before it is applied.
    Safe,
    /// Verdicts change, or may: that is the point of it, and a person should look.
    Unsafe,
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

/// What came of mending a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mended {
    /// The body, mended. What no fix touched is as it was, byte for byte.
    pub body: Vec<u8>,
    /// How many fixes were applied.
    pub applied: usize,
    /// Fixes that were called safe and changed a verdict, or could not be checked to the end, and were left out.
    pub refused: usize,
    /// The verdicts that differ now. None if only safe fixes were asked for.
    pub changes: crate::Changes,
}

/// Applies as many of these fixes as don't get into each other's way, the first ones first; returns how many.
pub(crate) fn apply<'f>(body: &[u8], fixes: impl Iterator<Item = &'f Fix>) -> (Vec<u8>, usize) {
    let mut edits: Vec<&Edit> = Vec::new();
    let mut applied = 0;
    let mut fixes: Vec<&Fix> = fixes.filter(|fix| !fix.edits.is_empty()).collect();
    fixes.sort_by_key(|fix| fix.edits[0].span.start);
    let mut end = 0;
    for fix in fixes {
        // Where one ends and the next one only inserts, they might mean the same place.
        let first = &fix.edits[0].span;
        if first.start < end || first.start == end && first.is_empty() && applied > 0 {
            continue;
        }
        edits.extend(&fix.edits);
        end = fix.edits.iter().map(|edit| edit.span.end).max().unwrap_or(end);
        applied += 1;
    }
    let mut mended = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in edits {
        mended.extend_from_slice(&body[at..edit.span.start]);
        mended.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    mended.extend_from_slice(&body[at..]);
    (mended, applied)
}
