//! Crawlers: who they are, which tokens they go by, and which groups of a file bind them.

pub mod crawlers;
pub(crate) mod identity;
pub(crate) mod page_support;
pub(crate) mod profile;
pub(crate) mod selection;
mod table;
#[cfg(feature = "serde")]
mod table_file;
pub(crate) mod token_error;
pub mod user_agent;
