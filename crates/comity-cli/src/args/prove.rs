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
      No crawler may fetch anything under /private/
  comity prove robots.txt --none-allowed /private/ --except /private/press/
  comity prove robots.txt --agent Googlebot --agent bingbot --all-allowed '/*.css'
  comity prove https://example.com --all-allowed /
      Every crawler may fetch everything, by the live file

A pattern is written as in a rule. The answer holds for all URLs that match it: a finite set of critical URLs is computed \
from the rules, and decides for all others. /robots.txt itself is left out, since no rule can block it.

Exit codes: 0 every claim holds, 1 one does not, 2 one could not be decided, or a pattern or a file is not usable";

#[derive(Args, Debug)]
#[command(after_help = PROVE_EXAMPLES)]
#[group(id = "claims", required = true, multiple = true, args = ["all_allowed", "none_allowed"])]
pub(crate) struct Prove {
    /// The robots.txt: a file, a URL of a site, `-`, or REVISION:FILE of the git repository
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Claim that all URLs that match this pattern may be fetched; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) all_allowed: Vec<String>,

    /// Claim that no URL that matches this pattern may be fetched; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) none_allowed: Vec<String>,

    /// Leave out the URLs that match this pattern, in each claim; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) except: Vec<String>,

    /// Claim it of this crawler alone; repeatable. `*` is any crawler that the file does not name [default: all crawlers]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// Claim it in this dialect; repeatable. Without it, of each crawler in its operator's own: standard, google,
    /// google-parser, bing, yandex, norobots-1996, or a dialect of the configuration
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// The steps that a claim may take in each dialect
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// The form of the answer
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
