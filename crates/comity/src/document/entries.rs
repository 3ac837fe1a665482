//! Compact records of the lines of a document, which refer to its text by offset.

use crate::parse::directive::Field;
use crate::parse::line::RuleKind;

/// A user-agent line.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentEntry {
    pub(super) start: u32,
    pub(super) len: u16,
    pub(super) is_star: bool,
    pub(super) line: u32,
}

impl AgentEntry {
    pub(super) const FILLER: Self = Self { start: 0, len: 0, is_star: false, line: 0 };
}

/// A group. Groups with equal rules share them.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupEntry {
    /// The index of its first user-agent line. Its lines end where those of the next group start.
    pub(super) agents: u32,
    pub(super) rules: u32,
    pub(super) rule_count: u32,
    /// The offset of the pattern of the first rule.
    pub(super) texts: u32,
    /// The line of the first rule.
    pub(super) line: u32,
}

impl GroupEntry {
    pub(super) const FILLER: Self = Self { agents: 0, rules: 0, rule_count: 0, texts: 0, line: 0 };
}

/// A rule, encoded in 4 bytes relative to the rule before it. Rules are only ever read in order, the average file has
/// fifty of them, and relative encoding makes equal groups equal byte for byte. Values that do not fit are stored after
/// the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RuleEntry {
    /// The length of the pattern.
    pub(super) len: u16,
    step: u16,
}

impl RuleEntry {
    pub(super) const FILLER: Self = Self { len: 0, step: 0 };
    const ALLOW: u16 = 1 << 15;
    /// Set if the value as written differs from the pattern. It is then stored after the pattern, with its length
    /// first.
    const REWRITTEN: u16 = 1 << 14;
    /// The number of lines since the last rule, if there are this many or more. The number is then stored after the
    /// pattern and before the value.
    const FAR: u16 = Self::REWRITTEN - 1;

    pub(super) fn new(len: u16, lines: u32, kind: RuleKind, rewritten: bool) -> Self {
        let allow = if kind == RuleKind::Allow { Self::ALLOW } else { 0 };
        let rewritten = if rewritten { Self::REWRITTEN } else { 0 };
        Self { len, step: lines.min(u32::from(Self::FAR)) as u16 | allow | rewritten }
    }

    /// Returns the number of lines since the last rule, or `None` if it is stored after the pattern.
    pub(super) fn lines(self) -> Option<u32> {
        let lines = self.step & Self::FAR;
        (lines < Self::FAR).then_some(u32::from(lines))
    }

    pub(super) fn kind(self) -> RuleKind {
        if self.step & Self::ALLOW == 0 { RuleKind::Disallow } else { RuleKind::Allow }
    }

    pub(super) fn is_rewritten(self) -> bool {
        self.step & Self::REWRITTEN != 0
    }
}

/// A record that is neither a user-agent line nor a rule. Its text starts where that of the previous record ends, since
/// records are only read in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordEntry {
    pub(super) line: u32,
    pub(super) name_len: u16,
    pub(super) value_len: u16,
    pub(super) field: Field,
    pub(super) in_group: bool,
}

impl RecordEntry {
    pub(super) const FILLER: Self = Self { line: 0, name_len: 0, value_len: 0, field: Field::Unknown, in_group: false };
}
