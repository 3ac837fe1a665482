//! Imports arrays of other libraries by the Arrow C data interface.
//!
//! An array may be from a file of a stranger, whose reader did not check it. So everything that the interface states is
//! checked before it is used: lengths, the numbers of buffers, and the offsets and sizes by which the lengths of buffers
//! are known. `comity-arrow` checks each offset, index and view when it reads a row.
//!
//! One thing cannot be checked here: the interface does not pass the sizes of the buffers that the length of the array
//! or its last offset imply. Only the library that made the array knows them.
//!
//! Nothing here needs Python, so the fuzz target `columns` includes this module.

#![expect(unsafe_code, reason = "the Arrow C data interface is made of pointers")]

use std::ffi::CStr;
use std::fmt::Display;

use arrow_array::ArrayRef;
use arrow_array::array::{make_array, new_empty_array};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{ArrowError, DataType};

fn invalid(expected: &str, found: impl Display) -> ArrowError {
    ArrowError::CDataInterface(format!("expected an Arrow array {expected}, found {found}"))
}

/// Imports an array of a type that a kernel can read, or of structs with one such field.
///
/// # Errors
///
/// If the array cannot have this type, or states what is impossible.
///
/// # Safety
///
/// The array must be from a producer of the interface: its pointers are valid or null, its buffers have as many bytes as
/// its length, its last offset and its sizes of buffers state, and they live until the array is released.
pub(crate) unsafe fn array(array: FFI_ArrowArray, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if array.is_empty() {
        // Its buffers need not exist.
        return Ok(new_empty_array(data_type));
    }
    // SAFETY: as the caller guarantees.
    unsafe { check(&array, data_type)? };
    // SAFETY: as the caller guarantees, and what a file can get wrong was checked.
    let data = unsafe { from_ffi_and_data_type(array, data_type.clone()) }?;
    data.validate()?;
    Ok(make_array(data))
}

/// Checks what an array states, as far as `from_ffi_and_data_type` relies on it.
///
/// # Safety
///
/// As for [`array`].
unsafe fn check(array: &FFI_ArrowArray, data_type: &DataType) -> Result<(), ArrowError> {
    let (layout, values) = match data_type {
        DataType::Dictionary(key, values) => (&**key, Some(&**values)),
        _ => (data_type, None),
    };
    let fields = match data_type {
        DataType::Struct(fields) => &**fields,
        _ => &[],
    };
    let [length, offset] = [array.len(), array.offset()].map(usize::cast_signed);
    let stated = || format!("a length of {length} and an offset of {offset}");
    let rows = rows(array, layout).ok_or_else(|| invalid("that fits into memory", stated()))?;
    let buffers = array.num_buffers();
    let is_right = match layout {
        DataType::Null => buffers == 0,
        DataType::Struct(_) => buffers == 1,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => buffers == 3,
        // The bits of nulls, the views, any number of buffers, and their sizes.
        DataType::Utf8View | DataType::BinaryView => (3..=i32::MAX as usize).contains(&buffers),
        _ => buffers == 2,
    };
    if !is_right || array.num_children() != fields.len() || array.dictionary().is_some() != values.is_some() {
        return Err(invalid(&format!("of {data_type}"), "one of another type"));
    }
    // SAFETY: as the caller guarantees, the buffers have these numbers of elements.
    unsafe {
        match layout {
            DataType::Utf8 | DataType::Binary if rows > 0 => last_offset(elements::<i32>(array, 1, rows + 1)?)?,
            DataType::LargeUtf8 | DataType::LargeBinary if rows > 0 => {
                last_offset(elements::<i64>(array, 1, rows + 1)?)?;
            }
            DataType::Utf8View | DataType::BinaryView if buffers > 3 => {
                let sizes = elements::<i64>(array, buffers - 1, buffers - 3)?;
                if let Some(size) = sizes.iter().find(|size| **size < 0) {
                    return Err(invalid("of views into buffers with sizes", size));
                }
            }
            _ => {}
        }
    }
    for (index, field) in fields.iter().enumerate() {
        // SAFETY: as the caller guarantees.
        unsafe { check(array.child(index), field.data_type())? };
    }
    if let (Some(values), Some(dictionary)) = (values, array.dictionary()) {
        // SAFETY: as the caller guarantees.
        unsafe { check(dictionary, values)? };
    }
    Ok(())
}

