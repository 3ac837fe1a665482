//! Any bytes as an archive, and as the records of an archive: nothing panics, a record keeps a bounded part of its block,
//! and a fetch has a body only if its rules apply.
//!
//! If the first byte is even, the rest is an archive. If it is odd, the rest is divided at lines that start with `WARC/`,
//! and each part is compressed as a member.

#![no_main]

use std::io::Write;

use comity_arrow::warc::{ArchivedFetch, ArchivedOutcome, SiteBatches, WarcReader, WarcRecord};
use comity_policy::Policy;
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    if first % 2 == 0 {
        read(rest)
    } else {
        read(&compressed(rest))
    };
});

fn compressed(records: &[u8]) -> Vec<u8> {
    let starts = (1..records.len()).filter(|at| records[at - 1] == b'\n' && records[*at..].starts_with(b"WARC/"));
    let mut ends: Vec<usize> = starts.collect();
    ends.push(records.len());
    let (mut archive, mut start) = (Vec::new(), 0);
    for end in ends {
        let mut member = GzEncoder::new(&mut archive, Compression::none());
        member.write_all(&records[start..end]).expect("a Vec takes all bytes");
        member.finish().expect("a Vec takes all bytes");
        start = end;
    }
    archive
}

fn read(archive: &[u8]) {
    let (mut reader, mut record, mut batches) =
        (WarcReader::new(archive), WarcRecord::default(), SiteBatches::default());
    let mut sites = 0;
    loop {
        match reader.read(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                assert!(error.offset() <= archive.len() as u64);
                let _ = error.to_string();
                break;
            }
        }
        assert!(record.block.len() < 1 << 20);
        if let Some(fetch) = ArchivedFetch::of(&record, &Policy::STANDARD) {
            assert_eq!(fetch.body.is_some(), fetch.outcome == ArchivedOutcome::Rules);
            let hash = fetch.body.as_deref().map(SiteBatches::hash);
            batches.add(&fetch, hash);
            sites += 1;
        }
    }
    assert_eq!(batches.finish_sites().expect("the columns have the same rows").num_rows(), sites);
    assert!(batches.finish_bodies().expect("the columns have the same rows").num_rows() <= sites);
}
