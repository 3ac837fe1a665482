//! Checks that the output of `comity lint --format sarif` is valid SARIF 2.1.0 by its schema.

use std::process::Command;

use serde_json::Value;

/// Returns the schema that OASIS publishes.
fn schema() -> Value {
    let text = include_str!("../sarif-schema-2.1.0.json");
    // An extra bracket makes this regular expression invalid.
    let broken = r"^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$";
    assert_eq!(text.matches(broken).count(), 2);
    serde_json::from_str(&text.replace(broken, "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$")).unwrap()
}

/// Viewers apply fixes with one click, so the log has none that would close the site.
#[test]
fn fixes_that_close_the_site_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for (file, code, has_fix) in [
        ("User-agent: * Disallow: /\n", "L043", false),
        ("User-agent: *\nDisallow: /* */\n", "L012", false),
        ("User-agent: *\nDisallow: private/\n", "L010", true),
        ("User-agent: *\nDisalow: /a\n", "L014", true),
    ] {
        std::fs::write(folder.path().join("robots.txt"), file).unwrap();
        let lint = |format: &str| -> Value {
            let output = Command::new(env!("CARGO_BIN_EXE_comity"))
                .args(["lint", "--format", format, "robots.txt"])
                .current_dir(folder.path())
                .output()
                .unwrap();
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
        };
        let log = lint("sarif");
        let found = log["runs"][0]["results"].as_array().unwrap().iter().find(|found| found["ruleId"] == code);
        assert_eq!(found.unwrap_or_else(|| panic!("{log}")).get("fixes").is_some(), has_fix, "{log}");
        // The JSON document has all fixes, and marks them.
        let document = lint("json");
        let findings = document["files"][0]["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["code"] == code).unwrap_or_else(|| panic!("{document}"));
        assert_eq!(found["fix"]["blocks_site"], !has_fix, "{document}");
    }
}

#[test]
fn the_log_is_what_the_schema_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/lint.in");
    let output = Command::new(env!("CARGO_BIN_EXE_comity"))
        .args(["lint", "--format", "sarif", "--select", "all", "--urls", "urls.txt", "robots.txt", "clean.txt"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let mut log: Value = serde_json::from_slice(&output.stdout).unwrap();

    let validator = jsonschema::validator_for(&schema()).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, Vec::<String>::new());

    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() >= 6);
    for result in results {
        // The index must be that of the rule with this ID.
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        // With all lints, the other file has one finding: it lists no sitemap.
        let file = if result["ruleId"] == "L060" { "clean.txt" } else { "robots.txt" };
        assert_eq!(uri, file, "{result}");
    }

    // The schema rejects an invalid level.
    log["runs"][0]["results"][0]["level"] = Value::from("terrible");
    assert!(!validator.is_valid(&log));
}
