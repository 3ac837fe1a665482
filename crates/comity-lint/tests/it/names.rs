//! Checks the names of severities, and the serialization of findings.
#![cfg(feature = "serde")]

use std::fmt::Debug;
use std::hash::Hash;

use comity_lint::{Diagnostic, Evidence, Linter, Report, Safety, Severity};
use serde_json::{Value, json};

#[test]
fn names_are_read_back() {
    for severity in Severity::ALL {
        assert_eq!(serde_json::to_value(severity).unwrap(), severity.name());
        assert_eq!(serde_json::from_value::<Severity>(severity.name().into()).unwrap(), *severity);
        assert_eq!(severity.to_string().parse::<Severity>().unwrap(), *severity);
    }
    for safety in Safety::ALL {
        assert_eq!(serde_json::to_value(safety).unwrap(), safety.name());
        assert_eq!(serde_json::from_value::<Safety>(safety.name().into()).unwrap(), *safety);
        assert_eq!(safety.to_string().parse::<Safety>().unwrap(), *safety);
    }
    let error = "warn".parse::<Severity>().unwrap_err().to_string();
    assert_eq!(error, "expected a severity (`note`, `warning` or `error`), found `warn`");
    assert_eq!("eror".parse::<Severity>().unwrap_err().nearest(), Some("error"));
}

#[test]
fn a_finding_is_data() {
    let (linter, evidence) = (Linter::new(), Evidence::default());
    let report = linter.lint(b"User-agent: *\nDisalow: /a\n", &evidence);
    let found: Vec<Value> = report.diagnostics.iter().map(|found| serde_json::to_value(found).unwrap()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    let found = &found[0];
    for (field, expected) in [
        ("name", json!("misspelled-field")),
        ("line", json!(2)),
        ("span", json!({ "start": 14, "end": 21 })),
        ("related", json!([])),
    ] {
        assert_eq!(found[field], expected, "{found}");
    }
    assert_eq!(found["fix"]["edits"][0]["text"], "Disallow:");
}

#[test]
fn common_traits() {
    fn key<T: Copy + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
    fn shared<T: Debug + Send + Sync + Unpin>() {}
    key::<Safety>();
    key::<Severity>();
    shared::<Diagnostic>();
    shared::<Linter>();
    shared::<Report<'_>>();
}
