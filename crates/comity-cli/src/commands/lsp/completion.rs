//! Completions: directives at the start of a line, and crawlers after `User-agent:`.

use comity::{Crawlers, Field};
use serde_json::{Value, json};

use super::place::Places;
use super::protocol::{COMPLETION_KEYWORD, COMPLETION_VALUE};

pub(super) fn at(text: &str, places: &Places<'_>, at: usize, table: &Crawlers) -> Vec<Value> {
    let Some(line) = places.line(places.line_of(at)) else { return Vec::new() };
    let typed = text[line.start.min(at)..at].trim_start();
    match typed.split_once(':') {
        _ if typed.contains('#') => Vec::new(),
        None => directives(),
        Some((field, _)) if field.trim().eq_ignore_ascii_case("user-agent") => crawlers(table),
        Some(_) => Vec::new(),
    }
}

fn directives() -> Vec<Value> {
    let fields = [
        (Field::UserAgent, "the crawlers of the group"),
        (Field::Disallow, "URLs that may not be fetched"),
        (Field::Allow, "exceptions that may be fetched"),
        (Field::Sitemap, "the absolute URL of a sitemap"),
        (Field::CrawlDelay, "seconds between requests; not for Google"),
        (Field::ContentSignal, "preferences about use; blocks nothing"),
        (Field::ContentUsage, "preferences about use, by a draft of the IETF; blocks nothing"),
        (Field::CleanParam, "query parameters to ignore; Yandex"),
        (Field::License, "a license document"),
    ];
    fields
        .map(|(field, detail)| {
            json!({
                "label": field.name(),
                "kind": COMPLETION_KEYWORD,
                "detail": detail,
                "insertText": format!("{field}: "),
            })
        })
        .into()
}

fn crawlers(table: &Crawlers) -> Vec<Value> {
    let known = table.iter().filter(|profile| !profile.retired).map(|profile| {
        json!({
            "label": profile.token,
            "kind": COMPLETION_VALUE,
            "detail": format!("{}, {}", profile.operator, profile.purpose.label()),
        })
    });
    let any = json!({ "label": "*", "kind": COMPLETION_VALUE, "detail": "every crawler that no group names" });
    std::iter::once(any).chain(known).collect()
}
