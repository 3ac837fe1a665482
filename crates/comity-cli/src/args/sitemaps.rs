//! `comity sitemaps`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{CrawlerArgs, TableOutput};

const HELP: &str = "\
Examples:
  comity sitemaps https://example.com --agent Googlebot --blocked
      Fetch the sitemaps of a site, and show their pages that Googlebot may not fetch
  comity sitemaps robots.txt
      List the sitemaps of a robots.txt
  comity sitemaps robots.txt --sitemap sitemap.xml.gz --agent Googlebot --blocked
      Show the pages of a local sitemap that Googlebot may not fetch

A sitemap may be XML, an index, plain text, RSS or Atom, and may be compressed with gzip; the format is detected. At \
most 50 MB and 50,000 entries of each are read. XML with a document type is refused.

A sitemap covers the URLs below its folder (sitemaps.org), and a sitemap that the robots.txt lists covers the whole \
site. If the sitemaps are fetched, the locations are known, and entries that are not covered are shown.

Exit codes: 0 no problem; 1 an entry is disallowed, not covered, of another site or not a URL, or the robots.txt lists a \
sitemap without an absolute URL; 2 a file could not be read, or no page was checked although a site, --fetch, --sitemap, \
--agent or --blocked asks for it";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Sitemaps {
    /// The robots.txt: a file, any URL of a site, or `-` for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) file: PathBuf,

    /// A sitemap with pages to check; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// Fetch the sitemaps that the robots.txt lists, and the sitemaps that those list [default for a site, unless
    /// --sitemap is given]
    #[arg(long)]
    pub(crate) fetch: bool,

    #[command(flatten)]
    pub(crate) crawler: CrawlerArgs,

    /// The site of the robots.txt, as any URL of it [default: that of the first page]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Show only the entries with a problem
    #[arg(long)]
    pub(crate) blocked: bool,

    #[command(flatten)]
    pub(crate) format: TableOutput,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
