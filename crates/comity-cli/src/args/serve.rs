//! `comity serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::DialectName;
use super::live::Live;

pub(crate) const HELP: &str = "\
Examples:
  comity serve
      For you: the page at http://127.0.0.1:9309/, and the API beside it
  curl 'http://127.0.0.1:9309/v1/check?url=https://example.com/&agent=Googlebot'
      One question, one answer
  comity serve --cache /var/lib/comity --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      For a fleet: what was fetched outlasts the service

/openapi.json describes all that can be asked.";

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9309")]
    pub(crate) listen: SocketAddr,

    /// Fetch nothing: answer about files that are given, and by what is remembered
    #[arg(long)]
    pub(crate) offline: bool,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    #[command(flatten)]
    pub(crate) live: Live,

    /// The folder where fetched files are remembered; no other process may use it meanwhile [default: memory alone]
    #[arg(long, value_name = "DIR", help_heading = "Live sites")]
    pub(crate) cache: Option<PathBuf>,

    /// Ask sites whether a copy is still good (`ETag`, `Last-Modified`), instead of for the whole file
    #[arg(long, help_heading = "Live sites")]
    pub(crate) revalidate: bool,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,
}
