//! Splits the value of a header or a meta tag into rules, and finds the crawlers that they are for.

use comity::Crawlers;

use crate::page::Moment;
use crate::page::rule::{self, PageRule};

/// One rule in the value of a header or meta tag, such as `nosnippet` in `googlebot: noindex, nosnippet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// The name of the crawler that the rule is for. `None` for every crawler.
    pub(super) agent: Option<&'a [u8]>,
    /// The rule as written.
    pub(super) text: &'a [u8],
    pub(super) rule: PageRule,
}

/// The maximum number of commas in a date. The known formats need one at most, as in `Friday, 25-Jun-10 15:00:00 PST`.
const MAX_COMMAS_IN_DATE: usize = 3;

/// Calls `each` with every item of one `X-Robots-Tag` line. After the name of a crawler and a colon, items are for that
/// crawler, up to the next such name.
pub(super) fn header<'a>(value: &'a [u8], crawlers: &Crawlers, mut each: impl FnMut(Item<'a>)) {
    items(value, Some(crawlers), &mut each);
}

/// Calls `each` with every item of a meta tag's content. The tag's name determines the crawler that they are for.
pub(super) fn meta<'a>(content: &'a [u8], mut each: impl FnMut(Item<'a>)) {
    items(content, None, &mut each);
}

/// Calls `each` with every item. With a table, recognizes the names of crawlers: those in the table, and those that
/// look like one.
fn items<'a>(value: &'a [u8], crawlers: Option<&Crawlers>, each: &mut impl FnMut(Item<'a>)) {
    let mut agent = None;
    let mut is_first = true;
    let mut start = 0;
    while start <= value.len() {
        let mut end = segment_end(value, start);
        let text_end = start + value[start..end].trim_ascii_end().len();
        let mut text = value[start..text_end].trim_ascii_start();
        while let Some(crawlers) = crawlers
            && let Some((name, rest)) = named(text)
            && is_agent(name, rest, is_first, crawlers)
        {
            agent = Some(name).filter(|name| !is_everyone(name));
            text = rest;
            is_first = false;
        }
        if let Some((name, date)) = named(text)
            && name.eq_ignore_ascii_case(rule::UNAVAILABLE_AFTER.as_bytes())
            && let Some(date_end) = longest_date(value, text_end - date.len(), end)
        {
            text = value[text_end - text.len()..date_end].trim_ascii_end();
            end = date_end;
        }
        if !text.is_empty() {
            is_first = false;
            each_of(text, |text, rule| each(Item { agent, text, rule }));
        }
        start = end + 1;
    }
}

/// Returns the end of the longest run of segments that is a date, since dates may contain commas. The first segment
/// ends at `end`.
fn longest_date(value: &[u8], start: usize, mut end: usize) -> Option<usize> {
    let mut longest = None;
    for _ in 0..=MAX_COMMAS_IN_DATE {
        if Moment::parse(&value[start..end]).is_some() {
            longest = Some(end);
        }
        if end == value.len() {
            break;
        }
        end = segment_end(value, end + 1);
    }
    longest
}

/// Returns the end of the segment that starts here: the next comma, or the end of the value.
fn segment_end(value: &[u8], start: usize) -> usize {
    memchr::memchr(b',', &value[start..]).map_or(value.len(), |i| start + i)
}

/// Returns the text before the first colon, and the text after it.
fn named(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', text)?;
    Some((text[..colon].trim_ascii(), text[colon + 1..].trim_ascii()))
}

/// Calls `each` with the rule of an item, or with each flag of several that only spaces or semicolons separate, because
/// their author forgot the comma. Taken as one unknown rule, the flags would have no effect.
fn each_of<'a>(text: &'a [u8], mut each: impl FnMut(&'a [u8], PageRule)) {
    let rule = rule(text);
    let words = || text.split(|b| b.is_ascii_whitespace() || *b == b';').filter(|word| !word.is_empty());
    let is_list = rule == PageRule::Unknown && words().all(|word| self::rule(word) != PageRule::Unknown);
    if is_list && words().next().is_some() {
        words().for_each(|word| each(word, self::rule(word)));
    } else {
        each(text, rule);
    }
}

fn rule(text: &[u8]) -> PageRule {
    match named(text) {
        Some((name, value)) => PageRule::valued(name, value),
        None => PageRule::flag(text),
    }
}

/// Returns true if a name before a colon is that of a crawler. The names of rules with values never are. At the start
/// of a line, any other name is one if a known rule follows. An unknown rule such as `max-fish: 3` is for every
/// crawler, so that the rules after it are not taken for those of another crawler. Later in a line, where a name would
/// end the rules for the crawler before it, only a name that looks like a crawler's is one.
fn is_agent(name: &[u8], rest: &[u8], is_first: bool, crawlers: &Crawlers) -> bool {
    let is_token =
        !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if rule::has_value(name) || !(is_token || is_everyone(name)) {
        return false;
    }
    let is_known = || {
        let mut is_known = false;
        each_of(rest, |_, rule| is_known |= rule != PageRule::Unknown);
        is_known
    };
    is_everyone(name)
        || looks_like_crawler(name, crawlers)
        || is_first
            && (rest.is_empty()
                || is_known()
                || named(rest).is_some_and(|(name, _)| looks_like_crawler(name, crawlers)))
}

/// Returns true for `*` and `robots`, which mean every crawler.
pub(super) fn is_everyone(name: &[u8]) -> bool {
    name == b"*" || name.eq_ignore_ascii_case(b"robots")
}

/// Returns true if a name is that of a crawler in the table, or ends as names of crawlers do.
pub(super) fn looks_like_crawler(name: &[u8], crawlers: &Crawlers) -> bool {
    let ends_with = |end: &[u8]| name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    ends_with(b"bot")
        || ends_with(b"spider")
        || std::str::from_utf8(name).is_ok_and(|name| crawlers.find(name).is_some())
}
