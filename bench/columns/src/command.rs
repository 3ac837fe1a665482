//! The command: `comity batch` on Parquet files, and `comity warc` on archives that are written here.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use arrow_array::{ArrayRef, LargeBinaryArray, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::WriterProperties;

use crate::rows::Data;
use crate::{median, processor_time_of_children};

const ROUNDS: usize = 5;

/// The minimum of million rows, and of records, in a second of the processor.
const MIN_ROWS: f64 = 3.0;
const MIN_RECORDS: f64 = 20_000.0;

/// The number of times that the questions are in the file.
const COPIES: usize = 5;

/// The number of sites in the archive. Each has three records: the request, the response and metadata.
const SITES: usize = 20_000;

/// Writes the files, and measures the command. Returns the bounds that were missed.
pub(crate) fn measure(data: &Data, comity: &Path, out: &Path) -> Result<Vec<String>> {
    write_questions(&out.join("sorted.parquet"), &data.grouped)?;
    write_questions(&out.join("shuffled.parquet"), &data.shuffled)?;
    let origins: ArrayRef = Arc::new(data.origins.iter().map(Some).collect::<StringArray>());
    let bodies: ArrayRef = Arc::new(data.bodies.iter().map(|body| Some(&**body)).collect::<LargeBinaryArray>());
    let sites = RecordBatch::try_from_iter([("origin", origins), ("robots", bodies)])?;
    write(&out.join("sites.parquet"), [sites])?;
    let records = write_archive(&out.join("archive.warc.gz"), data)?;

    let mut missed = Vec::new();
    let rows = data.grouped.len() * COPIES;
    println!("| `comity batch`, {rows} rows | M rows/s | M rows in a second of the processor |");
    println!("|---|--:|--:|");
    for (order, name, min) in [("sorted", "sorted by site", MIN_ROWS), ("shuffled", "shuffled", 0.0)] {
        for (options, what) in [("", ""), ("--only-answers", ", only answers")] {
            for threads in ["1", "2"] {
                let input = format!("{order}.parquet");
                let mut words =
                    vec!["batch", "--input", &input, "--output", "answers.parquet", "--robots", "sites.parquet"];
                words.extend(["--agent", "ExampleBot", "--memory", "256", "--threads", threads]);
                words.extend(options.split_whitespace());
                let (elapsed, used) = run(comity, &words, out)?;
                let million = rows as f64 / 1e6;
                println!("| {name}{what}, {threads} threads | {:.2} | {:.2} |", million / elapsed, million / used);
                if million / used < min {
                    missed.push(format!("batch, {name}{what}: {:.2} M rows/s a core, expected {min}", million / used));
                }
            }
        }
    }
    let (elapsed, used) =
        run(comity, &["warc", "archive.warc.gz", "--sites", "archived.parquet", "--bodies", "bodies.parquet"], out)?;
    let size = fs::metadata(out.join("archive.warc.gz"))?.len() as f64 / f64::from(1 << 20);
    println!(
        "\n| `comity warc`, {records} records, {size:.0} MiB | records/s | records in a second of the processor |"
    );
    println!("|---|--:|--:|");
    println!("| one archive | {:.0} | {:.0} |\n", records as f64 / elapsed, records as f64 / used);
    if (records as f64 / used) < MIN_RECORDS {
        missed.push(format!("warc: {:.0} records/s a core, expected {MIN_RECORDS}", records as f64 / used));
    }
    let table = |name: &str| fs::metadata(out.join(name)).map(|file| file.len() as f64 / SITES as f64);
    println!(
        "bytes for a site: {:.0} in the table of sites, {:.0} in that of bodies",
        table("archived.parquet")?,
        table("bodies.parquet")?
    );
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

fn write_archive(path: &Path, data: &Data) -> Result<usize> {
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
    Ok(3 * SITES)
}
