//! The outline of a file: its groups with their rules, and its sitemaps.

use comity::Robots;
use comity_report::shorten;
use serde_json::{Value, json};

use super::MAX_LABEL_CHARS;
use super::place::Places;
use super::protocol::{SYMBOL_FILE, SYMBOL_KEY, SYMBOL_MODULE};

pub(super) fn of(text: &str, places: &Places<'_>) -> Vec<Value> {
    let robots = Robots::parse(text);
    let shown = |bytes: &[u8]| {
        let text = shorten(&String::from_utf8_lossy(bytes), MAX_LABEL_CHARS).into_owned();
        // A symbol must have a name.
        if text.trim().is_empty() { "(empty)".to_owned() } else { text }
    };
    let line = |number: u32| places.line(number as usize - 1).unwrap_or(text.len()..text.len());
    let mut symbols: Vec<(u32, Value)> = robots
        .groups()
        .map(|group| {
            let first = group.agents().next().map_or(1, |agent| agent.line());
            let names: Vec<String> = group.agents().take(5).map(|agent| shown(agent.value())).collect();
            let rules: Vec<Value> = group
                .rules()
                .map(|rule| {
                    let range = places.range(&line(rule.line()));
                    json!({
                        "name": format!("{}: {}", rule.kind(), shown(rule.value())),
                        "kind": SYMBOL_KEY,
                        "range": range,
                        "selectionRange": range,
                    })
                })
                .collect();
            let last = group
                .rules()
                .last()
                .map_or(first, |rule| rule.line())
                .max(group.agents().last().map_or(first, |agent| agent.line()));
            let symbol = json!({
                "name": names.join(", "),
                "kind": SYMBOL_MODULE,
                "range": places.range(&(line(first).start..line(last).end)),
                "selectionRange": places.range(&line(first)),
                "children": rules,
            });
            (first, symbol)
        })
        .collect();
    symbols.extend(robots.sitemaps().map(|sitemap| {
        let range = places.range(&line(sitemap.line()));
        let symbol = json!({
            "name": shown(sitemap.value()),
            "detail": "Sitemap",
            "kind": SYMBOL_FILE,
            "range": range,
            "selectionRange": range,
        });
        (sitemap.line(), symbol)
    }));
    symbols.sort_by_key(|(line, _)| *line);
    symbols.into_iter().map(|(_, symbol)| symbol).collect()
}
