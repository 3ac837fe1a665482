//! The files of sites: Parquet files, read into a table.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use arrow_array::{Array, RecordBatch};
use arrow_schema::Schema;
use comity::Dialect;
use comity_arrow::{Table, TableBuilder};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::question::{find, open, require};
use crate::input::file;

/// The number of rows that are read at once. Bodies are large.
const BATCH_ROWS: usize = 256;

/// Returns the file of the bodies of sites, unless another one is named: `sites.bodies.parquet` for `sites.parquet`. Each
/// crawl in a folder has its own, so that writing one does not replace the bodies of another.
pub(crate) fn bodies_of(sites: &Path) -> PathBuf {
    let mut name = sites.file_stem().unwrap_or_default().to_owned();
    name.push(".bodies.parquet");
    sites.with_file_name(name)
}

/// Reads the files of sites into a table of at most this memory.
pub(super) fn read(sites: &Path, bodies: Option<&Path>, dialect: Dialect, max_memory: usize) -> Result<Table> {
    let mut builder = TableBuilder::new(dialect);
    let (_, metadata) = open(sites, &[])?;
    let schema = metadata.schema();
    if find(sites, schema, "outcome")?.is_none() {
        let (origin, robots) = (require(sites, schema, "origin")?, require(sites, schema, "robots")?);
        each(sites, &["robots"], &mut builder, max_memory, |builder, batch| {
            Ok(builder.add_bodies(batch.column(origin), batch.column(robots))?)
        })?;
        return Ok(builder.build());
    }
    let origin = require(sites, schema, "origin")?;
    let (outcome, hash) = (require(sites, schema, "outcome")?, require(sites, schema, "body_hash")?);
    let beside = bodies_of(sites);
    if bodies.is_none() && !beside.exists() {
        let (sites, beside) = (file::name(sites), file::name(&beside));
        bail!("expected the bodies of {sites} in {beside}, found no such file: name it with --bodies");
    }
    read_bodies(bodies.unwrap_or(&beside), &mut builder, max_memory)?;
    each(sites, &[], &mut builder, max_memory, |builder, batch| {
        let [origins, outcomes, hashes] = [origin, outcome, hash].map(|index| batch.column(index));
        let fetched = batch.column_by_name("fetched").map(|column| column as &dyn Array);
        Ok(builder.add_sites(origins, outcomes, hashes, fetched)?)
    })?;
    Ok(builder.build())
}

fn read_bodies(path: &Path, builder: &mut TableBuilder, max_memory: usize) -> Result<()> {
    let (_, metadata) = open(path, &[])?;
    let schema: &Schema = metadata.schema();
    let (hash, body) = (require(path, schema, "hash")?, require(path, schema, "body")?);
    each(path, &["body"], builder, max_memory, |builder, batch| {
        Ok(builder.add_hashed_bodies(batch.column(hash), batch.column(body))?)
    })
}

/// Passes each batch of a file to a function, until the table exceeds its memory.
fn each(
    path: &Path,
    bodies: &[&str],
    builder: &mut TableBuilder,
    max_memory: usize,
    mut add: impl FnMut(&mut TableBuilder, &RecordBatch) -> Result<()>,
) -> Result<()> {
    let name = || file::name(path);
    let (input, metadata) = open(path, bodies)?;
    let reader =
        ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata).with_batch_size(BATCH_ROWS).build()?;
    for batch in reader {
        add(builder, &batch.with_context(|| format!("{} could not be read", name()))?).with_context(name)?;
        if builder.memory() > max_memory {
            bail!(
                "{}: expected files that take at most {} MiB when they are parsed, three quarters of --memory, found \
                 more: raise --memory, or divide the questions and the sites by origin",
                name(),
                max_memory >> 20
            );
        }
    }
    Ok(())
}
