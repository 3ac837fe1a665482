//! Hover texts: the URLs that a rule matches and the answers that it changes, and the crawler that a token names.

use comity::{Content, Crawlers, Dialect, Field, Governed, Group, Robots, Rule, RuleEffect, RuleKind, SourceText};
use comity_report::{never_matches, pattern_words, shorten};
use serde_json::{Value, json};

use super::MAX_LABEL_CHARS;
use super::place::Places;
use super::removal;

pub(super) fn at(text: &str, places: &Places<'_>, at: usize, table: &Crawlers) -> Option<Value> {
    let number = places.line_of(at);
    let body = SourceText::new(text.as_bytes(), &Dialect::STANDARD);
    let line = body.lines().nth(number)?;
    let robots = Robots::parse(text);
    let words = match line.content {
        Content::UserAgent { .. } => {
            let agent = robots.groups().flat_map(|group| group.agents()).find(|agent| agent.line() == line.number)?;
            about_agent(&String::from_utf8_lossy(agent.token()), &String::from_utf8_lossy(agent.value()), table)
        }
        Content::Rule { effect: RuleEffect::Applies, .. } => {
            let (group, rule) = robots.groups().find_map(|group| {
                let rule = group.rules().find(|rule| rule.line() == line.number)?;
                Some((group, rule))
            })?;
            let effect = places.line(number).map(|span| removal::describe(text, span, line.number, table));
            format!("{}\n\n{}", about_rule(&group, &rule), effect.unwrap_or_default())
        }
        Content::Rule { .. } => "No crawler obeys this rule: there is no user-agent line before it.".to_owned(),
        Content::Other { field, .. } => about_field(field)?.to_owned(),
        Content::NoRecord => "Not understood: expected a field name, a colon and a value.".to_owned(),
        _ => return None,
    };
    let range = places.line(number).map(|line| places.range(&line));
    Some(json!({ "contents": { "kind": "markdown", "value": words }, "range": range }))
}

fn about_agent(token: &str, value: &str, table: &Crawlers) -> String {
    if token == "*" {
        return "Every crawler that no group names.".to_owned();
    }
    if token.is_empty() {
        return "This line names no crawler.".to_owned();
    }
    let Some(profile) = table.find(token).or_else(|| table.find(value)) else {
        return format!("Names {}, which is not a known crawler.", code(token));
    };
    let mut words = format!("**{}**: {}, {}.\n\n", profile.token, profile.operator, profile.purpose.label());
    if !profile.fallback.is_empty() {
        words += &format!("Without its own group it uses that of {}. ", code(&profile.fallback.join(", ")));
    }
    if !profile.obeys_star {
        words += "It ignores the groups of `*`. ";
    }
    words += match profile.governed {
        Governed::Yes => "It obeys robots.txt.",
        Governed::MayBypass => "Its operator says that it may ignore robots.txt.",
        Governed::No => "Its operator says that it does not obey robots.txt.",
        Governed::ControlToken => "It makes no requests; its group controls the use of pages.",
        _ => "Its operator does not say if it obeys.",
    };
    if profile.retired {
        words += " It is retired.";
    }
    if !profile.docs.is_empty() {
        words += &format!("\n\n<https://{}>", profile.docs);
    }
    words
}

fn about_rule(group: &Group<'_>, rule: &Rule<'_>) -> String {
    let crawlers: Vec<String> =
        group.agents().take(4).map(|agent| code(&String::from_utf8_lossy(agent.token()))).collect();
    let more = group.agents().len().saturating_sub(4);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let for_whom = format!("for {}{more}", crawlers.join(", "));
    let pattern = String::from_utf8_lossy(rule.pattern());
    if pattern.is_empty() {
        return format!("Empty: it has no effect, {for_whom}.");
    }
    if let Some(why) = never_matches(rule, &Dialect::STANDARD) {
        return format!("Matches nothing: {why}.");
    }
    let verb = if rule.kind() == RuleKind::Allow { "Allows" } else { "Blocks" };
    format!(
        "{verb} {}, {for_whom}.\n\nOf the rules that match, the longest decides; this one has {} bytes.",
        pattern_words(&pattern, code),
        rule.priority()
    )
}

fn about_field(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Sitemap => "The absolute URL of a sitemap. It belongs to no group.",
        Field::CrawlDelay => {
            "Seconds between requests, for the crawlers of the group. Google, Yandex and Apple ignore it."
        }
        Field::RequestRate => "Documents per time, for the crawlers of the group; Seznam.",
        Field::CleanParam => "Query parameters to ignore; Yandex.",
        Field::ContentSignal | Field::ContentUsage => "Preferences about the use of content. It blocks nothing.",
        Field::License => "A license document (RSL). It blocks nothing.",
        Field::LlmPolicy => "A policy document. It blocks nothing.",
        Field::Host => "The preferred mirror; Yandex until 2018.",
        Field::Noindex => "Ignored since 2019. Use `noindex` in the page or in an X-Robots-Tag header.",
        _ => return None,
    })
}

/// Returns a text as code in Markdown, whatever it contains.
fn code(text: &str) -> String {
    let text = comity::Escaped(shorten(text, MAX_LABEL_CHARS).as_bytes()).to_string();
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
