//! Checks that the output of `comity lint --format sarif` is valid SARIF 2.1.0 by its schema.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Returns the schema that the crate serde-sarif contains.
fn schema() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    // Packages that only other platforms need are not downloaded.
    let rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output().unwrap();
    let version = String::from_utf8(rustc.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let arguments = ["metadata", "--format-version=1", "--offline", "--filter-platform", host];
    let metadata = Command::new(cargo).args(arguments).current_dir(root).output().unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency");
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // In the published schema, an extra bracket makes this regular expression invalid.
    let broken = r"^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$";
    assert_eq!(text.matches(broken).count(), 2);
    serde_json::from_str(&text.replace(broken, "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$")).unwrap()
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
