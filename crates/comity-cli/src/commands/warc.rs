//! `comity warc`: turns archives of robots.txt files into a table of sites and a table of bodies.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Error, Result, bail};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use comity_arrow::warc::{ArchivedFetch, SiteBatches, WarcReader, WarcRecord, bodies_schema, sites_schema};
use comity_fetch::Policy;
use crossbeam_channel::{Receiver, Sender, bounded};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::args;
use crate::commands::columns::new_file::NewFile;
use crate::commands::columns::sites::bodies_of;
use crate::input::file;
use crate::outcome::{Lost, Outcome};

/// The number of fetches that a thread passes on at once.
const FETCHES_PER_CHUNK: usize = 128;

/// The number of sites, and of bytes of bodies, that are passed to the writers at once.
const MAX_SITES: usize = 8_192;
const MAX_BODY_BYTES: usize = 4 << 20;

type Hashed = (ArchivedFetch, Option<[u8; 32]>);

pub(crate) fn run(args: &args::Warc) -> Result<Outcome> {
    let bodies = args.bodies.clone().unwrap_or_else(|| bodies_of(&args.sites));
    if bodies == args.sites {
        bail!("expected two files, found {} for --sites and for --bodies", file::name(&bodies));
    }
    let mut tables = Tables::create(&args.sites, &bodies)?;
    let threads = args.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = bounded(2 * threads);
    let lost = thread::scope(|scope| {
        for _ in 0..threads.min(args.files.len()) {
            let sender = sender.clone();
            scope.spawn(|| {
                // Moved, so that the channel is closed when all threads have ended.
                let sender = sender;
                while let Some(path) = args.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let error = read(path, &args.policy, &sender).err();
                    if let Some(error) = error.map(|error| error.context(file::name(path)))
                        && sender.send(Err(error)).is_err()
                    {
                        break;
                    }
                }
            });
        }
        drop(sender);
        tables.write_all(&receiver)
    })?;
    let (sites, distinct) = tables.keep()?;
    writeln!(anstream::stderr(), "{sites} sites, {distinct} distinct bodies")?;
    Ok(lost.and(Outcome::Yes))
}

/// Reads an archive. Passes on what was read before an error.
fn read(path: &Path, policy: &Policy, sender: &Sender<Result<Vec<Hashed>>>) -> Result<()> {
    let input = File::open(path).context("the file could not be opened")?;
    let mut reader = WarcReader::new(BufReader::with_capacity(1 << 18, input));
    let mut record = WarcRecord::default();
    let mut chunk = Vec::with_capacity(FETCHES_PER_CHUNK);
    let result = loop {
        match reader.read(&mut record) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(Error::new(error)),
        }
        let Some(fetch) = ArchivedFetch::of(&record, policy) else { continue };
        let hash = fetch.body.as_deref().map(SiteBatches::hash);
        chunk.push((fetch, hash));
        if chunk.len() == FETCHES_PER_CHUNK && sender.send(Ok(std::mem::take(&mut chunk))).is_err() {
            return Ok(());
        }
    };
    // If the writer has failed, nobody receives this.
    let _ = sender.send(Ok(chunk));
    result
}

/// The two tables that are written.
struct Tables {
    sites: ArrowWriter<NewFile>,
    bodies: ArrowWriter<NewFile>,
    batches: SiteBatches,
    site_count: usize,
}

impl Tables {
    fn create(sites: &Path, bodies: &Path) -> Result<Self> {
        let writer = |path: &Path, schema: SchemaRef| {
            let zstd = Compression::ZSTD(ZstdLevel::try_new(3)?);
            let properties = WriterProperties::builder().set_compression(zstd).build();
            Ok::<_, Error>(ArrowWriter::try_new(NewFile::create(path)?, schema, Some(properties))?)
        };
        let (sites, bodies) = (writer(sites, sites_schema())?, writer(bodies, bodies_schema())?);
        Ok(Self { sites, bodies, batches: SiteBatches::default(), site_count: 0 })
    }

    /// Writes what the threads read. Prints their errors, and returns whether there were any.
    fn write_all(&mut self, receiver: &Receiver<Result<Vec<Hashed>>>) -> Result<Lost> {
        let mut lost = Lost::default();
        for chunk in receiver {
            match chunk {
                Ok(fetches) => {
                    for (fetch, hash) in &fetches {
                        self.batches.add(fetch, *hash);
                    }
                    self.site_count += fetches.len();
                }
                Err(error) => lost.print(&error),
            }
            if self.batches.sites() >= MAX_SITES || self.batches.body_bytes() >= MAX_BODY_BYTES {
                self.flush()?;
            }
        }
        self.flush()?;
        Ok(lost)
    }

    fn flush(&mut self) -> Result<()> {
        /// The encoded bytes of bodies that are kept in memory, until they are written as a row group.
        const MAX_GROUP_BYTES: usize = 16 << 20;
        let write = |writer: &mut ArrowWriter<NewFile>, batch: &RecordBatch| -> Result<()> {
            writer.write(batch)?;
            if writer.in_progress_size() > MAX_GROUP_BYTES {
                writer.flush()?;
            }
            Ok(())
        };
        write(&mut self.sites, &self.batches.finish_sites()?)?;
        write(&mut self.bodies, &self.batches.finish_bodies()?)
    }

    /// Completes both files. Returns the number of sites and of distinct bodies.
    fn keep(self) -> Result<(usize, usize)> {
        self.bodies.into_inner()?.keep()?;
        self.sites.into_inner()?.keep()?;
        Ok((self.site_count, self.batches.distinct_bodies()))
    }
}
