//! The readers and fields are those in `readers.toml`. `UPDATE=1` writes `src/readers/table.rs` from that file.

use std::fmt::Write as _;
use std::path::Path;

use comity_lint::{Evidence, Linter, Reader};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    reader: Vec<Row>,
    field: Vec<About>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    title: String,
    version: String,
    checked: String,
    source: String,
    fields: Vec<String>,
    rejects: Vec<String>,
    cost: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    name: String,
    about: String,
}

/// The forms that the lint looks for.
const FORMS: [&str; 7] =
    ["relative-sitemap", "pattern-start", "inner-dollar", "empty-agent", "no-colon", "no-group", "server-error"];

#[test]
fn the_table_is_the_one_in_the_file() {
    let table: Table = toml::from_str(include_str!("../../readers.toml")).unwrap();
    let mut written = String::from(
        "//! The readers. `readers.toml` is their source, and the test `readers` writes this file: change that one.\n\n\
         use super::Reader;\n\n\
         /// The readers, the newest released version of each first.\npub(crate) static READERS: &[Reader] = &[\n",
    );
    for row in &table.reader {
        writeln!(
            written,
            "    Reader {{\n        name: {:?},\n        title: {:?},\n        version: {:?},\n        checked: {:?},\n        \
             source: {:?},\n        fields: {:?},\n        rejects: {:?},\n        cost: {:?},\n    }},",
            row.name,
            row.title,
            row.version,
            row.checked,
            row.source,
            row.fields.join(" "),
            row.rejects.join(" "),
            row.cost
        )
        .unwrap();
        let is_form = |form: &String| FORMS.contains(&form.as_str());
        assert!(row.rejects.iter().all(is_form), "{}: the forms are {FORMS:?}", row.title);
    }
    written.push_str("];\n\n/// Fields that readers reject and crawlers accept, and what each is for.\npub(crate) static FIELDS: &[(&str, &str)] = &[\n");
    for field in &table.field {
        writeln!(written, "    ({:?}, {:?}),", field.name, field.about).unwrap();
    }
    written.push_str("];\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/readers/table.rs");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    // The formatter breaks lines.
    let words = |text: &str| text.split(|c: char| c.is_whitespace() || c == ',').collect::<String>();
    let found = std::fs::read_to_string(&path).unwrap();
    assert_eq!(words(&found), words(&written), "run the test with UPDATE=1, and format the file");
}

#[derive(Deserialize)]
struct Cases {
    file: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    reader: String,
    robots: String,
    at: Vec<u32>,
}

#[test]
fn readers_reject_the_expected_lines() {
    for case in toml::from_str::<Cases>(include_str!("../readers.toml")).unwrap().file {
        let mut linter = Linter::new();
        linter.ask_reader(Reader::named(&case.reader).unwrap());
        let report = linter.lint(case.robots.as_bytes(), &Evidence::default());
        let lines: Vec<u32> = report.diagnostics.iter().map(|found| found.line).collect();
        assert_eq!(lines, case.at, "{}", case.name);
    }
    let error = Reader::named("lighthouse@9").unwrap_err().to_string();
    assert!(error.contains("lighthouse@13") && error.contains("google"), "{error}");
}
