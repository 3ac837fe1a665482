//! The reference data that is kept beside the project, not in it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

/// A path in the folder that `COMITY_SHARED` names, `../shared` unless it is set. Says so when it is not there.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let shared = root.join(std::env::var_os("COMITY_SHARED").unwrap_or_else(|| "../shared".into()));
    let path = shared.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there; set COMITY_SHARED to the reference data", path.display());
    None
}

/// The lines of a gzip-compressed JSON Lines file.
pub(crate) fn json_lines(name: &str) -> Option<impl Iterator<Item = Value>> {
    let file = File::open(path(&format!("golden/{name}.jsonl.gz"))?).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()))
}

/// A text field, or its `_b64` form.
pub(crate) fn bytes(value: &Value, key: &str) -> Vec<u8> {
    match value[key].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64(value[format!("{key}_b64")].as_str().unwrap()),
    }
}

/// Decodes base64.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    BASE64.decode(text).unwrap()
}
