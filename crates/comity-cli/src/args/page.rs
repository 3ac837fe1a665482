//! `comity page`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{CrawlerArgs, OutputFormat, RobotsFile};

const HELP: &str = "\
Examples:
  comity page https://example.com/a --agent Googlebot
      May Googlebot fetch and index this page, follow its links, show snippets, and use it for AI?
  curl -sIL https://example.com/a > headers.txt; curl -sL https://example.com/a > page.html
  comity page --robots robots.txt --headers headers.txt --html page.html --agent Googlebot https://example.com/a
      The same with local files

Without --robots, the robots.txt is fetched from the site; without --headers and --html, the page is fetched as well.

In a robots.txt, the group of a crawler replaces the group of `*`. In X-Robots-Tag and meta tags, the rules for a \
crawler and those for all crawlers are combined, and the most restrictive applies. A crawler cannot read a page that it \
may not fetch, so a noindex on a disallowed page does nothing: such conflicts are shown.

Licenses and reservations of text and data mining (TDM Reservation Protocol) are shown, but change none of the answers.

Exit codes: 0 it may be fetched and indexed, and nothing conflicts; 1 otherwise; 2 no answer";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Page {
    /// The URL of the page, or its path
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) robots: RobotsFile,

    /// The headers of the response, as `curl -sIL` prints them, or `-` for standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) headers: Option<PathBuf>,

    /// The HTML of the page, or `-` for standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) html: Option<PathBuf>,

    /// The site's /.well-known/tdmrep.json, which reserves text and data mining, or `-` for standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) tdmrep: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    /// The site of the robots.txt, as any URL of it [default: that of the page]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
