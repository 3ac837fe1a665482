//! `comity ai`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{DialectName, TableOutput};

const HELP: &str = "\
Examples:
  comity ai https://example.com
  comity ai robots.txt
  comity ai robots.txt --format json

`blocked`: the crawler may fetch nothing. `partly`: some rules disallow or allow a part; `comity check` shows which. \
`as *`: no group names the crawler. A number is the line of the rule that matches everything. The preferences of the \
file for its content follow, with their lines: Content-Signal (ai-train, ai-input, search) and Content-Usage (train-ai, \
search), for the path `/`.

A crawler obeys only the groups that name it: the preferences in the group of `*` do not apply to a crawler with its own \
group.

Exit codes: 0 the file was read; 2 it could not be read";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Ai {
    /// The robots.txt: a file, any URL of a site, or `-` for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: TableOutput,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
