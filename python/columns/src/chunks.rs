//! Columns in chunks. Columns of the same rows may have chunks of different lengths.

use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns the number of rows of a column.
pub(crate) fn rows(chunks: &[ArrayRef]) -> usize {
    chunks.iter().map(Array::len).sum()
}

/// Divides columns into chunks that have the same rows. Nothing is copied.
pub(crate) fn aligned<const N: usize>(names: [&str; N], columns: [&[ArrayRef]; N]) -> PyResult<Vec<[ArrayRef; N]>> {
    let lengths = columns.map(rows);
    if let Some(other) = (1..N).find(|index| lengths[*index] != lengths[0]) {
        return Err(PyValueError::new_err(format!(
            "expected columns of the same length, found {} {} and {} {}",
            lengths[0], names[0], lengths[other], names[other]
        )));
    }
    let mut rest: [Vec<ArrayRef>; N] =
        columns.map(|chunks| chunks.iter().rev().filter(|chunk| !chunk.is_empty()).cloned().collect());
    let mut aligned = Vec::new();
    loop {
        let Some(len) = rest.iter().map(|chunks| chunks.last().map_or(0, Array::len)).min().filter(|len| *len > 0)
        else {
            return Ok(aligned);
        };
        aligned.push(rest.each_mut().map(|chunks| take(chunks, len)));
    }
}

/// Takes this number of rows from the last chunk, which has at least as many.
fn take(chunks: &mut Vec<ArrayRef>, len: usize) -> ArrayRef {
    let Some(chunk) = chunks.pop() else { return arrow_array::new_empty_array(&arrow_schema::DataType::Null) };
    if chunk.len() > len {
        chunks.push(chunk.slice(len, chunk.len() - len));
    }
    chunk.slice(0, len)
}
