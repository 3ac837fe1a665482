//! The lists of words in `words.txt`, and the lists that contain a word. A set of lists is a number with one bit for each.

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

/// Words with the bits of their lists.
type Words = Vec<(&'static [u8], u64)>;

/// All words, by place. Few share one.
static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let mut words = vec![Vec::new(); PLACES];
    for (name, of_list) in include_str!("words.txt").lines().filter_map(|line| line.split_once(" = ")) {
        let bit = LISTS.iter().find(|(list, _)| *list == name).map_or(0, |(_, bit)| *bit);
        of_list.split(' ').map(str::as_bytes).for_each(|word| words[place(word)].push((word, bit)));
    }
    words
});

const PLACES: usize = 2048;

/// Returns the place of a word, by its length, and its first and last letter in any case.
fn place(word: &[u8]) -> usize {
    let (first, last) = (word.first().map_or(0, |byte| byte & 31), word.last().map_or(0, |byte| byte & 31));
    (usize::from(first) + 32 * usize::from(last) + 64 * word.len()) % PLACES
}

/// Returns the lists that contain a word, ignoring ASCII case.
pub(crate) fn lists_of(word: &[u8]) -> u64 {
    let same =
        WORDS[place(word)].iter().filter(|(known, _)| known.len() == word.len() && known.eq_ignore_ascii_case(word));
    same.fold(0, |lists, (_, bit)| lists | bit)
}

/// Returns true if one of these lists contains a word, ignoring ASCII case.
pub(crate) fn is_listed(word: &[u8], lists: u64) -> bool {
    lists_of(word) & lists != 0
}

/// Returns the words of these lists, in no order.
pub(crate) fn listed_in(lists: u64) -> impl Iterator<Item = &'static [u8]> {
    WORDS.iter().flatten().filter(move |(_, bit)| bit & lists != 0).map(|(word, _)| *word)
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
