//! An allocator that counts allocations on request.

#![expect(unsafe_code, reason = "an allocator cannot be written without; it only counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

/// The system's allocator with counters. While they are off, each call costs one predictable branch, for all
/// participants alike.
#[derive(Debug)]
pub(crate) struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicI64 = AtomicI64::new(0);

/// The allocations of a piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allocated {
    /// The number of calls that allocate or reallocate memory.
    pub(crate) calls: u64,
    /// The number of bytes that were still allocated at the end.
    pub(crate) bytes: i64,
}

/// Runs `work` and counts its allocations. The value that it returns is still alive when the count ends.
pub(crate) fn count<T>(work: impl FnOnce() -> T) -> (T, Allocated) {
    CALLS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    ON.store(true, Relaxed);
    let result = work();
    ON.store(false, Relaxed);
    (result, Allocated { calls: CALLS.load(Relaxed), bytes: BYTES.load(Relaxed) })
}

fn note(calls: u64, bytes: i64) {
    if ON.load(Relaxed) {
        CALLS.fetch_add(calls, Relaxed);
        BYTES.fetch_add(bytes, Relaxed);
    }
}

// SAFETY: every method passes its arguments to `System` unchanged and returns the result unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller's guarantees are those that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size as i64 - layout.size() as i64);
        // SAFETY: as above; `pointer` came from `System`, because every allocation here does.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
