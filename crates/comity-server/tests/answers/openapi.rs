//! Checks all operations and schemas of `openapi.json`, which is written by hand.

use std::collections::BTreeSet;

use comity::Dialect;
use comity_fetch::Policy;
use comity_report::GeneratePreset;
use comity_server::OPENAPI;
use serde_json::{Value, json};

#[test]
fn each_operation_has_a_name_of_its_own_and_says_what_can_go_wrong() {
    let description: Value = serde_json::from_str(OPENAPI).unwrap();
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
    let description: Value = serde_json::from_str(OPENAPI).unwrap();
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
    collect_names(&serde_json::from_str(OPENAPI).unwrap(), &mut names);
    let is_word = |name: &&String| {
        let is_character = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_character)
    };
    assert!(["crawl_delay", "url", "robots_b64"].iter().all(|name| names.contains(*name)), "{names:?}");
    let others: Vec<&String> = names.iter().filter(|name| !is_word(name)).collect();
    assert!(others.is_empty(), "expected snake_case, found {others:?}");
}

/// Collects the names of the schemas that are referred to.
fn collect_references(part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Object(part) => {
            let name =
                part.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/components/schemas/"));
            names.extend(name.map(str::to_owned));
            part.values().for_each(|part| collect_references(part, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_references(part, names)),
        _ => {}
    }
}

#[test]
fn each_schema_is_used_and_each_reference_has_one() {
    let description: Value = serde_json::from_str(OPENAPI).unwrap();
    let mut used = BTreeSet::new();
    collect_references(&description, &mut used);
    let schemas = description["components"]["schemas"].as_object().unwrap();
    assert_eq!(schemas.keys().cloned().collect::<BTreeSet<_>>(), used);
}

/// Checks the values that a question may have where a table in the code has them.
#[test]
fn choices_are_those_that_exist() {
    let description: Value = serde_json::from_str(OPENAPI).unwrap();
    let schemas = description["components"]["schemas"].as_object().unwrap();
    let questions = schemas.iter().filter(|(name, _)| name.ends_with("Question"));
    let fields = questions.flat_map(|(_, schema)| schema["properties"].as_object().unwrap().iter());
    let operations =
        description["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let parameters = operations.filter_map(|operation| operation["parameters"].as_array()).flatten();
    let parameters = parameters.map(|parameter| (parameter["name"].as_str().unwrap(), &parameter["schema"]));
    let mut seen = BTreeSet::new();
    for (name, field) in fields.map(|(name, field)| (name.as_str(), field)).chain(parameters) {
        let (schema, expected) = match name {
            "dialect" => (field, Dialect::ALL.iter().map(|dialect| dialect.name).collect()),
            "dialects" => (&field["items"], Dialect::ALL.iter().map(|dialect| dialect.name).collect()),
            "policy" => (field, Policy::ALL.iter().map(|policy| policy.name).collect()),
            "preset" => (field, GeneratePreset::ALL.map(GeneratePreset::name).to_vec()),
            "access" => (field, vec!["allow-all", "disallow-all"]),
            _ => continue,
        };
        let found: Vec<&str> = schema["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(found, expected, "{name}");
        seen.insert(name);
    }
    assert_eq!(seen, BTreeSet::from(["access", "dialect", "dialects", "policy", "preset"]));
}
