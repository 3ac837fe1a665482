//! Compares each answer that the tests get with `openapi.json`: its status, its content type, and its schema.
//!
//! A schema permits fields that it does not name. Here it does not, so that a new field is described before it is sent.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use comity_server::OPENAPI;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::service::Answer;

/// The description of the service.
pub(crate) static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(OPENAPI).unwrap());

/// The schemas without unknown fields. `NAME.part` permits them: it is a part of a schema that has more fields.
static SCHEMAS: LazyLock<Value> = LazyLock::new(|| {
    let mut closed = Map::new();
    for (name, schema) in DESCRIPTION["components"]["schemas"].as_object().unwrap() {
        closed.insert(name.clone(), close(schema, false));
        closed.insert(format!("{name}.part"), close(schema, true));
    }
    json!({ "schemas": closed })
});

/// Returns a schema that permits no unknown fields, except if it is a part of one.
fn close(schema: &Value, is_part: bool) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut closed = Map::new();
    for (keyword, value) in schema {
        let each = |is_part: bool| value.as_array().unwrap().iter().map(|one| close(one, is_part)).collect();
        let value = match keyword.as_str() {
            "allOf" => each(true),
            "oneOf" | "anyOf" => each(is_part),
            "properties" => {
                let properties = value.as_object().unwrap().iter();
                properties.map(|(name, schema)| (name.clone(), close(schema, false))).collect()
            }
            "items" | "additionalProperties" => close(value, false),
            "$ref" if is_part => json!(format!("{}.part", value.as_str().unwrap())),
            _ => value.clone(),
        };
        closed.insert(keyword.clone(), value);
    }
    let has_fields = schema.contains_key("properties") || schema.contains_key("allOf");
    if has_fields && !is_part && !schema.contains_key("additionalProperties") {
        closed.insert("unevaluatedProperties".to_owned(), json!(false));
    }
    Value::Object(closed)
}

/// Returns a validator for a schema of the description.
pub(crate) fn validator(schema: &Value) -> Arc<Validator> {
    static VALIDATORS: Mutex<Option<HashMap<String, Arc<Validator>>>> = Mutex::new(None);
    let mut validators = VALIDATORS.lock().unwrap();
    let validator = validators.get_or_insert_default().entry(schema.to_string()).or_insert_with(|| {
        let mut schema = close(schema, false);
        assert!(schema.is_object(), "no schema");
        schema["components"] = SCHEMAS.clone();
        Arc::new(jsonschema::draft202012::new(&schema).unwrap())
    });
    Arc::clone(validator)
}

/// Returns the operation of a request. `None` for a path that is not described, such as that of the page.
fn operation(method: &str, target: &str) -> Option<&'static Value> {
    let path = target.split('?').next().unwrap_or_default();
    let is_path = |described: &str| match described.split_once('{') {
        Some((start, _)) => path.strip_prefix(start).is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
        None => described == path,
    };
    let (_, item) = DESCRIPTION["paths"].as_object().unwrap().iter().find(|(described, _)| is_path(described))?;
    item.get(method)
}

/// Fails if an answer is not as it is described.
pub(crate) fn check(method: &str, target: &str, answer: &Answer) {
    let Some(operation) = operation(method, target) else { return };
    let at = || format!("{method} {target}: {}", answer.text());
    let mut response = &operation["responses"][answer.status.to_string()];
    if let Some(name) = response["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/responses/")) {
        response = &DESCRIPTION["components"]["responses"][name];
    }
    assert!(response.is_object(), "this status is not described: {}", at());
    let header = |name: &str| answer.head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if header("content-encoding:").is_some() {
        return;
    }
    let kind = header("content-type:").unwrap_or_default().split(';').next().unwrap_or_default();
    let schema = &response["content"][kind]["schema"];
    assert!(schema.is_object(), "the content type `{kind}` is not described: {}", at());
    let (schema, documents) = match kind {
        "application/json" | "application/problem+json" => (schema, vec![answer.json()]),
        // A line is what an element of the array is.
        "application/x-ndjson" => (&response["content"]["application/json"]["schema"]["items"], answer.lines()),
        _ => return,
    };
    let validator = validator(schema);
    for document in documents {
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\nis not as openapi.json describes it: {}", at());
    }
}

#[test]
fn unknown_fields_are_errors() {
    let known = json!({ "event": "answered 404", "first_seen": "t", "last_seen": "t", "hash": null });
    // The second one consists of the first one and more fields.
    for (name, more) in [("VersionFacts", "compared_with"), ("VersionChange", "more")] {
        let schema = validator(&json!({ "$ref": format!("#/components/schemas/{name}") }));
        let errors: Vec<String> = schema.iter_errors(&known).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
        for (field, value) in [(more, json!("x")), ("hash", json!(1))] {
            let mut wrong = known.clone();
            wrong[field] = value;
            assert!(!schema.is_valid(&wrong), "{name}: {wrong}");
        }
    }
}
