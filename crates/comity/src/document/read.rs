//! From lines to a document.

use alloc::vec::Vec;

use memchr::memchr_iter;

use super::{AgentEntry, Document, GroupEntry, RecordEntry, RuleEntry};
use crate::agent;
use crate::dialect::Dialect;
use crate::directive::Field;
use crate::line::{Content, Effect, RuleKind};
use crate::pattern;
use crate::text::Text;

impl Document {
    pub(super) fn read(text: &Text<'_>, dialect: &Dialect) -> Self {
        Builder::read(text, dialect)
    }
}

/// How many groups are remembered to be shared: few files have that many that differ.
const SHARED: usize = 128;

/// Collects what the lines say.
struct Builder<'d> {
    dialect: &'d Dialect,
    texts: Vec<u8>,
    others: Vec<u8>,
    agents: Vec<AgentEntry>,
    groups: Vec<GroupEntry>,
    rules: Vec<RuleEntry>,
    records: Vec<RecordEntry>,
    /// The line of the last rule.
    rule_line: u32,
    /// Groups by a hash of what their rules say. A collision overwrites: sharing is a saving, not a promise.
    shared: [u32; SHARED],
}

impl<'d> Builder<'d> {
    fn read(text: &Text<'_>, dialect: &'d Dialect) -> Document {
        // Lines are counted first, which is quick, so that nothing needs to grow.
        let bytes = text.as_bytes();
        let lines = memchr_iter(b'\n', &bytes[..bytes.len().min(crate::SIZE_LIMIT)]).count();
        let mut builder = Self {
            dialect,
            texts: Vec::with_capacity(bytes.len().min(crate::SIZE_LIMIT)),
            others: Vec::new(),
            agents: Vec::new(),
            groups: Vec::new(),
            rules: Vec::with_capacity(lines),
            records: Vec::new(),
            rule_line: 0,
            shared: [u32::MAX; SHARED],
        };
        let mut count = 0;
        for line in text.lines() {
            count = line.number;
            match line.content {
                Content::UserAgent { value, opens } => builder.agent(line.number, value, opens),
                Content::Rule { kind, value, effect: Effect::Acts, cut } => {
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
            texts: builder.texts.into(),
            others: builder.others.into(),
            agents: builder.agents.into(),
            groups: builder.groups.into(),
            rules: builder.rules.into(),
            records: builder.records.into(),
        }
    }

    fn agent(&mut self, line: u32, value: &[u8], opens: bool) {
        if opens {
            self.end_group();
            self.groups.push(GroupEntry {
                agents: self.agents.len() as u32,
                rules: self.rules.len() as u32,
                rule_count: 0,
                texts: 0,
                line: 0,
            });
        }
        let is_star = agent::is_star(value, self.dialect);
        self.agents.push(AgentEntry { start: self.texts.len() as u32, len: value.len() as u16, is_star, line });
        self.texts.extend_from_slice(value);
    }

    fn rule(&mut self, line: u32, kind: RuleKind, value: &[u8], cut: bool) {
        let Some(group) = self.groups.last_mut() else { return };
        if group.rule_count == 0 {
            group.line = line;
            group.texts = self.texts.len() as u32;
            self.rule_line = line;
        }
        group.rule_count += 1;
        let start = self.texts.len();
        let rewritten = if pattern::is_normal(value, cut, self.dialect) {
            self.texts.extend_from_slice(value);
            false
        } else {
            pattern::normalise(value, cut, self.dialect, &mut self.texts);
            self.texts[start..] != *value
        };
        let len = (self.texts.len() - start) as u16;
        if rewritten {
            self.texts.extend_from_slice(&(value.len() as u16).to_le_bytes());
            self.texts.extend_from_slice(value);
        }
        self.rules.push(RuleEntry::new(len, line - self.rule_line, kind, rewritten));
        self.rule_line = line;
    }

    fn record(&mut self, line: u32, field: Field, name: &[u8], value: &[u8], in_group: bool) {
        if self.records.is_empty() {
            // Room for a few sitemaps, instead of growing by eight bytes at a time.
            self.records.reserve(16);
            self.others.reserve(512);
        }
        let name = if field == Field::Unknown { name } else { b"" };
        self.others.extend_from_slice(name);
        self.others.extend_from_slice(value);
        let (name_len, value_len) = (name.len() as u16, value.len() as u16);
        self.records.push(RecordEntry { line, name_len, value_len, field, in_group });
    }

    /// If an earlier group has the same rules at the same distances, the last group takes those.
    fn end_group(&mut self) {
        let Some((group, earlier)) = self.groups.split_last_mut() else { return };
        if group.rule_count == 0 {
            return;
        }
        let (start, rules) = (group.texts as usize, &self.rules[group.rules as usize..]);
        let texts = &self.texts[start..];
        let slot = &mut self.shared[hash(texts, rules.len()) % SHARED];
        if let Some(twin) = earlier.get(*slot as usize) {
            let twin_rules = &self.rules[twin.rules as usize..][..twin.rule_count as usize];
            let twin_texts = self.texts[twin.texts as usize..].get(..texts.len());
            if twin_rules == rules && twin_texts == Some(texts) {
                self.rules.truncate(group.rules as usize);
                self.texts.truncate(start);
                group.rules = twin.rules;
                group.texts = twin.texts;
                return;
            }
        }
        *slot = earlier.len() as u32;
    }
}

/// Mixes eight bytes at a time. Who forges collisions only loses the sharing.
fn hash(bytes: &[u8], count: usize) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let hash = words.iter().fold(count as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte))) as usize
}
