//! The URLs of sitemaps or lists, read from the disk or fetched from the site.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use comity::{Escaped, Origin};
use comity_page::{EntryKind, Format, Gunzip, LOCATION_LIMIT, Sitemap, Walk};
use comity_report::NESTED_INDEX;

use crate::input::file;
use crate::input::list::{self, Entries, Entry};
use crate::input::live::{self, Fetcher};

/// The maximum size of a sitemap in bytes: the limit of sitemaps.org, and one more byte, which shows that a sitemap is
/// longer.
const MAX_BYTES: usize = 50 * 1024 * 1024 + 1;
/// The maximum number of sitemaps that are read, starting from one sitemap index.
const MAX_SITEMAPS: usize = 1_000;
/// The maximum number of URLs that are kept from them.
const MAX_URLS: usize = 1_000_000;
/// The maximum total size of these URLs, in bytes.
const MAX_URL_BYTES: usize = 256 * 1024 * 1024;
/// The maximum time for fetching the sitemaps of a site.
const MAX_TIME: Duration = Duration::from_secs(600);

/// The number of bytes that are read from a file at once.
const BUFFER_BYTES: usize = 64 << 10;

/// The content of sitemaps.
#[derive(Default)]
pub(crate) struct Listed {
    /// The URLs of pages.
    pub(crate) urls: Vec<String>,
    /// Entries that can't be URLs of pages or sitemaps. They count as URLs.
    pub(crate) invalid: Vec<Entry>,
    /// Sitemaps that could not be fetched or read.
    pub(crate) lost: Vec<Lost>,
    /// The limit that was reached, if any.
    pub(crate) bound: Option<&'static str>,
    bytes: usize,
}

impl Listed {
    /// Adds a URL, unless a limit is reached.
    fn push(&mut self, url: String) {
        if self.has_room(url.len()) {
            self.urls.push(url);
        }
    }

    /// Adds an entry that is no URL, unless a limit is reached.
    fn push_invalid(&mut self, entry: Entry) {
        if self.has_room(entry.text.len()) {
            self.invalid.push(entry);
        }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        if self.urls.len() + self.invalid.len() == MAX_URLS {
            self.bound = Some("1,000,000 URLs");
        } else if self.bytes + bytes > MAX_URL_BYTES {
            self.bound = Some("256 MiB of URLs");
        } else {
            self.bytes += bytes;
            return true;
        }
        false
    }
}

/// A sitemap that could not be fetched or read.
pub(crate) struct Lost {
    pub(crate) url: String,
    /// The problem in words that continue a sentence after the URL.
    pub(crate) problem: String,
    /// The requested sitemap that led to this one.
    pub(crate) named: String,
}

/// Returns the pages that a sitemap of any format lists, including those of the sitemaps in a sitemap index. Entries
/// that are not URLs are skipped, and reported on standard error. Fails if a sitemap cannot be read.
pub(crate) fn read(path: &Path, fetcher: Option<&Fetcher>) -> Result<Vec<String>> {
    let listed = match (path.to_str().filter(|_| live::is_url(path)), fetcher) {
        (Some(url), Some(fetcher)) => fetch(fetcher, None, [url]),
        _ => from_disk(path)?,
    };
    if let Some(lost) = listed.lost.first() {
        bail!("{} {}", file::name(Path::new(&lost.url)), lost.problem);
    }
    if let (true, Some(first)) = (listed.urls.is_empty(), listed.invalid.first()) {
        bail!("{}: no page of it could be read; {}", file::name(path), placed(first));
    }
    let mut skipped = Skipped::default();
    listed.invalid.into_iter().for_each(|entry| skipped.add(entry));
    skipped.warn(&file::name(path));
    if let Some(bound) = listed.bound {
        eprintln!("warning: {} lists more than is read: it stopped at {bound}.", file::name(path));
    }
    Ok(listed.urls)
}

/// Returns the entries of a sitemap on the disk, and of those that it lists: first the URLs, then the entries that are
/// none. If a limit is reached, the list ends with an error.
pub(crate) fn entries(path: &Path) -> Result<Entries> {
    let Listed { urls, invalid, bound, .. } = from_disk(path)?;
    let name = file::name(path);
    let urls = urls.into_iter().map(|text| Entry { line: 0, text, problem: None });
    let bound = bound.map(|bound| Err(anyhow!("{name} lists more than is read: it stopped at {bound}")));
    Ok(Box::new(urls.chain(invalid).map(Ok).chain(bound)))
}

