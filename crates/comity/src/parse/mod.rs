//! Parsing of bytes into lines: the part of a body that is read, its lines, their fields and values.

pub(crate) mod directive;
pub(crate) mod line;
pub(crate) mod source_text;
pub(crate) mod token;
