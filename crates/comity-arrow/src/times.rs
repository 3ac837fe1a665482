//! Columns of times.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use crate::error::ColumnError;

/// A column of times: timestamps, or integers of a unit that the caller knows. A column of nulls has no times.
#[derive(Debug)]
pub(crate) struct Times<'a> {
    numbers: Option<(&'a [i64], &'a dyn Array)>,
    /// The nanoseconds of a unit of the column.
    unit: i128,
}

impl<'a> Times<'a> {
    /// Checks whether a type is one of times.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub(crate) fn check_type(name: &'static str, data_type: &DataType) -> Result<(), ColumnError> {
        match data_type {
            DataType::Null | DataType::Int64 | DataType::Timestamp(..) => Ok(()),
            other => Err(ColumnError::of_time_type(name, other)),
        }
    }

    /// Reads a column.
    ///
    /// # Errors
    ///
    /// If it has another type.
    pub(crate) fn new(name: &'static str, array: &'a dyn Array) -> Result<Self, ColumnError> {
        let (numbers, unit) = match array.data_type() {
            DataType::Null => (None, 1),
            DataType::Int64 => (numbers::<Int64Type>(array), 1),
            DataType::Timestamp(TimeUnit::Second, _) => (numbers::<TimestampSecondType>(array), 1_000_000_000),
            DataType::Timestamp(TimeUnit::Millisecond, _) => (numbers::<TimestampMillisecondType>(array), 1_000_000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => (numbers::<TimestampMicrosecondType>(array), 1_000),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => (numbers::<TimestampNanosecondType>(array), 1),
            other => return Err(ColumnError::of_time_type(name, other)),
        };
        Ok(Self { numbers: numbers.map(|numbers| (numbers, array)), unit })
    }

    /// Returns the time of a row. Timestamps are in nanoseconds, so that those of different units can be compared.
    pub(crate) fn get(&self, row: usize) -> Option<i128> {
        let (numbers, array) = self.numbers?;
        let number = *numbers.get(row).filter(|_| array.is_valid(row))?;
        Some(i128::from(number) * self.unit)
    }
}

fn numbers<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array) -> Option<&[i64]> {
    array.as_primitive_opt::<T>().map(|array: &PrimitiveArray<T>| &**array.values())
}
