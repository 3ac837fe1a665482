//! The built-in table is the one in `crawlers.toml`. `UPDATE=1` writes `src/crawler/table.rs` and `docs/crawlers.md` from
//! that file.
#![cfg(feature = "serde")]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use comity::{Crawlers, DelaySupport, Governed, PageSupport, Profile, Purpose, Use};

const HEAD: &str = "\
//! The built-in table. `crawlers.toml` is its source, and the test `crawlers_file` writes it: change that file.
//!
//! The engine has no parser of TOML, and a table that is a constant costs nothing at the start of a program.

use alloc::borrow::Cow;

use crate::crawler::facts::{FACTS, Facts, NO_PAGES, Pages, names, row};
use crate::crawler::profile::{DelaySupport, Governed, Profile, Purpose};
use crate::dialect::Dialect;

";

const TABLE: &str = include_str!("../../crawlers.toml");

/// Returns the table of the file. Each row states its uses.
fn in_file() -> Crawlers {
    let table: Crawlers = toml::from_str(TABLE).expect("crawlers.toml is a table of crawlers");
    assert_eq!(table.ignored_fields(), [""; 0]);
    // A row replaces the one before it with the same token, in any letter case.
    assert_eq!(
        table.iter().count(),
        TABLE.lines().filter(|line| *line == "[[crawler]]").count(),
        "two rows have one token"
    );
    let stated = |row: &Profile| {
        let mut row = row.clone();
        row.stated_uses = Some(row.uses());
        row
    };
    table.iter().map(stated).collect()
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
fn the_page_lists_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/crawlers.md");
    let expected = page(&in_file());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    // The packed crate has no page.
    let Ok(found) = std::fs::read_to_string(path) else { return };
    assert!(found == expected, "run the test with UPDATE=1");
}

#[test]
fn tokens_out_of_grammar_say_so() {
    for row in &in_file() {
        let in_grammar = row.token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        assert_eq!(in_grammar, !row.note.to_ascii_lowercase().contains("strict parsers"), "{}", row.token);
    }
}

#[test]
fn uses_are_only_stated_where_the_purpose_does_not_imply_them() {
    let file: Crawlers = toml::from_str(TABLE).unwrap();
    for row in &file {
        let mut implied = row.clone();
        implied.stated_uses = None;
        let implied = implied.uses();
        assert_ne!(row.stated_uses, Some(implied), "{}", row.token);
        for (used, source) in row.uses().iter() {
            assert!(!source.contains("://") && !source.contains(char::is_whitespace), "{}: {used}", row.token);
        }
    }
    let of = |wanted| file.iter().filter(move |row| row.uses().source(wanted).is_some()).count();
    assert!(of(Use::Training) > 50 && of(Use::Search) > 50 && of(Use::Agent) > 20);
}

#[test]
fn ways_to_verify_have_a_source() {
    for row in &in_file() {
        let verification = &row.verification;
        assert_eq!(verification.is_empty(), verification.source.is_empty(), "{}", row.token);
        for url in verification.ranges.iter().chain([&verification.source]) {
            assert!(!url.contains("://") && !url.contains(char::is_whitespace), "{}: {url}", row.token);
        }
        for host in &*verification.hosts {
            assert!(host.contains('.') && !host.starts_with(['.', '*']), "{}: {host}", row.token);
        }
    }
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
        let is_listed_only = ["ai-robots-txt", "crawler-user-agents"].iter().any(|list| row.docs.contains(list));
        let is_stated = !row.docs.is_empty() && !is_listed_only;
        assert!(is_stated || row.governed == Governed::Unstated, "nothing states whether {} obeys", row.token);
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
        for (used, source) in row.uses().iter() {
            field(used.name(), false, format!("Some({source:?})"));
        }
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
        field("ranges", row.verification.ranges.is_empty(), list(&row.verification.ranges));
        field("hosts", row.verification.hosts.is_empty(), list(&row.verification.hosts));
        field("verified_by", row.verification.source.is_empty(), format!("{:?}", row.verification.source));
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

/// Returns the page of the table: the crawlers of each use, and then the others by purpose.
fn page(table: &Crawlers) -> String {
    let mut text = PAGE_HEAD.to_owned();
    let uses = [
        (Use::Training, "Training", "Models are trained on the pages."),
        (Use::Search, "Search", "A search engine indexes the pages, and shows them or answers with them."),
        (Use::Agent, "Agents", "A model reads the page because a person asks for it, or gave it a task."),
    ];
    for (used, title, meaning) in uses {
        let rows = table.iter().filter(|row| row.uses().source(used).is_some());
        section(
            &mut text,
            title,
            meaning,
            rows.map(|row| (row, row.uses().source(used).unwrap_or_default().to_owned())),
        );
    }
    let others = table.iter().filter(|row| row.uses() == comity::Uses::none());
    let meaning =
        "Advertising, link previews, reports for site owners, archives, security, and fetches without a model.";
    section(&mut text, "Others", meaning, others.map(|row| (row, row.docs.to_string())));
    text
}

/// Adds a section with the crawlers that are not retired, sorted by operator, each with the source of its use.
fn section<'t>(text: &mut String, title: &str, meaning: &str, rows: impl Iterator<Item = (&'t Profile, String)>) {
    let mut rows: Vec<_> = rows.filter(|(row, _)| !row.retired).collect();
    rows.sort_by_key(|(row, _)| (row.operator.to_lowercase(), row.token.to_lowercase()));
    write!(text, "\n## {title} ({})\n\n{meaning}\n\n", rows.len()).unwrap();
    *text += "| Crawler | Operator | Obeys | Verify | Source |\n|---|---|---|---|---|\n";
    for (row, source) in rows {
        let obeys = match row.governed {
            Governed::Yes => "yes",
            Governed::MayBypass => "may bypass",
            Governed::No => "no",
            Governed::ControlToken => "control token",
            _ => "not stated",
        };
        let mut verify: Vec<&str> = Vec::new();
        verify.extend((!row.verification.ranges.is_empty()).then_some("addresses"));
        verify.extend((!row.verification.hosts.is_empty()).then_some("DNS"));
        let listed = if row.confirmed && source == row.docs { "" } else { ", not confirmed" };
        let host = source.split('/').next().unwrap_or_default();
        let source = if source.is_empty() { "none".to_owned() } else { format!("[{host}](https://{source})") };
        let (token, operator, verify) = (&row.token, &row.operator, verify.join(", "));
        writeln!(text, "| `{token}` | {operator} | {obeys} | {verify} | {source}{listed} |").unwrap();
    }
}

const PAGE_HEAD: &str = "\
# Known crawlers

<!-- Made from crates/comity/crawlers.toml: `UPDATE=1 cargo test -p comity --features serde --test it crawlers_file` -->

These are the crawlers of the built-in table, by the use of the pages that they fetch. A crawler with two uses is listed
twice. `comity crawlers NAME` shows everything that is known about one: the groups that apply to it, its dialect, and how to
verify that a request is from it. [Your own crawlers](crawler-authors.md#a-table-of-your-own-crawlers) can be added with
`--crawlers FILE`.

- *Obeys*: what the operator states about robots.txt. A *control token* makes no requests; its group controls the use of
  pages that others fetched.
- *Verify*: the operator lists its addresses, or documents the DNS names of its addresses.
- *Source*: the page that states the use. *Not confirmed*: others report what it states, or parts of the row
  are inferred.
";
