//! Spellings of paths: the one with which the engine is asked, and those that two dialects tell apart.
//!
//! A path in normal form is no URL: normalizing `/%a%41` gives `/%aA`, and normalizing that gives `/%AA`. So the engine
//! is asked about a spelling whose normal form is the path, which is also the one that people see.
//!
//! Two dialects with different normal forms have no such form in common. They are compared by *canonical* paths: those
//! that a URL contains if no escape is that of an unreserved byte (RFC 3986 §6.2.2). For such a comparison, the patterns
//! of each dialect are replaced by patterns of canonical paths.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::dialect::{Escapes, UrlPath};
use comity::{Dialect, Robots};

use crate::budget::{Exhausted, Meter};
use crate::overlay::Place;
use crate::pattern::Pattern;
use crate::ranked::index_directory;

/// Returns a path that a URL may contain and whose normal form is `path`.
pub(crate) fn sent<'p>(path: &'p [u8], dialect: &Dialect) -> Cow<'p, [u8]> {
    let is_odd = |octet: &u8| match dialect.escapes {
        // A URL parser changes or cuts what is not escaped here: `\` becomes `/`, and spaces at the end go.
        Escapes::Decoded => matches!(octet, b'%' | b'#' | b'?' | b'\\' | 0..=b' ' | 0x7f..),
        Escapes::Normalized => *octet == b'%',
        _ => false,
    };
    // This is asked for each path, and nearly none has an escape.
    let is_itself = match dialect.escapes {
        Escapes::Decoded => !path.iter().any(is_odd),
        Escapes::Normalized => !path.contains(&b'%'),
        _ => true,
    };
    if is_itself {
        return Cow::Borrowed(path);
    }
    let mut sent = Vec::with_capacity(path.len() + 8);
    for (at, octet) in path.iter().enumerate() {
        let is_escaped = if dialect.escapes == Escapes::Decoded {
            is_odd(octet)
        } else {
            // Normalization would change this escape, so its first digit is written as an escape: a `%` before another
            // one is itself.
            at > 0 && path[at - 1] == b'%' && !is_canonical(&path[at - 1..path.len().min(at + 2)])
        };
        if is_escaped {
            sent.extend_from_slice(&escaped(*octet));
        } else {
            sent.push(*octet);
        }
    }
    Cow::Owned(sent)
}

/// Returns true if a path is canonical: its escapes have upper-case digits, and none is that of an unreserved byte.
pub(crate) fn is_canonical(path: &[u8]) -> bool {
    let digit = |octet: u8| char::from(octet).to_digit(16).map(|digit| digit as u8);
    let is_needed = |high: u8, low: u8| match (digit(high), digit(low)) {
        (Some(first), Some(second)) => {
            let octet = first << 4 | second;
            escaped(octet) == [b'%', high, low] && !is_unreserved(octet)
        }
        _ => true,
    };
    path.windows(3).all(|part| part[0] != b'%' || is_needed(part[1], part[2])) && path.is_ascii()
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

fn escaped(octet: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [b'%', DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]]
}

/// The spellings of two files whose dialects have the same normal form.
pub(crate) static SHARED: Spellings = Spellings::shared();

/// The spellings of a file that is not compared with one of another dialect.
pub(crate) static NONE: FileSpellings = FileSpellings::none();

/// The patterns of two files as patterns of canonical paths, if their dialects have different normal forms.
#[derive(Debug)]
pub(crate) struct Spellings {
    pub(crate) files: [FileSpellings; 2],
    /// True if canonical paths are compared. If not, paths are in the normal form of both dialects.
    pub(crate) is_mixed: bool,
}

/// The patterns of one file that match other canonical paths than their text says.
#[derive(Debug)]
pub(crate) struct FileSpellings(BTreeMap<Vec<u8>, Respelled>);

/// The canonical paths that a pattern matches.
#[derive(Debug)]
pub(crate) struct Respelled {
    /// Patterns of canonical paths, with [`STAR`] in place of their stars and of an open end.
    words: Vec<Vec<u8>>,
    /// False if the pattern matches more than these patterns.
    complete: bool,
}

/// The byte in place of a star. A canonical path may contain `*`, but no line break.
const STAR: u8 = b'\n';

/// The maximum number of patterns for one pattern.
const MAX_WORDS: usize = 256;

/// The maximum number of bytes of all patterns of a file.
const MAX_OCTETS: usize = 1 << 20;

