//! Recognizes records with a mistake: a misspelled field, a missing colon, or another record in the value.

use std::borrow::Cow;
use std::ops::Range;

use comity::spelling::edit_distance;
use comity::{Dialect, SourceText};

use crate::prelude::*;

/// The fields whose misspellings are looked for.
const KNOWN: [Field; 7] = [
    Field::UserAgent,
    Field::Disallow,
    Field::Allow,
    Field::Sitemap,
    Field::CrawlDelay,
    Field::ContentSignal,
    Field::ContentUsage,
];
/// The letters of the names of [`KNOWN`].
const LETTERS: [&[u8]; KNOWN.len()] =
    [b"useragent", b"disallow", b"allow", b"sitemap", b"crawldelay", b"contentsignal", b"contentusage"];

/// A mistake because of which crawlers ignore a line, except that Google's parser may read it.
pub(crate) struct Mistake {
    /// The field that is meant.
    pub(crate) field: Field,
    /// True if the name is a misspelling of the field. Otherwise, only the colon after it is missing.
    pub(crate) is_name: bool,
    /// The range of the finding.
    pub(crate) span: Range<usize>,
    /// The end of the text from `span.start` on that the field and a colon replace: the name and, if the colon is missing,
    /// the gap after it.
    pub(crate) until: usize,
}

/// A record that Google's parser finds in a line. It accepts the start of a name for the name, and two words without a
/// colon. The other dialects that fixes are checked in accept the same names as the standard.
pub(crate) struct ReadByGoogle {
    pub(crate) field: Field,
    pub(crate) value: Vec<u8>,
}

/// Returns the words after a statement about every crawler if Google's parser finds an `Allow` or a user-agent line that
/// others ignore, and so may read the file in another way.
pub(crate) fn except_google(file: &File<'_>) -> String {
    let line = only_read_by_google(file, &[Field::Allow, Field::UserAgent]);
    line.map_or_else(String::new, |line| format!(", except perhaps for Google, whose parser also reads line {line}"))
}

/// Returns the first line that only Google's parser reads as one of these fields, with an effect.
pub(crate) fn only_read_by_google(file: &File<'_>, fields: &[Field]) -> Option<u32> {
    let is_one = |line: &&Line<'_>| {
        let is_unknown = matches!(line.content, Content::NoRecord | Content::Other { field: Field::Unknown, .. });
        is_unknown && read_by_google(line).is_some_and(|read| fields.contains(&read.field) && read.has_effect())
    };
    file.lines.iter().find(is_one).map(|line| line.number)
}

/// Returns the record of a known field that Google's parser finds in a line.
pub(crate) fn read_by_google(line: &Line<'_>) -> Option<ReadByGoogle> {
    // On the second line of a text, a byte order mark is no mark.
    let after_another = line.text.starts_with(b"\xEF\xBB\xBF").then(|| [b"\n", line.text].concat());
    let text = SourceText::new(after_another.as_deref().unwrap_or(line.text), &Dialect::GOOGLE);
    let (field, value) = match text.lines().last()?.content {
        Content::UserAgent { value, .. } => (Field::UserAgent, value),
        Content::Rule { kind: RuleKind::Allow, value, .. } => (Field::Allow, value),
        Content::Rule { value, .. } => (Field::Disallow, value),
        Content::Other { field, value, .. } if field != Field::Unknown => (field, value),
        _ => return None,
    };
    Some(ReadByGoogle { field, value: value.to_vec() })
}

impl ReadByGoogle {
    /// Returns true if the record has an effect, as prose that starts with the name of a field rarely has.
    pub(crate) fn has_effect(&self) -> bool {
        match self.field {
            Field::UserAgent => !self.value.is_empty(),
            Field::Sitemap => is_url(&self.value),
            _ => matches!(self.value.as_slice(), [b'/' | b'*', ..]),
        }
    }
}

/// Returns the effect of a mistake in a line, in words that follow the mistake.
pub(crate) fn effect(read: Option<&ReadByGoogle>) -> Cow<'static, str> {
    match read {
        Some(read) => {
            let record = format!("{}: {}", read.field, shown(&read.value));
            format!(": Google's parser reads it as `{}`, others may ignore the line", record.trim_end()).into()
        }
        None => ", so every crawler ignores the line".into(),
    }
}

/// Returns the crawlers that a mistake in a line affects.
pub(crate) fn affected(read: Option<&ReadByGoogle>) -> &'static str {
    if read.is_some() { "crawlers other than Google's" } else { "every crawler" }
}

/// The separators that people type instead of a colon.
const SEPARATORS: [&str; 6] = ["=>", "->", "=", ";", "\u{FF1A}", "\u{FE55}"];

