//! The lists of words in `words.txt`, and the lists that contain a word. A set of lists is a number with one bit for each.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Defines the lists: for each, a constant with its bit.
macro_rules! lists {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of constants")]
        enum Place { $($name),* }
        $(pub(crate) const $name: u64 = 1 << Place::$name as u64;)*
        const LISTS: &[(&str, u64)] = &[$((stringify!($name), $name)),*];
    };
}

lists! {
    // Topics of comments. `WANTED` is the wish to be found or quoted, and `OTHER_USE` a use of pages other than training.
    TRAINING AI CRAWLERS OTHER_USE INDEX PREVIEWS WANTED AI_OVERVIEWS COPILOT MODE BLOCK BE BLOCKED ACCESS ORDER WELCOME
    OTHERWISE NOT OTHERS NOINDEX REMOVE FROM OUT REDIRECT OUTSIDE VARIANTS FILTERS TEMPORARY MUST REACHABLE
    // Topics that no word has alone.
    NO_TRAINING OUT_OF_INDEX NO_ACCESS
    // Names in paths, and endings of such names.
    SECRET SECRET_AT_ROOT SECRET_ENDING DATA_ENDING HARMLESS AREA JOOMLA SCRIPTS STYLES
    // Parameters, user agents and labels of host names.
    PARAMETER FACET HOSTILE LIBRARY UNLISTED_CRAWLER COUNTRY TEST_HOST
}

/// The topics of comments, which are the lists up to `NO_ACCESS`.
pub(crate) const TOPICS: u64 = (NO_ACCESS << 1) - 1;

static WORDS: LazyLock<HashMap<&[u8], u64>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (name, of_list) in include_str!("words.txt").lines().filter_map(|line| line.split_once(" = ")) {
        let bit = LISTS.iter().find(|(list, _)| *list == name).map_or(0, |(_, bit)| *bit);
        of_list.split(' ').for_each(|word| *words.entry(word.as_bytes()).or_default() |= bit);
    }
    words
});

/// Longer words are in no list, in bytes.
const MAX_WORD: usize = 20;

/// Returns the lists that contain a word, ignoring ASCII case.
pub(crate) fn lists_of(word: &[u8]) -> u64 {
    let mut buffer = [0; MAX_WORD];
    let Some(lower) = buffer.get_mut(..word.len()) else { return 0 };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    WORDS.get(&*lower).copied().unwrap_or_default()
}

/// Returns true if one of these lists contains a word, ignoring ASCII case.
pub(crate) fn is_listed(word: &[u8], lists: u64) -> bool {
    lists_of(word) & lists != 0
}

/// Returns the words of these lists, in no order.
pub(crate) fn listed_in(lists: u64) -> impl Iterator<Item = &'static [u8]> {
    WORDS.iter().filter(move |(_, own)| **own & lists != 0).map(|(word, _)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_list_and_each_word_can_be_found() {
        let mut names = Vec::new();
        for line in include_str!("words.txt").lines().filter(|line| !line.starts_with('#')) {
            let (name, words) = line.split_once(" = ").unwrap();
            let (_, bit) = LISTS.iter().find(|(list, _)| *list == name).unwrap_or_else(|| panic!("no list {name}"));
            words.split(' ').for_each(|word| assert!(is_listed(word.as_bytes(), *bit), "{word:?} of {name}"));
            names.push(name);
        }
        let empty = LISTS.iter().map(|(name, _)| *name).filter(|name| !names.contains(name)).collect::<Vec<_>>();
        assert_eq!(empty, ["NO_TRAINING", "OUT_OF_INDEX", "NO_ACCESS"]);
    }
}
