#![doc = include_str!("../docs/book.md")]

mod decode;
mod html;
mod scope;
mod sitemap;
mod walk;

pub use html::{Found, HTML_LIMIT, Tag, TagKind, Tags, read_page};
pub use scope::Scope;
pub use sitemap::{
    ENTRY_LIMIT, Entry, EntryKind, Format, LOCATION_LIMIT, Limits, Problem, SIZE_LIMIT, Sitemap, SitemapError,
};
pub use walk::{Step, Walk};
