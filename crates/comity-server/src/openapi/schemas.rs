//! Schemas that do not follow from types: those of batches, whose lines keep all their fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

const BATCH: &str = include_str!("batch.json");

/// Adds the schemas of batches, and removes those that nothing refers to.
pub(super) fn complete(description: &mut Value) {
    let Ok(mut batch) = serde_json::from_str::<Map<String, Value>>(BATCH) else { return };
    for (place, name) in [("requestBody", "request"), ("responses/200", "response")] {
        let pointer = format!("/paths/~1v1~1batch/post/{place}/content/application~1json");
        if let Some(content) = description.pointer_mut(&pointer) {
            content["schema"] = batch.remove(name).unwrap_or_default();
        }
    }
    let Some(schemas) = description.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    if let Some(Value::Object(more)) = batch.remove("schemas") {
        schemas.extend(more);
    }
    schemas.sort_keys();
    loop {
        let mut used = BTreeSet::new();
        collect_references(description, &mut used);
        let Some(schemas) = description.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
            return;
        };
        let before = schemas.len();
        schemas.retain(|name, _| used.contains(name));
        if schemas.len() == before {
            return;
        }
    }
}

/// Collects the names of the schemas that are referred to.
fn collect_references(part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Object(part) => {
            let name = part.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
            names.extend(name.map(str::to_owned));
            part.values().for_each(|part| collect_references(part, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_references(part, names)),
        _ => {}
    }
}
