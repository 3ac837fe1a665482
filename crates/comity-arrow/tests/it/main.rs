//! The tests of comity-arrow that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod golden;
mod layouts;
mod properties;
#[path = "../../../comity/tests/it/shared/mod.rs"]
mod shared;
mod suite;
mod warc;
