//! The input: a Parquet file of questions, read in parts.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use comity_arrow::{CrawlerColumn, Kernel};
use comity_report::CrawlerQuery;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use super::{BATCH_ROWS, PART_ROWS};
use crate::args::Columns;
use crate::input::file;

/// A Parquet file of questions.
pub(super) struct Questions {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    parts: Vec<PartRows>,
    agent: Option<CrawlerQuery>,
    url: usize,
    origin: Option<usize>,
    robots: Option<usize>,
    crawler: Option<usize>,
    /// The columns that are copied to the output.
    copied: Vec<usize>,
    output: SchemaRef,
}

/// The rows of a part: some of a row group.
struct PartRows {
    group: usize,
    start: usize,
    rows: usize,
}

/// Opens a Parquet file. Bodies are read as views, so that rows share them in memory.
pub(super) fn open(path: &Path, bodies: &[&str]) -> Result<(File, ArrowReaderMetadata)> {
    let name = || file::name(path);
    let input = File::open(path).with_context(|| format!("{} could not be opened", name()))?;
    let read = |options| {
        ArrowReaderMetadata::load(&input, options).with_context(|| format!("{}: expected a Parquet file", name()))
    };
    let metadata = read(ArrowReaderOptions::new())?;
    let schema = metadata.schema();
    let as_views: Vec<_> = schema.fields().iter().map(|field| as_view(field, bodies)).collect();
    let views = Schema::new(as_views).with_metadata(schema.metadata().clone());
    let metadata =
        if views == **schema { metadata } else { read(ArrowReaderOptions::new().with_schema(views.into()))? };
    Ok((input, metadata))
}

fn as_view(field: &Arc<Field>, names: &[&str]) -> Arc<Field> {
    if !names.contains(&&**field.name()) {
        return Arc::clone(field);
    }
    let view = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, values) => match **values {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return Arc::clone(field),
        },
        _ => return Arc::clone(field),
    };
    Arc::new(field.as_ref().clone().with_data_type(view))
}

/// Returns the place of a column, if it is there.
///
/// # Errors
///
/// If it is neither text nor binary data.
pub(super) fn find(path: &Path, schema: &Schema, name: &str) -> Result<Option<usize>> {
    let Some((index, field)) = schema.column_with_name(name) else { return Ok(None) };
    if !is_text(field.data_type()) {
        let (file, found) = (file::name(path), field.data_type());
        bail!("{file}: expected strings or binary data in the column `{name}`, found {found}: cast it to strings");
    }
    Ok(Some(index))
}

/// Returns the place of a column.
///
/// # Errors
///
/// If it is not there, or is neither text nor binary data.
pub(super) fn require(path: &Path, schema: &Schema, name: &str) -> Result<usize> {
    if let Some(index) = find(path, schema, name)? {
        return Ok(index);
    }
    let found: Vec<_> =
        schema.fields().iter().map(|field| format!("`{}` ({})", field.name(), field.data_type())).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    bail!("{}: expected a column `{name}`, found {found}: rename the column that has it", file::name(path))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => {
            other.is_string() || other.is_binary() || matches!(other, DataType::FixedSizeBinary(_) | DataType::Null)
        }
    }
}

impl Questions {
    pub(super) fn open(path: &Path, columns: &Columns, agent: Option<CrawlerQuery>) -> Result<Self> {
        let (_, metadata) = open(path, &["robots"])?;
        let schema = Arc::clone(metadata.schema());
        let by_sites = columns.robots.is_some();
        let url = require(path, &schema, "url")?;
        let robots = if by_sites { None } else { Some(require(path, &schema, "robots")?) };
        let origin = if by_sites { find(path, &schema, "origin")? } else { None };
        let crawler = find(path, &schema, "crawler")?;
        match (&agent, crawler) {
            (None, None) => bail!("expected --agent, since {} has no column `crawler`", file::name(path)),
            (Some(_), Some(_)) => {
                bail!("expected no --agent, since {} has a column `crawler`: drop one of them", file::name(path))
            }
            _ => {}
        }
        let is_copied = |index: &usize| !columns.only_answers && schema.field(*index).name() != "robots";
        let copied: Vec<usize> = (0..schema.fields().len()).filter(is_copied).collect();
        let mut fields: Vec<_> = copied.iter().map(|index| Arc::clone(&schema.fields()[*index])).collect();
        for field in &Kernel::fields() {
            if fields.iter().any(|other| other.name() == field.name()) {
                let (file, name) = (file::name(path), field.name());
                bail!(
                    "{file}: expected no column `{name}`, since the output has one: rename it, or add --only-answers"
                );
            }
            fields.push(Arc::clone(field));
        }
        let mut parts = Vec::new();
        for (group, rows) in metadata.metadata().row_groups().iter().enumerate() {
            let rows = usize::try_from(rows.num_rows()).unwrap_or_default();
            let starts = (0..rows).step_by(PART_ROWS);
            parts.extend(starts.map(|start| PartRows { group, start, rows: PART_ROWS.min(rows - start) }));
        }
        let output = Arc::new(Schema::new(fields));
        Ok(Self { path: path.to_owned(), metadata, parts, agent, url, origin, robots, crawler, copied, output })
    }

    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.rows).sum()
    }

    pub(super) fn output_schema(&self) -> SchemaRef {
        Arc::clone(&self.output)
    }

    /// Reads a part. Threads do not share files, whose position they would move.
    pub(super) fn read(&self, part: usize) -> Result<ParquetRecordBatchReader> {
        let PartRows { group, start, rows } = self.parts[part];
        let input = File::open(&self.path)?;
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(input, self.metadata.clone())
            .with_row_groups(vec![group])
            .with_offset(start)
            .with_limit(rows)
            .with_batch_size(BATCH_ROWS)
            .build()?)
    }

    pub(super) fn urls<'b>(&self, batch: &'b RecordBatch) -> &'b dyn Array {
        batch.column(self.url)
    }

    pub(super) fn origins<'b>(&self, batch: &'b RecordBatch) -> Option<&'b dyn Array> {
        self.origin.map(|index| batch.column(index) as &dyn Array)
    }

    pub(super) fn robots<'b>(&self, batch: &'b RecordBatch) -> Option<&'b dyn Array> {
        self.robots.map(|index| batch.column(index) as &dyn Array)
    }

    pub(super) fn crawlers<'b>(&'b self, batch: &'b RecordBatch) -> CrawlerColumn<'b> {
        match (self.crawler, &self.agent) {
            (None, Some(agent)) => CrawlerColumn::One(agent.as_crawler()),
            (Some(index), _) => CrawlerColumn::Names(batch.column(index)),
            (None, None) => CrawlerColumn::One(comity::Crawler::ANY),
        }
    }

    /// Returns the rows of the output.
    pub(super) fn with_answers(&self, batch: &RecordBatch, answers: &StructArray) -> Result<RecordBatch> {
        let copied = self.copied.iter().map(|index| Arc::clone(batch.column(*index)));
        let columns = copied.chain(answers.columns().iter().map(Arc::clone)).collect();
        Ok(RecordBatch::try_new(self.output_schema(), columns)?)
    }
}
