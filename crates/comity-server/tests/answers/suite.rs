//! Runs the shared cases of `testdata/` through `/v1/check` and `/v1/batch`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::Dialect;
use comity_testdata::{Asker, Case, File, Suite, suite};
use serde_json::{Map, Value, json};

use crate::service::Service;

/// Returns the difference between a case and an answer.
fn complaint(case: &Case, dialect: &str, answer: &Value, has_details: bool) -> Option<String> {
    let (_, expected) = case.answers.iter().find(|(name, _)| name == dialect).unwrap();
    let line = answer["line"].as_u64().map(|line| line as u32);
    let mut wrong = !expected.accepts(answer["allowed"].as_bool(), line) || line.is_none();
    wrong |= case.seen.is_some_and(|seen| answer["seen"] != seen);
    if has_details {
        wrong |= case.advisory.is_some_and(|advisory| answer["advisory"] != advisory);
        wrong |= case.crawl_delay.is_some_and(|delay| answer["crawl_delay"].as_f64() != delay);
    }
    wrong.then(|| format!("{} in {dialect}: expected {expected}, found {answer}", case.name))
}

fn cases<'a>(suite: &'a Suite, dialect: &'a str) -> impl Iterator<Item = (&'a File, &'a Case)> {
    let all = suite.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)));
    all.filter(move |(_, case)| case.answers.iter().any(|(name, _)| name == dialect))
}

fn insert(object: &mut Map<String, Value>, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => object.insert(name.into(), json!(text)),
        Err(_) => object.insert(format!("{name}_b64"), json!(BASE64.encode(bytes))),
    };
}

#[tokio::test]
async fn batch_gives_every_answer() {
    let (suite, service) = (suite(), Service::start().await);
    let (mut count, mut complaints) = (0, Vec::new());
    for dialect in Dialect::ALL {
        let cases: Vec<_> = cases(&suite, dialect.name).collect();
        let mut input = Vec::new();
        for (file, case) in &cases {
            let mut question = Map::new();
            insert(&mut question, "robots", &file.body);
            insert(&mut question, "url", &case.url);
            match &case.asker {
                Asker::Agent(agent) => insert(&mut question, "agent", agent),
                Asker::Agents(agents) => drop(question.insert("agents".into(), json!(agents))),
                Asker::Crawler(name) => drop(question.insert("crawler".into(), json!(name))),
                other => panic!("{other:?}"),
            }
            serde_json::to_writer(&mut input, &question).unwrap();
            input.push(b'\n');
        }
        let answer = service.batch(&format!("?dialect={}", dialect.name), &input).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answers = answer.lines();
        assert_eq!(answers.len(), cases.len());
        for ((_, case), answer) in cases.iter().zip(&answers) {
            complaints.extend(complaint(case, dialect.name, answer, false));
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
        for (file, case) in cases(&suite, dialect.name) {
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
            let mut question = Map::new();
            insert(&mut question, "robots", &cases[0].0.body);
            let rest = json!({"urls": urls, "agent": agent, "literal": literal, "raw": raw, "dialect": dialect.name});
            question.extend(rest.as_object().unwrap().clone());
            let answer = service.post("/v1/check", &question.into()).await;
            assert_eq!(answer.status, 200, "{urls:?}: {}", answer.text());
            let report = answer.json();
            let answers = report["answers"].as_array().unwrap();
            assert_eq!(answers.len(), cases.len());
            complaints.extend(
                cases.iter().zip(answers).filter_map(|((_, case), answer)| complaint(case, dialect.name, answer, true)),
            );
            count += cases.len();
        }
    }
    println!("{count} answers; {skipped} can't be asked");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 1_000 && skipped < count / 10);
}
