//! The reading of logs, by several threads, with a line of progress.

use std::io::{IsTerminal as _, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use comity_audit::{Audit, Auditor, Tally};
use comity_log::{LogBlock, LogError, LogOptions, LogReader};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args;
use crate::input::file;
use crate::render::error;

/// The number of blocks of 1 MiB that wait for each thread.
const WAITING: usize = 2;

/// The logs of an audit.
pub(super) struct Logs<'a> {
    pub(super) paths: &'a [PathBuf],
    options: LogOptions,
    /// The number of readers of lines.
    pub(super) threads: NonZeroUsize,
}

/// The results of reading the logs.
#[derive(Default)]
struct Outcomes {
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

    /// Counts all lines. Returns false as well if not all could be read.
    pub(super) fn count(&self, audit: &Audit) -> Result<(Tally, bool)> {
        let new = || Auditor::new(audit);
        let (auditors, is_whole) = self.read(new, |auditor, log, block| {
            auditor.set_log(log);
            block.lines().for_each(|line| auditor.read(&line));
        })?;
        let mut tally = Tally::default();
        for auditor in auditors {
            tally.merge(auditor.into_tally());
        }
        Ok((tally, is_whole))
    }

    /// Reads all lines by several readers of lines. Returns false as well if not all could be read. Fails if a file is no log.
    pub(super) fn read<R: Send>(
        &self,
        new: impl Fn() -> R + Sync,
        read: impl Fn(&mut R, &str, &LogBlock) + Sync,
    ) -> Result<(Vec<R>, bool)> {
        let outcomes = Outcomes::default();
        let bar = self.progress();
        let readers = if self.threads == NonZeroUsize::MIN {
            let mut reader = new();
            for path in self.paths {
                self.open(path, &bar, &outcomes, |log, block| read(&mut reader, log, &block));
            }
            vec![reader]
        } else {
            self.read_in_threads(&bar, &outcomes, new, read)?
        };
        bar.finish_and_clear();
        let mut refused = outcomes.refused.into_inner().unwrap_or_default();
        if let Some(first) = refused.pop() {
            refused.iter().for_each(error::print);
            return Err(first);
        }
        Ok((readers, !outcomes.has_lost.into_inner()))
    }

    fn read_in_threads<R: Send>(
        &self,
        bar: &ProgressBar,
        outcomes: &Outcomes,
        new: impl Fn() -> R + Sync,
        read: impl Fn(&mut R, &str, &LogBlock) + Sync,
    ) -> Result<Vec<R>> {
        let threads = self.threads.get();
        let (send, receive) = crossbeam_channel::bounded::<(usize, LogBlock)>(WAITING * threads);
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            // Decompression takes longer than reading, so as many files as there are processors are read at once.
            for _ in 0..threads.min(self.paths.len()) {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some(path) = self.paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let place = self.paths.iter().position(|other| other == path).unwrap_or_default();
                        self.open(path, bar, outcomes, |_, block| _ = send.send((place, block)));
                    }
                });
            }
            drop(send);
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let (receive, new, read) = (receive.clone(), &new, &read);
                    scope.spawn(move || {
                        let mut reader = new();
                        for (place, block) in receive {
                            read(&mut reader, &file::name(&self.paths[place]), &block);
                        }
                        reader
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("a thread failed"))).collect()
        })
    }

    /// Reads the blocks of a log. What can't be read is reported.
    fn open(&self, path: &Path, bar: &ProgressBar, outcomes: &Outcomes, mut each: impl FnMut(&str, LogBlock)) {
        let name = file::name(path);
        let refuse = |error: anyhow::Error| outcomes.refused.lock().map_or((), |mut refused| refused.push(error));
        let source = match file::open(path) {
            Ok(source) => Counted { source, bar },
            Err(error) => return refuse(error),
        };
        let mut reader = match LogReader::open(source, &self.options) {
            Ok(reader) => reader,
            // A log is empty after it was rotated.
            Err(LogError::Empty) => return warn(bar, &format!("{name} is empty")),
            Err(error) => return refuse(anyhow!(error).context(name)),
        };
        if let Some(warning) = reader.warning() {
            warn(bar, &format!("{name}: {warning}"));
        }
        let mut before = 0;
        while let Some(block) = reader.next_block() {
            match block {
                Ok(block) => {
                    each(&name, block);
                    let new = reader.line_count() - before;
                    before = reader.line_count();
                    let lines = outcomes.lines.fetch_add(new, Ordering::Relaxed) + new;
                    bar.set_message(format!("{name}, {lines} lines"));
                }
                Err(error) => {
                    let lines = reader.line_count();
                    warn(bar, &format!("{name} after line {lines}: {error}; the lines before count"));
                    outcomes.has_lost.store(true, Ordering::Relaxed);
                }
            }
        }
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

fn warn(bar: &ProgressBar, text: &str) {
    bar.suspend(|| eprintln!("warning: {}", crate::render::style::safe(text)));
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
