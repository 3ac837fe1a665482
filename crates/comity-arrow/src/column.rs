//! Columns of text or bytes, in any of Arrow's layouts.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ByteArrayType, ByteViewType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, ToByteSlice};
use arrow_schema::DataType;

use crate::error::ColumnError;

/// A column of text or bytes. Text is read as bytes, since other programs may pass text that is not UTF-8.
#[derive(Debug)]
pub(crate) enum Column<'a> {
    Null,
    Offsets(Values<'a, i32>),
    LargeOffsets(Values<'a, i64>),
    Views(Views<'a>),
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

/// Values that views describe, of text or bytes alike.
///
/// A file of somebody else can contain views that lead out of their buffers, and libraries pass them on without looking
/// at them. `GenericByteViewArray::value` trusts them: it would read foreign memory, or end the process.
#[derive(Debug)]
pub(crate) struct Views<'a> {
    places: &'a [u128],
    buffers: &'a [Buffer],
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Views<'a> {
    /// The length of the longest value that a view itself contains, in bytes.
    const MAX_INLINE: usize = 12;

    fn new<T: ByteViewType + ?Sized>(array: &'a GenericByteViewArray<T>) -> Self {
        Self { places: array.views(), buffers: array.data_buffers(), nulls: array.nulls() }
    }

    /// Returns the value of a row, or `None` if it is null, or if its view leads out of the buffers.
    #[inline]
    fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        let view = self.places.get(row)?;
        let [length, buffer, offset] = [0, 64, 96].map(|bits| (view >> bits) as u32 as usize);
        if length <= Self::MAX_INLINE {
            return view.to_byte_slice().get(4..4 + length);
        }
        self.buffers.get(buffer)?.get(offset..offset.checked_add(length)?)
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

    /// Returns true if columns of a type can be read.
    pub(crate) fn has_layout(data_type: &DataType) -> bool {
        match data_type {
            DataType::Dictionary(key, values) => key.is_dictionary_key_type() && Self::is_flat(values),
            _ => Self::is_flat(data_type),
        }
    }

    fn is_flat(data_type: &DataType) -> bool {
        matches!(
            data_type,
            DataType::Null
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
        )
    }

    fn flat(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Utf8 => Self::Offsets(Values::new(array.as_string_opt::<i32>()?)),
            DataType::LargeUtf8 => Self::LargeOffsets(Values::new(array.as_string_opt::<i64>()?)),
            DataType::Utf8View => Self::Views(Views::new(array.as_string_view_opt()?)),
            DataType::Binary => Self::Offsets(Values::new(array.as_binary_opt::<i32>()?)),
            DataType::LargeBinary => Self::LargeOffsets(Values::new(array.as_binary_opt::<i64>()?)),
            DataType::BinaryView => Self::Views(Views::new(array.as_binary_view_opt()?)),
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
            Self::Views(values) => values.get(row),
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
        matches!(self, Self::Dictionary(..) | Self::Views(_))
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

#[cfg(test)]
mod tests {
    use arrow_array::{BinaryViewArray, new_empty_array};

    use super::*;

    const URL: &[u8] = b"/private/open/and/more/";

    /// Returns a view of a value of this length, at an offset of a buffer.
    fn view(length: u32, buffer: u32, offset: u32) -> u128 {
        u128::from(length) | u128::from(buffer) << 64 | u128::from(offset) << 96
    }

    #[test]
    fn views_that_lead_out_of_their_buffers_have_no_value() {
        let buffers = [Buffer::from(URL)];
        let length = u32::try_from(URL.len()).unwrap();
        let hostile = [
            (20, 7, 0),
            (20, u32::MAX, 0),
            (20, 1, 0),
            (20, 0, 2_000_000_000),
            (20, 0, u32::MAX),
            (length, 0, 1),
            (length + 1, 0, 0),
            (1_000_000_000, 0, 0),
            (u32::MAX, 0, 0),
            (u32::MAX, 0, u32::MAX),
            (1 << 31, 0, 0),
        ];
        let views: Vec<u128> =
            hostile.into_iter().map(|(length, buffer, offset)| view(length, buffer, offset)).collect();
        let values = Views { places: &views, buffers: &buffers, nulls: None };
        for (row, found) in hostile.iter().enumerate() {
            assert_eq!(values.get(row), None, "{found:?}");
        }
        // A row after the last view.
        assert_eq!(values.get(views.len()), None);
        // The value of a view that is right, and of one at the end of its buffer.
        let right = [view(length, 0, 0), view(13, 0, length - 13)];
        let values = Views { places: &right, buffers: &buffers, nulls: None };
        assert_eq!((values.get(0), values.get(1)), (Some(URL), Some(&URL[URL.len() - 13..])));
    }

    #[test]
    fn views_are_read_as_arrow_reads_them() {
        let texts: Vec<Vec<u8>> = (0..=40).map(|length| (0..length).collect()).collect();
        let array: BinaryViewArray = texts.iter().map(|text| (text.len() % 7 != 3).then_some(text)).collect();
        let sliced = array.slice(5, 30);
        for array in [&array, &sliced] {
            let values = Views::new(array);
            for row in 0..array.len() {
                assert_eq!(values.get(row), array.is_valid(row).then(|| array.value(row)), "{row}");
            }
        }
    }

    #[test]
    fn a_column_can_be_read_exactly_if_its_type_has_a_layout() {
        let integers = [DataType::Int8, DataType::UInt64, DataType::Utf8, DataType::Boolean];
        let flat = [
            DataType::Null,
            DataType::Utf8,
            DataType::LargeUtf8,
            DataType::Utf8View,
            DataType::Binary,
            DataType::LargeBinary,
            DataType::BinaryView,
            DataType::FixedSizeBinary(3),
            DataType::Int32,
            DataType::Boolean,
            DataType::new_list(DataType::Utf8, true),
        ];
        let dictionaries = integers[..2].iter().flat_map(|key| {
            flat.iter().map(|values| DataType::Dictionary(Box::new(key.clone()), Box::new(values.clone())))
        });
        let mut can_be_read = 0;
        for data_type in flat.iter().cloned().chain(dictionaries) {
            let array = new_empty_array(&data_type);
            let is_read = Column::new("urls", &array).is_ok();
            assert_eq!(Column::has_layout(&data_type), is_read, "{data_type}");
            can_be_read += usize::from(is_read);
        }
        assert_eq!(can_be_read, 3 * 8);
        let text = Box::new(DataType::Utf8);
        let nested = DataType::Dictionary(Box::new(DataType::Int8), text.clone());
        assert!(!Column::has_layout(&DataType::Dictionary(text.clone(), text)));
        assert!(!Column::has_layout(&DataType::Dictionary(Box::new(DataType::Int8), Box::new(nested))));
    }
}
