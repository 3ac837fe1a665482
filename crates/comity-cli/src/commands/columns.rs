//! `comity batch` on Parquet files: questions in, answers out, on all processors and in bounded memory.
//!
//! The rows are divided into parts. A thread reads a part, answers it and encodes it as a row group. The row groups are
//! written in the order of the parts, so the rows keep their order.

pub(crate) mod new_file;
mod output;
mod question;
pub(crate) mod sites;

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result};
use arrow_array::RecordBatch;
use comity::Crawlers;
use comity_arrow::{Kernel, RobotsColumn, Table, UrlForm};

use self::new_file::NewFile;
use self::output::Output;
use self::question::Questions;
use crate::args;
use crate::input::{crawlers, file};
use crate::outcome::Outcome;

/// The rows of a part: many enough to compress well, and few enough to bound memory.
const PART_ROWS: usize = 1 << 16;

/// The rows that are read at once.
const BATCH_ROWS: usize = 1 << 12;

/// The number of threads whose buffers are not part of `--memory`.
const FREE_THREADS: usize = 4;

/// The memory of the buffers of a thread, in bytes.
const THREAD_MEMORY: usize = 8 << 20;

/// Answers a Parquet file of questions.
pub(crate) fn run(args: &args::Batch, input: &Path) -> Result<Outcome> {
    let columns = &args.columns;
    let Some(path) = &columns.output else { return Ok(Outcome::Trouble) };
    let crawlers = crawlers::table(args.crawlers.as_deref())?;
    let table = (!columns.literal).then_some(&crawlers);
    let agent = columns.agent.as_deref().map(|name| crawlers::one(name, table)).transpose()?;
    let questions = Questions::open(input, columns, agent)?;
    let memory = args.memory.saturating_mul(1 << 20);
    let sites = columns.robots.as_deref().map(|sites| {
        // The rest is for compiled rules.
        sites::read(sites, columns.bodies.as_deref(), args.dialect.dialect, memory / 4 * 3)
    });
    let sites = sites.transpose()?;
    let output = Output::new(NewFile::create(path)?, questions.output_schema(), questions.part_count())?;
    let wanted = columns.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from);
    let wanted = wanted.min(questions.part_count()).max(1);
    let (threads, cache) = divide(memory.saturating_sub(sites.as_ref().map_or(0, Table::memory)), wanted);
    let (next, compilations) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let kernel = kernel(args, &crawlers, cache);
                let mut worker = Worker { questions: &questions, sites: sites.as_ref(), output: &output, kernel };
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= questions.part_count() || output.has_failed() {
                        break;
                    }
                    if let Err(error) = worker.answer(part) {
                        output.fail(error.context(file::name(input)));
                    }
                }
                compilations.fetch_add(worker.kernel.compilations() as usize, Ordering::Relaxed);
            });
        }
    });
    output.finish()?.keep()?;
    if threads < wanted {
        let buffers = THREAD_MEMORY >> 20;
        writeln!(
            anstream::stderr(),
            "hint: only {threads} of {wanted} threads were used, since each of the others takes {buffers} MiB; allow more than \
             {} MiB with --memory",
            args.memory
        )?;
    }
    hint(compilations.into_inner(), questions.rows(), args.memory)?;
    Ok(Outcome::Yes)
}

/// Divides the memory that the sites leave: returns the number of threads, of which the buffers take at most half of it, and
/// the bytes of compiled rules of each.
fn divide(memory: usize, wanted: usize) -> (usize, usize) {
    let threads = wanted.min(FREE_THREADS + memory / 2 / THREAD_MEMORY);
    let buffers = threads.saturating_sub(FREE_THREADS) * THREAD_MEMORY;
    (threads, (memory - buffers) / threads)
}

fn kernel(args: &args::Batch, crawlers: &Crawlers, cache: usize) -> Kernel {
    let form = if args.columns.raw { UrlForm::Unchanged } else { UrlForm::AsSent };
    let kernel = Kernel::new().with_dialect(args.dialect.dialect).with_url_form(form).with_memory(cache);
    let kernel = kernel.with_crawlers(crawlers.clone());
    if args.columns.literal { kernel.with_literal_names() } else { kernel }
}

/// Prints a hint if rules were compiled again and again.
fn hint(compilations: usize, rows: usize, memory: usize) -> Result<()> {
    /// Fewer rows are fast in any order.
    const MIN_ROWS: usize = 100_000;
    if rows >= MIN_ROWS && compilations > rows / 10 {
        writeln!(
            anstream::stderr(),
            "hint: rules were compiled {compilations} times for {rows} rows; sort the rows by site, or allow more than \
             {memory} MiB with --memory"
        )?;
    }
    Ok(())
}

/// A thread that answers parts.
struct Worker<'a> {
    questions: &'a Questions,
    sites: Option<&'a Table>,
    output: &'a Output,
    kernel: Kernel,
}

impl Worker<'_> {
    /// Answers a part, and writes it when it is its turn.
    fn answer(&mut self, part: usize) -> Result<()> {
        let mut rows = self.output.part(part)?;
        for batch in self.questions.read(part)? {
            let batch = batch.context("the rows cannot be read")?;
            rows.write(&self.answer_batch(&batch)?)?;
        }
        rows.finish()
    }

    fn answer_batch(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let origins = self.questions.origins(batch);
        let robots = match (self.sites, origins, self.questions.robots(batch)) {
            (Some(sites), Some(origins), _) => RobotsColumn::Keys(sites, origins),
            (Some(sites), None, _) => RobotsColumn::Origins(sites),
            (None, _, Some(robots)) => RobotsColumn::Bodies(robots),
            (None, _, None) => RobotsColumn::One(&[]),
        };
        let answers = self.kernel.check(&robots, self.questions.urls(batch), &self.questions.crawlers(batch))?;
        self.questions.with_answers(batch, &answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_threads_take_half_of_the_memory_at_most() {
        const MIB: usize = 1 << 20;
        assert_eq!(divide(0, 64), (FREE_THREADS, 0));
        assert_eq!(divide(64 * MIB, 2), (2, 32 * MIB));
        assert_eq!(divide(64 * MIB, 64), (8, 4 * MIB));
        assert_eq!(divide(256 * MIB, 64), (20, 128 * MIB / 20));
        assert_eq!(divide(4096 * MIB, 64), (64, (4096 - 60 * 8) * MIB / 64));
    }
}
