//! Archives of robots.txt files.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::folder::{Folder, ROBOTS};
use crate::many::MANY;

fn member(head: &str, block: &[u8], declared: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    write!(encoder, "WARC/1.0\r\n{head}Content-Length: {declared}\r\n\r\n").unwrap();
    encoder.write_all(block).unwrap();
    encoder.write_all(b"\r\n\r\n").unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn response(url: &str, status: &str, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 {status}\r\n\r\n{body}");
    let head = format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-31T12:00:00Z\r\n");
    member(&head, block.as_bytes(), block.len())
}

pub(crate) fn write_archive(path: &Path, sites: std::ops::Range<usize>) -> usize {
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
