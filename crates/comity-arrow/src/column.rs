//! Columns of text or bytes, in any of Arrow's layouts.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ByteArrayType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, BinaryViewArray, FixedSizeBinaryArray, GenericByteArray, OffsetSizeTrait, StringViewArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;

use crate::error::ColumnError;

/// A column of text or bytes. Text is read as bytes, since other programs may pass text that is not UTF-8.
#[derive(Debug)]
pub(crate) enum Column<'a> {
    Null,
    Offsets(Values<'a, i32>),
    LargeOffsets(Values<'a, i64>),
    Utf8View(&'a StringViewArray),
    BinaryView(&'a BinaryViewArray),
    FixedSizeBinary(&'a FixedSizeBinaryArray),
    /// The index of the value of each row, and the values.
    Dictionary(Vec<u32>, Box<Column<'a>>),
}

/// Values one after another, of text or bytes alike.
#[derive(Debug)]
pub(crate) struct Values<'a, O> {
    /// The start of each value, and the end of the last one.
    offsets: &'a [O],
    octets: &'a [u8],
    nulls: Option<&'a NullBuffer>,
}

impl<'a, O: OffsetSizeTrait> Values<'a, O> {
    fn new<T: ByteArrayType<Offset = O>>(array: &'a GenericByteArray<T>) -> Self {
        Self { offsets: array.value_offsets(), octets: array.value_data(), nulls: array.nulls() }
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        let [start, end] = *self.offsets.get(row..)?.first_chunk()?;
        self.octets.get(start.as_usize()..end.as_usize())
    }
}

/// The index of a row without a value.
const NO_VALUE: u32 = u32::MAX;

impl<'a> Column<'a> {
    /// Reads a column.
    ///
    /// # Errors
    ///
    /// If its type is neither text, bytes, nor a dictionary of these.
    pub(crate) fn new(name: &'static str, array: &'a dyn Array) -> Result<Self, ColumnError> {
        match array.data_type() {
            DataType::Dictionary(key, _) => Self::dictionary(name, key, array),
            _ => Self::flat(array).ok_or_else(|| ColumnError::of_type(name, array.data_type())),
        }
    }

    fn flat(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Offsets(Values::new(array.as_string_opt::<i32>()?)),
            DataType::LargeUtf8 => Self::LargeOffsets(Values::new(array.as_string_opt::<i64>()?)),
            DataType::Utf8View => Self::Utf8View(array.as_string_view_opt()?),
            DataType::Binary => Self::Offsets(Values::new(array.as_binary_opt::<i32>()?)),
            DataType::LargeBinary => Self::LargeOffsets(Values::new(array.as_binary_opt::<i64>()?)),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view_opt()?),
            DataType::FixedSizeBinary(_) => Self::FixedSizeBinary(array.as_fixed_size_binary_opt()?),
            _ => return None,
        })
    }

    fn dictionary(name: &'static str, key: &DataType, array: &'a dyn Array) -> Result<Self, ColumnError> {
        let found = match key {
            DataType::Int8 => values::<Int8Type>(array),
            DataType::Int16 => values::<Int16Type>(array),
            DataType::Int32 => values::<Int32Type>(array),
            DataType::Int64 => values::<Int64Type>(array),
            DataType::UInt8 => values::<UInt8Type>(array),
            DataType::UInt16 => values::<UInt16Type>(array),
            DataType::UInt32 => values::<UInt32Type>(array),
            DataType::UInt64 => values::<UInt64Type>(array),
            _ => None,
        };
        let of_type = || ColumnError::of_type(name, array.data_type());
        let (indexes, values) = found.ok_or_else(of_type)?;
        Ok(Self::Dictionary(indexes, Box::new(Self::flat(values).ok_or_else(of_type)?)))
    }

    /// Returns the value of a row, or `None` for null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            Self::Null => None,
            Self::Offsets(values) => values.get(row),
            Self::LargeOffsets(values) => values.get(row),
            Self::Utf8View(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Self::FixedSizeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary(indexes, values) => match indexes[row] {
                NO_VALUE => None,
                index => values.get(index as usize),
            },
        }
    }

    /// Returns true if rows with equal values may share them in memory, so that the address of a value is worth
    /// remembering.
    pub(crate) fn shares_values(&self) -> bool {
        matches!(self, Self::Dictionary(..) | Self::Utf8View(_) | Self::BinaryView(_))
    }
}

/// Returns the index of each row's value, and the values of a dictionary. Rows whose index is invalid have no value.
fn values<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Option<(Vec<u32>, &dyn Array)> {
    let array = array.as_dictionary_opt::<K>()?;
    let (keys, values) = (array.keys(), array.values());
    let index = |row: usize| {
        let index = keys.is_valid(row).then(|| keys.value(row).to_usize()).flatten();
        index.filter(|index| *index < values.len()).and_then(|index| u32::try_from(index).ok()).unwrap_or(NO_VALUE)
    };
    Some(((0..keys.len()).map(index).collect(), values.as_ref()))
}
