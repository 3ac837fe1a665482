//! Arrow arrays from and to other libraries, by the Arrow PyCapsule interface.

#![expect(unsafe_code, reason = "the Arrow C data interface is made of pointers")]

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, DataType, Schema};
use comity_arrow::{ColumnError, Kernel};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::foreign;

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns true if an object is an Arrow array, or a column or a table of a library with the PyCapsule interface.
pub(crate) fn is_column(object: &Bound<'_, PyAny>) -> bool {
    ["__arrow_c_array__", "__arrow_c_stream__"].iter().any(|name| object.hasattr(*name).unwrap_or(false))
}

/// Checks whether the type of a column is one that can be read.
pub(crate) type CheckType = fn(&'static str, &DataType) -> Result<(), ColumnError>;

/// Reads a column of text or bytes: its chunks.
pub(crate) fn read(name: &'static str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    read_as(name, object, Kernel::check_type)
}

/// Reads a column of other types: its chunks.
pub(crate) fn read_as(name: &'static str, object: &Bound<'_, PyAny>, is_right: CheckType) -> PyResult<Vec<ArrayRef>> {
    let object = &validated(object)?;
    let chunks = if object.hasattr("__arrow_c_array__")? {
        vec![read_array(name, object, is_right)?]
    } else if object.hasattr("__arrow_c_stream__")? {
        read_stream(name, object, is_right)?
    } else {
        return Err(PyTypeError::new_err(format!(
            "expected {name} as an Arrow column, such as a pyarrow.Array, or a Series of Polars or pandas, found {}; \
             pyarrow.array(values) converts a list",
            object.get_type().name()?
        )));
    };
    Ok(chunks.into_iter().map(only_column).collect())
}

/// Lets pyarrow validate its own arrays, also those of pandas, without looking at each value.
///
/// The interface passes no sizes of most buffers, so only the library that made an array knows whether they are large
/// enough. pyarrow reads an IPC file with a wrong number of rows without an error, and validates arrays only if asked.
fn validated<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mut object = object.clone();
    if is_of(&object, "pandas")? && object.hasattr("array")? {
        // As pandas itself makes the stream of a Series.
        object = object.py().import("pyarrow")?.call_method1("array", (object,))?;
    }
    if is_of(&object, "pyarrow")? {
        if object.hasattr("read_all")? {
            object = object.call_method0("read_all")?;
        }
        if object.hasattr("validate")? {
            object.call_method0("validate")?;
        }
    }
    Ok(object)
}

/// Returns true if the class of an object, or one of its base classes, is of a library.
fn is_of(object: &Bound<'_, PyAny>, library: &str) -> PyResult<bool> {
    for class in object.get_type().mro() {
        let module: String = class.getattr("__module__")?.extract()?;
        if module.split('.').next() == Some(library) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read_array(name: &'static str, object: &Bound<'_, PyAny>, is_right: CheckType) -> PyResult<ArrayRef> {
    let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
    let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?;
    let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?.pointer_checked(Some(ARRAY))?;
    // SAFETY: the names of the capsules state that they contain these structures, which are valid as long as the capsules
    // are. Moving them out leaves released structures, which the capsules do not release again.
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.cast().as_ptr()), FFI_ArrowArray::from_raw(array.cast().as_ptr())) };
    if array.is_released() || schema.release().is_none() {
        return Err(PyValueError::new_err("expected an Arrow array, found one that was already used"));
    }
    let data_type = DataType::try_from(&schema).map_err(failed)?;
    check_type(name, &data_type, is_right)?;
    // SAFETY: the array is from a producer of the interface.
    unsafe { foreign::array(array, &data_type) }.map_err(failed)
}

fn read_stream(name: &'static str, object: &Bound<'_, PyAny>, is_right: CheckType) -> PyResult<Vec<ArrayRef>> {
    let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: as above.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    // SAFETY: as above.
    let mut stream = unsafe { foreign::Stream::new(stream) }.map_err(failed)?;
    check_type(name, stream.data_type(), is_right)?;
    let mut chunks = Vec::new();
    while let Some(chunk) = stream.next().map_err(failed)? {
        chunks.push(chunk);
    }
    Ok(chunks)
}

/// Checks whether a type is one of a column, or of a table with one column.
fn check_type(name: &'static str, data_type: &DataType, is_right: CheckType) -> PyResult<()> {
    let column = match data_type {
        DataType::Struct(fields) if fields.len() == 1 => fields[0].data_type(),
        DataType::Struct(fields) => {
            let names: Vec<_> = fields.iter().map(|field| &**field.name()).collect();
            return Err(PyTypeError::new_err(format!(
                "expected {name} as one column, found a table of {}: pass one of its columns",
                names.join(", ")
            )));
        }
        _ => data_type,
    };
    is_right(name, column).map_err(|error| PyTypeError::new_err(error.to_string()))
}

/// Returns the column of a table with one column, and other arrays as they are.
fn only_column(array: ArrayRef) -> ArrayRef {
    match array.as_struct_opt() {
        Some(table) => ArrayRef::clone(table.column(0)),
        None => array,
    }
}

/// Returns the capsules of an array: its schema, and the array.
pub(crate) fn array<'py>(py: Python<'py>, array: &StructArray) -> PyResult<Bound<'py, PyTuple>> {
    let (array, schema) = to_ffi(&array.to_data()).map_err(failed)?;
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, array, ARRAY)?;
    PyTuple::new(py, [schema, array])
}

/// Returns the capsule of a type.
pub(crate) fn schema<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(data_type).map_err(failed)?, SCHEMA)
}

/// Returns the capsule of a stream of one batch, whose columns are those of the array.
pub(crate) fn stream<'py>(py: Python<'py>, array: &StructArray) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = Schema::new(array.fields().clone());
    let batch = RecordBatch::from(array.clone());
    let batches = RecordBatchIterator::new([Ok(batch)], schema.into());
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}