/// Returns the maximum number of patterns for one pattern of this many bytes.
fn max_words(octets: usize) -> usize {
    MAX_WORDS.min(MAX_OCTETS / octets.max(1))
}

impl Spellings {
    const fn shared() -> Self {
        Self { files: [FileSpellings::none(), FileSpellings::none()], is_mixed: false }
    }

    /// Returns the spellings for a comparison. `limits` are patterns of the first file's dialect.
    pub(crate) fn new<'l>(
        files: [&'l Robots; 2],
        limits: impl Iterator<Item = &'l [u8]>,
        meter: &mut Meter<'_>,
    ) -> Self {
        let [old, new] = files.map(|file| normal_form(file.dialect()));
        if old == new {
            return Self::shared();
        }
        let patterns = |file: &'l Robots| file.groups().flat_map(|group| group.rules()).map(|rule| rule.pattern());
        let [old, new] = files;
        let of_old = FileSpellings::new(limits.chain(patterns(old)), old.dialect(), meter);
        let of_new = FileSpellings::new(patterns(new), new.dialect(), meter);
        Self { files: [of_old, of_new], is_mixed: true }
    }
}

/// Returns the parts of a dialect that determine its normal form.
fn normal_form(dialect: &Dialect) -> (u8, bool) {
    let form = match dialect.escapes {
        Escapes::Normalized => 1,
        Escapes::Decoded => 2,
        _ => 0,
    };
    (form, dialect.url_path == UrlPath::PathOnly)
}

impl FileSpellings {
    const fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Returns the spellings of patterns of a dialect.
    pub(crate) fn new<'l>(texts: impl Iterator<Item = &'l [u8]>, dialect: &Dialect, meter: &mut Meter<'_>) -> Self {
        let (mut spellings, mut left) = (Self::none(), MAX_OCTETS);
        for text in texts.flat_map(|text| core::iter::once(text).chain(index_directory(text))) {
            spellings.add(text, dialect, &mut left, meter);
        }
        spellings
    }

    /// Returns true if all patterns that match other paths are replaced by patterns for all of these paths.
    pub(crate) fn is_complete(&self) -> bool {
        self.0.values().all(|respelled| respelled.complete)
    }

    /// Returns true if a pattern matches no other canonical paths than its readings.
    pub(crate) fn covers(&self, text: &[u8]) -> bool {
        self.of(text).is_none_or(|respelled| respelled.complete)
    }

    /// Returns the spellings of a pattern, if it matches other canonical paths than its text says.
    pub(crate) fn of(&self, text: &[u8]) -> Option<&Respelled> {
        self.0.get(text)
    }

    /// Splits a pattern in normal form into readings. Together, they match the same paths.
    pub(crate) fn readings<'s>(&'s self, text: &'s [u8], wildcards: bool) -> Vec<Pattern<'s>> {
        match self.of(text) {
            Some(respelled) => respelled.words.iter().map(|word| Pattern::of_word(word, STAR)).collect(),
            None => Pattern::readings(text, wildcards),
        }
    }

    /// Adds the spellings of a pattern, if it has others. `left` is the number of bytes that may still be stored.
    fn add(&mut self, text: &[u8], dialect: &Dialect, left: &mut usize, meter: &mut Meter<'_>) {
        let is_decoded = dialect.escapes == Escapes::Decoded && !dialect.wildcards;
        let mut complete = dialect.url_path != UrlPath::PathOnly || is_decoded;
        let is_plain = complete && !is_decoded && (dialect.escapes != Escapes::Normalized || !may_be_escaped(text));
        if is_plain || self.0.contains_key(text) {
            return;
        }
        let readings = Pattern::readings(text, dialect.wildcards);
        let plain = || readings.iter().map(|reading| reading.word(STAR)).collect::<BTreeSet<_>>();
        let mut words = BTreeSet::new();
        for reading in &readings {
            let spelled = if is_decoded {
                decoded(reading.stem(), dialect, &mut words, meter)
            } else {
                normalized(reading, &mut words, meter)
            };
            complete &= spelled.is_ok();
        }
        if words.is_empty() {
            words = plain();
        }
        let octets = words.iter().map(|word| word.len() + size_of::<Vec<u8>>()).sum();
        if let Some(rest) = left.checked_sub(octets) {
            *left = rest;
        } else {
            (words, complete) = (plain(), false);
        }
        if !complete || words != plain() {
            self.0.insert(text.to_vec(), Respelled { words: words.into_iter().collect(), complete });
        }
    }
}

