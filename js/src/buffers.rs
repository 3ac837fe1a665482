//! The buffers through which text and bytes pass: one into the module, and one out of it.

use std::cell::RefCell;

use crate::export;
use crate::parts::Writer;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

export! {
    /// Returns the address of the input buffer, which has room for at least this number of bytes.
    fn input(len: usize) -> *mut u8 {
        INPUT.with_borrow_mut(|input| {
            if input.len() < len {
                input.resize(len, 0);
            }
            input.as_mut_ptr()
        })
    }

    /// Returns the address of the output.
    fn output() -> *const u8 {
        OUTPUT.with_borrow(Vec::as_ptr)
    }

    /// Returns the length of the output.
    fn output_len() -> usize {
        OUTPUT.with_borrow(Vec::len)
    }
}

/// Calls a function with the first bytes of the input.
///
/// # Panics
///
/// Panics if the buffer has fewer bytes: a shorter file could allow what the whole file disallows.
pub(crate) fn with_input<R>(len: usize, read: impl FnOnce(&[u8]) -> R) -> R {
    INPUT.with_borrow(|input| read(&input[..len]))
}

/// Sets the output.
pub(crate) fn set_output(parts: Writer) {
    set_output_bytes(parts.into_bytes());
}

/// Sets the output to other bytes than parts.
pub(crate) fn set_output_bytes(bytes: Vec<u8>) {
    OUTPUT.with_borrow_mut(|output| *output = bytes);
}
