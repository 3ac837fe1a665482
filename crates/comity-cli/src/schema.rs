//! Tests of the JSON Schemas of the files that people write. Editors use them to complete and to check such files.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Compares the schema in `docs/schemas` with that of the type. With `UPDATE=1`, writes it.
pub(crate) fn compare<T: JsonSchema>(name: &str, title: &str) {
    // The language server for TOML reads this draft.
    let settings = SchemaSettings::draft07().with_transform(without_null);
    let mut generated = settings.into_generator().into_root_schema_for::<T>().to_value();
    generated["title"] = title.into();
    if std::env::var_os("UPDATE").is_some() {
        let text = serde_json::to_string_pretty(&generated).unwrap();
        std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        std::fs::write(path(name), text + "\n").unwrap();
    }
    let found = committed(name);
    assert!(found == generated, "docs/schemas/{name} is old: run UPDATE=1 cargo test -p comity-cli --lib schema");
}

/// Removes null from the types and the defaults of values: TOML has none, and editors would offer it.
fn without_null(schema: &mut Schema) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
    }
    if let Some(schemas) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        schemas.retain(|schema| schema["type"] != "null");
    }
    transform_subschemas(&mut without_null, schema);
}

/// Checks that a schema and the command accept the same files.
pub(crate) fn agree<T: DeserializeOwned>(name: &str, valid: &[&str], invalid: &[&str]) {
    let validator: Validator = jsonschema::validator_for(&committed(name)).unwrap();
    for (files, is_valid) in [(valid, true), (invalid, false)] {
        for text in files {
            let value: Value = toml::from_str(text).unwrap();
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(errors.is_empty(), is_valid, "{name}: {errors:?}\n{text}");
            assert_eq!(toml::from_str::<T>(text).is_ok(), is_valid, "{text}");
        }
    }
}

fn committed(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas").join(name)
}
