//! Input of the commands: files, questions, crawler tables, the configuration, and live sites.

pub(crate) mod access_log;
pub(crate) mod config;
pub(crate) mod crawlers;
pub(crate) mod database;
pub(crate) mod file;
pub(crate) mod git;
pub(crate) mod line_ends;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod question;
pub(crate) mod rows;
pub(crate) mod sitemap;
pub(crate) mod source;
