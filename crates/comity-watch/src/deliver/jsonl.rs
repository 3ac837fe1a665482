//! Alerts as lines of a file, each exactly once.
//!
//! The last complete line tells where to continue, so the file needs no cursor, and a program that ends between two writes
//! repeats nothing. The cursor in the store is used only for an empty file: after a log was rotated.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use comity::Escaped;
use serde::Deserialize;

use super::{DeliveryError, PAGE};
use crate::alert::{Alert, Only};
use crate::outbox::Outbox;

/// The maximum length of a line that is read back. An alert is shorter.
const MAX_LINE: u64 = 64 << 20;

/// The part of a line that tells where to continue.
#[derive(Deserialize)]
struct Place {
    number: u64,
    id: String,
}

/// Appends the alerts that a file does not have.
pub(super) async fn deliver(outbox: &Outbox, key: &str, only: &Only, path: &Path) -> Result<u64, DeliveryError> {
    let failed = |error: io::Error| failed(path, &error);
    let (mut file, last) = blocking(path, open).await.map_err(failed)?;
    let mut cursor = match last {
        Some(place) => resume(outbox, &place).await?,
        None => outbox.cursor(key).await?.min(outbox.newest().await?),
    };
    let mut delivered = 0;
    loop {
        let alerts = outbox.alerts(cursor, PAGE).await?;
        let Some(newest) = alerts.last().map(|alert| alert.number) else { break };
        let sent: Vec<&Alert> = alerts.iter().filter(|alert| only.includes(alert.kind)).collect();
        let mut lines = Vec::new();
        for alert in &sent {
            serde_json::to_writer(&mut lines, alert).map_err(|error| failed(error.into()))?;
            lines.push(b'\n');
        }
        delivered += sent.len() as u64;
        // All lines in one write: a full disk leaves at most one that is incomplete, which is cut off next time.
        file =
            tokio::task::spawn_blocking(move || file.write_all(&lines).and_then(|()| file.sync_data()).map(|()| file))
                .await
                .unwrap_or_else(|error| Err(io::Error::other(error)))
                .map_err(failed)?;
        cursor = newest;
        outbox.set_cursor(key, cursor).await?;
    }
    Ok(delivered)
}

/// Returns the number of the alert after which to continue.
async fn resume(outbox: &Outbox, last: &Place) -> Result<u64, DeliveryError> {
    let after = last.number.saturating_sub(1);
    let known = outbox.alerts(after, 1).await?;
    match known.first() {
        // The alert is in the store, or was removed since, because it was old.
        Some(alert) if alert.number > last.number || alert.id == last.id => Ok(last.number),
        // The store is another one than that of the line, so the file has none of its alerts.
        _ => Ok(0),
    }
}

async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(PathBuf) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || work(path)).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Opens a file for this process alone, cuts off an incomplete line, and returns the place of the last line.
fn open(path: PathBuf) -> io::Result<(File, Option<Place>)> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // Until the file is closed. Two processes would write the same alerts.
    file.lock()?;
    let end = complete(&mut file)?;
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

/// Returns the length of the complete lines.
fn complete(file: &mut File) -> io::Result<u64> {
    let len = file.seek(SeekFrom::End(0))?;
    line_start(file, len)
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

fn failed(path: &Path, error: &io::Error) -> DeliveryError {
    DeliveryError::Receiver(format!("can't write {}: {error}", Escaped(path.as_os_str().as_encoded_bytes())))
}
