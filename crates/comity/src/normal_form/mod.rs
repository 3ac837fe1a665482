//! The normal form of patterns and of URLs' paths.

pub(crate) mod normalize;
pub(crate) mod path;
