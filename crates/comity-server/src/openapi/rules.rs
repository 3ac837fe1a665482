//! Constraints on questions beyond the types of their fields: which fields exclude each other, and which values exist.

use comity::Dialect;
use comity_fetch::Policy;
use comity_report::GeneratePreset;
use serde_json::{Map, Value, json};

/// Groups of fields of which a question may have only one.
const EXCLUSIVE_FIELDS: [(&str, &[[&str; 2]]); 8] = [
    (
        "CheckQuestion",
        &[
            ["url", "urls"],
            ["agent", "agents"],
            ["robots", "robots_b64"],
            ["robots", "access"],
            ["robots_b64", "access"],
        ],
    ),
    ("DiffQuestion", &[["old", "old_b64"], ["new", "new_b64"]]),
    ("FileQuestion", &ONE_FILE),
    ("GenerateQuestion", &[["robots", "robots_b64"]]),
    ("LintQuestion", &ONE_FILE),
    ("MatrixQuestion", &ONE_FILE),
    ("ProveQuestion", &ONE_FILE),
    ("SitemapsQuestion", &[["robots", "robots_b64"]]),
];

/// A file in the request, or that of a site.
const ONE_FILE: [[&str; 2]; 3] = [["robots", "robots_b64"], ["robots", "url"], ["robots_b64", "url"]];

/// Base64 (RFC 4648 §4), padded, without stray bits.
const BASE64: &str = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/// Adds all constraints to a description.
pub(super) fn add(description: &mut Value) {
    let Some(schemas) = description.pointer_mut("/components/schemas") else { return };
    for (name, pairs) in EXCLUSIVE_FIELDS {
        let Some(schema) = schemas.get_mut(name) else { continue };
        let mut wrong: Vec<Value> = pairs.iter().map(|pair| with(pair.map(|field| (field, given())))).collect();
        if name == "MatrixQuestion" {
            wrong.push(with([("agents", given()), ("all_crawlers", json!({"const": true}))]));
        }
        schema["not"] = if wrong.len() == 1 { wrong.remove(0) } else { json!({"anyOf": wrong}) };
        let any_of = |fields: &[&str]| -> Value { fields.iter().map(|field| with([(*field, given())])).collect() };
        if pairs == ONE_FILE {
            schema["anyOf"] = any_of(&["robots", "robots_b64", "url"]);
        }
        if name == "DiffQuestion" {
            // Both files are needed.
            schema["allOf"] = pairs.iter().map(|pair| json!({"anyOf": any_of(pair)})).collect();
        }
    }
    for (_, schema) in members(Some(schemas)).filter(|(name, _)| name.ends_with("Question")) {
        members(schema.get_mut("properties")).for_each(|(name, field)| narrow(name, field));
    }
    let operations = members(description.get_mut("paths")).flat_map(|(_, path)| members(Some(path)));
    for (_, operation) in operations {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default().to_owned();
            parameter.get_mut("schema").into_iter().for_each(|schema| narrow(&name, schema));
        }
    }
}

fn members(object: Option<&mut Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    object.and_then(Value::as_object_mut).into_iter().flatten()
}

/// Adds the allowed strings of a field.
fn narrow(name: &str, field: &mut Value) {
    let words = match name {
        "dialect" => Dialect::ALL.iter().map(|dialect| dialect.name).collect::<Vec<_>>(),
        "access" => vec!["allow-all", "disallow-all"],
        "preset" => GeneratePreset::ALL.map(GeneratePreset::name).to_vec(),
        "policy" => Policy::ALL.iter().map(|policy| policy.name).collect(),
        "dialects" => {
            field["items"]["enum"] = Dialect::ALL.iter().map(|dialect| dialect.name).collect();
            return;
        }
        "robots_b64" | "old_b64" | "new_b64" => {
            field["pattern"] = BASE64.into();
            return;
        }
        _ => return,
    };
    let is_optional = field["type"].is_array();
    field["enum"] = words.into_iter().map(Value::from).chain(is_optional.then_some(Value::Null)).collect();
}

/// Returns a schema for anything but null.
fn given() -> Value {
    json!({"not": {"type": "null"}})
}

/// Returns a schema for an object that has all of these fields.
fn with<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({"required": names, "properties": properties})
}
