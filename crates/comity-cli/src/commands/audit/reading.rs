//! The reading of logs, by several threads, with a line of progress.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use comity_audit::{Audit, Auditor, Tally};
use comity_log::{LogBlock, LogError, LogOptions, LogReader};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args;
use crate::input::file;
use crate::render::error;

/// The logs of an audit, and the results of reading them.
struct Logs<'a> {
    args: &'a args::Audit,
    /// The line of progress.
    bar: ProgressBar,
    /// True if a log could not be read to its end.
    has_lost: AtomicBool,
    /// Logs that are no logs.
    refused: Mutex<Vec<anyhow::Error>>,
    lines: AtomicU64,
}

/// Counts all lines. Returns false as well if not all could be read. Fails if a file is no log.
pub(super) fn count(args: &args::Audit, audit: &Audit) -> Result<(Tally, bool)> {
    let (has_lost, refused, lines) = Default::default();
    let logs = Logs { args, bar: progress(&args.logs), has_lost, refused, lines };
    let blocks: Vec<_> = args.logs.iter().map(|path| Mutex::new(logs.blocks(path))).collect();
    let work = |first: usize| {
        let mut auditor = Auditor::new(audit);
        for at in (first..blocks.len()).chain(0..first) {
            auditor.set_log(&file::name(&args.logs[at]));
            // The thread that takes a block decompresses it. Meanwhile, others read theirs.
            while let Some(block) = blocks[at].lock().ok().and_then(|mut log| log.next()) {
                block.lines().for_each(|line| auditor.read(&line));
            }
        }
        auditor.into_tally()
    };
    let threads = audit.threads.get();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        // Each thread begins with another log, and helps with the others afterward.
        let first = |nth: usize| nth * blocks.len() / threads;
        let workers: Vec<_> = (0..threads).map(|nth| scope.spawn(move || work(first(nth)))).collect();
        for worker in workers {
            tally.merge(worker.join().map_err(|_| anyhow!("a thread failed"))?);
        }
        anyhow::Ok(())
    })?;
    drop(blocks);
    logs.bar.finish_and_clear();
    let mut refused = logs.refused.into_inner().unwrap_or_default();
    if let Some(first) = refused.pop() {
        refused.iter().for_each(error::print);
        return Err(first);
    }
    Ok((tally, !logs.has_lost.into_inner()))
}

impl Logs<'_> {
    /// Returns the blocks of a log, which is opened for the first one. What can't be read is reported.
    fn blocks<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = LogBlock> + Send + 's {
        let (name, mut opened) = (file::name(path), None);
        std::iter::from_fn(move || {
            let reader = opened.get_or_insert_with(|| self.open(path)).as_mut()?;
            let before = reader.line_count();
            let block = reader.next_block()?;
            let new = reader.line_count() - before;
            let lines = self.lines.fetch_add(new, Ordering::Relaxed) + new;
            self.bar.set_message(format!("{name}, {lines} lines"));
            let lost = |error| {
                self.warn(&format!("{name} after line {before}: {error}; the lines before count"));
                self.has_lost.store(true, Ordering::Relaxed);
            };
            block.map_err(lost).ok()
        })
    }

    fn open(&self, path: &Path) -> Option<LogReader<'_>> {
        let refuse = |error: anyhow::Error| self.refused.lock().map_or((), |mut refused| refused.push(error));
        let source = self.bar.wrap_read(file::open(path).map_err(refuse).ok()?);
        let name = file::name(path);
        let options = LogOptions { format: self.args.log_format, fields: self.args.field.clone() };
        match LogReader::open(source, &options) {
            Ok(reader) => {
                reader.warning().into_iter().for_each(|warning| self.warn(&format!("{name}: {warning}")));
                return Some(reader);
            }
            // A log is empty after it was rotated.
            Err(LogError::Empty) => self.warn(&format!("{name} is empty")),
            Err(error) => refuse(anyhow!(error).context(name)),
        }
        None
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| eprintln!("warning: {}", crate::render::style::safe(text)));
    }
}

/// Returns the line of progress, which is shown on a terminal.
fn progress(paths: &[PathBuf]) -> ProgressBar {
    let bytes: u64 = paths.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bytes} of {total_bytes}, {bytes_per_sec}, {eta} left: {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
