//! The reading of logs, by several threads, with a line of progress.

use std::io::{IsTerminal as _, Read};
use std::num::NonZeroUsize;
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

/// The logs of an audit.
pub(super) struct Logs<'a> {
    pub(super) paths: &'a [PathBuf],
    options: LogOptions,
    /// The number of readers of lines.
    pub(super) threads: NonZeroUsize,
}

/// The results of reading the logs.
struct Outcomes {
    /// The line of progress.
    bar: ProgressBar,
    /// True if a log could not be read to its end.
    has_lost: AtomicBool,
    /// Logs that are no logs.
    refused: Mutex<Vec<anyhow::Error>>,
    lines: AtomicU64,
}

impl<'a> Logs<'a> {
    pub(super) fn new(args: &'a args::Audit) -> Self {
        let options = LogOptions { format: args.log_format, fields: args.field.clone() };
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { paths: &args.logs, options, threads }
    }

    /// Counts all lines. Returns false as well if not all could be read. Fails if a file is no log.
    pub(super) fn count(&self, audit: &Audit) -> Result<(Tally, bool)> {
        let (has_lost, refused, lines) = Default::default();
        let outcomes = Outcomes { bar: self.progress(), has_lost, refused, lines };
        let logs: Vec<_> = self.paths.iter().map(|path| Mutex::new(self.blocks(path, &outcomes))).collect();
        let work = |first: usize| {
            let mut auditor = Auditor::new(audit);
            for at in (first..logs.len()).chain(0..first) {
                auditor.set_log(&file::name(&self.paths[at]));
                // The thread that takes a block decompresses it. Meanwhile, others read theirs.
                while let Some(block) = logs[at].lock().ok().and_then(|mut log| log.next()) {
                    block.lines().for_each(|line| auditor.read(&line));
                }
            }
            auditor.into_tally()
        };
        let threads = self.threads.get();
        let mut tally = Tally::default();
        std::thread::scope(|scope| {
            // Each thread begins with another log, and helps with the others afterward.
            let first = |nth: usize| nth * logs.len() / threads;
            let workers: Vec<_> = (0..threads).map(|nth| scope.spawn(move || work(first(nth)))).collect();
            for worker in workers {
                tally.merge(worker.join().map_err(|_| anyhow!("a thread failed"))?);
            }
            anyhow::Ok(())
        })?;
        drop(logs);
        outcomes.bar.finish_and_clear();
        let mut refused = outcomes.refused.into_inner().unwrap_or_default();
        if let Some(first) = refused.pop() {
            refused.iter().for_each(error::print);
            return Err(first);
        }
        Ok((tally, !outcomes.has_lost.into_inner()))
    }

    /// Returns the blocks of a log, which is opened for the first one. What can't be read is reported.
    fn blocks<'s>(&'s self, path: &'s Path, outcomes: &'s Outcomes) -> impl Iterator<Item = LogBlock> + Send + 's {
        let name = file::name(path);
        let opened = std::iter::once_with(move || self.open(path, outcomes)).flatten();
        opened.flat_map(move |mut reader| {
            let name = name.clone();
            std::iter::from_fn(move || {
                let before = reader.line_count();
                let block = reader.next_block()?;
                let new = reader.line_count() - before;
                let lines = outcomes.lines.fetch_add(new, Ordering::Relaxed) + new;
                outcomes.bar.set_message(format!("{name}, {lines} lines"));
                let lost = |error| {
                    outcomes.warn(&format!("{name} after line {before}: {error}; the lines before count"));
                    outcomes.has_lost.store(true, Ordering::Relaxed);
                };
                block.map_err(lost).ok()
            })
        })
    }

    fn open<'s>(&self, path: &Path, outcomes: &'s Outcomes) -> Option<LogReader<'s>> {
        let refuse = |error: anyhow::Error| outcomes.refused.lock().map_or((), |mut refused| refused.push(error));
        let source = Counted { source: file::open(path).map_err(refuse).ok()?, bar: &outcomes.bar };
        let name = file::name(path);
        match LogReader::open(source, &self.options) {
            Ok(reader) => {
                reader.warning().into_iter().for_each(|warning| outcomes.warn(&format!("{name}: {warning}")));
                return Some(reader);
            }
            // A log is empty after it was rotated.
            Err(LogError::Empty) => outcomes.warn(&format!("{name} is empty")),
            Err(error) => refuse(anyhow!(error).context(name)),
        }
        None
    }

    /// Returns the line of progress, which is shown on a terminal.
    fn progress(&self) -> ProgressBar {
        let bytes: u64 = self.paths.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
        if !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bytes} of {total_bytes}, {bytes_per_sec}, {eta} left: {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}

impl Outcomes {
    fn warn(&self, text: &str) {
        self.bar.suspend(|| eprintln!("warning: {}", crate::render::style::safe(text)));
    }
}

/// A source that moves the line of progress.
struct Counted<'b, R> {
    source: R,
    bar: &'b ProgressBar,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}
