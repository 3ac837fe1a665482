//! The end of the interpreter, which no thread of a client may meet while it calls Python.
//!
//! Before 3.14, Python ends a thread that waits for its lock while the interpreter is finalized, by `pthread_exit`. That
//! unwinds through frames of Rust, and the process aborts: 1 of 100 programs died after `asyncio.run` had ended, and 1 of 5
//! on a busy machine, because the thread that had delivered the last answer was still on its way out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The number of threads that call Python, and [`ENDS`]. It is no lock: a fork would copy one that is held.
static CALLS: AtomicUsize = AtomicUsize::new(0);
const ENDS: usize = 1 << 31;

/// Calls a function with the lock of Python, in a thread of a client. Does nothing when the interpreter ends.
pub(crate) fn call(function: impl FnOnce(Python<'_>)) {
    struct Call;
    impl Drop for Call {
        fn drop(&mut self) {
            CALLS.fetch_sub(1, Ordering::Release);
        }
    }
    let begin = |calls: usize| (calls & ENDS == 0).then_some(calls + 1);
    if CALLS.fetch_update(Ordering::Acquire, Ordering::Relaxed, begin).is_ok() {
        let _call = Call;
        Python::try_attach(function);
    }
}

/// Returns true when the interpreter ends, so that no answer would be delivered.
pub(crate) fn has_begun() -> bool {
    CALLS.load(Ordering::Relaxed) & ENDS != 0
}

/// Waits until no thread calls Python, and lets none begin.
#[pyfunction]
fn end(py: Python<'_>) {
    CALLS.fetch_or(ENDS, Ordering::Acquire);
    py.detach(|| {
        while CALLS.load(Ordering::Acquire) != ENDS {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Forgets the threads of the parent, which a new process does not have.
#[pyfunction]
fn forget() {
    CALLS.store(0, Ordering::Relaxed);
}

/// Lets Python call [`end`] before it ends, and [`forget`] in a new process.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, module)?,))?;
    // Windows has no fork.
    if let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? {
        let options = PyDict::new(py);
        options.set_item("after_in_child", wrap_pyfunction!(forget, module)?)?;
        register.call((), Some(&options))?;
    }
    Ok(())
}
