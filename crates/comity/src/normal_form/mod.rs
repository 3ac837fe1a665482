//! The normal form of patterns and of URL paths, in which they are compared.

pub(crate) mod normalize;
pub(crate) mod path;
pub(crate) mod sent;

pub use sent::unsent_octets;
