//! Recorded verdicts of Google's own parser, in each form, down to the line. There is no list of exceptions.

use crate::layouts;
// The same recorded verdicts as those of the engine.
use crate::shared;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::BinaryViewBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BinaryArray, DictionaryArray, Int32Array, LargeBinaryArray};
use comity::{Crawler, Dialect};
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table, TableBuilder, UrlForm};
use layouts::answers;
use serde_json::Value;
use shared::{bytes, json_lines};

/// A recorded question: the number of the file, the URL and the answer.
struct Question {
    file: usize,
    url: Vec<u8>,
    allowed: bool,
    line: u32,
}

/// All recorded questions, by the tokens of the crawler, and the bodies.
#[derive(Default)]
struct Recorded {
    bodies: Vec<Vec<u8>>,
    questions: BTreeMap<(bool, Vec<String>), Vec<Question>>,
}

impl Recorded {
    fn add(&mut self, body: Vec<u8>, cases: &[Value]) {
        let file = self.bodies.len();
        self.bodies.push(body);
        for case in cases {
            let crawler = if let Some(agent) = case["agent"].as_str() {
                (false, vec![agent.to_owned()])
            } else {
                let agents = case["agents"].as_array().unwrap().iter();
                (true, agents.map(|agent| agent.as_str().unwrap().to_owned()).collect())
            };
            let line = case["line"].as_u64().unwrap() as u32;
            let question =
                Question { file, url: bytes(case, "url"), allowed: case["allowed"].as_bool().unwrap(), line };
            self.questions.entry(crawler).or_default().push(question);
        }
    }

    fn read() -> Option<Self> {
        let mut recorded = Self::default();
        for file in json_lines("verdicts")? {
            let path = shared::path(&format!("corpus/{}", file["file"].as_str().unwrap()))?;
            recorded.add(std::fs::read(path).unwrap(), file["cases"].as_array().unwrap());
        }
        for file in json_lines("adversarial")? {
            recorded.add(bytes(&file, "body"), file["cases"].as_array().unwrap());
        }
        Some(recorded)
    }

    fn len(&self) -> usize {
        self.questions.values().map(Vec::len).sum()
    }

    fn table(&self) -> Table {
        let keys: BinaryArray = (0..self.bodies.len()).map(|file| Some(key(file))).collect();
        let mut builder = TableBuilder::new(Dialect::GOOGLE_PARSER);
        // In two batches, the second of which replaces nothing.
        let half = self.bodies.len() / 2;
        for range in [0..half, half..self.bodies.len()] {
            let bodies: LargeBinaryArray = self.bodies[range.clone()].iter().map(|body| Some(&**body)).collect();
            builder.add_bodies(&keys.slice(range.start, range.len()), &bodies).unwrap();
        }
        builder.build()
    }
}

fn key(file: usize) -> Vec<u8> {
    format!("file-{file}").into_bytes()
}

const MAX_ROWS: usize = 2_000;

/// Asks all questions, in batches that `ask` answers. Fails if an answer or a line differs.
fn compare(
    form: &str,
    mut ask: impl FnMut(&Recorded, &[Question], &ArrayRef, &CrawlerColumn<'_>) -> Vec<layouts::Answer>,
) {
    let Some(recorded) = Recorded::read() else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for ((is_merged, tokens), questions) in &recorded.questions {
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let crawler = if *is_merged { Crawler::merged_literal(&tokens) } else { Crawler::literal(tokens[0]) };
        for questions in questions.chunks(MAX_ROWS) {
            let urls: ArrayRef =
                Arc::new(questions.iter().map(|question| Some(&*question.url)).collect::<BinaryArray>());
            let found = ask(&recorded, questions, &urls, &CrawlerColumn::One(crawler.clone()));
            assert_eq!(found.len(), questions.len());
            for (question, (allowed, line, reason)) in questions.iter().zip(found) {
                if allowed != Some(question.allowed) || line.unwrap_or(0) != question.line {
                    errors.push(format!(
                        "file {}, {tokens:?}, {}: expected {} {}, found {allowed:?} {line:?} {reason}",
                        question.file,
                        String::from_utf8_lossy(&question.url),
                        question.allowed,
                        question.line
                    ));
                }
            }
            count += questions.len();
        }
    }
    println!("{form}: {count} answers, {} differ", errors.len());
    assert!(errors.is_empty(), "{form}: {} differ:\n{}", errors.len(), errors[..errors.len().min(10)].join("\n"));
    assert_eq!(count, 644_544 + 51_567, "answers are missing");
    assert_eq!(count, recorded.len());
}

fn kernel() -> Kernel {
    Kernel::new().with_dialect(Dialect::GOOGLE_PARSER).with_url_form(UrlForm::Unchanged)
}

#[test]
fn verdicts_by_table() {
    let (mut kernel, mut table) = (kernel(), None);
    compare("table", |recorded, questions, urls, crawlers| {
        let table = table.get_or_insert_with(|| recorded.table());
        let keys: BinaryArray = questions.iter().map(|question| Some(key(question.file))).collect();
        answers(&kernel.check(&RobotsColumn::Keys(table, &keys), urls, crawlers).unwrap())
    });
}

#[test]
fn verdicts_by_dictionary() {
    let mut kernel = kernel();
    compare("dictionary", |recorded, questions, urls, crawlers| {
        let first = questions[0].file;
        let bodies: LargeBinaryArray =
            recorded.bodies[first..=questions[questions.len() - 1].file].iter().map(|body| Some(&**body)).collect();
        let indexes: Int32Array = questions.iter().map(|question| i32::try_from(question.file - first).ok()).collect();
        let robots = DictionaryArray::<Int32Type>::new(indexes, Arc::new(bodies));
        answers(&kernel.check(&RobotsColumn::Bodies(&robots), urls, crawlers).unwrap())
    });
}

#[test]
fn verdicts_by_body() {
    let mut kernel = kernel();
    compare("body", |recorded, questions, urls, crawlers| {
        let mut robots = BinaryViewBuilder::new().with_deduplicate_strings();
        robots.extend(questions.iter().map(|question| Some(&*recorded.bodies[question.file])));
        answers(&kernel.check(&RobotsColumn::Bodies(&robots.finish()), urls, crawlers).unwrap())
    });
}

#[test]
fn verdicts_with_a_cache_that_is_too_small() {
    let mut kernel = kernel().with_memory(64 << 10);
    compare("one body at a time", |recorded, questions, urls, crawlers| {
        let mut found = Vec::new();
        let mut row = 0;
        for questions in questions.chunk_by(|a, b| a.file == b.file) {
            let robots = RobotsColumn::One(&recorded.bodies[questions[0].file]);
            found.extend(answers(&kernel.check(&robots, &urls.slice(row, questions.len()), crawlers).unwrap()));
            row += questions.len();
        }
        found
    });
}
