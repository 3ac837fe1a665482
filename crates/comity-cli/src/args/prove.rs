//! `comity prove`.

use std::path::PathBuf;

use clap::Args;
use comity::Dialect;

use super::Format;
use super::live::Fetching;
use super::names::dialects;

const PROVE_EXAMPLES: &str = "\
Examples:
  comity prove robots.txt --none-allowed /private/
      Prove that no crawler may fetch anything under /private/
  comity prove robots.txt --none-allowed /private/ --except /private/press/
  comity prove robots.txt --agent Googlebot --agent bingbot --all-allowed '/*.css'
  comity prove https://example.com --all-allowed /
      Prove that the live file allows every crawler to fetch everything

A pattern is written as in a rule. The answer holds for all URLs that match it: the rules determine a finite set of \
critical URLs, which decide for all others. /robots.txt is left out, since no rule can block it. So are retired crawlers \
that pass over the group of `*`: they make no requests.

Exit codes: 0 every claim holds, 1 at least one does not, 2 a claim could not be decided, or a pattern or a file is \
invalid";

#[derive(Args, Debug)]
#[command(after_help = PROVE_EXAMPLES)]
#[group(id = "claims", required = true, multiple = true, args = ["all_allowed", "none_allowed"])]
pub(crate) struct Prove {
    /// The robots.txt: a file, any URL of a site, `-` for standard input, or REVISION:FILE of the git repository
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Claim that all URLs that match this pattern may be fetched; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) all_allowed: Vec<String>,

    /// Claim that no URL that matches this pattern may be fetched; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) none_allowed: Vec<String>,

    /// Except the URLs that match this pattern from each claim; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) except: Vec<String>,

    /// Prove the claims only for this crawler; repeatable. `*` is any crawler that the file does not name [default: all
    /// crawlers]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// The dialect for all crawlers: standard, google, google-parser, bing, yandex or norobots-1996; repeatable
    /// [default: for each crawler the dialect of its operator]
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// The maximum number of steps for a claim in each dialect
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// The output format
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) naming: super::Naming,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
