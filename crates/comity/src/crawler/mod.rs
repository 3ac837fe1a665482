//! Crawlers: their tokens, the table of known crawlers, and the selection of the groups that apply to them.

pub mod crawlers;
mod facts;
pub(crate) mod identity;
pub(crate) mod misnomer;
pub(crate) mod page_support;
pub(crate) mod profile;
pub(crate) mod selection;
mod table;
#[cfg(feature = "serde")]
mod table_file;
pub(crate) mod token_error;
pub(crate) mod token_index;
pub mod user_agent;
pub(crate) mod uses;
pub(crate) mod verification;
