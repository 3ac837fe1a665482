#![doc = include_str!("../docs/book.md")]

mod decode;
mod html;
mod page;
mod permissions;
mod scope;
mod sitemap;
mod walk;

pub use decode::Decoded;
pub use html::{Found, HTML_LIMIT, Tag, TagKind, Tags, read_page};
pub use page::{
    Canonical, Ignored, ImagePreview, License, Limit, Moment, Page, PageRule, PageRules, Part, Source, Statement,
    Support, Tdm, TdmProperty, TdmRule, TdmRules, TdmStatement, is_robots_name,
};
pub use permissions::{Because, BecauseSource, Conflict, Permission, Permissions, Stance, permissions};
pub use scope::Scope;
pub use sitemap::{
    ENTRY_LIMIT, Entry, EntryKind, Format, Gunzip, LOCATION_LIMIT, Limits, Problem, SIZE_LIMIT, Sitemap, SitemapError,
};
pub use walk::{Step, Walk};
