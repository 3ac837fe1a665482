//! The command: `comity batch` on Parquet files, and `comity warc` on archives that are written here.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::iter;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use arrow_array::{ArrayRef, LargeBinaryArray, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression as Codec;
use parquet::file::properties::WriterProperties;

use crate::rows::Data;
use crate::{median, processor_time_of_children};

const ROUNDS: usize = 5;

/// The minimum numbers of million rows and of records in a second of the processor.
const MIN_ROWS: f64 = 3.0;
const MIN_RECORDS: f64 = 20_000.0;

/// The number of times that the questions are in the file.
const COPIES: usize = 5;

/// The number of sites in the archive, and of the records of each: the request, the response and metadata.
const SITES: usize = 20_000;
const RECORDS: usize = 3;

/// Writes the files, measures the command, and adds tables to the text. Returns the targets that were missed.
pub(crate) fn measure(data: &Data, comity: &Path, files: &Path, text: &mut String) -> Result<Vec<String>> {
    write_questions(&files.join("sorted.parquet"), &data.grouped)?;
    write_questions(&files.join("shuffled.parquet"), &data.shuffled)?;
    let origins: ArrayRef = Arc::new(data.origins.iter().map(Some).collect::<StringArray>());
    let bodies: ArrayRef = Arc::new(data.bodies.iter().map(|body| Some(&**body)).collect::<LargeBinaryArray>());
    let sites = RecordBatch::try_from_iter([("origin", origins), ("robots", bodies)])?;
    write(&files.join("sites.parquet"), [sites])?;
    write_archive(&files.join("archive.warc.gz"), data)?;
    let mut missed = batch(data.grouped.len() * COPIES, comity, files, text)?;
    missed.extend(warc(comity, files, text)?);
    Ok(missed)
}

/// Measures `comity batch`.
fn batch(rows: usize, comity: &Path, files: &Path, text: &mut String) -> Result<Vec<String>> {
    let (mut missed, million) = (Vec::new(), rows as f64 / 1e6);
    writeln!(
        text,
        "## `comity batch` on Parquet\n\n{million} M rows from and to files. The time includes starting the program and \
         reading the sites. Medians of {ROUNDS} runs.\n\n\
         | | M rows/s | M rows in a second of the processor | target |\n|---|--:|--:|---|"
    )?;
    for (order, name, min) in [("sorted", "sorted by site", Some(MIN_ROWS)), ("shuffled", "shuffled", None)] {
        for (option, what) in [(None, ""), (Some("--only-answers"), ", only answers")] {
            for threads in ["1", "2"] {
                let input = format!("{order}.parquet");
                let mut words =
                    vec!["batch", "--input", &input, "--output", "answers.parquet", "--robots", "sites.parquet"];
                words.extend(["--agent", "ExampleBot", "--memory", "256", "--threads", threads]);
                words.extend(option);
                let (elapsed, used) = run(comity, &words, files)?;
                let (name, rate) = (format!("{name}{what}, {threads} threads"), million / used);
                let target = min.map(|min| format!("≥ {min}")).unwrap_or_default();
                writeln!(text, "| {name} | {:.2} | {rate:.2} | {target} |", million / elapsed)?;
                if min.is_some_and(|min| rate < min) {
                    missed.push(format!("batch, {name}: {rate:.2} M rows/s a core, expected {target}"));
                }
            }
        }
    }
    Ok(missed)
}

