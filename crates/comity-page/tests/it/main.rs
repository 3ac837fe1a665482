//! The tests of comity-page that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod cases;
mod hostile_pages;
mod page;
mod page_properties;
mod pages;
#[path = "../../../comity/tests/it/pieces/mod.rs"]
mod pieces;
mod properties;
mod reference;
mod sitemaps;
mod tokenizer;