/// Reads a sitemap from the disk, and the sitemaps that it lists if they are in the same folder.
fn from_disk(first: &Path) -> Result<Listed> {
    let mut listed = Listed::default();
    let mut walk = Walk::new([first.to_string_lossy()]).with_limit(MAX_SITEMAPS);
    let mut waiting = VecDeque::from([first.to_owned()]);
    while let (Some(step), Some(path)) = (walk.next_step(), waiting.pop_front()) {
        let name = || file::name(&path);
        let mut sitemaps = Vec::new();
        let known = listed.invalid.len();
        take(&name(), file::open(&path)?, &mut listed, &mut sitemaps).with_context(name)?;
        if path != *first {
            // The place of an entry names the first sitemap only.
            for entry in &mut listed.invalid[known..] {
                let problem = entry.problem.take().unwrap_or_default();
                entry.problem = Some(format!("{}, line {}: {problem}", name(), entry.line));
                entry.line = 0;
            }
        }
        if path != *first && !sitemaps.is_empty() {
            warn_of_nested_index(&name());
        }
        for url in sitemaps {
            let Some(beside) = beside(&path, &url) else {
                bail!(
                    "{} lists {}, which is not in its folder: give its sitemaps with --sitemap, or its own URL",
                    name(),
                    Escaped(url.as_bytes())
                );
            };
            if walk.add(&step, &beside.to_string_lossy()) {
                waiting.push_back(beside);
            }
        }
    }
    if walk.seen() == MAX_SITEMAPS {
        listed.bound = Some("1,000 sitemaps");
    }
    Ok(listed)
}

/// Reports the indexes in the folder of an index that lists them, on standard error. Returns true if there are any.
pub(crate) fn warn_of_nested_indexes(index: &Path, urls: &[String]) -> bool {
    let is_index = |path: &PathBuf| {
        let sitemap = file::open(path).ok().and_then(|source| Sitemap::read(source).ok());
        sitemap.is_some_and(|sitemap| sitemap.format() == Format::Index)
    };
    let nested: Vec<PathBuf> = urls.iter().filter_map(|url| beside(index, url)).filter(is_index).collect();
    for path in &nested {
        warn_of_nested_index(&file::name(path));
    }
    !nested.is_empty()
}

fn warn_of_nested_index(name: &str) {
    eprintln!("warning: {name}: {NESTED_INDEX}");
}

/// Returns the file in the folder of the index that has the file name of a URL.
fn beside(index: &Path, url: &str) -> Option<PathBuf> {
    let url = url::Url::parse(url).ok()?;
    let name = url.path_segments()?.next_back().filter(|name| !name.is_empty() && !name.contains(['\\', ':']))?;
    let path = index.parent().unwrap_or(Path::new("")).join(name);
    path.is_file().then_some(path)
}

/// Fetches sitemaps of a site, and those that they list. Sitemaps that could not be fetched are listed in the result.
/// `site` is the site that named them, unless the user typed them.
pub(crate) fn fetch<'u>(fetcher: &Fetcher, site: Option<&Origin>, urls: impl IntoIterator<Item = &'u str>) -> Listed {
    let mut listed = Listed::default();
    let mut led_by: HashMap<String, String> = urls.into_iter().map(|url| (url.to_owned(), url.to_owned())).collect();
    let mut named: Vec<String> = led_by.keys().cloned().collect();
    named.sort();
    let mut walk = Walk::new(named).with_limit(MAX_SITEMAPS);
    let began = Instant::now();
    while let Some(step) = walk.next_step() {
        if began.elapsed() > MAX_TIME {
            listed.bound = Some("10 minutes");
            break;
        }
        let mut sitemaps = Vec::new();
        let chosen_by = match (site, led_by.get(&step.url)) {
            (Some(site), _) => Some(site.clone()),
            // A typed sitemap may list those of other sites.
            (None, named) => named.and_then(|named| Origin::of(named).ok()),
        };
        let problem = match fetcher.get_chosen_by(chosen_by.as_ref(), &step.url, MAX_BYTES) {
            Ok(page) if !(200..=299).contains(&page.status) => Some(format!("answered {}", page.status)),
            Ok(page) => {
                let name = file::name(Path::new(&step.url));
                let taken = take(&name, &*page.body, &mut listed, &mut sitemaps);
                taken.err().map(|error| format!("is not a sitemap: {error}"))
            }
            Err(error) => Some(format!("could not be read: {error}")),
        };
        let Some(named) = led_by.remove(&step.url) else { continue };
        if step.depth > 0 && !sitemaps.is_empty() {
            warn_of_nested_index(&file::name(Path::new(&step.url)));
        }
        for url in sitemaps {
            if walk.add(&step, &url) {
                led_by.insert(url, named.clone());
            }
        }
        listed.lost.extend(problem.map(|problem| Lost { url: step.url, problem, named }));
    }
    if walk.seen() == MAX_SITEMAPS {
        listed.bound = Some("1,000 sitemaps");
    }
    listed
}

