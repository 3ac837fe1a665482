//! The program without the features `postgres` and `parquet`: commands that need one of them say how to get a program with
//! it. `cargo xtask test` runs these tests in a step of their own.

#![cfg(not(any(feature = "postgres", feature = "parquet")))]

use std::process::Command;

#[test]
fn a_program_without_databases_says_how_to_get_one() {
    let store = "postgres://comity:s3cret@127.0.0.1:1/comity";
    for line in [
        &["check", "http://a.test/", "--store", store][..],
        &["cache", "list", "--store", store],
        &["cache", "verify", "--store", store],
        &["history", "http://a.test/", "--store", store],
        &["serve", "--listen", "127.0.0.1:0", "--store", store],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_comity")).args(line).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {errors}");
        for part in ["--store needs", "the feature `postgres`", "cargo install", "--features postgres"] {
            assert!(errors.contains(part), "{part} in {line:?}: {errors}");
        }
        assert!(output.stdout.is_empty() && !errors.contains("s3cret"), "{line:?}: {errors}");
    }
}

#[test]
fn a_program_without_parquet_says_how_to_get_one() {
    for line in [
        &["batch", "--input", "questions.parquet", "--agent", "GPTBot", "--output", "answers.parquet"][..],
        &["batch", "--input=questions.parquet"],
        &["warc", "crawl.warc.gz", "--sites", "sites.parquet"],
        &["warc", "--help"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_comity")).args(line).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {errors}");
        for part in ["built without Parquet", "released program", "--features parquet"] {
            assert!(errors.contains(part), "{part} in {line:?}: {errors}");
        }
        assert!(output.stdout.is_empty(), "{line:?}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).args(["batch", "--unknown"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("unexpected argument '--unknown'"));
}
