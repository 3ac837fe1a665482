//! The tests of comity-lint that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod corpus;
mod crawlers;
mod examples;
mod fixes;
mod fixtures;
mod groups;
mod mistakes;
mod names;
mod pages;
mod properties;
mod readers;
mod shared;
