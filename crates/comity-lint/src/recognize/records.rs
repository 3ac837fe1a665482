//! Recognizes records with a mistake: a misspelled field, a missing colon, or another record in the value.

use std::ops::Range;

use comity::spelling::edit_distance;
use comity::{Content, Field, Line};

use crate::file::File;

/// The fields whose misspellings are looked for.
const KNOWN: [Field; 5] = [Field::UserAgent, Field::Disallow, Field::Allow, Field::Sitemap, Field::CrawlDelay];
/// The letters of the names of [`KNOWN`].
const LETTERS: [&[u8]; KNOWN.len()] = [b"useragent", b"disallow", b"allow", b"sitemap", b"crawldelay"];

/// A mistake because of which every crawler ignores a line.
pub(crate) enum Mistake {
    /// The name is a misspelling of this field.
    Name { meant: Field, span: Range<usize> },
    /// The colon after the field is missing. The text from `span.start` to `until` is the field and the gap after it.
    Colon { field: Field, span: Range<usize>, until: usize },
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

/// Returns the mistake because of which every crawler ignores a line, if a small fix turns it into a record.
pub(crate) fn mistake<'a>(file: &File<'a>, line: &Line<'a>, last: &mut LastName<'a>) -> Option<Mistake> {
    match line.content {
        Content::Other { field: Field::Unknown, name, value, .. } if !line.missing_colon => {
            let span = file.span(name);
            if let Some(meant) = last.meant(name) {
                return Some(Mistake::Name { meant, span });
            }
            let (field, rest) = first_word(name)?;
            let is_value =
                rest.starts_with(b"/") || rest.eq_ignore_ascii_case(b"http") || rest.eq_ignore_ascii_case(b"https");
            let until = span.start + (name.len() - rest.len());
            (is_value && !value.is_empty()).then(|| Mistake::Colon {
                field,
                span: file.record_span(line.number),
                until,
            })
        }
        // A line of two words without a colon is understood, but not a line of more words.
        Content::NoRecord => {
            let record = file.record_span(line.number);
            let text = &file.source[record.clone()];
            let (field, rest) = first_word(text)?;
            let until = record.start + (text.len() - rest.len());
            matches!(rest, [b'/' | b'*', ..]).then_some(Mistake::Colon { field, span: record, until })
        }
        _ => None,
    }
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
