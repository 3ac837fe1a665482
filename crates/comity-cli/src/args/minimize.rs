//! `comity minimize`.

use std::path::PathBuf;

use clap::Args;
use comity::Dialect;

use super::live::Fetching;
use super::names::dialects;

const MINIMIZE_EXAMPLES: &str = "\
Examples:
  comity minimize robots.txt > smaller.txt
  comity minimize --check robots.txt
      For continuous integration: fails if a rule does nothing, and names its line
  comity minimize --dialect google robots.txt

A rule is removed if no crawler gets another answer for any URL, in any of the dialects. The result is proven to be the same as \
FILE. Comments and other records stay.

Exit codes: 0 done, or with --check nothing can be removed; 1 with --check, something can; 2 with --check, not everything could be \
decided; or FILE could not be read";

#[derive(Args, Debug)]
#[command(after_help = MINIMIZE_EXAMPLES)]
pub(crate) struct Minimize {
    /// The robots.txt: a file, a URL of a site, `-`, or REVISION:FILE of the git repository
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print no file, but the lines that can be removed
    #[arg(long)]
    pub(crate) check: bool,

    /// A dialect in which the file has to stay the same; repeatable [default: standard, google, google-parser, bing, yandex]
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// The steps that the search and the proof may each take
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
