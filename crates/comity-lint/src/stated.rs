//! The rules of each group as they are written. Lints compare the rule that a mistake was meant to be with them.

use std::collections::BTreeSet;

use comity::{Content, RuleEffect, RuleKind};

use crate::blocking::matches_everything;
use crate::file::File;

/// The rules that take effect in a file and are written without mistakes, by the index of their group.
pub(crate) struct StatedRules<'a>(BTreeSet<(usize, RuleKind, &'a [u8])>);

/// Longer patterns are not compared with shorter ones, in bytes.
const MAX_PATTERN: usize = 256;

impl<'a> StatedRules<'a> {
    pub(crate) fn new(file: &File<'a>) -> Self {
        let mut rules = BTreeSet::new();
        for line in &file.lines {
            let Content::Rule { kind, value, effect: RuleEffect::Applies, cut: false, .. } = line.content else {
                continue;
            };
            // A `#` directly after the path probably cut it.
            let has_cut_path = || {
                let hash = line.text.iter().position(|b| *b == b'#');
                hash.is_some_and(|at| at > 0 && !line.text[at - 1].is_ascii_whitespace())
            };
            if value.is_empty() || line.typo || line.missing_colon || line.comment && has_cut_path() {
                continue;
            }
            if let Some(group) = file.group_of(line.number) {
                rules.insert((group.group.index(), kind, value));
            }
        }
        Self(rules)
    }

    /// Returns true if a group has a rule of this kind and value.
    pub(crate) fn contains(&self, group: usize, kind: RuleKind, value: &[u8]) -> bool {
        self.0.contains(&(group, kind, value))
    }

    /// Returns true if a group has a rule of this kind whose pattern this one starts with, and that does not match every
    /// path. Returns false if rules of the other kind start with that pattern, since they may be exceptions.
    pub(crate) fn covers(&self, group: usize, kind: RuleKind, pattern: &[u8]) -> bool {
        let other = if kind == RuleKind::Allow { RuleKind::Disallow } else { RuleKind::Allow };
        let has_exceptions = |start: &[u8]| {
            let next = self.0.range((group, other, start)..).next();
            next.is_some_and(|(index, kind, value)| *index == group && *kind == other && value.starts_with(start))
        };
        pattern.len() <= MAX_PATTERN
            && (2..pattern.len()).map(|end| &pattern[..end]).any(|start| {
                !start.ends_with(b"$")
                    && self.contains(group, kind, start)
                    && !matches_everything(start)
                    && !has_exceptions(start)
            })
    }
}