/// Measures `comity warc`.
fn warc(comity: &Path, files: &Path, text: &mut String) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    let mebibytes = fs::metadata(files.join("archive.warc.gz"))?.len() as f64 / f64::from(1 << 20);
    writeln!(
        text,
        "\n## `comity warc`\n\nAn archive of {mebibytes:.0} MiB that was written for this: {SITES} sites, each with a request, a \
         response and metadata. Of ten sites, six have a file, three have none, and one fails. Medians of {ROUNDS} \
         runs.\n\n\
         | | records/s | records in a second of the processor | sites in a second of the processor | target |\n\
         |---|--:|--:|--:|---|"
    )?;
    for (count, name) in [(1, "one archive"), (2, "two archives, two threads")] {
        let mut words = vec!["warc", "--sites", "archived.parquet", "--bodies", "bodies.parquet", "--threads", "2"];
        words.extend(iter::repeat_n("archive.warc.gz", count));
        let (elapsed, used) = run(comity, &words, files)?;
        let sites = (SITES * count) as f64;
        let records = sites * RECORDS as f64;
        writeln!(
            text,
            "| {name} | {:.0} | {:.0} | {:.0} | ≥ {MIN_RECORDS} records |",
            records / elapsed,
            records / used,
            sites / used
        )?;
        if records / used < MIN_RECORDS {
            missed.push(format!("warc, {name}: {:.0} records/s a core, expected {MIN_RECORDS}", records / used));
        }
    }
    run(comity, &["warc", "archive.warc.gz", "--sites", "archived.parquet", "--bodies", "bodies.parquet"], files)?;
    let size = |name: &str| fs::metadata(files.join(name)).map(|file| file.len() as f64);
    let bodies = ParquetRecordBatchReaderBuilder::try_new(File::open(files.join("bodies.parquet"))?)?;
    let bodies = bodies.metadata().file_metadata().num_rows() as f64;
    writeln!(
        text,
        "\nThe archive takes {:.0} bytes for a site, the table of sites {:.0} bytes for a site, and the table of bodies {:.0} \
         bytes for a distinct body.",
        size("archive.warc.gz")? / SITES as f64,
        size("archived.parquet")? / SITES as f64,
        size("bodies.parquet")? / bodies,
    )?;
    Ok(missed)
}

/// Runs the command some times. Returns the medians of the elapsed time, and of the time of the processor.
fn run(comity: &Path, words: &[&str], folder: &Path) -> Result<(f64, f64)> {
    let comity = comity.canonicalize()?;
    let (mut elapsed, mut used) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (start, before) = (Instant::now(), processor_time_of_children()?);
        let output =
            Command::new(&comity).args(words).current_dir(folder).output().context("the command cannot be run")?;
        ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        elapsed.push(start.elapsed().as_secs_f64());
        used.push(processor_time_of_children()? - before);
    }
    Ok((median(elapsed), median(used)))
}

fn write(path: &Path, batches: impl IntoIterator<Item = RecordBatch>) -> Result<()> {
    let mut writer = None;
    for batch in batches {
        let properties = WriterProperties::builder().set_compression(Codec::SNAPPY).build();
        if writer.is_none() {
            writer = Some(ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?);
        }
        writer.as_mut().context("no writer")?.write(&batch)?;
    }
    writer.context("no batch")?.close()?;
    Ok(())
}

fn write_questions(path: &Path, rows: &[(usize, String)]) -> Result<()> {
    let batch = |rows: &[(usize, String)]| {
        let urls: ArrayRef = Arc::new(rows.iter().map(|(_, url)| Some(&**url)).collect::<StringArray>());
        RecordBatch::try_from_iter([("url", urls)])
    };
    let batches = (0..COPIES).flat_map(|_| rows.chunks(100_000)).map(batch).collect::<Result<Vec<_>, _>>()?;
    write(path, batches)
}

fn write_archive(path: &Path, data: &Data) -> Result<()> {
    let mut archive = BufWriter::new(File::create(path)?);
    let mut record = |kind: &str, site: usize, block: &[u8]| -> Result<()> {
        let mut member = GzEncoder::new(&mut archive, Compression::new(6));
        write!(
            member,
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://www.site{site}.example/robots.txt\r\n\
             WARC-Date: 2026-01-31T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{site:012}>\r\n\
             Content-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        )?;
        member.write_all(block)?;
        member.write_all(b"\r\n\r\n")?;
        member.finish()?;
        Ok(())
    };
    for site in 0..SITES {
        record("request", site, b"GET /robots.txt HTTP/1.1\r\nUser-Agent: ExampleBot/1.0\r\nAccept: */*\r\n\r\n")?;
        // As in crawls, a part of the sites has no file, and some fail.
        let (status, body) = match site % 10 {
            0..6 => ("200 OK", &*data.bodies[site % data.bodies.len()]),
            6..9 => ("404 Not Found", &b"<html><title>Not found</title></html>"[..]),
            _ => ("503 Service Unavailable", &b""[..]),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nServer: example\r\nContent-Type: text/plain\r\nX-Crawl-Content-Encoding: gzip\r\n\r\n"
        );
        record("response", site, &[head.as_bytes(), body].concat())?;
        record("metadata", site, b"fetchTimeMs: 120\r\ncharset-detected: UTF-8\r\n")?;
    }
    archive.flush()?;
    Ok(())
}
