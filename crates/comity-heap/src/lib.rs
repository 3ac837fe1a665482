//! Returns freed memory to the operating system.
//!
//! glibc keeps freed memory in its arenas: a service that had used 460 MiB for its clients still held 430 MiB a minute
//! after the last of them had disconnected. An allocator that returns memory by itself delays the start of every
//! command too much, so the service asks glibc instead. That takes one call to C, which is the only unsafe code of this
//! workspace.

/// Returns freed memory to the operating system, as far as it consists of whole pages. Returns true if there was any.
///
/// Takes time in proportion to the size of the heap, and blocks other threads that allocate meanwhile, so call it
/// occasionally and not for each request. Has no effect with C libraries other than glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no safe interface to malloc_trim exists")]
pub fn release() -> bool {
    // SAFETY: malloc_trim(3) takes a plain number, is thread-safe, and touches only memory that is free.
    unsafe { libc::malloc_trim(0) == 1 }
}

/// Has no effect and returns `false`: only glibc keeps memory in a way that needs this.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn release() -> bool {
    false
}
