//! `comity batch` on Parquet files, and `comity warc`, as programs.

#![cfg(feature = "parquet")]

mod archives;
mod crawls;
mod files;
mod folder;
mod layouts;
mod lines;
mod many;
mod outcomes;