/// Returns the number of rows, with those before the offset. `None` if buffers of these rows cannot be in memory.
fn rows(array: &FFI_ArrowArray, layout: &DataType) -> Option<usize> {
    // The most bits of a row in a buffer: those of a view, unless the type states more.
    let bits = match *layout {
        DataType::FixedSizeBinary(bytes) => usize::try_from(bytes).ok()?.checked_mul(8)?.max(128),
        _ => 128,
    };
    let rows = array.len().checked_add(array.offset())?;
    isize::try_from(rows.checked_add(1)?.checked_mul(bits)?).ok()?;
    Some(rows)
}

/// Returns a buffer as numbers.
///
/// # Safety
///
/// The buffer must have this number of elements, or be null.
unsafe fn elements<T>(array: &FFI_ArrowArray, buffer: usize, len: usize) -> Result<&[T], ArrowError> {
    let start = array.buffer(buffer).cast::<T>();
    if start.is_null() || !start.is_aligned() {
        let expected = format!("whose buffer {buffer} is aligned to {} bytes", align_of::<T>());
        return Err(invalid(&expected, format!("it at {start:?}; copy the column")));
    }
    // SAFETY: as the caller guarantees; the pointer was checked.
    Ok(unsafe { std::slice::from_raw_parts(start, len) })
}

/// Checks the last offset, which is the length of the values.
fn last_offset<O: Copy + Into<i64>>(offsets: &[O]) -> Result<(), ArrowError> {
    match offsets.last().map(|last| (*last).into()) {
        Some(last) if last < 0 => Err(invalid("whose last offset is not negative", last)),
        _ => Ok(()),
    }
}

/// A stream of arrays of one type.
#[derive(Debug)]
pub(crate) struct Stream {
    stream: FFI_ArrowArrayStream,
    data_type: DataType,
}

impl Stream {
    /// Reads the type of a stream.
    ///
    /// # Errors
    ///
    /// If the producer states none.
    ///
    /// # Safety
    ///
    /// The stream must be from a producer of the interface, and its arrays as [`array`] needs them.
    pub(crate) unsafe fn new(mut stream: FFI_ArrowArrayStream) -> Result<Self, ArrowError> {
        let get_schema = stream.get_schema().filter(|_| stream.release().is_some());
        let get_schema = get_schema.ok_or_else(|| invalid("in a stream", "a stream that was already used"))?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream was not released, and the producer writes a schema into an empty one.
        let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
        if status != 0 {
            return Err(failed(&mut stream, status));
        }
        Ok(Self { stream, data_type: DataType::try_from(&schema)? })
    }

    pub(crate) fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Returns the next array, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the producer fails, or as [`array`].
    pub(crate) fn next(&mut self) -> Result<Option<ArrayRef>, ArrowError> {
        let Some(get_next) = self.stream.get_next() else { return Ok(None) };
        let mut next = FFI_ArrowArray::empty();
        // SAFETY: the stream was not released, and the producer writes an array into an empty one.
        let status = unsafe { get_next(&raw mut self.stream, &raw mut next) };
        if status != 0 {
            return Err(failed(&mut self.stream, status));
        }
        if next.is_released() {
            return Ok(None);
        }
        // SAFETY: as the caller of `new` guarantees.
        unsafe { array(next, &self.data_type) }.map(Some)
    }
}

/// Returns the error of a producer, with its message.
fn failed(stream: &mut FFI_ArrowArrayStream, status: i32) -> ArrowError {
    // SAFETY: the last call of the stream failed, so its message is valid until the next call.
    let message =
        stream.get_last_error().map(|message| unsafe { message(stream) }).filter(|message| !message.is_null());
    // SAFETY: as above.
    let message = message.map(|message| unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned());
    ArrowError::CDataInterface(message.unwrap_or_else(|| format!("the stream failed with status {status}")))
}
