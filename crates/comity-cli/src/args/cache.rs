//! `comity cache` and `comity history`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use comity::Dialect;

use super::OutputFormat;
use super::live::{self, duration};
use super::names::dialects;

const CACHE_EXAMPLES: &str = "\
Examples:
  comity cache list
  comity cache show https://example.com
  comity cache purge --older-than 30d
  comity cache export robots.jsonl

Exit codes: 0 done; 1 the origin is not cached, or entries are damaged; 2 the cache could not be used";

const HISTORY_EXAMPLES: &str = "\
Examples:
  comity history https://example.com
  comity history https://example.com --body 3f2a9c
      Print a version, named by the start of its hash
  comity history https://example.com --diff
      What each version changed, for all URLs and all crawlers
  comity history https://example.com --diff --agent Googlebot
      The same for one crawler
  comity history import --git . public/robots.txt --origin https://example.com
      Fill the history from the last 50 versions in a git repository

Exit codes: 0 found; 1 there is no such version; 2 the cache could not be used, or --diff could not decide everything";

#[derive(Args, Debug)]
#[command(after_help = CACHE_EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: Action,

    /// The folder of cached files [default: the user's cache folder]
    #[arg(long = "cache", value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,

    /// The database of cached files, which many machines may share: `postgres://USER@HOST/DATABASE`
    #[arg(long, value_name = "URL", global = true, conflicts_with = "dir")]
    pub(crate) store: Option<live::DatabaseUrl>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Lists the cached origins
    List {
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Shows the cached file of one origin, and the last attempt to fetch it
    Show {
        /// Any URL of the origin
        #[arg(value_name = "URL")]
        url: String,

        #[command(flatten)]
        format: OutputFormat,
    },
    /// Removes origins from the cache
    Purge(Purge),
    /// Checks all entries for damage; changes nothing
    Verify {
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Writes all entries as JSON Lines, for another cache
    Export {
        /// The file to write, or `-` for standard output
        #[arg(value_name = "FILE|-", default_value = "-")]
        file: PathBuf,
    },
    /// Reads exported entries; newer entries of this cache stay
    Import {
        /// The file to read, or `-` for standard input
        #[arg(value_name = "FILE|-", default_value = "-")]
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
#[group(required = true)]
pub(crate) struct Purge {
    /// The origins, as any URLs of them
    #[arg(value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// Remove the origins that were last fetched longer ago than this, such as 30d
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["url", "all"])]
    pub(crate) older_than: Option<Duration>,

    /// Remove everything
    #[arg(long, conflicts_with = "url")]
    pub(crate) all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryAction {
    /// Fills the history of a site from the commits of a git repository, as if the site had served each version from its commit on
    Import(Import),
}

#[derive(Args, Debug)]
pub(crate) struct Import {
    /// The repository
    #[arg(long, value_name = "REPOSITORY")]
    pub(crate) git: PathBuf,

    /// The robots.txt in the repository, such as public/robots.txt
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    /// The site, as any URL of it
    #[arg(long, value_name = "URL")]
    pub(crate) origin: String,

    #[command(flatten)]
    pub(crate) cache: live::Cache,
}

#[derive(Args, Debug)]
#[command(after_help = HISTORY_EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct History {
    #[command(subcommand)]
    pub(crate) action: Option<HistoryAction>,

    /// Any URL of the origin
    #[arg(value_name = "URL", required = true)]
    pub(crate) url: Option<String>,

    /// Print only this version, named by the start of its hash
    #[arg(long, value_name = "HASH")]
    pub(crate) body: Option<String>,

    /// Compare each version with the one before it, the oldest first, for all URLs and all crawlers
    #[arg(long, conflicts_with = "body")]
    pub(crate) diff: bool,

    /// Show all changes of a version. Defaults to the first 50
    #[arg(long, requires = "diff")]
    pub(crate) all: bool,

    /// Name all crawlers and exceptions of a change. Defaults to five of each
    #[arg(long, requires = "diff")]
    pub(crate) full: bool,

    /// The steps that each comparison may take in each dialect
    #[arg(long, value_name = "STEPS", requires = "diff", default_value_t = comity_meaning::Budget::default().steps(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,

    /// Compare only this crawler; repeatable. `*` is any crawler that neither file names [default: all crawlers]
    #[arg(long, short, value_name = "TOKEN", requires = "diff")]
    pub(crate) agent: Vec<String>,

    /// The dialect for all crawlers: standard, google, google-parser, bing, yandex or norobots-1996; repeatable
    /// [default: for each crawler the dialect of its operator]
    #[arg(long, short, value_name = "NAME", requires = "diff", value_parser = dialects(), hide_possible_values = true)]
    pub(crate) dialect: Vec<Dialect>,

    /// Take names literally; see `comity diff --help`
    #[arg(long, requires = "diff")]
    pub(crate) literal: bool,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE", requires = "diff", conflicts_with = "literal")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) cache: live::Cache,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}
