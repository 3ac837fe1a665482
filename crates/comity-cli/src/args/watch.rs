//! `comity watch`.

use std::path::PathBuf;

use clap::Args;
use tracing::level_filters::LevelFilter;

use super::live::{Cache, Live};
use super::names::levels;

const HELP: &str = "\
Examples:
  comity watch --once
      Look at the sites that are due, by [watch] of the nearest comity.toml; for cron and CI
  comity watch --config comity.toml --cache /var/lib/comity
      Watch until a signal ends it
  comity serve --watch --config comity.toml --cache /var/lib/comity
      The same, with an API and metrics

A configuration:
  [watch]
  every = \"1h\"                       # at least 1m; default: 24h, or longer if the site's max-age says so
  [[watch.site]]
  origins = [\"https://shop.example\"] # and/or list = \"origins.txt\"
  every = \"5m\"
  expected = \"public/robots.txt\"     # or REVISION:FILE of git: alerts if the live file means something else
  known = [\"sitemap.xml\"]            # alerts count the affected URLs
  staging = [\"https://staging.shop.example\"]
  [[watch.to]]
  webhook = \"https://hooks.example/robots\"
  secret_file = \"hook.secret\"        # signs each request
  only = [\"blocked\", \"leftover\"]     # default: all kinds but text
  [[watch.to]]
  jsonl = \"alerts.jsonl\"

Kinds: leftover, blocked, allowed, records, undecided, unreachable, back, gone, moved, not-text, cut, drift, alternates, \
network, text.

Paths are relative to the configuration. The first look at a site is a baseline: later changes are reported. See \
docs/watch.md.

Exit codes of --once: 0 nothing new; 1 alerts were printed; 2 the configuration or the cache could not be read. A site \
that does not answer is an alert";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Watch {
    /// Look at the sites that are due, report, and end
    #[arg(long)]
    pub(crate) once: bool,

    /// The configuration [default: comity.toml in this folder, or in the nearest one above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// The lowest level to log to standard error: off, error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = levels())]
    pub(crate) log: LevelFilter,

    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) cache: Cache,
}
