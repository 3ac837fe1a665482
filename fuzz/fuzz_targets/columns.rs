//! Any column as another library passes it by the Arrow C data interface: each row has the value that its buffers
//! contain, or none, and nothing outside of them is read.
//!
//! Each buffer is an allocation of its own, of exactly the size that the interface promises, so that the address sanitizer
//! finds each read outside of it. What a file can get wrong is taken from the input: lengths, offsets, indexes, views,
//! sizes, counts of nulls, and the numbers of buffers and children.

#![no_main]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{ArrowError, DataType, Field};
use comity::Crawler;
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table};
use libfuzzer_sys::fuzz_target;

#[path = "../../python/columns/src/foreign.rs"]
mod foreign;

fuzz_target!(|input: &[u8]| {
    let mut input = Input(input);
    let data_type = data_type(&mut input);
    Kernel::check_type("urls", &data_type).expect("the type is one of those that can be read");
    let kind = input.below(4);
    let data_type =
        if kind == 0 { DataType::Struct(vec![Field::new("url", data_type, true)].into()) } else { data_type };
    if kind == 1 {
        let (first, second) = (column(&mut input, &data_type, 0), column(&mut input, &data_type, 0));
        let values = [first.values(), second.values()];
        for (array, values) in stream(&data_type, [first, second]).into_iter().zip(values) {
            ask(&array, values.as_deref());
        }
    } else {
        let column = column(&mut input, &data_type, 0);
        let values = column.values();
        // SAFETY: the column has buffers of the sizes that it states.
        match unsafe { foreign::array(column.exported(), &data_type) } {
            Ok(array) => ask(&array, values.as_deref()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

/// Asks about a column in each place where one may be, whole and in parts.
fn ask(array: &ArrayRef, values: Option<&[Option<Vec<u8>>]>) {
    let array = array.as_struct_opt().map_or(array, |table| table.column(0));
    let (rows, crawler) = (array.len(), CrawlerColumn::One(Crawler::ANY));
    let mut kernel = Kernel::new();
    let reasons = |answers: &arrow_array::StructArray| -> Vec<String> {
        let reasons = answers.column(2).as_dictionary::<Int8Type>();
        let names: &StringArray = reasons.values().as_string();
        reasons.keys().iter().map(|key| names.value(key.expect("each row has a reason") as usize).to_owned()).collect()
    };
    let answers = kernel.check(&RobotsColumn::One(b""), array, &crawler).expect("the type can be read");
    let whole = reasons(&answers);
    if let Some(values) = values {
        let has_value: Vec<bool> = whole.iter().map(|reason| reason != "missing-input").collect();
        assert_eq!(has_value, values.iter().map(Option::is_some).collect::<Vec<_>>());
    }
    let part = array.slice(rows / 3, rows - rows / 3);
    let answers = kernel.check(&RobotsColumn::One(b""), &part, &crawler).expect("the type can be read");
    assert_eq!(reasons(&answers), whole[rows / 3..]);

    let urls = StringArray::from(vec!["/a"; rows]);
    let names: StringArray = (0..rows).map(|row| Some(format!("/{row}"))).collect();
    let table_of_names = Table::new(&names, array).expect("the type can be read");
    let table = match Table::new(array, array) {
        Ok(table) => table,
        // Keys that are one origin in two notations, so they have two bodies here.
        Err(error) => {
            assert!(error.to_string().starts_with("expected one body for each key"), "{error}");
            return;
        }
    };
    for robots in [
        RobotsColumn::Bodies(array),
        RobotsColumn::Keys(&table, array),
        RobotsColumn::Keys(&table_of_names, &names),
        RobotsColumn::Origins(&table),
    ] {
        let answers = kernel.check(&robots, &urls, &crawler).expect("the type can be read");
        assert_eq!(answers.len(), rows);
    }
    let crawlers = CrawlerColumn::Names(array);
    kernel.check(&RobotsColumn::One(b""), &urls, &crawlers).expect("the type can be read");
}

/// The rest of the input. Zero after its end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn next(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or_default()
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.next()) % limit
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next()).collect()
    }

    /// Returns a number that is mostly small, and sometimes one at which something ends.
    fn number(&mut self) -> i64 {
        const EDGES: [i64; 8] = [-1, i64::MIN, i64::MAX, 1 << 31, i32::MIN as i64, u32::MAX as i64, 2_000_000_000, 12];
        match self.next() {
            edge @ 0xf8.. => EDGES[usize::from(edge & 7)],
            number => i64::from(number & 0x3f),
        }
    }
}

/// Returns a type that can be read.
fn data_type(input: &mut Input<'_>) -> DataType {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let kind = input.next();
    let flat = match kind & 7 {
        0 => DataType::Utf8View,
        1 => DataType::BinaryView,
        2 => DataType::Utf8,
        3 => DataType::LargeUtf8,
        4 => DataType::Binary,
        5 => DataType::LargeBinary,
        6 => DataType::FixedSizeBinary(i32::from(kind >> 4)),
        _ => DataType::Null,
    };
    let keys = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
    if kind & 8 == 0 { flat } else { DataType::Dictionary(Box::new(keys[input.below(8)].clone()), Box::new(flat)) }
}

/// The `ArrowArray` of the interface, as its specification states it.
#[repr(C)]
struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut CArray,
    dictionary: *mut CArray,
    release: Option<unsafe extern "C" fn(*mut CArray)>,
    private_data: *mut c_void,
}

