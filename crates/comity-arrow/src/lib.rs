#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cache;
mod column;
mod crawlers;
mod error;
mod kernel;
mod table;
mod times;
mod url;
mod verdicts;
#[cfg(feature = "warc")]
#[cfg_attr(docsrs, doc(cfg(feature = "warc")))]
pub mod warc;

pub use crawlers::CrawlerColumn;
pub use error::ColumnError;
pub use kernel::{Kernel, RobotsColumn};
pub use table::{Table, TableBuilder};
pub use url::UrlForm;
