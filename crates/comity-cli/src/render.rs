//! Forms of output that several commands share.

pub(crate) mod annotation;
pub(crate) mod body;
pub(crate) mod csv;
pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod github;
pub(crate) mod gitlab;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod provenance;
pub(crate) mod style;
pub(crate) mod waiting;
pub(crate) mod width;
pub(crate) mod words;
