//! Questions about sites: fetching them, and their stored records.

mod fetch;
mod origins;
mod page;
mod sitemaps;
mod variants;
mod versions;

use crate::api::Endpoints;

pub(super) fn endpoints() -> Endpoints {
    [
        fetch::endpoints(),
        origins::endpoints(),
        page::endpoints(),
        sitemaps::endpoints(),
        variants::endpoints(),
        versions::endpoints(),
    ]
    .concat()
}
