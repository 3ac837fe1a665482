//! Hints about names that are in no table of crawlers. They are no findings: a file may name any crawler.

use std::collections::HashSet;

use comity::{Crawlers, Escaped, Robots};
use comity_lint::{Diagnostic as Finding, Severity};
use comity_report::shorten;
use serde_json::{Value, json};

use super::MAX_LABEL_CHARS;
use super::place::Places;
use super::protocol::SEVERITY_HINT;

/// Returns a hint for each name that the table does not contain, unless a lint reports a mistake in its line.
pub(super) fn hints(text: &str, places: &Places<'_>, findings: &[Finding], table: &Crawlers) -> Vec<Value> {
    let robots = Robots::parse(text);
    let mistakes = findings.iter().filter(|found| found.severity >= Severity::Warning);
    let reported: HashSet<u32> = mistakes.map(|found| found.line).collect();
    let mut hints = Vec::new();
    for agent in robots.groups().flat_map(|group| group.agents()).filter(|agent| !reported.contains(&agent.line())) {
        let (token, value) = (String::from_utf8_lossy(agent.token()), String::from_utf8_lossy(agent.value()));
        if matches!(&*token, "" | "*") || table.find(&token).is_some() || table.find(&value).is_some() {
            continue;
        }
        let Some(line) = places.line(agent.line() as usize - 1) else { continue };
        // A field that is misspelled may have no colon.
        let after_name = text[line.clone()].find(':').map_or(line.start, |colon| line.start + colon);
        let Some(at) = text[after_name..line.end].find(&*value) else { continue };
        let start = after_name + at;
        let name = Escaped(shorten(&token, MAX_LABEL_CHARS).as_bytes()).to_string();
        hints.push(json!({
            "range": places.range(&(start..start + value.len())),
            "severity": SEVERITY_HINT,
            "code": "unknown-crawler",
            "source": "comity",
            "message": format!("`{name}` is not a known crawler: check that it is spelled as its operator writes it"),
        }));
    }
    hints
}
