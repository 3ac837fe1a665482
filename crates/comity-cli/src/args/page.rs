//! `comity page`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{DialectName, Naming, OutputFormat, RobotsFile};

const HELP: &str = "\
Examples:
  comity page https://example.com/a --agent Googlebot
      May Googlebot fetch this page, index it, follow its links, show snippets, and use it for AI?
  curl -sI https://example.com/a > headers.txt; curl -s https://example.com/a > page.html
  comity page --robots robots.txt --headers headers.txt --html page.html --agent Googlebot https://example.com/a
      The same by files of yours

Without --robots, the site is asked for its robots.txt; without --headers and --html, for the page as well, once.

In a robots.txt, the group that names a crawler replaces that of `*`. On a page, in X-Robots-Tag and meta tags, what \
is said to a crawler adds up with what is said to all, and the most restrictive counts. What may not be fetched is \
never read, so a noindex on a page that is disallowed does nothing: such conflicts are named.

Licences and reservations of text and data mining (TDM Reservation Protocol) are shown beside that, as evidence: they \
decide none of the answers.

Exit codes: 0 it may be fetched and indexed, and nothing conflicts; 1 it may not, or something does; 2 no answer";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Page {
    /// The page's URL, or its path on the file's own site
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) robots: RobotsFile,

    /// The response's header, as `curl -sI` prints it; `-`: standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) headers: Option<PathBuf>,

    /// The page itself; `-`: standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) html: Option<PathBuf>,

    /// The site's /.well-known/tdmrep.json, which reserves text and data mining; `-`: standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) tdmrep: Option<PathBuf>,

    /// The crawler: a product token such as Googlebot
    #[arg(long, short, value_name = "TOKEN", default_value = "*")]
    pub(crate) agent: String,

    #[command(flatten)]
    pub(crate) naming: Naming,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Whose robots.txt it is: any URL of that site
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
