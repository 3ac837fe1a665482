//! Answers and remarks in words that several commands print.

use std::fmt::Display;

use comity::{Answer, Crawlers, Encoding, Robots, SIZE_LIMIT, Verdict};
use comity_report::{CrawlerQuery, looks_like, similar};

/// Returns a number with a noun: `1 file`, `2 files`.
pub(crate) fn count<N: Copy + Display + From<u8> + PartialEq>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Returns the answer as a word, with the number of the deciding line if there is one.
pub(crate) fn cell(verdict: &Verdict) -> String {
    let word = match verdict.answer() {
        Answer::Allowed => "allowed",
        Answer::Disallowed => "blocked",
        Answer::NotGoverned => "not governed",
        _ => "out of scope",
    };
    match verdict.line() {
        Some(line) => format!("{word} {line}"),
        None => word.to_owned(),
    }
}

/// Returns remarks on a file that a person should read before relying on its answers.
pub(crate) fn about_file(name: &str, robots: &Robots, body: &[u8]) -> Vec<String> {
    let mut notes = Vec::new();
    if body.len() > SIZE_LIMIT {
        notes.push(format!(
            "{name} has more than 512,000 bytes: most crawlers ignore the rest, some obey it, and Yandex ignores the whole \
             file."
        ));
    }
    if body.is_empty() {
        notes.push(format!("{name} is empty, which allows everything. If a fetch failed, that is not an answer."));
    }
    if matches!(robots.encoding(), Encoding::Utf16Le | Encoding::Utf16Be) {
        notes.push(format!("{name} is UTF-16, in which some crawlers see no rules: save it as UTF-8."));
    }
    notes.extend(looks_like(robots, body).map(|kind| format!("{name} looks like {kind}, not like a robots.txt.")));
    notes
}

/// Returns the kind of a file of a site, with the reason if it is compressed: the client undid all codings that were
/// declared.
pub(crate) fn undeclared(kind: &str) -> String {
    let reason = if kind.ends_with(" data") { ", which the server does not declare" } else { "" };
    format!("{kind}{reason}")
}

/// Returns a remark that names the known crawler a token probably means, if neither the table nor the file has it.
pub(crate) fn hint(asker: &CrawlerQuery, table: Option<&Crawlers>, is_seen: bool) -> Option<String> {
    let meant =
        table.filter(|_| !is_seen && asker.profile().is_none()).and_then(|table| similar(asker.token(), table))?;
    Some(format!("{} is not known; perhaps you mean {meant}.", asker.subject()))
}
