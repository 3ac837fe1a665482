//! The built-in table is the one in `crawlers.toml`. `UPDATE=1` writes `src/crawler/table.rs` from that file.
#![cfg(feature = "serde")]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use comity::{AiUse, Crawlers, DelaySupport, Governed, PageSupport, Profile, Purpose};

const HEAD: &str = "\
//! The built-in table. `crawlers.toml` is its source, and the test `crawlers_file` writes it: change that file.
//!
//! The engine has no parser of TOML, and a table that is a constant costs nothing at the start of a program.

use alloc::borrow::Cow;

use crate::crawler::facts::{FACTS, Facts, NO_PAGES, Pages, names, row};
use crate::crawler::profile::{AiUse, DelaySupport, Governed, Profile, Purpose};
use crate::dialect::Dialect;

";

fn in_file() -> Crawlers {
    toml::from_str(include_str!("../../crawlers.toml")).expect("crawlers.toml is a table of crawlers")
}

#[test]
fn the_table_is_the_one_in_the_file() {
    let file = in_file();
    let rows: Vec<&Profile> = (&file).into_iter().collect();
    if std::env::var_os("UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/crawler/table.rs");
        std::fs::write(path, written(&rows)).unwrap();
        return;
    }
    let builtin = Crawlers::builtin();
    let builtin: Vec<&Profile> = (&builtin).into_iter().collect();
    for (row, expected) in builtin.iter().zip(&rows) {
        assert_eq!(row, expected, "run the test with UPDATE=1");
    }
    assert_eq!(builtin.len(), rows.len(), "run the test with UPDATE=1");
}

#[test]
fn tokens_out_of_grammar_say_so() {
    for row in &in_file() {
        let in_grammar = row.token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        assert_eq!(in_grammar, !row.note.to_ascii_lowercase().contains("strict parsers"), "{}", row.token);
    }
}

#[test]
fn a_use_for_ai_is_only_stated_where_the_purpose_does_not() {
    let file = in_file();
    for row in &file {
        let mut by_purpose = row.clone();
        by_purpose.ai = None;
        assert!(row.ai.is_none() || row.ai_use() != by_purpose.ai_use(), "{}", row.token);
    }
    let of = |wanted| file.iter().filter(move |row| row.ai_use() == Some(wanted)).count();
    assert!(of(AiUse::Training) > of(AiUse::Search) && of(AiUse::UserTriggered) > 5);
}

#[test]
fn each_row_has_a_source_and_a_month() {
    for row in &in_file() {
        assert!(!row.docs.contains("://") && !row.docs.contains(char::is_whitespace), "{}", row.token);
        assert!(row.docs.is_empty() || row.docs.split('/').next().unwrap().contains('.'), "{}", row.token);
        assert!(!row.confirmed || !row.docs.is_empty(), "{} is confirmed by nothing", row.token);
        let month = row.checked.split_once('-').map(|(year, month)| (year.parse::<u32>(), month.parse::<u32>()));
        assert!(matches!(month, Some((Ok(2026..), Ok(1..=12)))), "{} has no date", row.token);
        assert!(!row.fallback.contains(&row.token), "{} falls back to itself", row.token);
    }
}

/// Returns the source text of the table: a line for each row, and a constant for each set of page rules.
fn written(rows: &[&Profile]) -> String {
    let mut sets: Vec<&PageSupport> = Vec::new();
    let mut table = String::new();
    for row in rows {
        write!(table, "    row({:?}, {:?}, {}, Facts {{ ", row.token, row.operator, purpose(row.purpose)).unwrap();
        let defaults = Profile::new("", "", Purpose::Other);
        let mut field = |name: &str, is_default: bool, value: String| {
            if !is_default {
                write!(table, "{name}: {value}, ").unwrap();
            }
        };
        field("ai", row.ai == defaults.ai, format!("Some(AiUse::{:?})", row.ai.unwrap_or(AiUse::None)));
        field("fallback", row.fallback.is_empty(), list(&row.fallback));
        field("obeys_star", row.obeys_star, "false".to_owned());
        field("governed", row.governed == Governed::Yes, format!("Governed::{:?}", row.governed));
        let is_unknown = row.crawl_delay == DelaySupport::Unknown;
        field("crawl_delay", is_unknown, format!("DelaySupport::{:?}", row.crawl_delay));
        let dialect = row.dialect.name.to_uppercase().replace('-', "_");
        field("dialect", row.dialect == defaults.dialect, format!("Dialect::{dialect}"));
        if !row.page_rules.is_empty() {
            let at = sets.iter().position(|set| **set == row.page_rules).unwrap_or_else(|| {
                sets.push(&row.page_rules);
                sets.len() - 1
            });
            field("pages", false, format!("PAGES_{at}"));
        }
        field("docs", row.docs.is_empty(), format!("{:?}", row.docs));
        field("checked", row.checked.is_empty(), format!("{:?}", row.checked));
        field("confirmed", !row.confirmed, "true".to_owned());
        field("retired", !row.retired, "true".to_owned());
        field("note", row.note.is_empty(), format!("{:?}", row.note));
        table += "..FACTS }),\n";
    }
    let mut text = HEAD.to_owned();
    for (at, set) in sets.iter().enumerate() {
        write!(text, "#[rustfmt::skip]\nconst PAGES_{at}: Pages = Pages {{ ").unwrap();
        for (name, names) in [
            ("supports", &set.supports),
            ("ignores", &set.ignores),
            ("forbid_training", &set.forbid_training),
            ("forbid_ai_input", &set.forbid_ai_input),
            ("meta_names", &set.meta_names),
            ("supports_under", &set.supports_under),
        ] {
            if !names.is_empty() {
                write!(text, "{name}: {}, ", list(names)).unwrap();
            }
        }
        if set.none_means_nosnippet {
            text += "none_means_nosnippet: true, ";
        }
        text += "..NO_PAGES };\n";
    }
    text += "\n/// The built-in table of crawlers: the rows of [`Crawlers::builtin`](crate::Crawlers::builtin).\n";
    text += "// A static exists once; a constant would be copied to each use.\n";
    text + "#[rustfmt::skip]\npub static TABLE: &[Profile] = &[\n" + &table + "];\n"
}

fn purpose(purpose: Purpose) -> String {
    format!("Purpose::{purpose:?}")
}

fn list(names: &[Cow<'_, str>]) -> String {
    format!("names![{}]", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", "))
}
