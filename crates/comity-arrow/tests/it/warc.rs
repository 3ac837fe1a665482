//! Archives, which are written here: what records mean, and where damage is found.
#![cfg(feature = "warc")]

use std::io::Write;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use comity_arrow::warc::{ArchivedFetch, ArchivedOutcome, SiteBatches, WarcReader, WarcRecord};
use comity_policy::Policy;
use flate2::Compression;
use flate2::write::GzEncoder;

fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn record(kind: &str, url: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let length = block.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-31T12:00:00Z\r\n{fields}\
         Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n"
    );
    member(&[head.as_bytes(), block, b"\r\n\r\n"].concat())
}

fn response(url: &str, status: &str, fields: &str, body: &str) -> Vec<u8> {
    record("response", url, "", format!("HTTP/1.1 {status}\r\n{fields}\r\n{body}").as_bytes())
}

/// Returns the fetches of an archive, and the error at its end.
fn read(archive: &[u8]) -> (Vec<ArchivedFetch>, Option<String>) {
    let (mut reader, mut record, mut fetches) = (WarcReader::new(archive), WarcRecord::default(), Vec::new());
    let error = loop {
        match reader.read(&mut record) {
            Ok(true) => fetches.extend(ArchivedFetch::of(&record, &Policy::STANDARD)),
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert!(!reader.read(&mut record).unwrap(), "after an error, there are no more records");
    (fetches, error)
}

const ROBOTS: &str = "User-agent: *\nDisallow: /a\n";

#[test]
fn a_status_has_the_outcome_of_the_policy() {
    use ArchivedOutcome::{AllowAll, DisallowAll, Redirect, Rules};
    for (status, fields, expected) in [
        ("200 OK", "", Rules),
        ("203", "", Rules),
        ("404 Not Found", "", AllowAll),
        ("410 Gone", "", AllowAll),
        ("500 Oops", "", DisallowAll),
        ("503 Busy", "", DisallowAll),
        ("429 Slow down", "", DisallowAll),
        ("301 Moved", "Location: https://www.a.example/robots.txt\r\n", Redirect),
        ("302 Found", "location: /other\r\n", Redirect),
        ("206 Partial", "", DisallowAll),
        ("200 OK", "Content-Encoding: gzip\r\n", DisallowAll),
        ("200 OK", "Transfer-Encoding: chunked\r\n", DisallowAll),
        ("200 OK", "X-Crawl-Content-Encoding: gzip\r\n", Rules),
        ("200 OK", "Content-Encoding: identity\r\n", Rules),
    ] {
        let (fetches, error) = read(&response("https://a.example/robots.txt", status, fields, ROBOTS));
        assert_eq!((fetches.len(), error), (1, None));
        let fetch = &fetches[0];
        assert_eq!(fetch.outcome, expected, "{status} {fields}");
        assert_eq!(fetch.body.as_deref(), (expected == Rules).then_some(ROBOTS.as_bytes()), "{status}");
        assert_eq!(fetch.status, status[..3].parse().ok());
        assert_eq!((fetch.origin.as_str(), fetch.fetched), ("https://a.example", Some(1_769_860_800)));
    }
    let (fetches, _) = read(&record("response", "https://a.example/robots.txt", "", b"no http"));
    assert_eq!((fetches[0].outcome, fetches[0].status), (DisallowAll, None));
}

#[test]
fn only_responses_for_the_file_at_the_root_are_used() {
    let http = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";
    let archive = [
        record("warcinfo", "", "", b"software: test\r\n"),
        record("request", "https://a.example/robots.txt", "", b"GET /robots.txt HTTP/1.1\r\n\r\n"),
        record("response", "https://a.example/en/robots.txt", "", http),
        record("response", "https://a.example/robots.txt?a", "", http),
        record("response", "https://a.example/", "", http),
        record("response", "no url", "", http),
        record("metadata", "https://a.example/robots.txt", "", b"a: b\r\n"),
        record("response", "<http://A.example:80/robots.txt>", "", http),
    ];
    let (fetches, error) = read(&archive.concat());
    let origins: Vec<_> = fetches.iter().map(|fetch| fetch.origin.as_str()).collect();
    assert_eq!((origins, error), (vec!["http://a.example"], None));
}

#[test]
fn cut_and_large_bodies_and_html_are_marked() {
    let url = "https://a.example/robots.txt";
    let truncated = |body: &str| {
        record("response", url, "WARC-Truncated: length\r\n", format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes())
    };
    let large = ROBOTS.repeat(40_000);
    let archive = [
        truncated(ROBOTS),
        truncated(&large),
        response(url, "200 OK", "", &large),
        response(url, "200 OK", "", "\n <!DOCTYPE html>"),
        response(url, "200 OK", "", ""),
    ];
    let (fetches, error) = read(&archive.concat());
    assert_eq!(error, None);
    let marks: Vec<_> = fetches.iter().map(|fetch| (fetch.outcome.name(), fetch.is_truncated, fetch.is_html)).collect();
    let expected = [
        // The rest of the file is unknown, and may forbid anything.
        ("disallow-all", true, false),
        ("rules", true, false),
        ("rules", true, false),
        ("rules", false, true),
        ("rules", false, false),
    ];
    assert_eq!(marks, expected);
    let len = |index: usize| fetches[index].body.as_ref().map_or(0, Vec::len);
    assert!(len(1) == len(2) && len(1) <= comity::READ_LIMIT && len(1) >= comity::SIZE_LIMIT);
}

/// Checks responses that were cut without a mark in the record: the rest of the file is unknown, and may forbid anything.
#[test]
fn cut_responses_disallow_everything() {
    let url = "https://a.example/robots.txt";
    let with = |head: &str, body: &str| record("response", url, "", format!("HTTP/1.1 {head}{body}").as_bytes());
    let long_head = format!("200 OK\r\nX: {}\r\n\r\n", "x".repeat(80 << 10));
    for (cut, status) in [
        (with("200 OK\r\nContent-Length: 1000\r\n\r\n", ROBOTS), Some(200)),
        (with("200 OK\r\nContent-Length: 27\r\ncontent-length: 1000\r\n\r\n", ROBOTS), Some(200)),
        (with("200 OK\r\nContent-Length: 27, 1000\r\n\r\n", ROBOTS), Some(200)),
        (with("200 OK\r\nContent-Length: many\r\n\r\n", ROBOTS), Some(200)),
        (with("200 OK\r\nContent-Length: 27\r\n\r\n", ""), Some(200)),
        // The head has no end.
        (with("200 OK\r\nContent-Ty", ""), None),
        (with("200 OK\r\nContent-Type: text/plain\r\n", ""), None),
        (with("200 OK\r\nContent-Type: text/plain\r\n\r", ""), None),
        (with("200 OK", ""), None),
        (with("404 Not Fo", ""), None),
        // The block is longer than what is read of it, and most of that is the head.
        (with(&long_head, &"# a comment\n".repeat(48_000)), Some(200)),
    ] {
        let (fetches, error) = read(&cut);
        assert_eq!((fetches.len(), error), (1, None));
        let fetch = &fetches[0];
        assert_eq!((fetch.outcome.name(), fetch.status), ("disallow-all", status));
        assert_eq!(fetch.body, None);
        assert_eq!(fetch.is_truncated, status.is_some());
    }
    for whole in [
        with("200 OK\r\nContent-Length: 27\r\n\r\n", ROBOTS),
        with("200 OK\r\nContent-Length: 27, 27\r\n\r\n", ROBOTS),
        with("200 OK\nContent-Length: 27\n\n", ROBOTS),
        // A decoded body, with the length of the encoded one, which is mostly shorter.
        with("200 OK\r\nX-Crawl-Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n", ROBOTS),
        with("200 OK\r\nX-Crawl-Content-Length: 1000\r\n\r\n", ROBOTS),
    ] {
        let (fetches, error) = read(&whole);
        assert_eq!((fetches[0].outcome.name(), fetches[0].is_truncated, error), ("rules", false, None));
        assert_eq!(fetches[0].body.as_deref(), Some(ROBOTS.as_bytes()));
    }
    // What is parsed is there, whatever follows.
    let (fetches, _) = read(&with("200 OK\r\nContent-Length: 90000000\r\n\r\n", &ROBOTS.repeat(40_000)));
    assert_eq!((fetches[0].outcome.name(), fetches[0].is_truncated), ("rules", true));
    // A missing file is missing, however long its error page is.
    let (fetches, _) = read(&with("404 Not Found\r\nContent-Length: 1000\r\n\r\n", "<html>"));
    assert_eq!(fetches[0].outcome.name(), "allow-all");
}

#[test]
fn damage_is_an_error_with_its_offset() {
    let good = response("https://a.example/robots.txt", "200 OK", "", ROBOTS);
    let offset = good.len();
    let with = |rest: &[u8]| {
        let (fetches, error) = read(&[&good, rest].concat());
        assert_eq!(fetches.len(), 1, "all records before the damage are read");
        let error = error.expect("the damage is found");
        error.strip_prefix(&format!("at offset {offset}: ")).unwrap_or_else(|| panic!("{error}")).to_owned()
    };
    for cut in [1, 5, 20, good.len() - 10, good.len() - 1] {
        let error = with(&good[..cut]);
        assert!(error.ends_with("the archive is cut"), "{cut}: {error}");
    }
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 0x55;
    assert!(with(&bad).contains("found damaged data"), "{}", with(&bad));
    let mut checksum = good.clone();
    let last = checksum.len() - 6;
    checksum[last] ^= 1;
    assert!(with(&checksum).contains("found damaged data"));
    assert!(with(b"no gzip at all, but long enough for a header").contains("found damaged data"));
    assert!(with(&member(b"HTTP/1.1 200 OK\r\n\r\n")).contains("starts with `WARC/1.`, found `HTTP/1.1 200 OK`"));
    assert!(with(&member(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n")).contains("`Content-Length`, found ``"));
    assert!(with(&member(b"WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n")).contains("`Content-Length`"));
    let huge = member(b"WARC/1.0\r\nContent-Length: 2147483648\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(with(&huge), "expected a block of 2147483648 bytes, found 19; the record is cut");
    let twice = member(&b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n".repeat(2));
    assert!(with(&twice).starts_with("expected one record in the gzip member"));
    let long = member(&[b"WARC/1.0\r\n", &b"X: y\r\n".repeat(20_000)[..]].concat());
    assert!(with(&long).starts_with("expected the header of a record, found more than 65536 bytes"));
}

#[test]
fn any_cut_is_found() {
    let archive = response("https://a.example/robots.txt", "200 OK", "", ROBOTS).repeat(3);
    let one = archive.len() / 3;
    for cut in 0..archive.len() {
        let (fetches, error) = read(&archive[..cut]);
        assert_eq!(fetches.len(), cut / one);
        assert_eq!(error.is_some(), cut % one != 0, "{cut}");
    }
}

#[test]
fn fetches_are_columns_and_equal_bodies_are_stored_once() {
    let archive = [
        response("https://a.example/robots.txt", "200 OK", "", ROBOTS),
        response("https://b.example/robots.txt", "200 OK", "", ROBOTS),
        response("https://c.example/robots.txt", "200 OK", "", ""),
        response("https://d.example/robots.txt", "404 Not Found", "", ROBOTS),
    ];
    let mut batches = SiteBatches::default();
    for fetch in read(&archive.concat()).0 {
        let hash = fetch.body.as_deref().map(SiteBatches::hash);
        batches.add(&fetch, hash);
    }
    assert_eq!((batches.sites(), batches.distinct_bodies(), batches.body_bytes()), (4, 2, ROBOTS.len()));
    let (sites, bodies) = (batches.finish_sites().unwrap(), batches.finish_bodies().unwrap());
    assert_eq!((sites.num_rows(), bodies.num_rows()), (4, 2));
    let hashes = sites.column_by_name("body_hash").unwrap().as_binary::<i32>();
    assert_eq!(hashes.value(0), SiteBatches::hash(ROBOTS.as_bytes()));
    assert!(hashes.value(0) == hashes.value(1) && hashes.value(0) != hashes.value(2) && hashes.is_null(3));
    assert_eq!(bodies.column_by_name("hash").unwrap().as_binary::<i32>().value(0), hashes.value(0));
    assert_eq!((batches.sites(), batches.body_bytes()), (0, 0));
}
