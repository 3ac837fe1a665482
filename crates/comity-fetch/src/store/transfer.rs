//! Export and import of archives, as JSON Lines.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read, Write};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Escaped, Origin};
use comity_policy::StoredRecord;
use serde::{Deserialize, Serialize};

use super::content::ContentHash;
use super::entry::ArchiveEntry;
use super::error::StoreError;
use super::history::Version;
use super::{Archive, MAX_PROBLEMS};

/// The format of a line. Other formats are refused.
const FORMAT: u32 = 1;

/// The maximum size of a line: enough for the largest history with its bodies in Base64.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// The number of origins that are read or restored at once.
const MAX_BATCH: usize = 256;
/// The size of bodies, about, that are restored at once.
const MAX_BATCH_BYTES: usize = 4 << 20;

/// An entry as one line of JSON: `{"format":1,"record":{…},"copy":"…","versions":[…],"bodies":{"…":"…"}}`. Bodies are in
/// Base64 by their hashes, that of the record's copy among them.
#[derive(Serialize, Deserialize)]
struct Line {
    format: u32,
    record: StoredRecord,
    copy: Option<ContentHash>,
    versions: Vec<Version>,
    bodies: BTreeMap<ContentHash, String>,
}

/// The result of [`export`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The number of lines that were written.
    pub written: u64,
    /// The first [`MAX_PROBLEMS`] origins that were skipped because they are damaged, and the damage; safe to print.
    pub damaged: Vec<String>,
    /// The number of further damaged origins.
    pub more: u64,
}

impl Exported {
    fn skip(&mut self, damage: String) {
        if self.damaged.len() < MAX_PROBLEMS { self.damaged.push(damage) } else { self.more += 1 }
    }
}

/// The result of [`import`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The number of origins that were restored.
    pub taken: u64,
    /// The number of origins that were skipped, because the archive has a later attempt.
    pub older: u64,
    /// The first [`MAX_PROBLEMS`] refused lines. Nothing of a refused line is restored.
    pub refused: Vec<Refused>,
    /// The number of further refused lines.
    pub more: u64,
}

/// A line that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The number of the line, from 1.
    pub line: u64,
    /// The reason, for people; safe to print.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Writes the whole content of an archive: one line for each origin, sorted by the origins' texts. An origin that
/// is damaged is skipped, and named in the result.
///
/// Each line is consistent. Changes that are made during the export may be missing. The export blocks while the writer
/// blocks, so the writer should be buffered.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{MemoryStore, Store, export, import};
/// use comity_policy::StoredRecord;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let origin = Origin::of("https://example.com/")?;
/// let (from, to) = (MemoryStore::new(1 << 20), MemoryStore::new(1 << 20));
/// from.complete(&StoredRecord::new(&origin), None).await?;
///
/// let mut lines = Vec::new();
/// assert_eq!(export(&from, &mut lines).await?.written, 1);
/// assert_eq!(import(&to, &mut &lines[..]).await?.taken, 1);
/// assert!(to.load(&origin).await?.is_some());
/// # Ok(())
/// # }
/// ```
pub async fn export(archive: &dyn Archive, to: &mut (dyn Write + Send)) -> Result<Exported, StoreError> {
    let failed = |e| StoreError::io("write what is in", e);
    let mut exported = Exported::default();
    let mut after: Option<String> = None;
    loop {
        let page = archive.list(after.as_deref(), MAX_BATCH).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.origin.clone());
        for summary in page {
            if let Some(damage) = summary.damage {
                exported.skip(damage);
                continue;
            }
            // Stores contain valid origins only.
            let Ok(origin) = Origin::of(&summary.origin) else { continue };
            let entry = match archive.entry(&origin).await {
                Ok(Some(entry)) => entry,
                // It was removed since the page was read.
                Ok(None) => continue,
                Err(error) if error.is_one_damaged() => {
                    exported.skip(format!("{origin}: {}", error.what()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            serde_json::to_writer(&mut *to, &Line::of(entry)).map_err(|e| failed(e.into()))?;
            to.write_all(b"\n").map_err(failed)?;
            exported.written += 1;
        }
    }
    to.flush().map_err(failed)?;
    Ok(exported)
}

/// Reads the output of [`export`], and restores it. A line is restored as a whole or not at all; a refused line does
/// not affect the others.
///
/// An origin is skipped if the archive has a later attempt. Origins, the hashes of bodies, and sizes are checked. Fails
/// only if reading fails, or if the archive fails.
pub async fn import(archive: &dyn Archive, from: &mut (dyn BufRead + Send)) -> Result<Imported, StoreError> {
    let mut imported = Imported::default();
    let mut batch = Batch::default();
    let mut number = 0;
    while let Some(line) = next_line(from).map_err(|e| StoreError::io("read what is for", e))? {
        number += 1;
        match entry(line) {
            Ok(None) => continue,
            Ok(Some(entry)) => batch.push(entry),
            Err(reason) if imported.refused.len() < MAX_PROBLEMS => {
                imported.refused.push(Refused { line: number, reason });
            }
            Err(_) => imported.more += 1,
        }
        if batch.entries.len() >= MAX_BATCH || batch.bytes >= MAX_BATCH_BYTES {
            batch.restore(archive, &mut imported).await?;
        }
    }
    batch.restore(archive, &mut imported).await?;
    Ok(imported)
}

#[derive(Default)]
struct Batch {
    entries: Vec<ArchiveEntry>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, entry: ArchiveEntry) {
        self.bytes += entry.bodies.iter().map(|body| body.len()).sum::<usize>();
        self.entries.push(entry);
    }

    async fn restore(&mut self, archive: &dyn Archive, imported: &mut Imported) -> Result<(), StoreError> {
        let batch = std::mem::take(self);
        let all = batch.entries.len() as u64;
        let taken = archive.restore(batch.entries).await?;
        imported.taken += taken;
        imported.older += all - taken;
        Ok(())
    }
}

impl Line {
    fn of(entry: ArchiveEntry) -> Self {
        Self {
            format: FORMAT,
            copy: entry.record.copy.as_ref().map(|copy| ContentHash::of(&copy.body)),
            record: entry.record.without_body(),
            versions: entry.versions,
            bodies: entry.bodies.iter().map(|body| (ContentHash::of(body), BASE64.encode(body))).collect(),
        }
    }
}

/// Parses a line. Returns `None` for an empty one, and the reason for one that is refused.
fn entry(line: Result<Vec<u8>, TooLong>) -> Result<Option<ArchiveEntry>, String> {
    let line = line.map_err(|TooLong| format!("has more than {MAX_LINE_BYTES} bytes"))?;
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    // First the fields that all formats have, then those of this one.
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
    let entry = ArchiveEntry::new(record, line.versions, bodies.into_values().collect());
    entry.map(Some).map_err(|e| e.to_string())
}

/// The part of a line that all formats have.
#[derive(Deserialize)]
struct Found {
    format: Option<u32>,
}

fn escaped(error: &serde_json::Error) -> String {
    format!("can't be understood: {}", Escaped(error.to_string().as_bytes()))
}

struct TooLong;

/// Returns the next line without its end, if there is one.
fn next_line(from: &mut (dyn BufRead + Send)) -> std::io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let mut line = Vec::new();
    if Read::take(&mut *from, MAX_LINE_BYTES + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > MAX_LINE_BYTES {
        from.skip_until(b'\n')?;
        return Ok(Some(Err(TooLong)));
    }
    Ok(Some(Ok(line)))
}
