//! The tests of comity that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod crawler;
mod crawlers_file;
mod golden;
mod naive;
mod names;
mod pieces;
mod properties;
mod record_properties;
mod records;
mod serde;
mod shared;
mod spans;
mod suite;
mod vectors;
