//! Columns in any layout, with nulls, as slices and empty: the answers are those of `comity batch` to the same questions as
//! JSON Lines.

// The same layouts as in the tests of the kernel.
#[path = "../../../comity-arrow/tests/it/layouts/mod.rs"]
mod columns;

use std::collections::HashMap;
use std::fs::File;
use std::sync::LazyLock;

use arrow_array::{ArrayRef, RecordBatch};
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table, UrlForm};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use proptest::sample::select;

use self::columns::{LAYOUTS, answers, column};
use crate::folder::{Answer, Folder};
use crate::lines::answers_to_lines;

const BODIES: [&[u8]; 6] = [
    b"",
    b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    b"User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.gif$\n",
    b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow:\n",
    b"\xFF\xFE<html>",
    b"User-agent: *\nDisallow: /caf\xE9\n",
];
const URLS: [&[u8]; 9] =
    [b"", b"/", b"/a", b"/a/b", b"/a/../a/b", b"/x.gif", b"/robots.txt", b"https://site.example/a", b"/caf\xE9"];
const CRAWLERS: [&[u8]; 5] = [b"ExampleBot", b"Googlebot-Image", b"googlebot", b"AdsBot-Google", b"Googlebot"];

type Value = Option<&'static [u8]>;

/// A body, a URL and a crawler.
type Row = (Value, Value, Value);

/// A row without nulls.
type Question = (&'static [u8], &'static [u8], &'static [u8]);

/// The answers to all questions, by one run of the command.
static LINES: LazyLock<HashMap<Question, Answer>> = LazyLock::new(|| {
    let questions: Vec<Question> = BODIES
        .iter()
        .flat_map(|body| URLS.iter().flat_map(move |url| CRAWLERS.iter().map(move |name| (*body, *url, *name))))
        .collect();
    let line = |(body, url, name): &Question| (body.to_vec(), String::from_utf8(name.to_vec()).unwrap(), url.to_vec());
    let answers = answers_to_lines(&Folder::new(), &questions.iter().map(line).collect::<Vec<_>>());
    assert_eq!(answers.len(), questions.len());
    questions.into_iter().zip(answers).collect()
});

fn expected((body, url, name): Row) -> Answer {
    match (body, url, name) {
        (Some(body), Some(url), Some(name)) => LINES[&(body, url, name)].clone(),
        _ => (None, None, "missing-input".to_owned()),
    }
}

fn value(values: &'static [&'static [u8]]) -> impl Strategy<Value = Value> {
    prop_oneof![1 => Just(None), 6 => select(values).prop_map(Some)]
}

/// Returns rows as columns in some layouts, some of them cut off at the start and at the end, and the answers.
fn batch() -> impl Strategy<Value = (RecordBatch, Vec<Answer>)> {
    let row = (value(&BODIES), value(&URLS), value(&CRAWLERS));
    let rows = prop::collection::vec(row, 0..40);
    let cut = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    (rows, prop::array::uniform3(select(&LAYOUTS)), cut).prop_map(|(rows, layouts, cut)| {
        let part = |part: fn(&Row) -> Value| rows.iter().map(part).collect::<Vec<_>>();
        let columns: [(&str, ArrayRef); 3] = [
            ("robots", column(layouts[0], &part(|row| row.0))),
            ("url", column(layouts[1], &part(|row| row.1))),
            ("crawler", column(layouts[2], &part(|row| row.2))),
        ];
        let start = cut.0.index(rows.len() + 1);
        let len = cut.1.index(rows.len() - start + 1);
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
        let answers = rows[start..start + len].iter().map(|row| expected(*row)).collect();
        (batch.unwrap().slice(start, len), answers)
    })
}

proptest! {
    #[test]
    fn the_kernel_answers_as_lines_are_answered((batch, expected) in batch()) {
        let [bodies, urls, names] = [0, 1, 2].map(|column| batch.column(column));
        let mut kernel = Kernel::new().with_url_form(UrlForm::Unchanged);
        let found = kernel.check(&RobotsColumn::Bodies(bodies), urls, &CrawlerColumn::Names(names)).unwrap();
        prop_assert_eq!(answers(&found), &expected[..]);
        // The bodies are their own keys.
        let table = Table::new(bodies, bodies).unwrap();
        let found = kernel.check(&RobotsColumn::Keys(&table, bodies), urls, &CrawlerColumn::Names(names)).unwrap();
        prop_assert_eq!(answers(&found), expected);
    }
}

proptest! {
    // Each case is a run of the command.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_command_answers_as_lines_are_answered((batch, expected) in batch(), group_rows in 1..50_usize) {
        let folder = Folder::new();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
        let file = File::create(folder.path("questions.parquet")).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        folder.succeed(&["batch", "--input", "questions.parquet", "--output", "out.parquet", "--raw"]);
        prop_assert_eq!(folder.answers("out.parquet"), expected);
    }
}
