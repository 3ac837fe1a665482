//! The shared cases of `testdata/`, in each form and each layout.

use crate::layouts::{LAYOUTS, answers, column};
use arrow_array::Array;
use comity::{Crawler, Dialect};
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, TableBuilder, UrlForm};
use comity_testdata::{Asker, File, suite};

/// Passes the crawler of a case to a function.
fn with_crawler<R>(asker: &Asker, f: impl FnOnce(Crawler<'_>) -> R) -> R {
    match asker {
        Asker::Agent(agent) => f(Crawler::literal(agent)),
        Asker::Agents(agents) => f(Crawler::merged_literal(&agents.iter().map(String::as_str).collect::<Vec<_>>())),
        Asker::Crawler(name) => f(Crawler::known(name).unwrap_or_else(|| panic!("the table has no {name}"))),
        other => panic!("{other:?}"),
    }
}

/// Asks the cases of a file that have an answer in this dialect, in each form. Returns the number of cases.
fn run(file: &File, dialect: &Dialect, complaints: &mut Vec<String>) -> usize {
    let cases: Vec<_> = file.cases.iter().filter_map(|case| Some((case, case.answer_in(dialect.name)?))).collect();
    let mut kernel = Kernel::new().with_dialect(*dialect).with_url_form(UrlForm::Unchanged);
    for (number, (case, expected)) in cases.iter().enumerate() {
        let layout = LAYOUTS[number % LAYOUTS.len()];
        let urls = column(layout, &[Some(&case.url), Some(&case.url)]);
        let bodies = column(layout, &[Some(&file.body), Some(&file.body)]);
        let keys = column(layout, &[Some(b"key"), Some(b"key")]);
        let mut builder = TableBuilder::new(*dialect);
        builder.add_bodies(&keys, &bodies).unwrap();
        let table = builder.build();
        let forms = [
            ("body", RobotsColumn::One(&file.body)),
            ("bodies", RobotsColumn::Bodies(&bodies)),
            ("table", RobotsColumn::Keys(&table, &keys)),
        ];
        for (form, robots) in forms {
            let found = with_crawler(&case.asker, |crawler| {
                answers(&kernel.check(&robots, &urls, &CrawlerColumn::One(crawler)).unwrap())
            });
            assert_eq!(found.len(), urls.len());
            for (allowed, line, reason) in found {
                if !expected.accepts(allowed, Some(line.unwrap_or(0))) {
                    let case = &case.name;
                    complaints.push(format!("{case} in {dialect}, {form}, {layout}: expected {expected}, found {allowed:?} {line:?} {reason}"));
                }
            }
        }
    }
    cases.len()
}

#[test]
fn every_case_holds_in_every_form() {
    let (mut count, mut complaints) = (0, Vec::new());
    for file in &suite().files {
        for dialect in Dialect::ALL {
            count += run(file, dialect, &mut complaints);
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000, "the suite has shrunk to {count} answers");
}
