//! Any bytes as JSON lines: the fields are those that a general parser of JSON finds.

#![no_main]

use comity_log::LogFormat;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

mod log;

const LINE: &[u8] =
    b"{\"request\":{\"uri\":\"/\",\"host\":\"a\",\"headers\":{\"User-Agent\":[\"Bot/1\"]}},\"status\":200}\n";

fuzz_target!(|input: &[u8]| {
    log::read(LogFormat::Json, LINE, input, |line, entry| {
        let value: Value = serde_json::from_slice(line).expect("a line that was read is JSON");
        // Of two members with the same name, the first is read here, and the last one by the general parser.
        if has_duplicates(line) {
            return;
        }
        let text = |value: &Value| match value {
            Value::String(text) if !matches!(text.as_str(), "" | "-") => Some(text.clone().into_bytes()),
            Value::Number(number) if number.is_u64() => Some(number.to_string().into_bytes()),
            _ => None,
        };
        let first = |value: &Value| match value {
            Value::Array(list) => list.first().and_then(text),
            other => text(other),
        };
        let (host, agent) = (&value["request"]["host"], &value["request"]["headers"]["User-Agent"]);
        for (found, expected) in [(&entry.host, host), (&entry.agent, agent)] {
            if !contains_number(expected) {
                assert_eq!(found.as_ref().map(|found| found.to_vec()), first(expected));
            }
        }
    });
});

fn has_duplicates(line: &[u8]) -> bool {
    [&b"request"[..], b"host", b"headers", b"User-Agent"]
        .iter()
        .any(|name| line.windows(name.len()).filter(|part| part == name).count() > 1 || line.contains(&b'\\'))
}

/// Returns true for numbers that are not whole, and for nested lists, which the two read differently.
fn contains_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_u64(),
        Value::Array(list) => list.iter().any(|value| contains_number(value) || value.is_array()),
        _ => false,
    }
}
