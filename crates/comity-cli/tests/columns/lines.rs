//! The same questions as JSON Lines and as a Parquet file.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringViewArray};
use comity_testdata::{Asker, suite};
use serde_json::{Value, json};

use crate::folder::{Answer, Folder};

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
pub(crate) fn answers_to_lines(folder: &Folder, questions: &[(Vec<u8>, String, Vec<u8>)]) -> Vec<Answer> {
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
