//! `comity batch` on Parquet files, and `comity warc`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use comity_fetch::Policy;

use super::names;

#[derive(Args, Debug)]
#[command(next_help_heading = "Parquet files")]
pub(crate) struct Columns {
    /// A Parquet file of questions; see below
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with = "file")]
    pub(crate) input: Option<PathBuf>,

    /// The Parquet file to write. It appears when it is complete
    #[arg(long, value_name = "FILE", requires = "input")]
    pub(crate) output: Option<PathBuf>,

    /// A Parquet file of sites: as `comity warc` writes it, or with the columns `origin` and `robots`
    #[arg(long, short = 'r', value_name = "FILE", requires = "input")]
    pub(crate) robots: Option<PathBuf>,

    /// The bodies of --robots [default: x.bodies.parquet for x.parquet]
    #[arg(long, value_name = "FILE", requires = "robots")]
    pub(crate) bodies: Option<PathBuf>,

    /// The crawler, if the questions have no column `crawler`
    #[arg(long, short, value_name = "TOKEN", requires = "input")]
    pub(crate) agent: Option<String>,

    /// Use tokens literally: no fallback tokens and no exceptions of known crawlers
    #[arg(long, requires = "input", conflicts_with = "crawlers")]
    pub(crate) literal: bool,

    /// Do not parse the URLs as a browser does. Only dots and backslashes are resolved, and in google-parser nothing is
    #[arg(long, requires = "input")]
    pub(crate) raw: bool,

    /// Write only the answers, in the order of the questions
    #[arg(long, requires = "input")]
    pub(crate) only_answers: bool,

    /// The number of threads; each after the fourth takes 8 MiB of --memory [default: the number of processors]
    #[arg(long, value_name = "NUMBER", requires = "input")]
    pub(crate) threads: Option<NonZero<usize>>,
}

const WARC_HELP: &str = "\
Reads files with one gzip member for each record, as those that Common Crawl publishes in `robotstxt`. Only responses \
for /robots.txt at the root of a site are used, since the target of a redirect must not become the rules of that site.

sites.parquet has the columns:
  origin      the site
  fetched     the time of the response
  status      its HTTP status; null if the response is invalid
  outcome     what follows by the policy: rules, allow-all or disallow-all; or redirect
  truncated   the archive contains only the start of the body, or the body has more than 500 KiB
  html        the body looks like HTML
  body_hash   the SHA-256 of the body; null without rules
sites.bodies.parquet has each body once: hash, body. `comity batch` compares each hash of 32 bytes or 64 hexadecimal \
digits with the SHA-256 of its body; other hashes are names that it does not check.

At the first damaged record of a file, the rest of the file is skipped, and the message names the offset. All records \
before it are written.

Example:
  comity warc CC-MAIN-*.robotstxt.warc.gz --sites sites.parquet
  comity batch --input questions.parquet --robots sites.parquet --agent GPTBot --output answers.parquet

Exit codes: 0 all files were read to their end, 2 at least one was not";

#[derive(Args, Debug)]
#[command(after_help = WARC_HELP)]
pub(crate) struct Warc {
    /// The archives
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// The Parquet file of sites to write
    #[arg(long, short = 'o', value_name = "FILE", default_value = "sites.parquet")]
    pub(crate) sites: PathBuf,

    /// The Parquet file of bodies to write [default: x.bodies.parquet for x.parquet]
    #[arg(long, value_name = "FILE")]
    pub(crate) bodies: Option<PathBuf>,

    /// The policy that decides what a response means: standard, google, google-2019, rfc9309, strict or archive
    #[arg(long, value_name = "NAME", default_value = "standard", value_parser = names::policies(), hide_possible_values = true)]
    pub(crate) policy: Policy,

    /// The number of threads [default: the number of processors]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) threads: Option<NonZero<usize>>,
}
