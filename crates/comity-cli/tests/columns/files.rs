//! Files of questions and of sites, also those that do not fit.

use std::fs;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, LargeStringArray, StringArray};

use crate::folder::{Answer, Folder, ROBOTS, text};

#[test]
fn sites_answer_by_their_origin_or_by_that_of_the_url() {
    let folder = Folder::new();
    let sites = vec![("origin", text(&["https://a.example", "https://b.example"])), ("robots", text(&[ROBOTS, ""]))];
    folder.write("sites.parquet", sites, 1_000);
    let urls =
        text(&["https://a.example/a", "https://a.example/b/../a", "https://b.example/a", "https://c.example/", "x y"]);
    folder.write("by-url.parquet", vec![("url", Arc::clone(&urls))], 2);
    let numbers = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]));
    let origins: DictionaryArray<Int32Type> = [
        Some("https://a.example"),
        Some("https://b.example"),
        Some("https://b.example"),
        None,
        Some("https://a.example"),
    ]
    .into_iter()
    .collect();
    let columns = vec![("id", numbers as ArrayRef), ("origin", Arc::new(origins) as ArrayRef), ("url", urls)];
    folder.write("by-origin.parquet", columns, 2);
    let ask = |input, more: &[&str]| {
        let words =
            ["batch", "--robots", "sites.parquet", "--agent", "ExampleBot", "--output", "out.parquet", "--input"];
        folder.succeed(&[&words[..], &[input], more].concat());
        folder.answers("out.parquet").into_iter().map(|(allowed, _, reason)| (allowed, reason)).collect::<Vec<_>>()
    };
    let expected = |answers: [(Option<bool>, &str); 5]| answers.map(|(allowed, reason)| (allowed, reason.to_owned()));
    let by_url = expected([
        (Some(false), "rule"),
        (Some(false), "rule"),
        (Some(true), "no-group"),
        (None, "unknown-key"),
        (None, "invalid-url"),
    ]);
    assert_eq!(ask("by-url.parquet", &[]), by_url);
    let by_origin = expected([
        (Some(false), "rule"),
        (None, "out-of-scope"),
        (Some(true), "no-group"),
        (None, "missing-input"),
        (None, "invalid-url"),
    ]);
    assert_eq!(ask("by-origin.parquet", &[]), by_origin);
    assert_eq!(folder.batches("out.parquet")[0].num_columns(), 6);
    assert_eq!(ask("by-origin.parquet", &["--only-answers"]), by_origin);
    assert_eq!(folder.batches("out.parquet")[0].num_columns(), 3);
}

#[test]
fn a_column_of_crawlers_may_have_nulls_and_invalid_names() {
    let folder = Folder::new();
    let crawlers =
        StringArray::from(vec![Some("ExampleBot"), None, Some("Mozilla/5.0 (X11)"), Some("Googlebot-Image")]);
    let columns = vec![
        ("url", text(&["/a"; 4])),
        ("robots", text(&["User-agent: Googlebot\nDisallow: /\n"; 4])),
        ("crawler", Arc::new(crawlers) as ArrayRef),
    ];
    folder.write("questions.parquet", columns, 10);
    let words = ["batch", "--input", "questions.parquet", "--output", "out.parquet"];
    folder.succeed(&words);
    let reasons = |answers: Vec<Answer>| answers.into_iter().map(|(allowed, _, reason)| (allowed, reason)).collect();
    let found: Vec<_> = reasons(folder.answers("out.parquet"));
    let expected =
        [(Some(true), "no-group"), (None, "missing-input"), (None, "invalid-crawler"), (Some(false), "rule")];
    assert_eq!(found, expected.map(|(allowed, reason)| (allowed, reason.to_owned())));
    folder.succeed(&[&words[..], &["--literal"]].concat());
    let found: Vec<_> = reasons(folder.answers("out.parquet"));
    assert_eq!(found[3], (Some(true), "no-group".to_owned()));
}

