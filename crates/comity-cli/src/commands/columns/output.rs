//! The output: row groups that threads encode, written in order.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowWriter, arrow_writer::ArrowWriterOptions};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::new_file::NewFile;

/// The size at which a row group is written, even if the part is not complete.
const MAX_GROUP_BYTES: usize = 4 << 20;

/// The size of a page. Each thread has one for each column.
const PAGE_BYTES: usize = 256 << 10;

/// The Parquet file of answers.
pub(super) struct Output {
    state: Mutex<State>,
    turn: Condvar,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    parts: usize,
}

struct State {
    writer: SerializedFileWriter<NewFile>,
    /// The part that is written next.
    next: usize,
    error: Option<anyhow::Error>,
}

/// A part of the output that is being encoded.
pub(super) struct Part<'o> {
    output: &'o Output,
    number: usize,
    columns: Vec<ArrowColumnWriter>,
    rows: usize,
}

impl Output {
    pub(super) fn new(file: NewFile, schema: SchemaRef, parts: usize) -> Result<Self> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_data_page_size_limit(PAGE_BYTES)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        for field in schema.fields() {
            // URLs are distinct, so looking for equal ones takes time for nothing.
            if field.name() == "url" {
                properties = properties.set_column_dictionary_enabled(ColumnPath::from("url"), false);
            }
        }
        let options = ArrowWriterOptions::new().with_properties(properties.build());
        let writer = ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options)?;
        let (writer, factory) = writer.into_serialized_writer()?;
        let state = Mutex::new(State { writer, next: 0, error: None });
        Ok(Self { state, turn: Condvar::new(), factory, schema, parts })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an encoder for a part.
    pub(super) fn part(&self, number: usize) -> Result<Part<'_>> {
        Ok(Part { output: self, number, columns: self.factory.create_column_writers(number)?, rows: 0 })
    }

    /// Stops all threads with the first error.
    pub(super) fn fail(&self, error: anyhow::Error) {
        self.lock().error.get_or_insert(error);
        self.turn.notify_all();
    }

    pub(super) fn has_failed(&self) -> bool {
        self.lock().error.is_some()
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<NewFile> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error {
            return Err(error);
        }
        if state.next != self.parts {
            bail!("{} of {} parts were answered: a thread has ended early", state.next, self.parts);
        }
        state.writer.into_inner().context("the output could not be written")
    }
}

impl Part<'_> {
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut columns = self.columns.iter_mut();
        for (field, column) in self.output.schema.fields().iter().zip(batch.columns()) {
            for leaf in compute_leaves(field, column)? {
                columns.next().context("the output has fewer columns than the answers")?.write(&leaf)?;
            }
        }
        self.rows += batch.num_rows();
        if self.columns.iter().map(ArrowColumnWriter::memory_size).sum::<usize>() > MAX_GROUP_BYTES {
            drop(self.flush()?);
        }
        Ok(())
    }

    /// Writes the rest of the part. The next part has its turn.
    pub(super) fn finish(mut self) -> Result<()> {
        let output = self.output;
        let mut state = self.flush()?;
        state.next += 1;
        drop(state);
        output.turn.notify_all();
        Ok(())
    }

    /// Writes the rows so far as a row group, when it is the turn of the part.
    fn flush(&mut self) -> Result<MutexGuard<'_, State>> {
        let chunks = if self.rows == 0 {
            Vec::new()
        } else {
            let columns = std::mem::replace(&mut self.columns, self.output.factory.create_column_writers(self.number)?);
            columns.into_iter().map(ArrowColumnWriter::close).collect::<Result<Vec<_>, _>>()?
        };
        self.rows = 0;
        let mut state = self.output.lock();
        while state.next != self.number {
            if state.error.is_some() {
                bail!("another thread failed");
            }
            state = self.output.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !chunks.is_empty() {
            let mut group = state.writer.next_row_group()?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close().context("the output could not be written")?;
        }
        Ok(state)
    }
}
