//! Comparison of results with the cases of `testdata/page/`, for the tests with and without HTML.

use comity::{Answer, Crawler, Robots};
use comity_page::{Page, PageRules, Part, permissions};
use comity_testdata::pages::{PageAsk, PageCase};

/// Returns the differences from the expected evidence: licenses, and reservations of text and data mining.
pub(crate) fn complaints_about_evidence(page: &Page, case: &PageCase) -> Vec<String> {
    let place = |part: Part, line: Option<u32>| line.map_or(part.to_string(), |line| format!("{part} {line}"));
    let licenses = page.licenses().iter().map(|license| {
        let kind = if license.is_rsl() { ", RSL" } else { "" };
        format!("{}: {license}{kind}", place(license.part, license.line))
    });
    let licenses: Vec<String> = licenses.collect();
    let tdm = page.tdm().map_or("not stated".to_owned(), |tdm| {
        let (is_reserved, said) = tdm.reservation;
        let policy =
            tdm.policy.map_or(String::new(), |said| format!("; {}, {}", said.text, place(said.part, said.line)));
        format!("{}reserved, {}{policy}", if is_reserved { "" } else { "not " }, place(said.part, said.line))
    });
    let mut complaints = Vec::new();
    if case.licenses.as_ref().is_some_and(|expected| *expected != licenses) {
        complaints.push(format!("licenses: {licenses:?}"));
    }
    if case.tdm.as_ref().is_some_and(|expected| *expected != tdm) {
        complaints.push(format!("tdm: {tdm}"));
    }
    complaints
}

/// Returns the crawler that a question names.
pub(crate) fn crawler(ask: &PageAsk) -> Crawler<'_> {
    match (&ask.agent, &ask.crawler) {
        (Some(agent), None) => Crawler::literal(agent),
        (None, Some(name)) => Crawler::known(name).unwrap_or_else(|| panic!("the table has no {name}")),
        _ => panic!("a question has either `agent` or `crawler`: {ask:?}"),
    }
}

/// Returns the differences from the expected rules.
pub(crate) fn complaints_about(rules: &PageRules<'_>, ask: &PageAsk) -> Vec<String> {
    let mut complaints = Vec::new();
    if ask.is.as_ref().is_some_and(|expected| *expected != rules.to_string()) {
        complaints.push(format!("rules: {rules}"));
    }
    if let Some(expected) = &ask.ignored {
        let found: Vec<&str> = rules.ignored.iter().map(|(statement, _)| statement.text.as_str()).collect();
        if found != *expected {
            complaints.push(format!("ignored: {found:?}"));
        }
    }
    complaints
}

/// Returns the differences from the expected permissions.
pub(crate) fn complaints_about_answers(robots: &Robots, page: &Page, ask: &PageAsk) -> Vec<String> {
    let found = permissions(robots, &crawler(ask), "/page", page);
    let fetch = match found.fetch.answer() {
        Answer::Allowed => "yes",
        Answer::Disallowed => "no",
        _ => "not governed",
    };
    let answers = [
        ("fetch", &ask.fetch, fetch.to_owned()),
        ("index", &ask.index, found.index.stance.to_string()),
        ("follow", &ask.follow, found.follow.stance.to_string()),
        ("training", &ask.training, found.training.stance.to_string()),
        ("ai_input", &ask.ai_input, found.ai_input.stance.to_string()),
        ("search", &ask.search, found.search.stance.to_string()),
        ("conflicts", &ask.conflicts.map(|count| count.to_string()), found.conflicts.len().to_string()),
    ];
    let differing = answers.into_iter().filter(|(_, expected, found)| expected.as_ref().is_some_and(|e| e != found));
    differing.map(|(what, _, found)| format!("{what}: {found}")).collect()
}
