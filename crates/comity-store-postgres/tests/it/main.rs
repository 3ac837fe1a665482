//! The tests of comity-store-postgres that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod contract;
mod database;
mod pooler;
