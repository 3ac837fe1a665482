//! The WebAssembly modules of the npm package `comity`, and those of the tester page without a service: one for each
//! feature.
//!
//! The exported functions take and return numbers. Text and bytes pass through two `buffers`, in
//! `parts`. The TypeScript in `package` checks arguments and makes objects of the results.

#[cfg_attr(feature = "documents", allow(dead_code, reason = "the modules of the tester write JSON instead of parts"))]
mod buffers;
#[cfg(any(feature = "check", feature = "diff"))]
mod crawler;
#[cfg(feature = "diff")]
mod diff;
#[cfg(feature = "check")]
mod files;
#[cfg(feature = "check")]
mod form;
#[cfg(feature = "check")]
mod kept;
#[cfg(feature = "lint")]
mod lint;
#[cfg_attr(feature = "documents", allow(dead_code, reason = "the modules of the tester write JSON instead of parts"))]
mod parts;
#[cfg(any(feature = "check", feature = "diff", feature = "lint"))]
mod row;
#[cfg(feature = "documents")]
mod tester;
#[cfg(feature = "check")]
mod verdict;

/// Exports functions under their names. A panic in one of them ends the call with a `WebAssembly.RuntimeError`.
macro_rules! export {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[allow(unsafe_code, reason = "the attribute, which exports a name that nothing else has")]
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
    )*};
}
pub(crate) use export;

/// The result of a function if the value that it was asked about is no longer kept.
#[cfg(feature = "check")]
const GONE: i32 = -1;

/// The result of a function if an argument was refused. The output contains the reason.
#[cfg(any(feature = "check", feature = "lint", feature = "diff"))]
const REFUSED: i32 = -2;
