//! The tests of comity-fetch that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod answers;
mod client;
mod in_force;
mod pace;
mod pages;
mod proxies;
mod scale;
#[cfg(feature = "sqlite")]
mod shared_store;
mod visits;
mod vsftpd;
