//! Reports for GitLab's Code Quality, which shows new and resolved issues in merge requests.

use std::collections::HashMap;

use comity_lint::Severity;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::annotation::Annotation;

/// An issue, with the fields that GitLab reads.
#[derive(Serialize)]
pub(crate) struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

/// Returns a report of annotations, each with its subject: a text that stays the same if its line moves.
///
/// GitLab compares the fingerprints of two branches, so they depend on the subject and not on the number of the line.
/// Issues with the same subject are numbered in their order.
pub(crate) fn report<'a>(annotations: &'a [(Annotation<'_>, String)]) -> Vec<Issue<'a>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut issues = Vec::with_capacity(annotations.len());
    for (annotation, subject) in annotations {
        let path = path(annotation.file);
        let key = format!("{path}\0{}\0{subject}", annotation.title);
        let number = seen.entry(key.clone()).or_default();
        let digest = Sha256::digest(format!("{key}\0{number}"));
        *number += 1;
        issues.push(Issue {
            description: annotation.message.replace('\n', "; "),
            check_name: &annotation.title,
            fingerprint: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            severity: match annotation.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                _ => "info",
            },
            // GitLab ignores an issue without a line.
            location: Location { path, lines: Lines { begin: annotation.line.unwrap_or(1) } },
        });
    }
    issues
}

/// Returns a path as GitLab compares it with those of the repository: with slashes, and without `./` at its start.
fn path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_start_matches("./").to_owned()
}