/// A column before it is exported.
struct Column {
    data_type: DataType,
    length: i64,
    offset: i64,
    null_count: i64,
    n_buffers: i64,
    n_children: i64,
    /// The buffers, of exactly their sizes and aligned to eight bytes.
    buffers: Vec<Option<Aligned>>,
    child: Option<Box<Column>>,
    dictionary: Option<Box<Column>>,
    /// True if it is right in all that the interface states, so that it must be read.
    is_right: bool,
}

/// Bytes in an allocation of exactly their number.
struct Aligned(*mut u8, std::alloc::Layout);

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let layout = std::alloc::Layout::from_size_align(bytes.len().max(1), 16).expect("the size is small");
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc(layout) };
        assert!(!start.is_null());
        // SAFETY: the allocation has at least this size.
        unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Self(start, layout)
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { std::alloc::dealloc(self.0, self.1) };
    }
}

/// Returns a column of a type with at least this number of rows, and buffers of the sizes that it states.
fn column(input: &mut Input<'_>, data_type: &DataType, least: usize) -> Column {
    let (rows, offset) = (least + input.below(24), input.below(4));
    let all = rows + offset;
    let mut buffers = Vec::new();
    let mut is_right = true;
    let layout = match data_type {
        DataType::Dictionary(key, _) => key,
        _ => data_type,
    };
    if *layout != DataType::Null {
        let has_nulls = input.next() & 3 == 0;
        buffers.push(has_nulls.then(|| Aligned::new(&input.bytes(all.div_ceil(8)))));
    }
    match layout {
        DataType::Null | DataType::Struct(_) => {}
        DataType::Utf8 | DataType::Binary => {
            is_right &= offsets(input, all, &mut buffers, |number| {
                i32::try_from(number).unwrap_or(i32::MIN).to_ne_bytes().to_vec()
            })
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            is_right &= offsets(input, all, &mut buffers, |number| number.to_ne_bytes().to_vec());
        }
        DataType::Utf8View | DataType::BinaryView => is_right &= views(input, all, &mut buffers),
        DataType::FixedSizeBinary(size) => {
            let bytes = input.bytes(all * usize::try_from(*size).expect("sizes are not negative"));
            buffers.push(Some(Aligned::new(&bytes)));
        }
        key => {
            let width = key.primitive_width().expect("keys are numbers");
            let keys = (0..all).flat_map(|_| input.number().to_ne_bytes()[..width].to_vec());
            buffers.push(Some(Aligned::new(&keys.collect::<Vec<_>>())));
        }
    }
    let child = match data_type {
        DataType::Struct(fields) => Some(Box::new(column(input, fields[0].data_type(), all))),
        _ => None,
    };
    let dictionary = match data_type {
        DataType::Dictionary(_, values) => Some(Box::new(column(input, values, 0))),
        _ => None,
    };
    is_right &= [&child, &dictionary].into_iter().flatten().all(|inner| inner.is_right);
    let mut column = Column {
        data_type: data_type.clone(),
        length: i64::try_from(rows).expect("there are few rows"),
        offset: i64::try_from(offset).expect("the offset is small"),
        null_count: -1,
        n_buffers: i64::try_from(buffers.len()).expect("there are few buffers"),
        n_children: i64::from(child.is_some()),
        buffers,
        child,
        dictionary,
        is_right,
    };
    // The interface promises no more than this, so each of these must be refused before a buffer is read.
    match input.next() {
        0xff => column.length = [-1, i64::MIN, i64::MAX, i64::MAX / 64][input.below(4)],
        0xfe => column.offset = [-1, i64::MIN, i64::MAX, i64::MAX / 64][input.below(4)],
        0xfd => column.n_buffers = [-1, 0, 1, 2, column.n_buffers - 1, i64::MAX][input.below(6)],
        0xfc => column.n_children = [-1, 2, i64::MAX][input.below(3)],
        0xfb => column.dictionary = None,
        // A wrong count of nulls.
        0xfa => column.null_count = input.number(),
        _ => return column,
    }
    column.is_right = false;
    column
}

