//! Parsing of lines into a document.

use memchr::memchr_iter;

use super::Document;
use super::entries::{AgentEntry, GroupEntry, RecordEntry, RuleEntry};
use crate::dialect::{Dialect, SIZE_LIMIT};
use crate::inline_vec::InlineVec;
use crate::normal_form::normalize;
use crate::parse::directive::Field;
use crate::parse::line::{Content, RuleEffect, RuleKind};
use crate::parse::source_text::SourceText;
use crate::parse::token;

impl Document {
    pub(super) fn read(text: &SourceText<'_>, dialect: &Dialect) -> Self {
        Builder::read(text, dialect)
    }
}

/// The number of slots in the table of groups that can be shared. Few files have as many different groups.
const SHARED_SLOTS: usize = 128;

/// Builds a document from its lines.
struct Builder<'d> {
    dialect: &'d Dialect,
    texts: InlineVec<u8, 2_048>,
    others: InlineVec<u8, 1_024>,
    agents: InlineVec<AgentEntry, 24>,
    groups: InlineVec<GroupEntry, 16>,
    rules: InlineVec<RuleEntry, 128>,
    records: InlineVec<RecordEntry, 24>,
    /// The current group.
    group: Option<GroupEntry>,
    /// The line of the last rule.
    rule_line: u32,
    /// Group indexes by a hash of their rules. A collision overwrites the slot, so sharing is not guaranteed.
    shared: [u32; SHARED_SLOTS],
}

impl<'d> Builder<'d> {
    fn read(text: &SourceText<'_>, dialect: &'d Dialect) -> Document {
        // Counting the lines first is fast, and the vectors need not grow then.
        let bytes = text.as_bytes();
        let bytes = &bytes[..bytes.len().min(SIZE_LIMIT)];
        let lines = memchr_iter(b'\n', bytes).count();
        let mut builder = Self {
            dialect,
            texts: InlineVec::new(0, bytes.len()),
            others: InlineVec::new(0, bytes.len()),
            agents: InlineVec::new(AgentEntry::FILLER, lines),
            groups: InlineVec::new(GroupEntry::FILLER, lines),
            rules: InlineVec::new(RuleEntry::FILLER, lines),
            records: InlineVec::new(RecordEntry::FILLER, lines),
            group: None,
            rule_line: 0,
            shared: [u32::MAX; SHARED_SLOTS],
        };
        let mut count = 0;
        for line in text.lines() {
            count = line.number;
            match line.content {
                Content::UserAgent { value, opens } => builder.agent(line.number, value, opens),
                Content::Rule { kind, value, effect: RuleEffect::Applies, cut } => {
                    builder.rule(line.number, kind, value, cut);
                }
                Content::Other { field, name, value, in_group } => {
                    builder.record(line.number, field, name, value, in_group);
                }
                Content::Rule { .. } | Content::Blank | Content::Comment | Content::NoRecord => {}
            }
        }
        builder.end_group();
        Document {
            dialect: *dialect,
            size: text.size(),
            encoding: text.encoding(),
            lines: count,
            others: builder.texts.len() as u32,
            texts: builder.texts.into_box_with(builder.others.as_slice()),
            agents: builder.agents.into_box(),
            groups: builder.groups.into_box(),
            rules: builder.rules.into_box(),
            records: builder.records.into_box(),
        }
    }

    fn agent(&mut self, line: u32, value: &[u8], opens: bool) {
        if opens {
            self.end_group();
            let (agents, rules) = (self.agents.len() as u32, self.rules.len() as u32);
            self.group = Some(GroupEntry { agents, rules, ..GroupEntry::FILLER });
        }
        let is_star = token::is_star(value, self.dialect);
        self.agents.add(&[AgentEntry { start: self.texts.len() as u32, len: value.len() as u16, is_star, line }]);
        self.texts.add(value);
    }

    fn rule(&mut self, line: u32, kind: RuleKind, value: &[u8], cut: bool) {
        let Some(group) = &mut self.group else { return };
        if group.rule_count == 0 {
            group.line = line;
            group.texts = self.texts.len() as u32;
            self.rule_line = line;
        }
        group.rule_count += 1;
        let (mut len, mut rewritten) = (value.len(), false);
        if normalize::is_normal(value, cut, self.dialect) {
            self.texts.add(value);
        } else {
            let start = self.texts.len();
            normalize::normalize(value, cut, self.dialect, &mut self.texts);
            let pattern = &self.texts.as_slice()[start..];
            (len, rewritten) = (pattern.len(), pattern != value);
        }
        let lines = line - self.rule_line;
        let entry = RuleEntry::new(len as u16, lines, kind, rewritten);
        if entry.lines().is_none() {
            self.texts.add(&lines.to_le_bytes());
        }
        if rewritten {
            self.texts.add(&(value.len() as u16).to_le_bytes());
            self.texts.add(value);
        }
        self.rules.add(&[entry]);
        self.rule_line = line;
    }

    fn record(&mut self, line: u32, field: Field, name: &[u8], value: &[u8], in_group: bool) {
        let name = if field == Field::Unknown { name } else { b"" };
        self.others.add(name);
        self.others.add(value);
        let (name_len, value_len) = (name.len() as u16, value.len() as u16);
        self.records.add(&[RecordEntry { line, name_len, value_len, field, in_group }]);
    }

    /// Ends the current group. If an earlier group has the same rules at the same distances, the group shares them.
    fn end_group(&mut self) {
        let Some(mut group) = self.group.take() else { return };
        if group.rule_count > 0 {
            let (all_rules, all_texts) = (self.rules.as_slice(), self.texts.as_slice());
            let (rules, texts) = (&all_rules[group.rules as usize..], &all_texts[group.texts as usize..]);
            let earlier = self.groups.as_slice();
            let slot = &mut self.shared[hash(texts, rules.len()) % SHARED_SLOTS];
            let twin = earlier.get(*slot as usize).filter(|twin| {
                all_rules[twin.rules as usize..][..twin.rule_count as usize] == *rules
                    && all_texts[twin.texts as usize..].starts_with(texts)
            });
            if let Some(twin) = twin {
                let shared = (twin.rules, twin.texts);
                self.rules.truncate(group.rules as usize);
                self.texts.truncate(group.texts as usize);
                (group.rules, group.texts) = shared;
            } else {
                *slot = earlier.len() as u32;
            }
        }
        self.groups.add(&[group]);
    }
}

/// Hashes eight bytes at a time. Forged collisions prevent sharing and have no other effect.
fn hash(bytes: &[u8], count: usize) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let hash = words.iter().fold(count as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte))) as usize
}
