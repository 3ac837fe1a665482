//! Writes the named character references of HTML as one text. A table of strings takes three times the space, since it has
//! the address of each, which is also relocated when a library is loaded.

use std::path::PathBuf;
use std::{env, fs, io};

use entities::ENTITIES;

fn main() -> io::Result<()> {
    let mut references: Vec<_> = ENTITIES.iter().map(|entity| (entity.entity, entity.characters)).collect();
    references.sort_unstable();
    let line = |(name, text): (&str, &str)| format!("{}={text}\0", name.trim_start_matches('&'));
    let text: String = references.into_iter().map(line).collect();
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("references.txt"), text)
}
