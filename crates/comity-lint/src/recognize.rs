//! Recognizes what several lints look for. Lints import these modules, and not one another: so each can be read, changed
//! and deleted on its own.

pub(crate) mod characters;
pub(crate) mod comments;
pub(crate) mod content;
pub(crate) mod crawlers;
pub(crate) mod groups;
pub(crate) mod host;
pub(crate) mod needless;
pub(crate) mod opened;
pub(crate) mod records;
pub(crate) mod regex;
pub(crate) mod standing;
