//! Forms of output that several commands share.

pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod json;
pub(crate) mod provenance;
pub(crate) mod style;
pub(crate) mod words;
