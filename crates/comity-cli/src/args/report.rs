//! `comity report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::live::Fetching;

const HELP: &str = "\
Examples:
  comity report https://example.com
      Show if the site is open to search engines and AI, its mistakes, and which pages of its sitemaps are blocked
  comity report --format html https://example.com > report.html
      Write it as one page without scripts, for a browser or for paper
  comity report robots.txt
      Show what a file alone proves

A site gets a request for each of its addresses (http and https, with and without www), one for its front page, and one \
for each of its sitemaps.

Exit codes: 0 nothing is wrong; 1 a mistake, or something that is blocked for search engines; 2 a part of a site has no \
answer, or the file could not be read";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Report {
    /// The site, as any URL of it; or a robots.txt: a file, or `-` for standard input
    #[arg(value_name = "URL|FILE|-")]
    pub(crate) file: PathBuf,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: ReportFormat,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// One HTML page without scripts
    Html,
}
