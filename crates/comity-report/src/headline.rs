//! Answers in one sentence that states the result first. The command, the service and the tester show the same sentences.

mod open;
mod reading;

use comity::Escaped;
use serde::Serialize;

use crate::lines::shorten;

pub use open::{open_to, site_headline};
pub(crate) use reading::{Reader, Readers, Who, known_name, subject};

/// An answer in one or two sentences, with its result first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Headline {
    /// The kind of the result.
    pub tone: Tone,
    /// The sentences. Text from files and sites in it is escaped and shortened.
    pub text: String,
}

/// The kind of a result, for its color and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tone {
    /// Nothing needs attention.
    Good,
    /// The result is a fact that is neither good nor bad in itself.
    Neutral,
    /// The result is perhaps a mistake, or known only in part.
    Caution,
    /// The result is a mistake, or closes the site or a page.
    Bad,
}

impl Headline {
    /// Creates a headline.
    #[must_use]
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

/// The maximum number of names in a sentence, before the rest is only counted.
const MAX_NAMES: usize = 4;

/// The maximum number of characters of a name, a path or a URL in a sentence.
const MAX_SHOWN: usize = 80;

/// Returns a text from outside for a sentence: escaped, and shortened if it is long.
pub(crate) fn quoted(text: &str) -> String {
    shorten(&Escaped(text.as_bytes()).to_string(), MAX_SHOWN).into_owned()
}

/// Returns a number with a comma after each group of three digits, such as `1,204`.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number with a noun, such as `1 page` or `1,204 pages`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

/// Returns names as a list in words, such as `Google, Bing and 3 others`. `word` is before the last one.
pub(crate) fn listed<T: AsRef<str>>(names: &[T], word: &str) -> String {
    let shown = |names: &[T]| names.iter().map(|name| quoted(name.as_ref())).collect::<Vec<_>>().join(", ");
    match names {
        [] => String::new(),
        [one] => quoted(one.as_ref()),
        // "and 1 other" would be as long as the name.
        [first @ .., last] if names.len() <= MAX_NAMES + 1 => {
            format!("{} {word} {}", shown(first), quoted(last.as_ref()))
        }
        _ => {
            let others = (names.len() - MAX_NAMES) as u64;
            format!("{} {word} {} others", shown(&names[..MAX_NAMES]), number(others))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_are_words() {
        for (value, text) in [(0, "0"), (999, "999"), (1_204, "1,204"), (50_000, "50,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(value), text);
        }
        assert_eq!(counted(1, "page"), "1 page");
        assert_eq!(counted(1_000, "page"), "1,000 pages");
        assert_eq!(listed(&["a"], "and"), "a");
        assert_eq!(listed(&["a", "b"], "or"), "a or b");
        assert_eq!(listed(&["a", "b", "c", "d", "e"], "and"), "a, b, c, d and e");
        assert_eq!(listed(&["a", "b", "c", "d", "e", "f"], "and"), "a, b, c, d and 2 others");
    }

    #[test]
    fn text_from_outside_is_escaped_and_short() {
        assert!(!quoted("\u{1b}[2J").contains('\u{1b}'));
        assert_eq!(quoted(&"a".repeat(1_000)).chars().count(), MAX_SHOWN + 1);
    }
}
