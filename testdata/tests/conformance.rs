//! Runs the program `conformance` against `cat` with files of answers.

#![cfg(unix)]

use std::fs;
use std::process::{Command, Output};

use comity_testdata::suite;
use serde_json::{Value, json};

fn conformance(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_conformance")).args(arguments).output().unwrap()
}

fn score(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// Returns the expected answers in a dialect.
fn answers(dialect: &str) -> Vec<Value> {
    let suite = suite();
    let answers = suite.cases_in(dialect).map(|(_, case)| {
        let answer = case.answer_in(dialect).unwrap();
        json!({ "id": case.name, "allowed": answer.allowed, "line": answer.line })
    });
    answers.collect()
}

fn lines(answers: &[Value]) -> String {
    answers.iter().map(|answer| format!("{answer}\n")).collect()
}

/// Writes answers to a file, and asks `cat` for it.
fn cat(text: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers.jsonl");
    fs::write(&file, text).unwrap();
    conformance(&[more, &["--cmd", "cat", "--", file.to_str().unwrap()]].concat())
}

#[test]
fn the_expected_answers_agree_in_every_dialect() {
    for dialect in ["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"] {
        let mut answers = answers(dialect);
        assert!(answers.len() > 100, "{dialect}: {}", answers.len());
        let in_order: Vec<Value> =
            answers.iter().map(|answer| json!({ "allowed": answer["allowed"], "line": answer["line"] })).collect();
        answers.reverse();
        for text in [lines(&in_order), format!("parser v1.0 ready\n{}", lines(&answers))] {
            let output = cat(&text, &["--dialect", dialect]);
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{dialect}: {said}");
            assert!(said.contains("(100.0 %)"), "{dialect}: {said}");
        }
    }
}

#[test]
fn wrong_answers_are_counted_and_shown() {
    let mut answers = answers("standard");
    let count = answers.len();
    let name = answers[0]["id"].clone();
    let was = answers[0]["allowed"].as_bool().unwrap();
    answers[0]["allowed"] = json!(!was);
    answers[1] = json!({ "id": answers[1]["id"], "error": "\u{1b}[2J" });
    let output = cat(&lines(&answers), &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let found = score(&output);
    assert_eq!((&found["agree"], &found["differ"], &found["unanswered"]), (&json!(count - 2), &json!(1), &json!(1)));
    assert_eq!(found["differences"][0]["case"], name);

    let output = cat(&lines(&answers), &["--all"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(name.as_str().unwrap()) && said.contains("1 was not answered"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_program_that_does_not_answer_fails() {
    let output = conformance(&["--json", "--cmd", "true"]);
    assert_eq!((output.status.code(), &score(&output)["agree"]), (Some(2), &json!(0)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ended with"), "{output:?}");
    // Its input as its output: JSON without answers.
    let output = conformance(&["--json", "--cmd", "cat"]);
    assert_eq!((output.status.code(), &score(&output)["agree"]), (Some(1), &json!(0)));
    let output = conformance(&["--timeout", "1", "--cmd", "sleep", "--", "100"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("was stopped at the timeout"), "{output:?}");
}

#[test]
fn nothing_asked_is_no_agreement() {
    for (arguments, said) in [
        (&["--cmd", "./there-is-no-such-program"][..], "could not be run"),
        (&["--cmd", "true", "--dialect", "latin"], "expected a dialect"),
        (&["--cmd", "true", "--timeout", "99999999"], "is not in 1..=86400"),
    ] {
        let output = conformance(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{output:?}");
    }
}
