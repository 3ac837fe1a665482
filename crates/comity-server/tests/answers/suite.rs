//! Runs the shared cases of `testdata/` through `/v1/check` and `/v1/batch`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::Dialect;
use comity_testdata::{Asker, Case, File, FoundAnswer, suite};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::service::Service;

/// Returns an answer of a document.
fn found(answer: &Value) -> FoundAnswer {
    FoundAnswer::deserialize(answer).unwrap_or_else(|error| panic!("{error} in {answer}"))
}

#[tokio::test]
async fn batch_gives_every_answer() {
    let (suite, service) = (suite(), Service::start().await);
    let (mut count, mut complaints) = (0, Vec::new());
    for dialect in Dialect::ALL {
        let cases: Vec<_> = suite.cases_in(dialect.name).filter(|(_, case)| !case.asker.is_empty()).collect();
        let mut input = Vec::new();
        for (file, case) in &cases {
            serde_json::to_writer(&mut input, &case.question(file)).unwrap();
            input.push(b'\n');
        }
        let answer = service.batch(&format!("?dialect={}", dialect.name), &input).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answers = answer.lines();
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

/// A call of `check`: a file, a crawler, whether it is literal, whether URLs are raw, and the origin of the file.
type Call<'a> = (&'a str, &'a str, bool, bool, Option<String>);

#[tokio::test]
async fn check_gives_every_answer() {
    let (suite, service) = (suite(), Service::start().await);
    let (mut count, mut skipped, mut complaints) = (0, 0, Vec::new());
    for dialect in Dialect::ALL {
        let mut grouped: BTreeMap<Call<'_>, Vec<(&File, &Case)>> = BTreeMap::new();
        for (file, case) in suite.cases_in(dialect.name).filter(|(_, case)| !case.asker.is_empty()) {
            // Skips what JSON cannot express, and merged tokens, which `check` does not have.
            let asker = match &case.asker {
                Asker::Agent(agent) => std::str::from_utf8(agent).ok().map(|agent| (agent, true)),
                Asker::Crawler(name) => Some((name.as_str(), false)),
                _ => None,
            };
            let (Some((agent, literal)), Ok(url)) = (asker, std::str::from_utf8(&case.url)) else {
                skipped += 1;
                continue;
            };
            // Each site has a file of its own, and each call is about one file.
            let whose = comity::Origin::of(url).ok().map(|origin| origin.to_string());
            grouped.entry((&file.name, agent, literal, case.raw, whose)).or_default().push((file, case));
        }
        for ((_, agent, literal, raw, _), cases) in grouped {
            let urls: Vec<&str> = cases.iter().map(|(_, case)| std::str::from_utf8(&case.url).unwrap()).collect();
            let mut question =
                json!({"urls": urls, "agent": agent, "literal": literal, "raw": raw, "dialect": dialect.name});
            let body = &cases[0].0.body;
            match std::str::from_utf8(body) {
                Ok(text) => question["robots"] = json!(text),
                Err(_) => question["robots_b64"] = json!(BASE64.encode(body)),
            }
            let answer = service.post("/v1/check", &question).await;
            assert_eq!(answer.status, 200, "{urls:?}: {}", answer.text());
            let report = answer.json();
            let answers = report["answers"].as_array().unwrap();
            assert_eq!(answers.len(), cases.len());
            complaints.extend(
                cases
                    .iter()
                    .zip(answers)
                    .filter_map(|((_, case), answer)| case.complaint(dialect.name, &found(answer), true)),
            );
            count += cases.len();
        }
    }
    println!("{count} answers; {skipped} can't be asked");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000 && skipped < count / 10);
}
