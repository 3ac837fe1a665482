//! `comity cache` and `comity history`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::OutputFormat;
use super::live::{self, duration};

const CACHE_EXAMPLES: &str = "\
Examples:
  comity cache list
  comity cache show https://example.com
  comity cache purge --older-than 30d
  comity cache export robots.jsonl

Exit codes: 0 done; 1 nothing is known, or something is damaged; 2 the cache could not be used";

const HISTORY_EXAMPLES: &str = "\
Examples:
  comity history https://example.com
  comity history https://example.com --body 3f2a9c
      A version as it was, by the start of its hash

Exit codes: 0 here it is; 1 nothing is known; 2 the cache could not be used";

#[derive(Args, Debug)]
#[command(after_help = CACHE_EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: Action,

    /// The folder where fetched files are remembered [default: the user's cache folder]
    #[arg(long = "cache", value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// The origins that are remembered
    List {
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Shows the cached file of one origin, and the last attempt to fetch it
    Show {
        /// Any URL on it
        #[arg(value_name = "URL")]
        url: String,

        #[command(flatten)]
        format: OutputFormat,
    },
    /// Forgets
    Purge(Purge),
    /// Looks at everything for damage; changes nothing
    Verify {
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Writes everything as JSON Lines, for another cache
    Export {
        /// The file to write; `-`: standard output
        #[arg(value_name = "FILE|-", default_value = "-")]
        file: PathBuf,
    },
    /// Reads what was exported; what is known already and newer stays
    Import {
        /// The file to read; `-`: standard input
        #[arg(value_name = "FILE|-", default_value = "-")]
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
#[group(required = true)]
pub(crate) struct Purge {
    /// The origins, as any URL on them
    #[arg(value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// Origins that were last fetched longer ago than this, such as 30d
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["url", "all"])]
    pub(crate) older_than: Option<Duration>,

    /// Everything
    #[arg(long, conflicts_with = "url")]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct History {
    /// Any URL on the origin
    #[arg(value_name = "URL")]
    pub(crate) url: String,

    /// Print this version and nothing else: the start of its hash
    #[arg(long, value_name = "HASH")]
    pub(crate) body: Option<String>,

    #[command(flatten)]
    pub(crate) cache: live::Cache,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}
