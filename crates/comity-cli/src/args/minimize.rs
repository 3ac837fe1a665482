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
      Fail if a line is not needed, and print it; for continuous integration
  comity minimize --dialect google robots.txt

Rules and groups are removed, and equal groups joined, if that changes no answer, delay or signal, for any crawler, any URL \
and any of the dialects. The result is proven to mean the same as FILE. Comments and other lines stay.

Exit codes: 0 done, or with --check nothing can be removed; 1 with --check, a line can be removed; 2 FILE could not be \
read, or with --check not everything could be decided";

#[derive(Args, Debug)]
#[command(after_help = MINIMIZE_EXAMPLES)]
pub(crate) struct Minimize {
    /// The robots.txt: a file, any URL of a site, `-` for standard input, or REVISION:FILE of the git repository
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print the lines that can be removed, instead of the file
    #[arg(long)]
    pub(crate) check: bool,

    /// A dialect in which no answer may change; repeatable [default: standard, google, google-parser, bing, yandex]
    #[arg(long, short, value_name = "NAME", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// The maximum number of steps of the search, and of the proof
    #[arg(long, value_name = "STEPS", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
