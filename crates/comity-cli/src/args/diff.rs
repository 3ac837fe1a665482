//! `comity diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comity::Dialect;

use super::live::Fetching;
use super::names::dialects;

const DIFF_EXAMPLES: &str = "\
Examples:
  comity diff old/robots.txt new/robots.txt
  comity diff main:public/robots.txt public/robots.txt
      What a change in the working tree means, compared with a branch of the git repository
  comity diff https://example.com robots.txt --fail-on blocked
      What a draft blocks that the live file does not
  comity diff old/robots.txt new/robots.txt --sitemap sitemap.xml --log access.log.gz
      The same, with the number of your URLs that each change concerns
  comity diff robots.txt --dialect standard --dialect google
      Where two dialects read one file differently

The answer holds for all URLs, not for a list of them: a finite set of critical URLs is computed from the rules, and decides \
for all others. `*` is any crawler that neither file names.

Exit codes: 1 something that --fail-on names was found; else 2 if not everything could be decided, or a file could not be \
read; else 0";

#[derive(Args, Debug)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct Diff {
    /// The file before the change: a file, a URL of a site, `-`, or REVISION:FILE of the git repository
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,

    /// The file after the change, likewise; without it, OLD is compared in the two dialects of --dialect
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<PathBuf>,

    /// Compare all crawlers in this dialect; repeatable. Without it, each crawler in its operator's own: standard, google,
    /// google-parser, bing, yandex, norobots-1996, or a dialect of the configuration
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// Compare this crawler alone; repeatable. `*` is any crawler that no file names [default: all crawlers]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// Compare only the URLs that match this pattern, which is written as in a rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) under: Option<String>,

    /// Count the URLs of this sitemap that each change concerns; repeatable
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// Count the URLs of this list, one a line; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// Count the paths of this access log, in the common or combined format; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) log: Vec<PathBuf>,

    /// Show all changes. Defaults to the first 50
    #[arg(long)]
    pub(crate) all: bool,

    /// Name all crawlers and exceptions of a change. Defaults to five of each
    #[arg(long)]
    pub(crate) full: bool,

    /// The changes that make the exit code 1
    #[arg(long, value_name = "WHAT", default_value = "any")]
    pub(crate) fail_on: FailOn,

    /// The steps that a comparison may take in each dialect
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: DiffFormat,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// The changes that make `comity diff` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Any change
    Any,
    /// Something is newly blocked
    Blocked,
    /// Something is newly allowed
    Allowed,
    /// Only a comparison that could not be decided
    Undecided,
}

/// The forms of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Sentences
    Human,
    /// The whole comparison as JSON
    Json,
    /// A summary for a pull request
    Markdown,
    /// Annotations for GitHub Actions on the lines of NEW
    Github,
}
