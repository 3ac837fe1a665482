#![doc = include_str!("../README.md")]

mod archive;
mod connections;
mod failure;
mod history;
mod journal;
mod lease;
mod options;
mod plain;
mod pool;
mod record;
mod restore;
mod schema;
mod store;
mod tls;
mod verify;

pub use options::{PostgresOptions, PostgresOptionsError};
pub use store::PostgresStore;
