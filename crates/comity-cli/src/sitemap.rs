//! The URLs of a sitemap that lies on the disk: XML or a list, compressed or not.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::input;

/// The most bytes of a sitemap, unpacked, by the protocol of sitemaps.org; one that is larger is cut there.
const MOST_BYTES: u64 = 52_428_800;
/// The most URLs, by the same.
const MOST_URLS: usize = 50_000;

pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    let mut source = BufReader::new(unpacked(path)?.take(MOST_BYTES));
    let start = source.fill_buf().with_context(|| format!("{} could not be read", input::name(path)))?;
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    if start.trim_ascii_start().starts_with(b"<") { xml(source, path) } else { list(source, path) }
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

/// The `<loc>` of every `<url>`. No entity but those of XML itself is resolved, and no other file is read.
fn xml(source: impl BufRead, path: &Path) -> Result<Vec<String>> {
    let failed = || format!("{} is no XML that can be read", input::name(path));
    let mut reader = Reader::from_reader(source);
    let (mut urls, mut buffer, mut loc) = (Vec::new(), Vec::new(), None);
    let mut in_url = false;
    loop {
        match reader.read_event_into(&mut buffer).with_context(failed)? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"sitemapindex" => {
                    bail!("{} is an index of sitemaps: name the sitemaps that it lists", input::name(path))
                }
                b"url" => in_url = true,
                b"loc" if in_url => loc = Some(String::new()),
                _ => {}
            },
            Event::Text(text) => {
                if let Some(loc) = &mut loc {
                    loc.push_str(&text.decode().with_context(failed)?);
                }
            }
            Event::CData(text) => {
                if let Some(loc) = &mut loc {
                    loc.push_str(&text.decode().with_context(failed)?);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(loc) = &mut loc {
                    let name = name.decode().with_context(failed)?;
                    match quick_xml::escape::unescape(&format!("&{name};")) {
                        Ok(text) => loc.push_str(&text),
                        Err(_) => bail!("{}: `&{name};` is no entity of XML", input::name(path)),
                    }
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                b"url" => in_url = false,
                b"loc" => {
                    urls.extend(loc.take().map(|loc| loc.trim().to_owned()).filter(|loc| !loc.is_empty()));
                    if urls.len() == MOST_URLS {
                        return Ok(urls);
                    }
                }
                _ => {}
            },
            Event::Eof => return Ok(urls),
            _ => {}
        }
        buffer.clear();
    }
}
