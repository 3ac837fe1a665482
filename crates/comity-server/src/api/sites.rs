//! Questions about sites: fetching them, and their stored records.

mod fetch;
mod origins;
mod page;
mod sitemaps;
mod versions;

use utoipa_axum::router::OpenApiRouter;

use crate::state::State;

pub(super) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new()
        .merge(fetch::routes())
        .merge(origins::routes())
        .merge(page::routes())
        .merge(sitemaps::routes())
        .merge(versions::routes())
}
