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
      Compare the working tree with a branch of the git repository
  comity diff https://example.com robots.txt --fail-on blocked
      Fail if a draft blocks URLs that the live file allows
  comity diff old/robots.txt new/robots.txt --sitemap sitemap.xml --log access.log.gz
      Also count your URLs that each change affects
  comity diff robots.txt --dialect standard --dialect google
      Show where two dialects read one file differently

The answer holds for all URLs, not only for a list: the rules determine a finite set of critical URLs, and if those get \
the same answers, all others do. `*` is any crawler that neither file names.

Exit codes: 1 a change of the kind of --fail-on was found; otherwise 2 if something could not be decided or a file \
could not be read; otherwise 0";

#[derive(Args, Debug)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct Diff {
    /// The robots.txt before the change: a file, any URL of a site, `-` for standard input, or REVISION:FILE of the git
    /// repository
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,

    /// The robots.txt after the change, likewise [default: OLD, compared in the two dialects of --dialect]
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<PathBuf>,

    /// The dialect for all crawlers: standard, google, google-parser, bing, yandex or norobots-1996; repeatable
    /// [default: for each crawler the dialect of its operator]
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// Compare only this crawler; repeatable. `*` is any crawler that neither file names [default: all crawlers]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// Compare only the URLs that match this pattern, written as in a rule
    #[arg(long, value_name = "PATTERN")]
    pub(crate) under: Option<String>,

    /// Count the URLs of this sitemap that each change affects; repeatable
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// Count the URLs of this list, one per line; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// Count the paths of this access log; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) log: Vec<PathBuf>,

    /// Show all changes [default: the first 50]
    #[arg(long)]
    pub(crate) all: bool,

    /// Show all crawlers and exceptions of a change [default: five of each]
    #[arg(long)]
    pub(crate) full: bool,

    /// The changes for which the exit code is 1. Those of URLs that no browser or crawler sends are ignored
    #[arg(long, value_name = "WHAT", default_value = "any")]
    pub(crate) fail_on: FailOn,

    /// The maximum number of steps of a comparison in each dialect
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: DiffFormat,

    #[command(flatten)]
    pub(crate) naming: super::Naming,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// The changes for which `comity diff` fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Any change
    Any,
    /// URLs are newly blocked
    Blocked,
    /// URLs are newly allowed
    Allowed,
    /// A comparison could not be decided
    Undecided,
}

/// The output formats.
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
    /// A report for GitLab's Code Quality
    Gitlab,
}
