//! Findings as SARIF 2.1.0, for code scanning.

use comity_lint::{ALL, Diagnostic, Severity};
use comity_report::columns;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::Linted;

pub(super) fn log(linted: &[Linted<'_>]) -> Value {
    let rules: Vec<Value> = ALL
        .iter()
        .map(|lint| {
            json!({
                "id": lint.code,
                "name": lint.name,
                "shortDescription": { "text": lint.summary() },
                "fullDescription": { "text": lint.summary() },
                "help": { "text": lint.docs(), "markdown": lint.docs() },
                "defaultConfiguration": { "level": level(lint.severity), "enabled": !lint.opt_in },
                "properties": { "affects": lint.affects },
            })
        })
        .collect();
    let results: Vec<Value> =
        linted.iter().flat_map(|file| file.report.diagnostics.iter().map(|found| result(file, found))).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "comity", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(file: &Linted<'_>, found: &Diagnostic) -> Value {
    let artifact = json!({ "uri": uri(file.name) });
    let (column, end) = columns(file.report.source(), &found.span);
    let text = match &found.help {
        Some(help) => format!("{}. {help}.", found.message),
        None => format!("{}.", found.message),
    };
    let mut result = json!({
        "ruleId": found.lint.code,
        "ruleIndex": ALL.iter().position(|lint| lint.code == found.lint.code),
        "level": level(found.severity),
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact,
                "region": {
                    "startLine": found.line,
                    "startColumn": column,
                    "endColumn": end,
                    "byteOffset": found.span.start,
                    "byteLength": found.span.len(),
                },
            },
        }],
    });
    if !found.related.is_empty() {
        result["relatedLocations"] = found
            .related
            .iter()
            .map(|(line, because)| {
                json!({
                    "physicalLocation": { "artifactLocation": artifact, "region": { "startLine": line } },
                    "message": { "text": because },
                })
            })
            .collect();
    }
    // Viewers apply fixes with one click, so those that may close the site are left out.
    if let Some(fix) = found.fix.as_ref().filter(|fix| !fix.may_block_site()) {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| {
                json!({
                    "deletedRegion": { "byteOffset": edit.span.start, "byteLength": edit.span.len() },
                    "insertedContent": { "text": String::from_utf8_lossy(&edit.text) },
                })
            })
            .collect();
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{ "artifactLocation": artifact, "replacements": replacements }],
        }]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    severity.name()
}

/// Returns a path as a relative URI reference.
fn uri(path: &str) -> String {
    /// All but the octets of a path that need no escape (RFC 3986, section 2.3) and the slash.
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(&path.replace('\\', "/"), ESCAPED).to_string()
}
