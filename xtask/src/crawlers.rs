//! `cargo xtask crawlers --compare FILE`: lists the names of a downloaded list that the crawler table lacks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

const TABLE: &str = "crates/comity/crawlers.toml";

/// Names of lists that are no product tokens. A row for them would hide the explanation of what is meant.
const NOT_TOKENS: [(&str, &str); 2] = [
    ("openai", "a company: GPTBot, OAI-SearchBot and ChatGPT-User are its crawlers"),
    ("perplexityuser", "another spelling of Perplexity-User, which its operator writes"),
];

/// Prints each name of a list that is not in the table.
///
/// # Errors
///
/// If a file cannot be read, and if names are missing.
pub(crate) fn compare(list: &Path) -> Result<()> {
    let table = fs::read_to_string(TABLE).with_context(|| format!("read {TABLE}"))?;
    let quoted = |line: &str| Some(line.strip_prefix("token = \"")?.strip_suffix('"')?.to_ascii_lowercase());
    let known: BTreeSet<String> = table.lines().filter_map(quoted).collect();
    let text = fs::read_to_string(list).with_context(|| format!("read {}", list.display()))?;
    let names = names(&text);
    ensure!(!names.is_empty(), "expected names of crawlers in {}, found none", list.display());
    let mut missing = 0;
    for name in &names {
        if let Some((_, why)) = NOT_TOKENS.iter().find(|(other, _)| *other == name.to_ascii_lowercase()) {
            println!("{name}: no token, but {why}");
        } else if !known.contains(&without_version(name).to_ascii_lowercase()) {
            missing += 1;
            println!("{name}: missing");
        }
    }
    println!("{} names, {missing} missing in {TABLE}", names.len());
    ensure!(missing == 0, "add a row for each, or state in xtask/src/crawlers.rs why it is no token");
    Ok(())
}

/// Returns the names in a list: the keys of a JSON object; the patterns of a JSON array of objects that are tagged as AI
/// crawlers; or the user-agent lines of a robots.txt.
fn names(text: &str) -> BTreeSet<String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(rows)) => rows.into_iter().map(|(name, _)| name).collect(),
        Ok(Value::Array(rows)) => {
            let is_ai =
                |row: &&Value| row["tags"].as_array().is_some_and(|tags| tags.iter().any(|tag| tag == "ai-crawler"));
            rows.iter().filter(is_ai).filter_map(|row| Some(of_pattern(row["pattern"].as_str()?))).collect()
        }
        _ => {
            let agents = text.lines().filter_map(|line| line.split_once(':'));
            let agents = agents.filter(|(field, _)| field.trim().eq_ignore_ascii_case("user-agent"));
            agents.map(|(_, name)| name.trim().to_owned()).filter(|name| name != "*").collect()
        }
    }
}

/// Returns the name that a regular expression of a list begins with: `[cC]laude[bB]ot` is `ClaudeBot`.
fn of_pattern(pattern: &str) -> String {
    let (mut name, mut rest) = (String::new(), pattern);
    while let Some(char) = rest.chars().next() {
        match char {
            '[' if rest.starts_with("[\\") => break,
            '[' => {
                let end = rest.find(']').unwrap_or(rest.len() - 1);
                name.extend(rest[1..end].chars().last());
                rest = &rest[end + 1..];
                continue;
            }
            '\\' | '^' | '$' | '(' | ')' => {}
            _ => name.push(char),
        }
        rest = &rest[char.len_utf8()..];
    }
    name.trim_end_matches('/').to_owned()
}

/// Returns a name without the version of a `User-Agent` header: `iaskspider/2.0`, `Brightbot 1.0`.
fn without_version(name: &str) -> &str {
    let name = name.split('/').next().unwrap_or(name);
    match name.rsplit_once(' ') {
        Some((name, version)) if version.starts_with(|char: char| char.is_ascii_digit()) => name,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_forms_are_read() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(names(r#"{"GPTBot": {}, "Spider": {}}"#), set(&["GPTBot", "Spider"]));
        let list = r#"[{"pattern": "[cC]laude[bB]ot", "tags": ["ai-crawler"]}, {"pattern": "x", "tags": ["seo"]},
            {"pattern": "Spider[\\s\\S]*spider\\.com", "tags": ["ai-crawler"]}, {"pattern": "A\\/", "tags": ["ai-crawler"]}]"#;
        assert_eq!(names(list), set(&["ClaudeBot", "Spider", "A"]));
        assert_eq!(names("User-agent: *\nUser-Agent: A Bot # b\nDisallow: /\n"), set(&["A Bot # b"]));
        assert_eq!(
            ["iaskspider/2.0", "Brightbot 1.0", "A Bot"].map(without_version),
            ["iaskspider", "Brightbot", "A Bot"]
        );
    }
}
