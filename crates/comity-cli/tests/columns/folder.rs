//! A folder of Parquet files, and answers as plain values.

use std::fs::{self, File};
use std::process::{Command, Output};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt32Type};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

pub(crate) const ROBOTS: &str = "User-agent: *\nDisallow: /a\n";

/// A folder with Parquet files, in which the command runs.
pub(crate) struct Folder(tempfile::TempDir);

/// An answer: `allowed`, `line` and `reason`.
pub(crate) type Answer = (Option<bool>, Option<u32>, String);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, columns: Vec<(&str, ArrayRef)>, group_rows: usize) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
        let file = File::create(self.path(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_comity"));
        command.args(words).current_dir(self.0.path());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs a command that succeeds, and returns what it writes to standard error.
    pub(crate) fn succeed(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {error}");
        error
    }

    /// Runs a command that fails, and returns its message.
    pub(crate) fn fail(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        error
    }

    pub(crate) fn batches(&self, name: &str) -> Vec<RecordBatch> {
        let file = File::open(self.path(name)).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
    }

    pub(crate) fn answers(&self, name: &str) -> Vec<Answer> {
        self.batches(name).iter().flat_map(answers).collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(crate) fn answers(batch: &RecordBatch) -> Vec<Answer> {
    let column = |name| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    let (allowed, line) = (column("allowed").as_boolean(), column("line").as_primitive::<UInt32Type>());
    let reason = column("reason").as_dictionary::<Int8Type>();
    let reason = reason.downcast_dict::<StringArray>().unwrap();
    let answer = |((allowed, line), reason): ((_, _), Option<&str>)| (allowed, line, reason.unwrap().to_owned());
    allowed.iter().zip(line.iter()).zip(reason).map(answer).collect()
}

pub(crate) fn text(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}
