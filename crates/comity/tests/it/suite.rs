//! The shared cases of `testdata/`, asked in every way the library has; and the proof that they hold every choice of
//! every dialect.

use comity::dialect::{
    ByteOrderMark, CrawlDelayFrom, Escapes, FieldNames, Precedence, ProductToken, SizeLimit, UrlPath,
};
use comity::{Answer, Crawler, Dialect, Robots, Verdict};
use comity_testdata::{Asker, Case, File, suite};

/// Hands the asker of a case to `f`.
fn with_crawler<R>(asker: &Asker, f: impl FnOnce(Crawler<'_>) -> R) -> R {
    match asker {
        Asker::Agent(agent) => f(Crawler::literal(agent)),
        Asker::Agents(agents) => f(Crawler::merged_literal(&agents.iter().map(String::as_str).collect::<Vec<_>>())),
        Asker::Crawler(name) => f(Crawler::known(name).unwrap_or_else(|| panic!("the table has no {name}"))),
        other => panic!("{other:?}"),
    }
}

/// Returns the differences between a case and a verdict; empty if they agree.
fn complaints(case: &Case, expected: &comity_testdata::ExpectedAnswer, verdict: &Verdict) -> Vec<String> {
    let mut complaints = Vec::new();
    let allowed = match verdict.answer() {
        Answer::Allowed => Some(true),
        Answer::Disallowed => Some(false),
        _ => None,
    };
    if !expected.accepts(allowed, Some(verdict.line().unwrap_or(0))) {
        complaints.push(format!("expected {expected}, found {verdict}"));
    }
    if case.names_crawler.is_some_and(|names| names != verdict.names_crawler()) {
        complaints.push(format!("names_crawler: found {}", verdict.names_crawler()));
    }
    if case.advisory.is_some_and(|advisory| advisory != verdict.is_advisory()) {
        complaints.push(format!("advisory: found {}", verdict.is_advisory()));
    }
    complaints
}

/// Returns the number of cases of a file for a dialect, which they call `name`, and the complaints.
fn run(file: &File, name: &str, dialect: &Dialect) -> (usize, Vec<String>) {
    let (mut count, mut complaints_of_file) = (0, Vec::new());
    let mut robots = None;
    for case in &file.cases {
        let Some(expected) = case.answer_in(name) else { continue };
        let robots = robots.get_or_insert_with(|| Robots::parse_with(&file.body, dialect));
        with_crawler(&case.asker, |crawler| {
            let rules = robots.rules_for(&crawler);
            let ways = [
                ("linear", robots.check_bytes(&crawler, &case.url)),
                ("compiled", rules.check_bytes(&case.url)),
                ("stream", dialect.decide_bytes(&file.body, &crawler, &case.url)),
                ("explained", robots.explain_bytes(&crawler, &case.url).verdict),
            ];
            let mut complain = |way: &str, what: String| {
                complaints_of_file.push(format!("{}.toml: {} in {name}, {way}: {what}", file.theme, case.name));
            };
            for (way, verdict) in ways {
                for complaint in complaints(case, &expected, &verdict) {
                    complain(way, complaint);
                }
            }
            if let Some(expected) = case.crawl_delay {
                let found = rules.crawl_delay().map(|found| found.delay.as_secs_f64());
                if found != expected {
                    complain("crawl-delay", format!("expected {expected:?}, found {found:?}"));
                }
            }
        });
        count += 1;
    }
    (count, complaints_of_file)
}

#[test]
fn every_case_holds_in_every_way_to_ask() {
    let suite = suite();
    let (mut count, mut complaints) = (0, Vec::new());
    for dialect in Dialect::ALL.iter().copied() {
        for file in &suite.files {
            let (cases, found) = run(file, dialect.name, &dialect);
            count += cases;
            complaints.extend(found);
        }
    }
    println!("{count} answers");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000, "the suite has shrunk to {count} answers");
}

#[test]
fn no_choice_of_a_dialect_is_left_to_chance() {
    let suite = suite();
    let mut survivors = Vec::new();
    for dialect in Dialect::ALL.iter().copied() {
        for (choice, mutant) in mutants(&dialect) {
            let is_caught = suite.files.iter().any(|file| !run(file, dialect.name, &mutant).1.is_empty());
            if !is_caught {
                survivors.push(format!("{dialect}: {choice}"));
            }
        }
    }
    assert!(survivors.is_empty(), "no case would notice:\n{}", survivors.join("\n"));
}

/// Returns every dialect that differs from this one in one choice.
fn mutants(dialect: &Dialect) -> Vec<(String, Dialect)> {
    let mut mutants = Vec::new();
    macro_rules! vary {
        ($field:ident: $($value:expr),+) => {$(
            let mut mutant = *dialect;
            mutant.$field = $value;
            if mutant != *dialect {
                mutants.push((format!(concat!(stringify!($field), " = {:?}"), mutant.$field), mutant));
            }
        )+};
    }
    vary!(field_names: FieldNames::Exact, FieldNames::ExactOrTypo, FieldNames::Prefix);
    vary!(missing_colon: false, true);
    vary!(product_token: ProductToken::Wide, ProductToken::Letters, ProductToken::Contained);
    vary!(fallback_token: None, Some("Yandex"));
    vary!(star_with_text: false, true);
    vary!(merge_groups: false, true);
    vary!(blank_line_ends_group: false, true);
    vary!(wildcards: false, true);
    vary!(escapes: Escapes::Normalized, Escapes::PatternOnly, Escapes::PatternAndNonAscii, Escapes::Decoded);
    vary!(precedence: Precedence::Longest, Precedence::FirstMatch);
    vary!(robots_txt_allowed: false, true);
    vary!(allow_index_allows_directory: false, true);
    vary!(url_path: UrlPath::PathAndQuery, UrlPath::Reference, UrlPath::PathOnly);
    vary!(byte_order_mark: ByteOrderMark::Unicode, ByteOrderMark::Utf8Prefix);
    vary!(cut_allow_ignored: false, true);
    vary!(max_rule_len: None, Some(1_024), Some(1_023), Some(1_025));
    vary!(max_rules: None, Some(2_048), Some(2_047), Some(2_049));
    vary!(size_limit: SizeLimit::None, SizeLimit::Cut, SizeLimit::CutMidLine, SizeLimit::NoFile);
    vary!(crawl_delay: CrawlDelayFrom::Selected, CrawlDelayFrom::SelectedThenStar, CrawlDelayFrom::Nowhere);
    mutants
}

#[test]
#[cfg(feature = "url")]
fn scopes_and_locations() {
    use comity::Origin;
    let suite = suite();
    let mut complaints = Vec::new();
    for scope in &suite.scopes {
        let found = Origin::of(&scope.robots).is_ok_and(|origin| origin.governs(&scope.url));
        if found != scope.governs {
            complaints.push(format!("{scope:?}: found {found}"));
        }
    }
    for location in &suite.locations {
        let found = Origin::of(&location.page).ok().map(|origin| origin.robots_url());
        if found != location.robots {
            complaints.push(format!("{location:?}: found {found:?}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn user_agent_headers() {
    let mut complaints = Vec::new();
    for case in suite().headers {
        let found = comity::user_agent::candidates(&case.header, &comity::Crawlers::builtin());
        if found.first().copied() != case.token.as_deref() || !case.also.iter().all(|also| found.contains(&&**also)) {
            complaints.push(format!("{case:?}: found {found:?}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
