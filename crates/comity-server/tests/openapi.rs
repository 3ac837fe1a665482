//! Compares the description of the service with the stored one; `UPDATE=1 cargo test -p comity-server` replaces it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

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
