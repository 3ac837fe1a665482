//! `comity sitemaps`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{DialectName, Naming, OutputFormat};

const HELP: &str = "\
Examples:
  comity sitemaps https://example.com --fetch --agent Googlebot --blocked
      The pages that a site lists in its sitemaps and forbids to fetch
  comity sitemaps robots.txt
      The sitemaps that a robots.txt names
  comity sitemaps robots.txt --sitemap sitemap.xml.gz --agent Googlebot --blocked
      The pages that a sitemap lists and the robots.txt forbids to fetch: a common mistake

A sitemap may be XML, an index, plain text, RSS or Atom, compressed with gzip or not: which, is found out. Of each at \
most 50 MB and 50,000 entries are read; one with a document type is refused.

A sitemap covers what is below the folder that it is in (sitemaps.org), and one that the robots.txt names all of the \
site. With --fetch, it is known where each is, and entries that are not covered are told.

Exit codes: 0 nothing is wrong; 1 a page is listed and disallowed, not covered, another site's or no URL at all, or the robots.txt \
names a sitemap by something else than an absolute URL; 2 a file could not be read";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Sitemaps {
    /// The robots.txt, or any URL of a site that is asked for its own; `-`: standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) file: PathBuf,

    /// A sitemap to read, whose pages are checked; repeat it for several
    #[arg(long, value_name = "FILE|-")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// Fetch the sitemaps that the robots.txt names, and those that they list
    #[arg(long)]
    pub(crate) fetch: bool,

    /// The crawler: a product token such as Googlebot
    #[arg(long, short, value_name = "TOKEN", default_value = "*")]
    pub(crate) agent: String,

    #[command(flatten)]
    pub(crate) naming: Naming,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Whose robots.txt it is: any URL of that site [default: that of the first page]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Show only the entries with which something is wrong
    #[arg(long)]
    pub(crate) blocked: bool,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
