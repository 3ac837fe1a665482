#![allow(dead_code, reason = "each test uses a part of it")]

//! The same values in every layout of a column, and answers as plain values.

use std::sync::Arc;

use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, LargeBinaryArray, LargeStringArray, PrimitiveArray,
    StringArray, StructArray,
};

pub(crate) type Values<'v> = [Option<&'v [u8]>];

/// The names of the layouts. The last four are for text only.
pub(crate) const LAYOUTS: [&str; 9] = [
    "binary",
    "large-binary",
    "binary-view",
    "dictionary-binary",
    "dictionary-u16-large",
    "utf8",
    "large-utf8",
    "utf8-view",
    "dictionary-utf8",
];

/// Returns the values in a layout; those of bytes, if they are not text.
pub(crate) fn column(layout: &str, values: &Values<'_>) -> ArrayRef {
    let text: Option<Vec<Option<&str>>> =
        values.iter().map(|value| value.map(std::str::from_utf8).transpose().ok()).collect();
    let values = || values.iter().copied();
    match (layout, text) {
        ("large-binary", _) => Arc::new(values().collect::<LargeBinaryArray>()),
        ("binary-view", _) => {
            let mut builder = BinaryViewBuilder::new().with_deduplicate_strings();
            builder.extend(values());
            Arc::new(builder.finish())
        }
        ("dictionary-binary", _) => {
            let (keys, distinct) = dictionary(values());
            let keys: Int32Array = keys.into_iter().map(|key| key.and_then(|key| i32::try_from(key).ok())).collect();
            Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(BinaryArray::from_opt_vec(distinct))))
        }
        ("dictionary-u16-large", _) => {
            let (keys, distinct) = dictionary(values());
            let keys: PrimitiveArray<UInt16Type> = keys.into_iter().map(|key| key.map(|key| key as u16)).collect();
            Arc::new(DictionaryArray::new(keys, Arc::new(distinct.into_iter().collect::<LargeBinaryArray>())))
        }
        ("utf8", Some(text)) => Arc::new(StringArray::from(text)),
        ("large-utf8", Some(text)) => Arc::new(LargeStringArray::from(text)),
        ("utf8-view", Some(text)) => {
            let mut builder = StringViewBuilder::new().with_deduplicate_strings();
            builder.extend(text);
            Arc::new(builder.finish())
        }
        ("dictionary-utf8", Some(text)) => Arc::new(text.into_iter().collect::<DictionaryArray<Int32Type>>()),
        _ => Arc::new(values().collect::<BinaryArray>()),
    }
}

/// Returns the key of each row, and the distinct values. The first value is null, and some rows refer to it.
fn dictionary<'v>(values: impl Iterator<Item = Option<&'v [u8]>>) -> (Vec<Option<usize>>, Vec<Option<&'v [u8]>>) {
    let mut distinct: Vec<Option<&[u8]>> = vec![None];
    let keys = values.enumerate().map(|(row, value)| match value {
        None if row % 2 == 0 => None,
        None => Some(0),
        Some(_) => Some(distinct.iter().position(|known| *known == value).unwrap_or_else(|| {
            distinct.push(value);
            distinct.len() - 1
        })),
    });
    (keys.collect(), distinct)
}

/// An answer: `allowed`, `line` and `reason`.
pub(crate) type Answer = (Option<bool>, Option<u32>, String);

pub(crate) fn answers(column: &StructArray) -> Vec<Answer> {
    let allowed = column.column(0).as_boolean();
    let line = column.column(1).as_primitive::<UInt32Type>();
    let reason = column.column(2).as_dictionary::<Int8Type>();
    let names = reason.values().as_string::<i32>();
    let value = |row: usize| {
        let line = line.is_valid(row).then(|| line.value(row));
        let reason = names.value(reason.key(row).expect("no reason is null"));
        (allowed.is_valid(row).then(|| allowed.value(row)), line, reason.to_owned())
    };
    (0..column.len()).map(value).collect()
}
