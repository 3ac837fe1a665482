//! Large files: memory, and a program that is killed.

use std::fs::{self, File};
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[cfg(target_os = "linux")]
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
#[cfg(target_os = "linux")]
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

use crate::folder::Folder;

/// The site of a row of [`write_many`]. There are 1,000 rows of each, and then the sites are repeated.
fn site(row: usize) -> usize {
    row / 1_000 % 1_000
}

/// Writes a file with this many questions, and one with the files of their sites. Their rules fill the cache.
fn write_many(folder: &Folder, rows: usize) {
    const BATCH: usize = 250_000;
    let batch = |start: usize| {
        let url =
            |row| Some(format!("https://site{}.example/a-folder/{}/page-of-a-site-{row}.html", site(row), row % 7));
        let urls: StringArray = (start..rows.min(start + BATCH)).map(url).collect();
        RecordBatch::try_from_iter([("url", Arc::new(urls) as ArrayRef)]).unwrap()
    };
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(BATCH)).build();
    let file = File::create(folder.path("questions.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch(rows).schema(), Some(properties)).unwrap();
    (0..rows).step_by(BATCH).for_each(|start| writer.write(&batch(start)).unwrap());
    writer.close().unwrap();
    let origins: StringArray = (0..1_000).map(|site| Some(format!("https://site{site}.example"))).collect();
    let body = |site: usize| {
        let others: String = (0..40).map(|rule| format!("Disallow: /other-{site}/{rule}/\n")).collect();
        Some(format!("User-agent: *\nDisallow: /*/{}/\n{others}", site % 7))
    };
    let bodies: StringArray = (0..1_000).map(body).collect();
    let columns = vec![("origin", Arc::new(origins) as ArrayRef), ("robots", Arc::new(bodies) as ArrayRef)];
    folder.write("sites.parquet", columns, 1_000);
}

pub(crate) const MANY: [&str; 9] = [
    "batch",
    "--input",
    "questions.parquet",
    "--output",
    "out.parquet",
    "--robots",
    "sites.parquet",
    "-a",
    "ExampleBot",
];

/// Runs a command. Returns the most memory that it had, in KiB, and what it printed to standard error.
#[cfg(target_os = "linux")]
fn peak_memory(mut command: Command) -> (i64, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // It is read while the command runs, as it is gone with the process.
    let mut peak = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        if let Some(kib) = line.and_then(|line| line.split_whitespace().nth(1)) {
            peak = kib.parse().unwrap();
        }
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let printed = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert!(status.success(), "{printed}");
    (peak, printed)
}

#[test]
#[cfg(target_os = "linux")]
fn a_million_rows_are_answered_in_bounded_memory() {
    /// The memory of buffers and of the program itself, besides `--memory`.
    const MAX_BUFFERS: i64 = 64 << 10;
    let folder = Folder::new();
    // `cargo xtask test --long` sets 10⁸.
    let rows = std::env::var("COMITY_ROWS").map_or(1_000_000, |rows| rows.parse().unwrap());
    write_many(&folder, rows);
    for (threads, memory) in [(2, 16), (4, 16), (16, 16), (8, 128)] {
        let mut command = folder.command(&MANY);
        command.args([format!("--threads={threads}"), format!("--memory={memory}")]);
        let (peak, printed) = peak_memory(command);
        println!("{rows} rows, {threads} threads, --memory={memory}: {peak} KiB {printed}");
        let max = (memory << 10) + MAX_BUFFERS;
        assert!(peak > 0 && peak <= max, "{threads} threads, --memory={memory}: {peak} KiB, expected at most {max}");
        assert_eq!(printed.contains(&format!("of {threads} threads were used")), threads == 16, "{printed}");
    }
    let mut row = 0;
    let output = File::open(folder.path("out.parquet")).unwrap();
    for batch in ParquetRecordBatchReaderBuilder::try_new(output).unwrap().build().unwrap() {
        let batch = batch.unwrap();
        let urls = batch.column(0).as_string::<i32>();
        let allowed = batch.column_by_name("allowed").unwrap().as_boolean();
        for (url, allowed) in urls.iter().zip(allowed) {
            assert!(url.unwrap().ends_with(&format!("-{row}.html")), "row {row}");
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
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!folder.path("out.parquet").exists());
    folder.succeed(&MANY);
    assert_eq!(folder.answers("out.parquet").len(), 1_000_000);
}
