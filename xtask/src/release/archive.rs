//! The archive with the program, for every platform.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use tar::{Builder, EntryType, Header};

use super::pages::Pages;
use super::tree::{Mode, file_name, gzip};
use super::{Release, files};

/// Writes the archive.
pub(crate) fn write(release: &Release, program: &Path, pages: &Pages) -> Result<()> {
    let name = release.archive_name();
    let mut tar = Tar::new(release.date);
    tar.folder(&name)?;
    tar.file(&format!("{name}/{}", release.platform.program()), &read(program)?, Mode::Program)?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        tar.file(&format!("{name}/{file}"), &read(Path::new(file))?, Mode::Data)?;
    }
    for (folder, source) in [("completions", &pages.completions), ("man1", &pages.manual)] {
        tar.folder(&format!("{name}/{folder}"))?;
        for file in files(source)? {
            tar.file(&format!("{name}/{folder}/{}", file_name(&file)), &read(&file)?, Mode::Data)?;
        }
    }
    let path = release.artifact(&format!("{name}.tar.gz"));
    fs::write(&path, gzip(&tar.end()?)?).with_context(|| path.display().to_string())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

/// An archive whose bytes depend on nothing but its files and one date.
pub(crate) struct Tar {
    builder: Builder<Vec<u8>>,
    date: u64,
}

impl Tar {
    pub(crate) fn new(date: u64) -> Self {
        Self { builder: Builder::new(Vec::new()), date }
    }

    fn folder(&mut self, path: &str) -> Result<()> {
        let mut header = self.header(EntryType::Directory, 0, 0o755);
        self.builder.append_data(&mut header, format!("{path}/"), &[][..])?;
        Ok(())
    }

    pub(crate) fn file(&mut self, path: &str, bytes: &[u8], mode: Mode) -> Result<()> {
        let mut header = self.header(EntryType::Regular, bytes.len(), mode as u32);
        self.builder.append_data(&mut header, path, bytes)?;
        Ok(())
    }

    fn header(&self, kind: EntryType, size: usize, mode: u32) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size as u64);
        header.set_mode(mode);
        header.set_mtime(self.date);
        header.set_uid(0);
        header.set_gid(0);
        header
    }

    pub(crate) fn end(self) -> Result<Vec<u8>> {
        let mut bytes = self.builder.into_inner()?;
        bytes.flush()?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_have_the_same_bytes() {
        let bytes = || {
            let mut tar = Tar::new(1_700_000_000);
            tar.folder("a").unwrap();
            tar.file("a/comity", b"program", Mode::Program).unwrap();
            gzip(&tar.end().unwrap()).unwrap()
        };
        let first = bytes();
        assert_eq!(first, bytes());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&first[..]));
        let entries = archive.entries().unwrap().map(|entry| {
            let header = entry.unwrap().header().clone();
            (header.path().unwrap().display().to_string(), header.mode().unwrap(), header.mtime().unwrap())
        });
        let entries: Vec<_> = entries.collect();
        assert_eq!(entries[0], ("a/".to_owned(), 0o755, 1_700_000_000));
        assert_eq!(entries[1], ("a/comity".to_owned(), 0o755, 1_700_000_000));
    }
}
