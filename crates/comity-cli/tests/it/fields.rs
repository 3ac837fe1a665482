//! Checks the names of fields in the JSON documents of `cmd/*.trycmd`.

use std::fs;

/// Returns the names of the fields in a line: what is in quotes, with a colon after it.
fn names(line: &str) -> Vec<&str> {
    let mut parts = line.split('"').skip(1).step_by(2);
    let mut rests = line.split('"').skip(2).step_by(2);
    let pairs = std::iter::from_fn(|| Some((parts.next()?, rests.next()?)));
    pairs.filter(|(_, rest)| rest.trim_start().starts_with(':')).map(|(name, _)| name).collect()
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[test]
fn recorded_documents_have_names_in_snake_case() {
    let mut seen = 0;
    let mut others = Vec::new();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "trycmd") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap().replace("\\\"", "'");
        for (index, line) in text.lines().enumerate() {
            // JSON, and neither the text of a message nor SARIF, which has a standard of its own.
            if !line.trim_start().starts_with(['{', '"']) || line.contains("\"$schema\"") {
                continue;
            }
            for name in names(line) {
                seen += 1;
                if !is_snake_case(name) {
                    others.push(format!("{}:{}: {name}", path.display(), index + 1));
                }
            }
        }
    }
    assert!(seen > 500, "{seen} names of fields are recorded");
    assert!(others.is_empty(), "expected names in snake_case, found:\n{}", others.join("\n"));
}

#[test]
fn other_names_are_found() {
    let found = names(r#"  {"crawl-delay": "a: b", "n": 1, "obeysStar": {"x_1": null}, "text"}"#);
    assert_eq!(found, ["crawl-delay", "n", "obeysStar", "x_1"]);
    let others: Vec<&str> = found.into_iter().filter(|name| !is_snake_case(name)).collect();
    assert_eq!(others, ["crawl-delay", "obeysStar"]);
}
