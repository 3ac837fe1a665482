//! The sites of `testdata/sites`, which the Python package also answers in pyarrow, pandas, Polars, `DuckDB` and Spark.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, TimestampMillisecondArray};
use comity_testdata::sites::{CrawledRow, CrawledSite, crawl};

use crate::folder::{Answer, Folder, text};

/// The batch of all tests.
const BATCH: [&str; 9] =
    ["batch", "--input", "questions.parquet", "--robots", "sites.parquet", "-a", "anybot", "--output", "out.parquet"];

#[test]
fn sites_answer_by_the_outcome_of_their_last_fetch() {
    let crawl = crawl().unwrap();
    let folder = Folder::new();
    let (names, bodies): (Vec<_>, Vec<_>) = crawl.bodies.iter().map(|(name, body)| (&**name, &**body)).unzip();
    folder.write("sites.bodies.parquet", vec![("hash", text(&names)), ("body", text(&bodies))], 10);

    let rows: Vec<(&CrawledSite, &CrawledRow)> =
        crawl.sites.iter().flat_map(|site| site.rows.iter().map(move |row| (site, row))).collect();
    let origins: StringArray = rows.iter().map(|(site, _)| Some(site.origin())).collect();
    let times: Vec<_> = rows.iter().map(|(_, row)| row.fetched.map(|seconds| seconds * 1_000)).collect();
    let hashes: StringArray = rows.iter().map(|(_, row)| row.body.as_deref()).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("origin", Arc::new(origins)),
        ("fetched", Arc::new(TimestampMillisecondArray::from(times).with_timezone("UTC"))),
        ("outcome", text(&rows.iter().map(|(_, row)| &*row.outcome).collect::<Vec<_>>())),
        ("body_hash", Arc::new(hashes)),
    ];
    folder.write("sites.parquet", columns, 3);

    let questions = || crawl.sites.iter().flat_map(|site| site.ask.iter().map(move |question| (site, question)));
    let urls: StringArray = questions().map(|(site, question)| Some(site.origin() + &question.path)).collect();
    let expected: Vec<Answer> = questions()
        .map(|(_, question)| (question.allowed().unwrap(), question.line, question.reason.clone()))
        .collect();
    folder.write("questions.parquet", vec![("url", Arc::new(urls) as ArrayRef)], 4);

    folder.succeed(&BATCH);
    for ((site, question), (found, expected)) in
        questions().zip(folder.answers("out.parquet").into_iter().zip(expected))
    {
        assert_eq!(found, expected, "{} {}", site.name, question.path);
    }
}

#[test]
fn a_site_with_two_bodies_and_no_outcome_is_an_error() {
    let folder = Folder::new();
    let sites = [("origin", text(&["https://a.example"; 2])), ("robots", text(&["", "User-agent: *\nDisallow: /\n"]))];
    folder.write("sites.parquet", sites.to_vec(), 1);
    folder.write("questions.parquet", vec![("url", text(&["https://a.example/"]))], 1);
    let error = folder.fail(&BATCH);
    assert!(
        error.contains("sites.parquet: expected one body for each key, found two for https://a.example"),
        "{error}"
    );
}
