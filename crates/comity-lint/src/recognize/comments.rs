//! Recognizes what comments are about, by their words.

use crate::prelude::*;
use crate::words::{
    ACCESS, AI, AI_OVERVIEWS, BE, BLOCK, BLOCKED, CRAWLERS, FROM, INDEX, MODE, MUST, NO_ACCESS, NO_TRAINING, NOT,
    ORDER, OUT, OUT_OF_INDEX, REACHABLE, REMOVE, TOPICS, TRAINING, WANTED, lists_of,
};

/// The comment lines directly above a line, or the comment at its end.
#[derive(Clone, Copy)]
pub(crate) struct Comment {
    /// The number of its first line.
    pub(crate) line: u32,
    topics: u64,
}

impl Comment {
    /// Reads the comment lines directly above a line. Returns `None` if there are none, or if one contains a record that
    /// somebody took out: the comment may be about it.
    pub(crate) fn above(file: &File<'_>, line: u32) -> Option<Self> {
        let before = &file.lines[..line as usize - 1];
        let count = before.iter().rev().take_while(|line| matches!(line.content, Content::Comment)).count();
        if count == 0 {
            return None;
        }
        let first = line - count as u32;
        Self::of(file, first, before[before.len() - count..].iter().map(|line| line.text))
    }

    /// Reads the comment lines at the start of the file, if they say what is wanted and what is not.
    pub(crate) fn policy(file: &File<'_>) -> Option<Self> {
        let is_start = |line: &&Line<'_>| matches!(line.content, Content::Comment | Content::Blank);
        let count = file.lines.iter().take_while(is_start).count();
        let policy = Self::of(file, 1, file.lines[..count].iter().map(|line| line.text))?;
        (policy.has(TRAINING) && policy.has(WANTED)).then_some(policy)
    }

    /// Reads the comment at the end of a line, or the comment lines above it.
    pub(crate) fn beside(file: &File<'_>, line: u32) -> Option<Self> {
        let own = file.line(line);
        if own.comment { Self::of(file, line, comment_of(own.text).into_iter()) } else { Self::above(file, line) }
    }

    fn of<'t>(file: &File<'_>, line: u32, texts: impl Iterator<Item = &'t [u8]> + Clone) -> Option<Self> {
        if texts.clone().any(is_record) {
            return None;
        }
        let (mut topics, mut last, mut is_from_index) = (0, [0; 3], false);
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | 0x80..);
        for word in texts.flat_map(|text| text.split(move |byte| !is_letter(byte))).filter(|word| !word.is_empty()) {
            let own = lists_of(word) & TOPICS;
            let near = last[0] | last[1] | last[2];
            let is_order = last[0] & BE != 0 && own & BLOCKED != 0
                // "Block" is also the name of a part of a file, as in "Start Yoast block".
                || last[0] & BLOCK != 0 && (own & CRAWLERS != 0 || file.known.find(word).is_some());
            is_from_index |= near & FROM != 0 && own & INDEX != 0;
            topics |= own;
            for (is_found, topic) in [
                (is_order, ORDER),
                (last[0] & AI != 0 && own & MODE != 0, AI_OVERVIEWS),
                (near & NOT != 0 && own & TRAINING != 0 || near & TRAINING != 0 && own & NOT != 0, NO_TRAINING),
                (last[0] & NOT != 0 && own & ACCESS != 0, NO_ACCESS),
                (near & OUT != 0 && own & INDEX != 0, OUT_OF_INDEX),
            ] {
                topics |= if is_found { topic } else { 0 };
            }
            last = [own, last[0], last[1]];
        }
        topics |= if is_from_index && topics & REMOVE != 0 { OUT_OF_INDEX } else { 0 };
        Some(Self { line, topics })
    }

    /// Returns true if the comment is about one of these topics.
    pub(crate) fn has(self, topics: u64) -> bool {
        self.topics & topics != 0
    }

    /// Returns false if the comment contains only names, such as that of a search engine, and words that are not known.
    pub(crate) fn has_topic(self) -> bool {
        self.topics & !INDEX != 0
    }

    /// Returns true if the comment asks that something can be fetched or found.
    pub(crate) fn asks_to_keep(self) -> bool {
        self.has(MUST) && self.has(REACHABLE | INDEX) && !self.has(NOT | BLOCK | BLOCKED | REMOVE | OUT)
    }
}

/// Returns the comment of a line, without the `#`.
pub(crate) fn comment_of(text: &[u8]) -> Option<&[u8]> {
    text.iter().position(|byte| *byte == b'#').map(|at| &text[at + 1..])
}

/// Returns true if a comment asks the linter for something, or contains a user-agent line or a rule that somebody took out.
pub(crate) fn is_record(comment: &[u8]) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b'#' | b' ' | b'\t');
    let start = comment.iter().position(|byte| !is_mark(byte)).unwrap_or(comment.len());
    if comment[start..].starts_with(b"comity:") {
        return true;
    }
    let is_field = |at: usize| {
        let name = comment[..at].last_chunk::<5>();
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"agent") || name.eq_ignore_ascii_case(b"allow"))
    };
    comment.iter().enumerate().any(|(at, byte)| *byte == b':' && is_field(at))
}
