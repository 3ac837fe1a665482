//! What a document keeps of each line that counts: little more than where its texts are.

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

/// A group. Those that say the same share their rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupEntry {
    /// The first of its user-agent lines; they reach to the first one of the next group.
    pub(super) agents: u32,
    pub(super) rules: u32,
    pub(super) rule_count: u32,
    /// Where the pattern of the first rule starts.
    pub(super) texts: u32,
    /// The line of the first rule.
    pub(super) line: u32,
}

impl GroupEntry {
    pub(super) const FILLER: Self = Self { agents: 0, rules: 0, rule_count: 0, texts: 0, line: 0 };
}

/// A rule relative to the one before it, for rules are only ever read in order: 4 bytes, since the mean file has
/// fifty of them; and groups that say the same are the same. What doesn't fit stands behind the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RuleEntry {
    /// Of the pattern.
    pub(super) len: u16,
    step: u16,
}

impl RuleEntry {
    pub(super) const FILLER: Self = Self { len: 0, step: 0 };
    const ALLOW: u16 = 1 << 15;
    /// The value as it stood differs from the pattern and stands behind it, its length first.
    const REWRITTEN: u16 = 1 << 14;
    /// The lines since the last rule are that many or more and stand behind the pattern, before the value.
    const FAR: u16 = Self::REWRITTEN - 1;

    pub(super) fn new(len: u16, lines: u32, kind: RuleKind, rewritten: bool) -> Self {
        let allow = if kind == RuleKind::Allow { Self::ALLOW } else { 0 };
        let rewritten = if rewritten { Self::REWRITTEN } else { 0 };
        Self { len, step: lines.min(u32::from(Self::FAR)) as u16 | allow | rewritten }
    }

    /// The lines since the last rule; none if they stand behind the pattern.
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

/// Another record. Read in order too: its text starts where that of the one before it ends.
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