/// Returns the known field at the start of a line, the separator that was typed instead of a colon, and the value.
pub(crate) fn other_separator(text: &[u8]) -> Option<(Field, &'static str, &[u8])> {
    KNOWN.into_iter().find_map(|field| {
        let name = field.name().as_bytes();
        if !text.get(..name.len())?.eq_ignore_ascii_case(name) {
            return None;
        }
        let rest = text[name.len()..].trim_ascii_start();
        SEPARATORS.iter().find_map(|separator| {
            let value = rest.strip_prefix(separator.as_bytes())?.trim_ascii();
            (!value.is_empty()).then_some((field, *separator, value))
        })
    })
}

/// The last field name that was looked up. Lines with the same name often follow one another.
#[derive(Default)]
pub(crate) struct LastName<'a>(&'a [u8], Option<Field>);

impl<'a> LastName<'a> {
    /// Returns the field whose name this one is probably a misspelling of.
    fn meant(&mut self, name: &'a [u8]) -> Option<Field> {
        if self.0 != name {
            *self = Self(name, meant(name));
        }
        self.1
    }
}

/// Returns the mistake because of which crawlers ignore a line, if a small fix turns it into a record.
pub(crate) fn mistake<'a>(file: &File<'a>, line: &Line<'a>, last: &mut LastName<'a>) -> Option<Mistake> {
    let record = file.record_span(line.number);
    let (name, value) = match line.content {
        Content::Other { field: Field::Unknown, name, value, .. } if !line.missing_colon => (name, Some(value)),
        // A line of two words without a colon is understood, but not a line of more words.
        Content::NoRecord => (&file.source[record.clone()], None),
        _ => return None,
    };
    if let Some((field, rest)) = first_word(name) {
        let until = record.start + (name.len() - rest.len());
        let is_value = match value {
            Some(value) => {
                let is_scheme = rest.eq_ignore_ascii_case(b"http") || rest.eq_ignore_ascii_case(b"https");
                (rest.starts_with(b"/") || is_scheme) && !value.is_empty()
            }
            None => matches!(rest, [b'/' | b'*', ..]),
        };
        if is_value {
            return Some(Mistake { field, is_name: false, span: record, until });
        }
    }
    if let Some(field) = value.and_then(|_| last.meant(name)) {
        let span = file.span(name);
        return Some(Mistake { field, is_name: true, until: span.end, span });
    }
    if other_separator(&file.source[record.clone()]).is_some() {
        return None;
    }
    let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t');
    let read = read_by_google(line)?;
    let gap = name.iter().position(is_gap);
    if (value.is_none() || gap.is_some()) && !read.has_effect() {
        return None;
    }
    let (span, until) = match (value, gap) {
        (None, Some(end)) => {
            let value = name[end..].iter().position(|byte| !is_gap(byte))?;
            (record.start..record.start + end, record.start + end + value)
        }
        _ => (file.span(name), file.span(name).end),
    };
    Some(Mistake { field: read.field, is_name: true, span, until })
}

/// Returns the known field name that a text starts with, and the text after the white space that follows it.
fn first_word(record: &[u8]) -> Option<(Field, &[u8])> {
    let end = record.iter().position(|b| matches!(b, b' ' | b'\t'))?;
    let field = KNOWN.into_iter().find(|field| record[..end].eq_ignore_ascii_case(field.name().as_bytes()))?;
    Some((field, record[end..].trim_ascii_start()))
}

/// Returns the field whose name this one is probably a misspelling of.
fn meant(name: &[u8]) -> Option<Field> {
    if name.len() > 30 {
        return None;
    }
    let (mut letters, mut count) = ([0; 14], 0);
    for letter in name.iter().filter(|octet| octet.is_ascii_alphabetic()) {
        *letters.get_mut(count)? = *letter;
        count += 1;
    }
    let typed = &letters[..count];
    let is_close = |letters: &[u8]| {
        let most = if letters.len() < 6 { 1 } else { 2 };
        typed.len() >= 4 && edit_distance(typed, letters, most).is_some()
    };
    KNOWN.into_iter().zip(LETTERS).find(|(_, letters)| is_close(letters)).map(|(field, _)| field)
}

/// Returns the position at which another record starts.
pub(crate) fn second_record(value: &[u8]) -> Option<usize> {
    const NAMES: [&str; 4] = ["user-agent", "disallow", "allow", "sitemap"];
    // Each colon is examined. Other colons are only those of URLs, which are few.
    let mut from = 0;
    while let Some(colon) = value[from..].iter().position(|b| *b == b':').map(|at| from + at) {
        for name in NAMES {
            if let Some(start) = colon.checked_sub(name.len())
                && value[start..colon].eq_ignore_ascii_case(name.as_bytes())
            {
                return Some(start);
            }
        }
        from = colon + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_names() {
        for (field, letters) in KNOWN.into_iter().zip(LETTERS) {
            let name = field.name().bytes().filter(u8::is_ascii_alphabetic);
            assert!(name.map(|letter| letter.to_ascii_lowercase()).eq(letters.iter().copied()), "{}", field.name());
        }
    }
}