/// Adds offsets, and values up to the last one. Returns true if they must be read.
fn offsets(
    input: &mut Input<'_>,
    rows: usize,
    buffers: &mut Vec<Option<Aligned>>,
    bytes: impl Fn(i64) -> Vec<u8>,
) -> bool {
    let is_rising = input.next() & 1 == 0;
    let mut end = 0;
    let mut offsets: Vec<i64> = (0..=rows).map(|_| input.number()).collect();
    if is_rising {
        for offset in &mut offsets {
            end += *offset & 0x1f;
            *offset = end;
        }
    }
    // The values have as many bytes as the last offset states, unless that cannot be.
    let last = offsets.last_mut().expect("there is one offset more than rows");
    *last = (*last).min(1 << 10);
    let is_right = is_rising && *last >= 0;
    let values = input.bytes(usize::try_from(*last).unwrap_or_default());
    buffers.push(Some(Aligned::new(&offsets.into_iter().flat_map(bytes).collect::<Vec<_>>())));
    buffers.push(Some(Aligned::new(&values)));
    is_right
}

/// Adds views, buffers, and their sizes. Returns true if they must be read.
fn views(input: &mut Input<'_>, rows: usize, buffers: &mut Vec<Option<Aligned>>) -> bool {
    let mut all = Vec::new();
    for _ in 0..rows {
        let [length, index, offset] = [input.number(), input.number() & !0x3c, input.number()];
        let prefix = input.bytes(4);
        for part in
            [&(length as u32).to_ne_bytes()[..], &prefix, &(index as u32).to_ne_bytes(), &(offset as u32).to_ne_bytes()]
        {
            all.extend_from_slice(part);
        }
    }
    buffers.push(Some(Aligned::new(&all)));
    let mut sizes: Vec<i64> = (0..input.below(4)).map(|_| input.number().min(128)).collect();
    for size in &sizes {
        let bytes = input.bytes(usize::try_from(*size).unwrap_or_default());
        buffers.push(Some(Aligned::new(&bytes)));
    }
    let is_right = sizes.iter().all(|size| *size >= 0);
    let sizes: Vec<u8> = sizes.drain(..).flat_map(i64::to_ne_bytes).collect();
    buffers.push(Some(Aligned::new(&sizes)));
    is_right
}

impl Column {
    fn buffer(&self, index: usize) -> &[u8] {
        self.buffers[index].as_ref().map_or(&[], |buffer| {
            // SAFETY: the allocation has this size.
            unsafe { std::slice::from_raw_parts(buffer.0, buffer.1.size()) }
        })
    }

    /// Returns the values that the buffers contain, as a naive reader finds them. `None` if the column need not be read.
    fn values(&self) -> Option<Vec<Option<Vec<u8>>>> {
        self.is_right.then(|| {
            let first = self.offset as usize;
            if let Some(child) = &self.child {
                return (first..first + self.length as usize).map(|row| child.value(row)).collect();
            }
            (0..self.length as usize).map(|row| self.value(row)).collect()
        })
    }

    fn value(&self, row: usize) -> Option<Vec<u8>> {
        let row = row + self.offset as usize;
        let number = |bytes: &[u8], at: usize, width: usize| {
            let bytes = bytes.get(at..at + width)?;
            let mut number = [0; 8];
            number[..width].copy_from_slice(bytes);
            Some(u64::from_ne_bytes(number))
        };
        if let Some(Some(_)) = self.buffers.first()
            && self.buffer(0)[row / 8] >> (row % 8) & 1 == 0
        {
            return None;
        }
        let of_offsets = |width: usize| {
            let start = number(self.buffer(1), row * width, width)? as usize;
            let end = number(self.buffer(1), (row + 1) * width, width)? as usize;
            Some(self.buffer(2)[start..end].to_vec())
        };
        match &self.data_type {
            DataType::Null | DataType::Struct(_) => None,
            DataType::Utf8 | DataType::Binary => of_offsets(4),
            DataType::LargeUtf8 | DataType::LargeBinary => of_offsets(8),
            DataType::FixedSizeBinary(size) => {
                let size = *size as usize;
                Some(self.buffer(1)[row * size..(row + 1) * size].to_vec())
            }
            DataType::Utf8View | DataType::BinaryView => {
                let field = |at| number(self.buffer(1), row * 16 + at, 4).map(|field| field as usize);
                let (length, index, offset) = (field(0)?, field(8)?, field(12)?);
                if length <= 12 {
                    return Some(self.buffer(1)[row * 16 + 4..row * 16 + 4 + length].to_vec());
                }
                let buffers = self.buffers.len() - 3;
                let size = number(self.buffer(buffers + 2), index.checked_mul(8).filter(|_| index < buffers)?, 8)?;
                (offset + length <= size as usize).then(|| self.buffer(2 + index)[offset..offset + length].to_vec())
            }
            DataType::Dictionary(key, _) => {
                let values = self.dictionary.as_ref()?;
                let width = key.primitive_width()?;
                let index = number(self.buffer(1), row * width, width)?;
                // A negative key has its highest bit set, and is larger than any dictionary here.
                (index < values.length as u64).then(|| values.value(index as usize))?
            }
            _ => None,
        }
    }

