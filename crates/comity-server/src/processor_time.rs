//! The processor time of a thread.

use std::time::Duration;

/// Returns the processor time that this thread has used, in user mode and in the kernel, since some point in time.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
pub(crate) fn of_this_thread() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Neither number is negative; the system has no other type for them.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the time that has passed since some point in time: the standard library has no clock for the processor time,
/// and this workspace no unsafe code to ask the system for it. So on a busy machine of another system, an answer may be
/// refused that an idle one would give.
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
pub(crate) fn of_this_thread() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static STARTED: OnceLock<Instant> = OnceLock::new();
    STARTED.get_or_init(Instant::now).elapsed()
}
