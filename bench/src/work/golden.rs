//! The recorded answers of Google's own parser, from the reference data.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::rc::Rc;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde::Deserialize;

use super::{Body, Case, Question, corpus};

/// The recorded answers, by the name of the file.
#[derive(Debug, Default)]
pub(crate) struct Recorded(HashMap<String, Vec<Entry>>);

#[derive(Debug, Deserialize)]
struct Line {
    file: String,
    cases: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    agent: String,
    url: String,
    allowed: bool,
}

impl Recorded {
    /// Loads the answers for these files. The result is empty if the reference data has no answers.
    pub(super) fn load(bodies: &[Rc<Body>]) -> Result<Self> {
        let Ok(file) = std::fs::File::open(corpus::shared().join("golden/verdicts.jsonl.gz")) else {
            return Ok(Self::default());
        };
        let mut by_file = HashMap::new();
        for line in BufReader::new(GzDecoder::new(file)).lines() {
            let line: Line = serde_json::from_str(&line?).context("verdicts.jsonl.gz is not as expected")?;
            if bodies.binary_search_by(|body| body.name.cmp(&line.file)).is_ok() {
                by_file.insert(line.file, line.cases);
            }
        }
        Ok(Self(by_file))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns one of the file's well-formed questions for this crawler, selected by `turn`.
    pub(super) fn clean_question(&self, file: &str, agent: &str, turn: usize) -> Option<Question> {
        let entries = self.0.get(file)?.iter().filter(|entry| entry.agent == agent).map(Entry::question);
        let clean: Vec<Question> = entries.filter(|question| question.is_clean).collect();
        clean.get(turn % clean.len().max(1)).cloned()
    }

    /// Returns all questions: the cases of each file.
    pub(super) fn examination(&self, bodies: &[Rc<Body>]) -> Option<Vec<Vec<Case>>> {
        let cases = |body: &Rc<Body>| {
            let mut cases: Vec<Case> = Vec::new();
            for entry in self.0.get(&body.name).into_iter().flatten() {
                match cases.iter_mut().find(|case| case.agent == entry.agent) {
                    Some(case) => case.questions.push(entry.question()),
                    None => cases.push(Case {
                        body: Rc::clone(body),
                        agent: entry.agent.clone(),
                        questions: vec![entry.question()],
                    }),
                }
            }
            cases
        };
        (!self.is_empty()).then(|| bodies.iter().map(cases).collect())
    }
}

impl Entry {
    fn question(&self) -> Question {
        Question::new(self.url.clone(), self.allowed)
    }
}