    /// Returns the column as a producer passes it.
    fn exported(self) -> FFI_ArrowArray {
        let exported = Box::into_raw(self.into_c());
        // SAFETY: both structures have the layout that the specification states. The first is moved out.
        unsafe {
            let moved = FFI_ArrowArray::from_raw(exported.cast());
            drop(Box::from_raw(exported));
            moved
        }
    }

    fn into_c(mut self) -> Box<CArray> {
        let children: Vec<*mut CArray> =
            self.child.take().into_iter().map(|child| Box::into_raw(child.into_c())).collect();
        let dictionary = self.dictionary.take().map_or(null_mut(), |dictionary| Box::into_raw(dictionary.into_c()));
        let pointers: Vec<*const c_void> = self
            .buffers
            .iter()
            .map(|buffer| buffer.as_ref().map_or(null(), |buffer| buffer.0.cast_const().cast()))
            .collect();
        let (length, offset, null_count) = (self.length, self.offset, self.null_count);
        let (n_buffers, n_children) = (self.n_buffers, self.n_children);
        let mut owner = Box::new(Owner { _column: self, pointers, children, dictionary });
        Box::new(CArray {
            length,
            null_count,
            offset,
            n_buffers,
            n_children,
            buffers: owner.pointers.as_mut_ptr(),
            children: owner.children.as_mut_ptr(),
            dictionary,
            release: Some(release),
            private_data: Box::into_raw(owner).cast(),
        })
    }
}

/// The buffers and structures that an exported column owns.
struct Owner {
    _column: Column,
    pointers: Vec<*const c_void>,
    children: Vec<*mut CArray>,
    dictionary: *mut CArray,
}

unsafe extern "C" fn release(array: *mut CArray) {
    // SAFETY: the consumer calls this once, with an exported array.
    unsafe {
        (*array).release = None;
        let owner = Box::from_raw((*array).private_data.cast::<Owner>());
        for inner in owner.children.iter().copied().chain([owner.dictionary]) {
            if !inner.is_null() {
                release(inner);
                drop(Box::from_raw(inner));
            }
        }
    }
}

/// A stream: its type, and the arrays that are left, the last one first.
struct Producer {
    data_type: DataType,
    arrays: Vec<FFI_ArrowArray>,
}

/// Passes columns as a stream, up to the first one that is refused.
fn stream(data_type: &DataType, columns: [Column; 2]) -> Vec<ArrayRef> {
    let arrays = columns.into_iter().rev().map(Column::exported).collect();
    let producer = Box::into_raw(Box::new(Producer { data_type: data_type.clone(), arrays }));
    // SAFETY: the functions are those of this producer.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release_stream),
            producer.cast(),
        )
    };
    // SAFETY: the columns have buffers of the sizes that they state.
    let mut stream = unsafe { foreign::Stream::new(stream) }.expect("the producer states a type");
    assert_eq!(stream.data_type(), data_type);
    let mut arrays = Vec::new();
    loop {
        match stream.next() {
            Ok(Some(array)) => arrays.push(array),
            Ok(None) => return arrays,
            Err(error) => {
                assert!(
                    matches!(error, ArrowError::CDataInterface(_) | ArrowError::InvalidArgumentError(_)),
                    "{error}"
                );
                return arrays;
            }
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: the private data is the producer, and the consumer passes an empty schema.
    unsafe {
        let producer = &*(*stream).private_data().cast::<Producer>();
        *out = FFI_ArrowSchema::try_from(&producer.data_type).expect("each type has a schema");
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as above.
    unsafe {
        let producer = &mut *(*stream).private_data().cast::<Producer>();
        *out = producer.arrays.pop().unwrap_or_else(FFI_ArrowArray::empty);
    }
    0
}

unsafe extern "C" fn get_last_error(_: *mut FFI_ArrowArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the consumer calls this once.
    unsafe {
        drop(Box::from_raw((*stream).private_data().cast::<Producer>()));
        (*stream).set_release(None);
    }
}
