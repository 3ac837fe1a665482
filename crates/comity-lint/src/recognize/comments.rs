//! Recognizes what comments are about, by their words.

use std::sync::LazyLock;

use crate::prelude::*;

pub(crate) const TRAINING: u64 = 1;
pub(crate) const NO_TRAINING: u64 = 1 << 1;
pub(crate) const AI: u64 = 1 << 2;
/// A use of pages other than training.
pub(crate) const OTHER_USE: u64 = 1 << 3;
pub(crate) const PREVIEWS: u64 = 1 << 4;
/// The wish to be found or quoted.
pub(crate) const WANTED: u64 = 1 << 5;
pub(crate) const AI_OVERVIEWS: u64 = 1 << 6;
pub(crate) const COPILOT: u64 = 1 << 7;
/// An order to block crawlers.
pub(crate) const ORDER: u64 = 1 << 8;
pub(crate) const WELCOME: u64 = 1 << 9;
/// A word with which a comment may be about exceptions.
pub(crate) const OTHERWISE: u64 = 1 << 10;
pub(crate) const NOINDEX: u64 = 1 << 11;
pub(crate) const OUT_OF_INDEX: u64 = 1 << 12;
pub(crate) const REDIRECT: u64 = 1 << 13;
pub(crate) const OUTSIDE: u64 = 1 << 14;
pub(crate) const VARIANTS: u64 = 1 << 15;
pub(crate) const TEMPORARY: u64 = 1 << 16;
pub(crate) const BLOCK: u64 = 1 << 17;
/// "Must", or another word that asks for something.
pub(crate) const MUST: u64 = 1 << 18;
pub(crate) const REACHABLE: u64 = 1 << 19;
pub(crate) const INDEX: u64 = 1 << 20;
const NOT: u64 = 1 << 21;
const CRAWLERS: u64 = 1 << 22;
const BE: u64 = 1 << 23;
const BLOCKED: u64 = 1 << 24;
const REMOVE: u64 = 1 << 25;
const FROM: u64 = 1 << 26;
const OUT: u64 = 1 << 27;
const MODE: u64 = 1 << 28;
const ACCESS: u64 = 1 << 30;
pub(crate) const NO_ACCESS: u64 = 1 << 31;
/// "Others", after an exception or before it.
pub(crate) const OTHERS: u64 = 1 << 32;
pub(crate) const FILTERS: u64 = 1 << 29;

/// The words of each topic, in lower case.
const TOPICS: [(u64, &str); 35] = [
    (TRAINING, "train trained training trains trainieren entraînement entraîner entrenamiento entrenar d'entraînement"),
    (TRAINING, "entrainement entrainer d'entrainement l'entraînement l'entrainement addestramento l'addestramento"),
    (TRAINING, "addestrare treinamento treinar träning träna"),
    (AI | CRAWLERS, "ai"),
    (AI, "ia ki"),
    (OTHER_USE, "agents answers assistants preview previews user users"),
    (OTHER_USE | INDEX, "search"),
    (PREVIEWS, "preview previews social"),
    (WANTED, "cite cited find found linked quoted want welcome cités citados gefunden wollen voulons zitiert"),
    (AI_OVERVIEWS, "overview overviews sge übersicht übersichten Übersicht Übersichten"),
    (COPILOT, "copilot"),
    (MODE, "mode"),
    (BLOCK, "ban block blocking bloquer deny disallow exclude forbid interdire"),
    (CRAWLERS, "all any bad bot bots crawler crawlers every everything scrapers seo spiders them these completely"),
    (CRAWLERS, "entirely here it les this totally tous"),
    (BE, "are be is sont"),
    (BLOCKED, "blocked bloqués interdits"),
    (ACCESS, "acceso access accesso accès acesso zugang zugriff"),
    (ORDER, "aussperren blockieren blockiert gesperrt sperren"),
    (WELCOME, "allow allowed allowing allows erlaubt welcome willkommen"),
    (OTHERWISE | NOT, "not don't don’t dont never no without kein keine nicht niet pas sin inte nie"),
    (OTHERWISE, "unblock unblocked except unless only but if else"),
    (OTHERS, "altri andere anderen autres other others otros"),
    (NOINDEX, "deindex noindex unindex"),
    (REMOVE, "delete drop remove removed removes"),
    (FROM, "from"),
    (OUT, "out"),
    (INDEX, "bing google index serps"),
    (REDIRECT, "301 redirect redirected redirects"),
    (OUTSIDE, "affiliate external outbound outside tracking"),
    (VARIANTS, "canonical canonicalized hreflang"),
    (FILTERS, "filter filtered filtering filters"),
    (TEMPORARY, "fixme temp temporarily temporary todo vorübergehend"),
    (MUST, "bleiben keep must need needs remain should stay stays"),
    (REACHABLE, "accessible crawlable crawled fetched indexable indexed open reachable visible"),
];

static WORDS: LazyLock<Vec<(&str, u64)>> = LazyLock::new(|| {
    let words = TOPICS.iter().flat_map(|(topics, words)| words.split(' ').map(|word| (word, *topics)));
    let mut words: Vec<(&str, u64)> = words.collect();
    words.sort_unstable();
    words.dedup_by(|other, kept| {
        let is_same = other.0 == kept.0;
        kept.1 |= if is_same { other.1 } else { 0 };
        is_same
    });
    words
});

/// Longer words have no topic, in bytes.
const MAX_WORD: usize = 16;

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
            let own = topics_of(word);
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

fn topics_of(word: &[u8]) -> u64 {
    let mut buffer = [0; MAX_WORD];
    let Some(lower) = buffer.get_mut(..word.len()) else { return 0 };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    WORDS.binary_search_by(|(known, _)| known.as_bytes().cmp(lower)).map_or(0, |at| WORDS[at].1)
}