#[test]
fn files_that_do_not_fit_are_errors_that_name_what_was_found() {
    let folder = Folder::new();
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let one = |name| (name, text(&["/a"]));
    folder.write("other.parquet", vec![("page", number.clone()), one("link")], 10);
    folder.write("number.parquet", vec![("url", number.clone()), one("robots")], 10);
    folder.write("good.parquet", vec![one("url"), one("robots")], 10);
    folder.write("named.parquet", vec![one("url"), one("robots"), one("crawler")], 10);
    folder.write("taken.parquet", vec![one("url"), one("robots"), ("allowed", number)], 10);
    fs::write(folder.path("text.parquet"), "no Parquet file").unwrap();
    let good = fs::read(folder.path("good.parquet")).unwrap();
    fs::write(folder.path("cut.parquet"), &good[..good.len() - 10]).unwrap();
    for (input, more, expected) in [
        ("other.parquet", &["-a", "x"][..], "expected a column `url`, found `page` (Int64), `link` (Utf8)"),
        ("number.parquet", &["-a", "x"], "expected strings or binary data in the column `url`, found Int64"),
        ("good.parquet", &[], "expected --agent, since good.parquet has no column `crawler`"),
        ("named.parquet", &["-a", "x"], "expected no --agent, since named.parquet has a column `crawler`"),
        ("taken.parquet", &["-a", "x"], "expected no column `allowed`, since the output has one"),
        ("good.parquet", &["-a", "Mozilla/5.0 (X11)"], "User-Agent"),
        ("good.parquet", &["-a", "x", "--robots", "good.parquet"], "good.parquet: expected a column `origin`"),
        ("good.parquet", &["-a", "x", "--robots", "none.parquet"], "none.parquet could not be opened"),
        ("text.parquet", &["-a", "x"], "text.parquet: expected a Parquet file"),
        ("cut.parquet", &["-a", "x"], "cut.parquet: expected a Parquet file"),
        ("none.parquet", &["-a", "x"], "none.parquet could not be opened"),
    ] {
        let error = folder.fail(&[&["batch", "--output", "out.parquet", "--input", input], more].concat());
        assert!(error.contains(expected), "{input}: {error}");
        assert!(!folder.path("out.parquet").exists());
    }
    let error = folder.fail(&["batch", "--input", "good.parquet", "--output", "none/out.parquet", "-a", "x"]);
    assert!(error.contains("none: expected a folder that can be written to"), "{error}");
    assert_eq!(folder.names().iter().filter(|name| name.starts_with(".comity")).count(), 0, "{:?}", folder.names());
}

#[test]
fn files_that_exceed_the_memory_are_refused() {
    let folder = Folder::new();
    let bodies: Vec<String> =
        (0..2_000).map(|site| format!("User-agent: *\n{}", format!("Disallow: /{site}\n").repeat(80))).collect();
    let origins: Vec<String> = (0..2_000).map(|site| format!("https://{site}.example")).collect();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("origin", Arc::new(StringArray::from(origins))), ("robots", Arc::new(LargeStringArray::from(bodies)))];
    folder.write("sites.parquet", columns, 500);
    folder.write("questions.parquet", vec![("url", text(&["https://7.example/7"]))], 10);
    let words =
        ["batch", "--input", "questions.parquet", "--output", "out.parquet", "--robots", "sites.parquet", "-a", "x"];
    let error = folder.fail(&[&words[..], &["--memory", "2"]].concat());
    assert!(error.contains("at most 1 MiB when they are parsed") && error.contains("raise --memory"), "{error}");
    folder.succeed(&[&words[..], &["--memory", "64"]].concat());
    assert_eq!(folder.answers("out.parquet")[0].0, Some(false));
}

#[test]
fn rows_that_are_not_sorted_lead_to_a_hint() {
    const ROWS: usize = 100_000;
    const SITES: usize = 100;
    let folder = Folder::new();
    let write = |input, site: fn(usize) -> usize| {
        let urls = StringArray::from(vec!["/7"; ROWS]);
        let body = |row| Some(format!("User-agent: *\nDisallow: /{}\n", site(row)));
        let bodies: StringArray = (0..ROWS).map(body).collect();
        folder.write(input, vec![("url", Arc::new(urls) as ArrayRef), ("robots", Arc::new(bodies))], ROWS);
    };
    write("sorted", |row| row * SITES / ROWS);
    write("mixed", |row| row % SITES);
    let words = ["batch", "--output", "out.parquet", "-a", "ExampleBot", "--memory=0", "--input"];
    assert_eq!(folder.succeed(&[&words[..], &["sorted"]].concat()), "");
    let hint = folder.succeed(&[&words[..], &["mixed"]].concat());
    assert!(
        hint.starts_with("hint: rules were compiled 100000 times for 100000 rows; sort the rows by site"),
        "{hint}"
    );
    assert_eq!(
        folder.answers("out.parquet").iter().filter(|(allowed, ..)| *allowed == Some(false)).count(),
        ROWS / SITES
    );
}
