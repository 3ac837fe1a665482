//! `comity audit`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use comity_log::{FieldPlace, LogFormat};

use super::TableOutput;
use super::instant;
use super::live::{self, duration};

const EXAMPLES: &str = "\
Examples:
  comity audit --robots robots.txt access.log
      Compare a log with one file, which is assumed to have been in force all the time
  comity audit --site https://shop.example access.log*
      Compare the logs with the history of the site's file in the cache; `comity fetch` adds to it
  comity audit --robots 2026-10-01=old.txt --robots 2026-11-01T09:00Z=new.txt access.log.gz
      Compare a log with two files, each in force from its time on
  comity crawlers --fetch-ranges ranges; comity audit --site https://shop.example --ranges ranges access.log
      Also verify the crawlers by the lists of addresses that their operators publish
  comity audit --robots robots.txt --complaint Bytespider --show-addresses access.log
      Write what can be sent to the operator of a crawler

Formats: combined and common (nginx, Apache), also with the host in front; JSON lines (Caddy, Traefik, nginx, Logpush); W3C \
extended (IIS, CloudFront); S3; ALB. The first lines show the format. gzip and zstd are decompressed.

A request is a violation only if every file of the day before it disallows its URL, as the standard, Google and the \
operator of the crawler read it. Other requests that some file disallows are in grace, or not judged.

Exit codes: 0 no violations; 1 violations of the kind of --fail-on; 2 no answer";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Audit {
    /// The access logs, or `-` for standard input
    #[arg(value_name = "LOG|-", required = true)]
    pub(crate) logs: Vec<PathBuf>,

    /// The site, as any URL of it. Requests of other sites do not count, if the log states the host
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,

    /// A robots.txt that was in force for the whole log, or, with a time, from then on; repeatable
    #[arg(long, short, value_name = "[TIME=]FILE", value_parser = robots_at, conflicts_with_all = ["dir", "store"])]
    pub(crate) robots: Vec<(Option<i64>, PathBuf)>,

    /// Take the history of the site from this file, which `comity cache export` wrote
    #[arg(long, value_name = "FILE", requires = "site", conflicts_with_all = ["robots", "dir", "store"])]
    pub(crate) history: Option<PathBuf>,

    /// The time in which a crawler may use an older file
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "24h")]
    pub(crate) grace: Duration,

    /// Verify crawlers by the operators' lists of addresses in this folder; see `comity crawlers --fetch-ranges`
    #[arg(long, value_name = "DIR")]
    pub(crate) ranges: Option<PathBuf>,

    /// Verify crawlers by DNS names, which asks the name server of this machine; reads the logs twice
    #[arg(long)]
    pub(crate) verify_dns: bool,

    /// The format: combined, json, w3c or alb [default: found out]
    #[arg(long, value_name = "NAME")]
    pub(crate) log_format: Option<LogFormat>,

    /// The place of a field in JSON lines, such as uri=request.path: address, time, host, scheme, method, uri, request,
    /// status or agent; repeatable
    #[arg(long, value_name = "NAME=PLACE")]
    pub(crate) field: Vec<FieldPlace>,

    /// Count requests from this time on, such as 2026-11-01 or 2026-11-01T09:30Z
    #[arg(long, value_name = "TIME", value_parser = instant::seconds)]
    pub(crate) since: Option<i64>,

    /// Count requests before this time
    #[arg(long, value_name = "TIME", value_parser = instant::seconds)]
    pub(crate) until: Option<i64>,

    /// Report only this crawler; repeatable [default: all]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) agent: Vec<String>,

    /// The number of crawlers that are shown
    #[arg(long, value_name = "N", value_parser = top, default_value = "20")]
    pub(crate) top: NonZeroUsize,

    /// Show all about one crawler, with up to 100 violations
    #[arg(long, value_name = "NAME", conflicts_with = "complaint")]
    pub(crate) explain: Option<String>,

    /// Write a text about the violations of one crawler, for its operator or its hosting company
    #[arg(long, value_name = "NAME")]
    pub(crate) complaint: Option<String>,

    /// Show the addresses of clients
    #[arg(long)]
    pub(crate) show_addresses: bool,

    /// Show the query strings of URLs
    #[arg(long)]
    pub(crate) show_queries: bool,

    /// The findings for which the exit code is 1: violations of crawlers that are verified or unknown, disallowed requests of impostors,
    /// requests against advice, crawlers that never asked for robots.txt
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', default_value = "verified,unknown")]
    pub(crate) fail_on: Vec<FailingRow>,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) cache: live::Cache,

    #[command(flatten)]
    pub(crate) format: TableOutput,
}

/// The rows for which `comity audit` fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailingRow {
    Verified,
    Unknown,
    Impostor,
    Advice,
    NeverAsked,
}

/// Reads the number of crawlers that are shown.
fn top(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number of at least 1".to_owned())
}

/// Reads a robots.txt, possibly with the time from which it was in force.
fn robots_at(text: &str) -> Result<(Option<i64>, PathBuf), String> {
    match text.split_once('=') {
        Some((from, file)) if !Path::new(text).exists() => Ok((Some(instant::seconds(from)?), file.into())),
        _ => Ok((None, text.into())),
    }
}
