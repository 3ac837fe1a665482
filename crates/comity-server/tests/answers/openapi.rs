//! Compares the description of the service with the stored one; `UPDATE=1 cargo test -p comity-server` replaces it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

#[test]
fn the_description_is_the_one_that_is_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let description = comity_server::openapi();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, description).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = description.lines().zip(kept.lines()).find(|(now, then)| now != then);
    assert!(description == kept, "openapi.json differs, first in {differs:?}: if that is meant, run with UPDATE=1");
}

#[test]
fn each_operation_has_a_name_of_its_own_and_says_what_can_go_wrong() {
    let description: Value = serde_json::from_str(&comity_server::openapi()).unwrap();
    let mut names = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let at = format!("{method} {path}");
            assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()), "{at}");
            assert!(operation["summary"].is_string() && operation["tags"].is_array(), "{at}");
            let responses = operation["responses"].as_object().unwrap();
            for status in ["200", "400", "401", "403", "421", "429", "500", "503"] {
                assert!(responses.contains_key(status), "{at}: {status}");
            }
            let has_body = operation.get("requestBody").is_some();
            assert_eq!(has_body, method == "post", "{at}");
            for status in ["408", "413", "415"] {
                assert_eq!(responses.contains_key(status), has_body, "{at}: {status}");
            }
            for (status, response) in responses {
                if let Some(reference) = response.get("$ref") {
                    let place = reference.as_str().unwrap().strip_prefix('#').unwrap();
                    assert!(description.pointer(place).is_some(), "{at}: {status}: {place}");
                }
            }
        }
    }
}

#[test]
fn the_token_and_the_server_are_described() {
    let description: Value = serde_json::from_str(&comity_server::openapi()).unwrap();
    let scheme = &description["components"]["securitySchemes"]["token"];
    assert_eq!((&scheme["type"], &scheme["scheme"]), (&json!("http"), &json!("bearer")));
    // A service without a token requires none, and one with a token answers questions about its health without it.
    assert_eq!(description["security"], json!([{}, {"token": []}]));
    for (path, item) in description["paths"].as_object().unwrap() {
        let is_health = ["/healthz", "/readyz"].contains(&path.as_str());
        for operation in item.as_object().unwrap().values() {
            assert_eq!(operation.get("security"), is_health.then_some(&json!([])), "{path}");
        }
    }
    assert_eq!(description["servers"][0]["url"], "/");
    assert_eq!(description["info"]["license"]["identifier"], "MIT OR Apache-2.0");
}

/// Collects the names of the fields that schemas have or require, and those of parameters.
fn collect_names(part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Object(part) => {
            let properties = part.get("properties").and_then(Value::as_object);
            names.extend(properties.into_iter().flatten().map(|(name, _)| name.clone()));
            let required = part.get("required").and_then(Value::as_array);
            names.extend(required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            if part.contains_key("in") {
                names.extend(part.get("name").and_then(Value::as_str).map(str::to_owned));
            }
            part.values().for_each(|part| collect_names(part, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_names(part, names)),
        _ => {}
    }
}

#[test]
fn names_of_fields_are_in_snake_case() {
    let mut names = BTreeSet::new();
    collect_names(&serde_json::from_str(&comity_server::openapi()).unwrap(), &mut names);
    let is_word = |name: &&String| {
        let is_character = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_character)
    };
    assert!(["crawl_delay", "url", "robots_b64"].iter().all(|name| names.contains(*name)), "{names:?}");
    let others: Vec<&String> = names.iter().filter(|name| !is_word(name)).collect();
    assert!(others.is_empty(), "expected snake_case, found {others:?}");
}
