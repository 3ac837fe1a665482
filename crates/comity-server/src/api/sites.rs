//! Questions about sites: fetching them, and their stored records.

pub(super) mod fetch;
pub(super) mod origins;
pub(super) mod page;
pub(super) mod sitemaps;
pub(super) mod variants;
pub(super) mod versions;
