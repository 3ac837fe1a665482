//! `comity ai`.

use std::path::PathBuf;

use clap::Args;

use super::live::Fetching;
use super::{DialectName, OutputFormat};

const HELP: &str = "\
Examples:
  comity ai https://example.com
  comity ai robots.txt
  comity ai robots.txt --format json

Blocked: it may fetch nothing. Partly: everything but what some rules forbid, or nothing but what some allow; \
`comity check` tells which. `as *`: no group names it. A number is the line of the rule that matches everything. Beside \
it stands what the file prefers to be done with content, with its line: Content-Signal (ai-train, ai-input, search) and \
Content-Usage (train-ai, search), on the site's first page.

A crawler obeys the groups that name it, and no others: what `*` prefers does not reach a crawler with a group of \
its own.

Exit codes: 0 it was read, whatever it says; 2 it could not be read";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Ai {
    /// The robots.txt, or any URL of a site that is asked for its own; `-`: standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}
