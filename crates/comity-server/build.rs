//! Embeds the tester's page: each file of `page/` as it is and gzipped, so that the service compresses nothing. If
//! `COMITY_TESTER_MODULE` names a WebAssembly module, embeds that as well, and writes its address into the page.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

/// The variable that names the module. `cargo xtask release` sets it.
const MODULE: &str = "COMITY_TESTER_MODULE";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-env-changed={MODULE}");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("page");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut paths = Vec::new();
    list(&root, &mut paths)?;
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&root)?.to_str().ok_or("the page's files have plain names")?.replace('\\', "/");
        files.push((name, fs::read(&path)?));
    }
    if let Some(path) = std::env::var_os(MODULE) {
        println!("cargo::rerun-if-changed={}", Path::new(&path).display());
        let module = fs::read(&path).map_err(|error| format!("{}: {error}", Path::new(&path).display()))?;
        add_module(&mut files, module)?;
    }
    // The same page is the same program.
    files.sort();
    let mut table = String::from("&[\n");
    for (nth, (name, body)) in files.iter().enumerate() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body)?;
        fs::write(out.join(format!("{nth}.gz")), encoder.finish()?)?;
        fs::write(out.join(nth.to_string()), body)?;
        let [body_at, gzipped_at] =
            ["", ".gz"].map(|end| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{nth}{end}\"))"));
        writeln!(table, "({name:?}, {body_at}, {gzipped_at}),")?;
    }
    fs::write(out.join("page.rs"), table + "]\n")?;
    Ok(())
}

/// Adds the module to the files, and its address to the page.
fn add_module(files: &mut Vec<(String, Vec<u8>)>, module: Vec<u8>) -> Result<(), Box<dyn Error>> {
    let path = format!("assets/tester-{}.wasm", tag(&module));
    let (_, index) = files.iter_mut().find(|(name, _)| name == "index.html").ok_or("the page has no index.html")?;
    let text = str::from_utf8(index)?;
    let with = text.replacen("<head>", &format!("<head>\n    <meta name=\"module\" content=\"/{path}\" />"), 1);
    if with == text {
        return Err("index.html has no <head>".into());
    }
    *index = with.into_bytes();
    files.push((path, module));
    Ok(())
}

/// Returns an entity tag, which changes with the body.
fn tag(body: &[u8]) -> String {
    let mut sum = Crc::new();
    sum.update(body);
    format!("{:08x}-{:x}", sum.sum(), body.len())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
