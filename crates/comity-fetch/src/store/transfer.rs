//! Carrying what is kept from one store to another, as JSON Lines.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read, Write};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Escaped, Origin};
use comity_policy::Record;
use serde::{Deserialize, Serialize};

use super::content::ContentHash;
use super::entry::Entry;
use super::error::StoreError;
use super::history::Version;
use super::{MOST_PROBLEMS, Store};

/// The format of a line. Lines of others are refused.
const FORMAT: u32 = 1;

/// How many bytes a line may have: enough for the largest history, its bodies in Base64, and some more.
const MOST_LINE: u64 = 16 << 20;

/// How many origins are read, or restored, at once; and about how many bytes of bodies.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// An entry as one line of JSON: `{"format":1,"record":{…},"copy":"…","versions":[…],"bodies":{"…":"…"}}`. Bodies stand
/// in Base64 by their hashes, that of the record's copy among them.
#[derive(Serialize, Deserialize)]
struct Line {
    format: u32,
    record: Record,
    copy: Option<ContentHash>,
    versions: Vec<Version>,
    bodies: BTreeMap<ContentHash, String>,
}

/// What became of the lines that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// How many origins were taken.
    pub taken: u64,
    /// How many were passed over, because the store knows of a later attempt.
    pub older: u64,
    /// The lines that were refused, as a whole each: the first [`MOST_PROBLEMS`] of them.
    pub refused: Vec<Refused>,
    /// How many more were.
    pub more: u64,
}

/// A line that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Its number, from 1.
    pub line: u64,
    /// Why, for people; safe to print.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Writes all that a store keeps: a line for each origin, in the order of their texts. How many there were.
///
/// Each line is true of one moment; what changes meanwhile may be in it or not. It blocks while the writer does, which
/// had better be buffered.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{MemoryStore, Store, export, import};
/// use comity_policy::Record;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let origin = Origin::of("https://example.com/")?;
/// let (from, to) = (MemoryStore::new(1 << 20), MemoryStore::new(1 << 20));
/// from.save(&Record::new(&origin)).await?;
///
/// let mut lines = Vec::new();
/// assert_eq!(export(&from, &mut lines).await?, 1);
/// assert_eq!(import(&to, &mut &lines[..]).await?.taken, 1);
/// assert!(to.load(&origin).await?.is_some());
/// # Ok(())
/// # }
/// ```
pub async fn export(store: &dyn Store, to: &mut (dyn Write + Send)) -> Result<u64, StoreError> {
    let failed = |e| StoreError::io("write what is in", e);
    let mut count = 0;
    let mut after: Option<String> = None;
    loop {
        let page = store.list(after.as_deref(), BATCH).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.origin.clone());
        for summary in page {
            // No store keeps what is no origin.
            let Ok(origin) = Origin::of(&summary.origin) else { continue };
            // Forgotten since the page was made?
            let Some(entry) = store.entry(&origin).await? else { continue };
            serde_json::to_writer(&mut *to, &Line::of(entry)).map_err(|e| failed(e.into()))?;
            to.write_all(b"\n").map_err(failed)?;
            count += 1;
        }
    }
    to.flush().map_err(failed)?;
    Ok(count)
}

/// Reads what [`export`] has written, and restores it. A line is taken as a whole or not at all; one that is refused
/// does not keep the others out.
///
/// What the store knows of a later attempt stays. Nothing is believed that can be checked: origins, the hashes of bodies,
/// sizes. An error only if reading fails, or the store does.
pub async fn import(store: &dyn Store, from: &mut (dyn BufRead + Send)) -> Result<Imported, StoreError> {
    let mut imported = Imported::default();
    let mut batch = Batch::default();
    let mut number = 0;
    while let Some(line) = next_line(from).map_err(|e| StoreError::io("read what is for", e))? {
        number += 1;
        match entry(line) {
            Ok(None) => continue,
            Ok(Some(entry)) => batch.push(entry),
            Err(reason) if imported.refused.len() < MOST_PROBLEMS => {
                imported.refused.push(Refused { line: number, reason });
            }
            Err(_) => imported.more += 1,
        }
        if batch.entries.len() >= BATCH || batch.bytes >= BATCH_BYTES {
            batch.restore(store, &mut imported).await?;
        }
    }
    batch.restore(store, &mut imported).await?;
    Ok(imported)
}