/// Adds the entries of one sitemap: pages to `listed`, and other sitemaps to `sitemaps`. Reports an empty one on standard
/// error.
fn take(name: &str, source: impl Read, listed: &mut Listed, sitemaps: &mut Vec<String>) -> Result<()> {
    let mut is_empty = true;
    for entry in Sitemap::read(source)? {
        let entry = entry?;
        is_empty = false;
        if let Some(problem) = entry.problem() {
            listed.push_invalid(Entry::invalid(entry.line, entry.location.as_bytes(), problem.to_string()));
        } else if entry.kind == EntryKind::Sitemap {
            sitemaps.push(entry.location);
        } else {
            listed.push(entry.location);
        }
    }
    if is_empty {
        eprintln!("warning: {name} has no entries");
    }
    Ok(())
}

/// Decompresses a file if it is compressed with gzip.
pub(crate) fn unpacked_source<'r>(source: impl Read + 'r) -> Box<dyn Read + 'r> {
    let mut source = BufReader::with_capacity(BUFFER_BYTES, source);
    let is_packed = source.fill_buf().is_ok_and(|start| start.starts_with(&[0x1F, 0x8B]));
    if is_packed { Box::new(Gunzip::new(source)) } else { Box::new(source) }
}

/// The entries that are not used: their number, and the first one.
#[derive(Default)]
pub(crate) struct Skipped {
    count: u64,
    first: Option<Entry>,
}

impl Skipped {
    pub(crate) fn add(&mut self, entry: Entry) {
        self.count += 1;
        self.first.get_or_insert(entry);
    }

    /// Reports the entries on standard error.
    pub(crate) fn warn(self, name: &str) {
        let Some(first) = self.first else { return };
        let lines = if self.count == 1 {
            "1 line was skipped".to_owned()
        } else {
            format!("{} lines were skipped", self.count)
        };
        eprintln!("warning: {name}: {lines}; {}", placed(&first));
    }
}

/// Returns the problem of an entry, with its line.
fn placed(entry: &Entry) -> String {
    let place = if entry.line == 0 { String::new() } else { format!("line {}: ", entry.line) };
    format!("{place}{}", entry.problem.as_deref().unwrap_or_default())
}

/// Returns the URLs of a list of any form. Entries that can't be URLs are skipped, and reported on standard error.
pub(crate) fn list(path: &Path) -> Result<Vec<String>> {
    let mut listed = Listed::default();
    let mut skipped = Skipped::default();
    for entry in list::open(path, || {})? {
        let mut entry = entry?;
        if entry.text.len() > LOCATION_LIMIT {
            entry.problem.get_or_insert_with(|| format!("expected a URL of at most {LOCATION_LIMIT} bytes"));
        }
        if entry.problem.is_some() {
            skipped.add(entry);
            continue;
        }
        listed.push(entry.text);
        if listed.bound.is_some() {
            break;
        }
    }
    let name = file::name(path);
    skipped.warn(&name);
    if let Some(bound) = listed.bound {
        eprintln!("warning: {name} lists more URLs than are used: it stopped at {bound}.");
    }
    Ok(listed.urls)
}