impl Respelled {
    /// Returns the number of patterns.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }
}

/// The bytes of URLs that a normal form escapes, each with its escape. So a pattern in normal form matches them by
/// their escapes, or by a part of one next to a star.
const ESCAPED: [(u8, &[u8; 3]); 2] = [(b'$', b"%24"), (b'*', b"%2A")];

/// Returns false if a pattern contains no part of an escape that could be one of [`ESCAPED`].
fn may_be_escaped(text: &[u8]) -> bool {
    let is_part = |pair: &[u8]| pair[0] == b'*' && matches!(pair[1], b'2' | b'4' | b'A');
    text.contains(&b'%') || text.windows(2).any(is_part)
}

/// Collects the canonical paths that a pattern of a dialect with [`Escapes::Normalized`] matches: each path with a `$` or
/// `*` wherever the pattern may match its escape.
fn normalized(pattern: &Pattern<'_>, words: &mut BTreeSet<Vec<u8>>, meter: &mut Meter<'_>) -> Result<(), Exhausted> {
    let mut word = Vec::new();
    let mut place = Place::Inside { segment: 0, offset: 0 };
    let mut pending: Vec<(usize, u8, Place)> = Vec::new();
    loop {
        meter.spend(1)?;
        let is_star = matches!(place, Place::Star { .. });
        if is_star {
            word.push(STAR);
        }
        if place.may_end(pattern) {
            if words.len() >= max_words(word.len()) {
                return Err(Exhausted);
            }
            meter.spend(word.len() / 16)?;
            words.insert(word.clone());
            let Some((len, raw, next)) = pending.pop() else { return Ok(()) };
            word.truncate(len);
            word.push(raw);
            place = next;
            continue;
        }
        for (raw, escape) in ESCAPED {
            // A segment that starts with the escape is tried when the star has ended.
            let waiting = is_star.then_some(place);
            let taking = place.take(escape[0], pattern).filter(|_| !is_star);
            let second = waiting.into_iter().chain(taking).flat_map(|place| place.take(escape[1], pattern));
            let third = second.flat_map(|place| place.take(escape[2], pattern));
            pending.extend(third.filter(|next| *next != place).map(|next| (word.len(), raw, next)));
        }
        if let Some(start) = place.start(pattern) {
            place = start;
        } else if let Some(octet) = place.octet(pattern) {
            word.push(octet);
            place = place.advance(pattern);
        }
    }
}

/// Collects the canonical paths that start with a literal of a dialect with [`Escapes::Decoded`]: each byte as it is, or
/// escaped. Returns an error if there are too many, or if the literal ends within what may be an escape.
fn decoded(
    literal: &[u8],
    dialect: &Dialect,
    words: &mut BTreeSet<Vec<u8>>,
    meter: &mut Meter<'_>,
) -> Result<(), Exhausted> {
    let mut partial: Vec<Vec<u8>> = alloc::vec![Vec::new()];
    let mut complete = Ok(());
    let is_digit = |at: usize| literal.get(at).map(u8::is_ascii_hexdigit);
    for (at, octet) in literal.iter().enumerate() {
        meter.spend(partial.len())?;
        let is_raw = match octet {
            // Without the escape, this is the escape of a slash, which is not decoded; or another one, which is.
            b'%' => match (is_digit(at + 1), is_digit(at + 2)) {
                (Some(true), Some(true)) => literal[at + 1..].starts_with(b"2F"),
                (None, _) | (Some(true), None) => {
                    complete = Err(Exhausted);
                    false
                }
                _ => true,
            },
            b'?' => dialect.url_path != UrlPath::PathOnly,
            b'#' | b'\0' | b'\n' | b'\r' | 0x80.. => false,
            _ => true,
        };
        let is_escaped = *octet != b'/' && !is_unreserved(*octet);
        if is_raw && is_escaped {
            if 2 * partial.len() > max_words(literal.len()) {
                complete = Err(Exhausted);
            } else {
                let with_escape = partial.iter().map(|word| [word, &escaped(*octet)[..]].concat()).collect::<Vec<_>>();
                for word in &mut partial {
                    word.push(*octet);
                }
                partial.extend(with_escape);
                continue;
            }
        }
        for word in &mut partial {
            if is_raw {
                word.push(*octet);
            } else {
                word.extend_from_slice(&escaped(*octet));
            }
        }
    }
    words.extend(partial.into_iter().map(|word| [&word[..], &[STAR]].concat()));
    complete
}
