//! `comity batch` on Parquet files, and `comity warc`, as programs.
#![cfg(feature = "parquet")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, UInt32Type};
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use comity_testdata::{Asker, suite};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

const ROBOTS: &str = "User-agent: *\nDisallow: /a\n";

/// A folder with Parquet files, in which the command runs.
struct Folder(tempfile::TempDir);

/// An answer: `allowed`, `line` and `reason`.
type Answer = (Option<bool>, Option<u32>, String);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, columns: Vec<(&str, ArrayRef)>, group_rows: usize) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
        let file = File::create(self.path(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        command.args(words).current_dir(self.0.path());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs a command that succeeds, and returns what it writes to standard error.
    fn succeed(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {error}");
        error
    }

    /// Runs a command that fails, and returns its message.
    fn fail(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        error
    }

    fn batches(&self, name: &str) -> Vec<RecordBatch> {
        let file = File::open(self.path(name)).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
    }

    fn answers(&self, name: &str) -> Vec<Answer> {
        self.batches(name).iter().flat_map(answers).collect()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn answers(batch: &RecordBatch) -> Vec<Answer> {
    let column = |name| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let (allowed, line) = (column("allowed").as_boolean(), column("line").as_primitive::<UInt32Type>());
    let reason = column("reason").as_dictionary::<Int8Type>();
    let reason = reason.downcast_dict::<StringArray>().unwrap();
    let answer = |((allowed, line), reason): ((_, _), Option<&str>)| (allowed, line, reason.unwrap().to_owned());
    allowed.iter().zip(line.iter()).zip(reason).map(answer).collect()
}

fn text(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// The questions of the shared cases that name a token, or a known crawler.
fn questions() -> Vec<(Vec<u8>, String, Vec<u8>)> {
    let mut questions = Vec::new();
    for file in suite().files {
        for case in file.cases {
            let crawler = match case.asker {
                Asker::Crawler(name) => name,
                Asker::Agent(token) => match String::from_utf8(token) {
                    Ok(token) if comity::Crawler::token(&token).is_ok() => token,
                    _ => continue,
                },
                _ => continue,
            };
            questions.push((file.body.clone(), crawler, case.url));
        }
    }
    assert!(questions.len() > 500, "{} questions", questions.len());
    questions
}

/// The answers of `comity batch` to the same questions as lines.
fn answers_to_lines(folder: &Folder, questions: &[(Vec<u8>, String, Vec<u8>)]) -> Vec<Answer> {
    use base64::Engine as _;
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let known = |name: &str| comity::Crawler::known(name).is_some();
    let mut child =
        folder.command(&["batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = questions
        .iter()
        .map(|(body, crawler, url)| {
            let key = if known(crawler) { "crawler" } else { "agent" };
            format!("{}\n", json!({ "robots_b64": base64(body), key: crawler, "url_b64": base64(url) }))
        })
        .collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answer = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let number = line["line"].as_u64().filter(|line| *line != 0).map(|line| line as u32);
        (line["allowed"].as_bool(), number, line["reason"].as_str().unwrap_or_else(|| panic!("{line}")).to_owned())
    };
    String::from_utf8(output.stdout).unwrap().lines().map(answer).collect()
}

#[test]
fn columns_are_answered_as_lines_are() {
    let folder = Folder::new();
    let questions = questions();
    let expected = answers_to_lines(&folder, &questions);
    assert_eq!(expected.len(), questions.len());
    let urls: ArrayRef = Arc::new(questions.iter().map(|(.., url)| Some(url)).collect::<BinaryArray>());
    let crawlers: ArrayRef = Arc::new(questions.iter().map(|(_, name, _)| Some(&**name)).collect::<StringViewArray>());
    let bodies: BinaryArray = questions.iter().map(|(body, ..)| Some(body)).collect();
    let columns = vec![("url", urls), ("crawler", crawlers), ("robots", Arc::new(bodies) as ArrayRef)];
    folder.write("questions.parquet", columns, 100);
    for (output, threads, memory) in [("one.parquet", "1", "64"), ("two.parquet", "2", "0")] {
        folder.succeed(&[
            "batch",
            "--input",
            "questions.parquet",
            "--output",
            output,
            "--raw",
            "--threads",
            threads,
            "--memory",
            memory,
        ]);
        let found = folder.answers(output);
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{output}, row {row}: {:?}", questions[row].1);
        }
        assert_eq!(found.len(), expected.len());
    }
    assert_eq!(fs::read(folder.path("one.parquet")).unwrap(), fs::read(folder.path("two.parquet")).unwrap());
    let batch = &folder.batches("one.parquet")[0];
    let schema = batch.schema();
    let names: Vec<_> = schema.fields().iter().map(|field| &**field.name()).collect();
    assert_eq!(names, ["url", "crawler", "allowed", "line", "reason"]);
}

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

/// The site of a row of [`write_many`]. There are 1,000 rows of each, and then the sites are repeated.
fn site(row: usize) -> usize {
    row / 1_000 % 1_000
}

/// Writes a file with this many questions, and one with the files of their sites.
fn write_many(folder: &Folder, rows: usize) {
    const BATCH: usize = 250_000;
    let batch = |start: usize| {
        let url = |row| Some(format!("https://site{}.example/a-folder/{}/page.html", site(row), row % 7));
        let urls: StringArray = (start..rows.min(start + BATCH)).map(url).collect();
        RecordBatch::try_from_iter([("url", Arc::new(urls) as ArrayRef)]).unwrap()
    };
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(BATCH)).build();
    let file = File::create(folder.path("questions.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch(rows).schema(), Some(properties)).unwrap();
    (0..rows).step_by(BATCH).for_each(|start| writer.write(&batch(start)).unwrap());
    writer.close().unwrap();
    let origins: StringArray = (0..1_000).map(|site| Some(format!("https://site{site}.example"))).collect();
    let bodies: StringArray =
        (0..1_000).map(|site| Some(format!("User-agent: *\nDisallow: /*/{}/\n", site % 7))).collect();
    let columns = vec![("origin", Arc::new(origins) as ArrayRef), ("robots", Arc::new(bodies) as ArrayRef)];
    folder.write("sites.parquet", columns, 1_000);
}

const MANY: [&str; 10] = [
    "batch",
    "--input",
    "questions.parquet",
    "--output",
    "out.parquet",
    "--robots",
    "sites.parquet",
    "-a",
    "ExampleBot",
    "--memory=16",
];

#[test]
#[cfg(target_os = "linux")]
fn a_million_rows_are_answered_in_bounded_memory() {
    /// `--memory`, and what buffers and the program itself take. `cargo xtask test --long` sets 10⁸ rows.
    const MAX_MEMORY_KIB: i64 = (16 + 64) << 10;
    let folder = Folder::new();
    let rows = std::env::var("COMITY_ROWS").map_or(1_000_000, |rows| rows.parse().unwrap());
    write_many(&folder, rows);
    let mut child = folder.command(&MANY).arg("--threads=2").spawn().unwrap();
    // The most memory is read while the command runs, as it is gone with the process.
    let mut peak = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        if let Some(kib) = line.and_then(|line| line.split_whitespace().nth(1)) {
            peak = kib.parse::<i64>().unwrap();
        }
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(std::time::Duration::from_millis(2)),
        }
    };
    assert!(status.success());
    println!("{rows} rows: {peak} KiB");
    assert!(peak > 0 && peak <= MAX_MEMORY_KIB, "{peak} KiB");
    let mut row = 0;
    let output = File::open(folder.path("out.parquet")).unwrap();
    for batch in ParquetRecordBatchReaderBuilder::try_new(output).unwrap().build().unwrap() {
        let batch = batch.unwrap();
        let urls = batch.column(0).as_string::<i32>();
        for (url, (allowed, ..)) in urls.iter().zip(answers(&batch)) {
            assert!(url.unwrap().starts_with(&format!("https://site{}.example/", site(row))), "row {row}");
            assert_eq!(allowed, Some(site(row) % 7 != row % 7), "row {row}");
            row += 1;
        }
    }
    assert_eq!(row, rows);
}

#[test]
fn a_killed_batch_leaves_no_file_under_the_name_of_the_output() {
    let folder = Folder::new();
    write_many(&folder, 1_000_000);
    let mut child = folder.command(&MANY).spawn().unwrap();
    // It is killed as soon as it has written something.
    let temporary = || folder.names().into_iter().find(|name| name.starts_with(".comity-"));
    let has_written =
        || temporary().is_some_and(|name| fs::metadata(folder.path(&name)).is_ok_and(|file| file.len() > 100_000));
    while !has_written() {
        assert!(child.try_wait().unwrap().is_none(), "the command ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!folder.path("out.parquet").exists());
    folder.succeed(&MANY);
    assert_eq!(folder.answers("out.parquet").len(), 1_000_000);
}

fn member(head: &str, block: &[u8], declared: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    write!(encoder, "WARC/1.0\r\n{head}Content-Length: {declared}\r\n\r\n").unwrap();
    encoder.write_all(block).unwrap();
    encoder.write_all(b"\r\n\r\n").unwrap();
    encoder.finish().unwrap()
}

fn response(url: &str, status: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 {status}\r\n\r\n{body}");
    let head = format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-31T12:00:00Z\r\n");
    member(&head, block.as_bytes(), block.len())
}

fn write_archive(path: &Path, sites: std::ops::Range<usize>) -> usize {
    let mut archive = Vec::new();
    for site in sites {
        let url = format!("https://site{site}.example/robots.txt");
        archive.extend(match site % 4 {
            0 => response(&url, "404 Not Found", "no"),
            1 => response(&url, "503 Busy", "later"),
            2 => response(&url, "200 OK", ROBOTS),
            _ => response(&url, "200 OK", &format!("User-agent: *\nDisallow: /{site}\n")),
        });
    }
    fs::write(path, &archive).unwrap();
    archive.len()
}

#[test]
fn archives_become_tables_that_answer_questions() {
    let folder = Folder::new();
    write_archive(&folder.path("1.warc.gz"), 0..600);
    write_archive(&folder.path("2.warc.gz"), 600..1_000);
    let message = folder.succeed(&["warc", "1.warc.gz", "2.warc.gz", "--sites", "sites.parquet", "--threads=2"]);
    assert_eq!(message, "1000 sites, 251 distinct bodies\n");
    let urls: Vec<_> = (0..1_000).map(|site| format!("https://site{site}.example/{site}")).collect();
    folder.write("questions.parquet", vec![("url", Arc::new(StringArray::from(urls)) as ArrayRef)], 100);
    folder.succeed(&MANY);
    let expected = |site: usize| match site % 4 {
        0 => (Some(true), None, "allow-all"),
        1 => (Some(false), None, "disallow-all"),
        2 => (Some(true), None, "no-rule-matches"),
        _ => (Some(false), Some(2), "rule"),
    };
    let found = folder.answers("out.parquet");
    assert_eq!(found.len(), 1_000);
    for (site, (allowed, line, reason)) in found.iter().enumerate() {
        assert_eq!((*allowed, *line, &**reason), expected(site), "site {site}");
    }
}

#[test]
fn all_records_before_the_damage_are_written() {
    let folder = Folder::new();
    let good = write_archive(&folder.path("good.warc.gz"), 0..10);
    let archive = fs::read(folder.path("good.warc.gz")).unwrap();
    fs::write(folder.path("cut.warc.gz"), &archive[..good - 5]).unwrap();
    let huge = member("WARC-Type: response\r\n", b"HTTP/1.1 200 OK\r\n\r\n", 2 << 30);
    fs::write(folder.path("huge.warc.gz"), [&archive[..], &huge].concat()).unwrap();
    let mut bad = archive.clone();
    bad.extend(b"\x1f\x8b no gzip member");
    fs::write(folder.path("bad.warc.gz"), bad).unwrap();
    for (name, rows, expected) in [
        ("cut.warc.gz", 9, "the archive is cut".to_owned()),
        ("huge.warc.gz", 10, format!("at offset {good}: expected a block of 2147483648 bytes, found 23")),
        ("bad.warc.gz", 10, format!("at offset {good}: expected a gzip member")),
    ] {
        let error = folder.fail(&["warc", name, "--sites", "sites.parquet"]);
        assert!(error.contains(name) && error.contains("offset") && error.contains(&expected), "{error}");
        assert_eq!(folder.batches("sites.parquet").iter().map(RecordBatch::num_rows).sum::<usize>(), rows, "{name}");
    }
    // Other archives are read all the same.
    let error = folder.fail(&["warc", "cut.warc.gz", "none.warc.gz", "good.warc.gz"]);
    assert!(error.contains("none.warc.gz") && error.contains("19 sites"), "{error}");
    let error = folder.fail(&["warc", "good.warc.gz", "--sites", "a.parquet", "--bodies", "a.parquet"]);
    assert!(error.contains("expected two files"), "{error}");
}
