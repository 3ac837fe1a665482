//! The URLs of a sitemap, or of a list, that lies on the disk.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity_page::{EntryKind, Sitemap};

use crate::input;

/// The pages that a sitemap lists, whatever its form; what is no URL of a page is passed over.
pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    let name = || input::name(path);
    let mut urls = Vec::new();
    for entry in Sitemap::read(input::open(path)?).with_context(name)? {
        let entry = entry.with_context(name)?;
        if entry.kind == EntryKind::Sitemap {
            bail!("{} is an index of sitemaps: name the sitemaps that it lists", name());
        }
        if entry.problem().is_none() {
            urls.push(entry.location);
        }
    }
    Ok(urls)
}

/// A file, unpacked if it is compressed.
pub(crate) fn unpacked(path: &Path) -> Result<Box<dyn Read>> {
    let mut source = BufReader::new(input::open(path)?);
    let is_packed = source.fill_buf().is_ok_and(|start| start.starts_with(&[0x1F, 0x8B]));
    Ok(if is_packed { Box::new(flate2::bufread::MultiGzDecoder::new(source)) } else { Box::new(source) })
}

/// The lines of a list of URLs.
pub(crate) fn list(source: impl BufRead, path: &Path) -> Result<Vec<String>> {
    let mut urls = Vec::new();
    for line in source.split(b'\n') {
        let line = line.with_context(|| format!("{} could not be read", input::name(path)))?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim().trim_start_matches('\u{FEFF}');
        if !line.is_empty() && !line.starts_with('#') {
            urls.push(line.to_owned());
        }
    }
    Ok(urls)
}
