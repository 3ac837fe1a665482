//! Alerts as lines of a file, each exactly once.
//!
//! The last complete line tells where to continue, so the file needs no cursor, and a program that ends between two writes
//! repeats nothing. The cursor in the store is used only for an empty file: after a log was rotated.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use comity::Escaped;
use serde::Deserialize;

use super::DeliveryError;
use crate::alert::Alert;
use crate::outbox::Outbox;

/// The maximum length of a line that is read back. An alert is shorter.
const MAX_LINE: u64 = 64 << 20;

/// The part of a line that tells where to continue.
#[derive(Deserialize)]
struct Place {
    number: u64,
    id: String,
}

/// Opens a file for this process alone. Returns the number of its last alert, too, if it has one: 0 if that is of another
/// store.
pub(super) async fn open(path: &Path, outbox: &Outbox) -> Result<(Arc<File>, Option<u64>), DeliveryError> {
    let opened = path.to_owned();
    let (file, last) = blocking(path, move || open_at_end(&opened)).await?;
    let file = Arc::new(file);
    let Some(Place { number, id }) = last else { return Ok((file, None)) };
    let known = outbox.alerts(number.saturating_sub(1), 1).await?;
    // The alert is in the store, or was removed since, because it was old.
    let is_of_store = known.first().is_some_and(|alert| alert.number > number || alert.id == id);
    Ok((file, Some(if is_of_store { number } else { 0 })))
}

/// Appends alerts.
pub(super) async fn append(path: &Path, file: &Arc<File>, alerts: &[&Alert]) -> Result<(), DeliveryError> {
    let mut lines = String::new();
    for alert in alerts {
        lines += &alert.json()?;
        lines.push('\n');
    }
    let file = Arc::clone(file);
    // All lines in one write: a full disk leaves at most one that is incomplete, which is cut off next time.
    blocking(path, move || (&*file).write_all(lines.as_bytes()).and_then(|()| file.sync_data())).await
}

async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, DeliveryError> {
    let done = tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| {
        let path = Escaped(path.as_os_str().as_encoded_bytes());
        DeliveryError::Receiver(format!("can't write {path}: {error}"))
    })
}

/// Opens a file for this process alone, cuts off an incomplete line, and returns the place of the last line.
fn open_at_end(path: &Path) -> io::Result<(File, Option<Place>)> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // Until the file is closed. Two processes would write the same alerts.
    file.lock()?;
    let len = file.seek(SeekFrom::End(0))?;
    let end = line_start(&mut file, len)?;
    file.set_len(end)?;
    if end == 0 {
        return Ok((file, None));
    }
    let start = line_start(&mut file, end - 1)?;
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    io::Read::by_ref(&mut file).take(end - start).read_to_end(&mut line)?;
    let place = serde_json::from_slice(&line).map_err(|_| {
        let what = "its last line is not an alert of comity: name another file, so that nothing is lost";
        io::Error::new(io::ErrorKind::InvalidData, what)
    })?;
    Ok((file, Some(place)))
}

/// Returns the start of the line that contains a position: the place after the last line end before it.
fn line_start(file: &mut File, position: u64) -> io::Result<u64> {
    let mut end = position;
    let mut block = vec![0; 64 << 10];
    while end > 0 {
        if position - end > MAX_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has a line of more than 64 MiB"));
        }
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
