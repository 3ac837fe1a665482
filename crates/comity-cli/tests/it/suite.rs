//! Runs the shared cases of `testdata/` with the commands `batch` and `check`.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;

use comity::Dialect;
use comity_testdata::{Asker, Case, File, FoundAnswer, suite};
use serde::Deserialize as _;
use serde_json::Value;

fn comity(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The command may stop reading the file early, so errors are ignored.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn json_lines(output: &Output) -> Vec<Value> {
    let lines = output.stdout.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// Returns an answer of a document.
fn found(answer: &Value) -> FoundAnswer {
    FoundAnswer::deserialize(answer).unwrap_or_else(|error| panic!("{error} in {answer}"))
}

#[test]
fn batch_gives_every_answer() {
    let suite = suite();
    let (mut count, mut complaints) = (0, Vec::new());
    for dialect in Dialect::ALL.iter().copied() {
        let cases: Vec<_> = suite.cases_in(dialect.name).filter(|(_, case)| !case.asker.is_empty()).collect();
        let mut input = Vec::new();
        for (file, case) in &cases {
            serde_json::to_writer(&mut input, &case.question(file)).unwrap();
            input.push(b'\n');
        }
        let output = comity(&["batch", "--dialect", dialect.name], &input);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let answers = json_lines(&output);
        assert_eq!(answers.len(), cases.len());
        for ((_, case), answer) in cases.iter().zip(&answers) {
            complaints.extend(case.complaint(dialect.name, &found(answer), false));
        }
        count += cases.len();
    }
    println!("{count} answers");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000);
}

/// One call of `check`: the file, the crawler, true if URLs are used unchanged, and the site.
type Call<'a> = (&'a str, Vec<String>, bool, Option<String>);

#[test]
fn check_gives_every_answer() {
    let suite = suite();
    let mut calls = Vec::new();
    let mut skipped = 0;
    for dialect in Dialect::ALL.iter().copied() {
        let mut grouped: BTreeMap<Call<'_>, Vec<(&File, &Case)>> = BTreeMap::new();
        for (file, case) in suite.cases_in(dialect.name).filter(|(_, case)| !case.asker.is_empty()) {
            // These can't be command line arguments: bytes that are not UTF-8, and NUL. Also, `check` can't merge
            // tokens.
            let asker = match &case.asker {
                Asker::Agent(agent) => match std::str::from_utf8(agent) {
                    Ok(agent) => vec!["--literal".to_owned(), format!("--agent={agent}")],
                    Err(_) => continue,
                },
                Asker::Crawler(name) => vec![format!("--agent={name}")],
                _ => {
                    skipped += 1;
                    continue;
                }
            };
            let Some(url) = std::str::from_utf8(&case.url).ok().filter(|url| !url.contains('\0')) else {
                skipped += 1;
                continue;
            };
            // Each call is about the file of one site.
            let whose = comity::Origin::of(url).ok().map(|origin| origin.to_string());
            grouped.entry((&file.name, asker, case.raw, whose)).or_default().push((file, case));
        }
        calls.extend(grouped.into_iter().map(|(call, cases)| (dialect.name, call, cases)));
    }
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let complaints: Vec<String> = thread::scope(|scope| {
        let chunks = calls.chunks(calls.len().div_ceil(workers));
        let workers: Vec<_> =
            chunks.map(|chunk| scope.spawn(|| chunk.iter().flat_map(check).collect::<Vec<_>>())).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let count: usize = calls.iter().map(|(.., cases)| cases.len()).sum();
    println!("{count} answers of {} calls; {skipped} can't be typed", calls.len());
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000 && skipped < count / 10);
}

fn check((dialect, (_, asker, raw, _), cases): &(&str, Call<'_>, Vec<(&File, &Case)>)) -> Vec<String> {
    let mut arguments = vec!["check", "--robots", "-", "--empty-ok", "--format", "json", "--dialect", dialect];
    arguments.extend(asker.iter().map(String::as_str));
    if *raw {
        arguments.push("--raw");
    }
    arguments.push("--");
    arguments.extend(cases.iter().map(|(_, case)| std::str::from_utf8(&case.url).unwrap()));
    let output = comity(&arguments, &cases[0].0.body);
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return vec![format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr))];
    };
    let answers = report["answers"].as_array().unwrap();
    assert_eq!(answers.len(), cases.len());
    let mut complaints: Vec<String> = cases
        .iter()
        .zip(answers)
        .filter_map(|((_, case), answer)| case.complaint(dialect, &found(answer), true))
        .collect();
    let expected = if answers.iter().any(|answer| answer["allowed"].is_null()) {
        2
    } else {
        i32::from(answers.iter().any(|answer| answer["allowed"] == false))
    };
    if output.status.code() != Some(expected) {
        complaints.push(format!("{arguments:?}: expected exit code {expected}, found {:?}", output.status.code()));
    }
    complaints
}

#[test]
fn batch_reads_a_file_again_and_keeps_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let robots = folder.path().join("robots.txt");
    let mut child = Command::new(env!("CARGO_BIN_EXE_comity"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let path = serde_json::to_string(robots.to_str().unwrap()).unwrap();
    for (rule, allowed) in [("Allow", true), ("Disallow", false)] {
        std::fs::write(&robots, format!("User-agent: *\n{rule}: /a\n")).unwrap();
        // The answer to a question is printed before the next question is read.
        writeln!(stdin, r#"{{"n": 12345678901234567890123, "robots_file": {path}, "agent": "x", "url": "/a"}}"#)
            .unwrap();
        let mut answer = String::new();
        std::io::BufRead::read_line(&mut stdout, &mut answer).unwrap();
        assert!(answer.contains("12345678901234567890123"), "{answer}");
        assert!(answer.contains(&format!(r#""allowed":{allowed}"#)), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn batch_never_passes_an_old_answer_for_a_new_one() {
    let lines = concat!(
        r#"{"id": 1, "allowed": true, "line": 3, "agent": "a", "url": "/x"}"#,
        "\n",
        r#"{"id": 2, "error": "old", "input_line": 9, "robots": "", "agent": "a", "url": "/x"}"#,
        "\n",
        r#"{"id": 3, "robots": "", "robots": "", "agent": "a", "url": "/x"}"#,
        "\n",
        r#"{"id": 4, "robots_file": "/dev/zero", "agent": "a", "url": "/x"}"#,
        "\n",
    );
    let output = comity(&["batch"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let answers = json_lines(&output);
    assert!(answers[0].get("allowed").is_none() && answers[0]["error"].is_string());
    assert!(answers[1]["allowed"] == true && answers[1].get("error").is_none());
    assert!(answers[2]["error"].as_str().unwrap().contains("several times"));
    assert!(answers[3]["error"].is_string());
}
