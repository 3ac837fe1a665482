//! The buffers through which text and bytes pass: one into the module, and one out of it.

use std::cell::RefCell;

use crate::export;
use crate::parts::Writer;

/// The maximum size of an input buffer that is kept for smaller inputs. `engine.ts` asks again for each larger one.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

export! {
    /// Returns the address of the input buffer, which has room for at least this number of bytes. A large buffer is
    /// released if a small one is enough.
    fn input(len: usize) -> *mut u8 {
        INPUT.with_borrow_mut(|input| {
            if input.len() < len || (len <= MAX_KEPT && MAX_KEPT < input.len()) {
                // Released first, since nothing in it is copied.
                *input = Vec::new();
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

#[cfg(test)]
mod tests {
    use comity::dialect::SizeLimit;
    use comity::{Dialect, READ_LIMIT};

    use super::*;

    #[test]
    fn the_package_copies_what_is_read_of_a_file() {
        let unlimited: Vec<&str> = Dialect::ALL
            .iter()
            .filter(|dialect| dialect.size_limit == SizeLimit::None)
            .map(|dialect| dialect.name)
            .collect();
        // `copied` in `body.ts`, and its caller in `file.ts`.
        assert_eq!((READ_LIMIT, &unlimited[..]), (512_002, &["google-parser"][..]));
    }

    #[test]
    fn a_large_input_buffer_is_released() {
        let size = || INPUT.with_borrow(|input| (input.len(), input.capacity()));
        input(4096);
        input(100);
        assert_eq!(size(), (4096, 4096));
        input(MAX_KEPT);
        input(4096);
        assert_eq!(size(), (MAX_KEPT, MAX_KEPT));
        input(50 * MAX_KEPT);
        input(20 * MAX_KEPT);
        assert_eq!(size(), (50 * MAX_KEPT, 50 * MAX_KEPT));
        input(4096);
        assert_eq!(size(), (4096, 4096));
    }
}
