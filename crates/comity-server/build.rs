//! Embeds the tester's page: each file of `page/` as it is and gzipped, so that the service compresses nothing.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("page");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut files = Vec::new();
    list(&root, &mut files)?;
    // The same page is the same program.
    files.sort();
    let mut table = String::from("&[\n");
    for (nth, file) in files.iter().enumerate() {
        let body = fs::read(file)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&body)?;
        fs::write(out.join(format!("{nth}.gz")), encoder.finish()?)?;
        let mut sum = Crc::new();
        sum.update(&body);
        let path = file.strip_prefix(&root)?.to_str().ok_or("the page's files have plain names")?.replace('\\', "/");
        let body_at = format!("include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/page/{path}\"))");
        let gzipped_at = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{nth}.gz\"))");
        let tag = format!("{:08x}-{:x}", sum.sum(), body.len());
        writeln!(table, "File {{ path: {path:?}, body: {body_at}, gzipped: {gzipped_at}, tag: {tag:?} }},")?;
    }
    fs::write(out.join("page.rs"), table + "]\n")?;
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