#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, entry: Entry) {
        self.bytes += entry.bodies.iter().map(|body| body.len()).sum::<usize>();
        self.entries.push(entry);
    }

    async fn restore(&mut self, store: &dyn Store, imported: &mut Imported) -> Result<(), StoreError> {
        let batch = std::mem::take(self);
        let all = batch.entries.len() as u64;
        let taken = store.restore(batch.entries).await?;
        imported.taken += taken;
        imported.older += all - taken;
        Ok(())
    }
}

impl Line {
    fn of(entry: Entry) -> Self {
        Self {
            format: FORMAT,
            copy: entry.record.copy.as_ref().map(|copy| ContentHash::of(&copy.body)),
            record: entry.record,
            versions: entry.versions,
            bodies: entry.bodies.iter().map(|body| (ContentHash::of(body), BASE64.encode(body))).collect(),
        }
    }
}

/// What a line says, if it says anything; or why it is refused.
fn entry(line: Result<Vec<u8>, TooLong>) -> Result<Option<Entry>, String> {
    let line = line.map_err(|TooLong| format!("has more than {MOST_LINE} bytes"))?;
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    // First what all formats have, then what this one has.
    let found: Found = serde_json::from_slice(&line).map_err(|e| escaped(&e))?;
    match found.format {
        Some(FORMAT) => {}
        Some(found) => return Err(format!("has format {found}; this version of comity knows {FORMAT}")),
        None => return Err("is no line of an export: it has no `format`".to_owned()),
    }
    let line: Line = serde_json::from_slice(&line).map_err(|e| escaped(&e))?;
    let mut bodies = BTreeMap::new();
    for (hash, text) in line.bodies {
        let body: Arc<[u8]> = BASE64.decode(text).map_err(|e| format!("the content {hash} is no Base64: {e}"))?.into();
        if ContentHash::of(&body) != hash {
            return Err(format!("the content {hash} has another hash"));
        }
        bodies.insert(hash, body);
    }
    let mut record = line.record;
    match (&mut record.copy, line.copy) {
        (Some(copy), Some(hash)) => {
            let body = bodies.get(&hash).ok_or_else(|| format!("the content {hash} is missing"))?;
            copy.body = Arc::clone(body);
        }
        (None, None) => {}
        _ => return Err("the record and its copy contradict each other".to_owned()),
    }
    let entry = Entry { record, versions: line.versions, bodies: bodies.into_values().collect() };
    entry.checked().map(Some).map_err(|e| e.to_string())
}

/// The part of a line that will always be there.
#[derive(Deserialize)]
struct Found {
    format: Option<u32>,
}

fn escaped(error: &serde_json::Error) -> String {
    format!("can't be understood: {}", Escaped(error.to_string().as_bytes()))
}

struct TooLong;

/// The next line without its end, if there is one.
fn next_line(from: &mut (dyn BufRead + Send)) -> std::io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let mut line = Vec::new();
    if Read::take(&mut *from, MOST_LINE + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > MOST_LINE {
        skip_line(from)?;
        return Ok(Some(Err(TooLong)));
    }
    Ok(Some(Ok(line)))
}

/// Reads up to the end of a line, and keeps nothing of it.
fn skip_line(from: &mut (dyn BufRead + Send)) -> std::io::Result<()> {
    loop {
        let buffer = from.fill_buf()?;
        let (end, length) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (true, at + 1),
            None => (buffer.is_empty(), buffer.len()),
        };
        from.consume(length);
        if end {
            return Ok(());
        }
    }
}
