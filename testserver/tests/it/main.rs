//! The tests of the test servers.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod client;
mod faults;
mod ftp;
mod replies;
mod sites;
mod tls;
