//! `comity check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use comity_fetch::Time;

use super::instant;
use super::live::{CacheOptions, Freshness, Live};
use super::{Arguments, Command, CommandLine, DialectName, Naming, TableOutput};

const CHECK_EXAMPLES: &str = "\
Examples:
  comity check https://example.com/private/ --agent Googlebot
      Fetch the robots.txt of the site, or use the cached copy
  comity check --urls urls.txt --agent GPTBot --agent ClaudeBot --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      Check thousands of URLs of any sites; each robots.txt is fetched once
  comity check --robots robots.txt https://example.com/private/
      Use a local file
  comity check --robots robots.txt --agent Googlebot-Image --explain https://example.com/a.png
      Show the group that applies, the rules that match, and their priorities
  comity check --robots robots.txt --agent GPTBot /articles/
      A path is enough with --robots
  comity check https://example.com/private/ --agent Googlebot --at 2026-11-01
      Could it be fetched then? Decided by the history of the cache; see `comity history`
  if comity check --quiet --robots robots.txt --agent Googlebot /; then echo open; fi
      In a script, the exit code is enough
  comity check --robots robots.txt --urls export.csv --format csv > answers.csv
      Check the URLs of a crawler's export, and open the answers in a spreadsheet
  comity check --robots robots.txt --sitemap sitemap.xml --format json
      JSON for scripts; `comity batch` is for programs with many files

Lists may be compressed with gzip, and tables separated by commas, semicolons or tabs, in UTF-8 or UTF-16. Blank lines, \
and lines that start with #, are skipped. A line without a URL has no verdict; the others are still checked. With \
--robots, lists of any length are checked while they are read.

In CSV, there is one row per URL and crawler, with most of the fields of JSON. A cell that a spreadsheet could take for a \
formula starts with an apostrophe.

User names and passwords in URLs are removed, and neither sent nor printed.

In JSON, each answer has: url (as typed), asked (as checked), agent, known (a known crawler), answer, allowed (true, \
false, or null without a verdict), reason, line (null: no rule decided), rule, priority (bytes), basis (which groups \
apply), names_crawler (the file names it), advisory (the operator does not promise to obey), text (of the line), and \
crawl_delay (seconds). If the dialect of a known crawler's operator gives a different answer, operator_answer has: \
operator, dialect, answer, line, because, and a sentence. Without --robots there is also origin, and `sites` has for \
each site the fetch, the decision of the policy, and the time of the next fetch.

If the robots.txt of a site cannot be fetched, nothing is allowed, unless the policy decides otherwise; the answer \
names the row of the policy. If comity itself refuses to connect to an address, there is no verdict: see --addresses.

If the dialect of a known crawler's operator gives a different answer, a sentence explains the difference (not with \
--literal).

--dialect google-parser implies --raw, since Google's parser does not normalize URLs.

Exit codes: 0 all allowed; 1 at least one disallowed; 2 at least one without a verdict";

/// The names of options that only have an effect on live sites. They conflict with `--robots`, which names a file.
const LIVE_OPTIONS: [&str; 12] = [
    "policy",
    "timeout",
    "addresses",
    "resolve",
    "proxy",
    "ca_file",
    "probe",
    "dir",
    "store",
    "no_cache",
    "offline",
    "max_age",
];

#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct Check {
    /// The URLs to check; with --robots or --origin also paths
    #[arg(value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// The robots.txt, or `-` for standard input [default: fetched from the sites of the URLs]
    #[arg(long, short, value_name = "FILE|-", conflicts_with_all = LIVE_OPTIONS)]
    pub(crate) robots: Option<PathBuf>,

    /// The product token of a crawler, such as Googlebot; repeatable [default: the crawler that --user-agent names, or *]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    #[command(flatten)]
    pub(crate) naming: Naming,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    #[command(flatten)]
    pub(crate) lists: UrlLists,

    /// The site of the robots.txt and of paths, as any URL of it [default: with --robots, the site of the URLs, which
    /// must be one]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Do not parse the URLs as a browser does. Only dots and backslashes are resolved, and in google-parser nothing is
    #[arg(long)]
    pub(crate) raw: bool,

    /// Show the group that applies, the rules that match, and their priorities
    #[arg(long, short)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) format: TableOutput,

    /// Print nothing: the exit code is the answer. Errors are still printed
    #[arg(long, short, conflicts_with_all = ["format", "explain"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: CacheOptions,

    #[command(flatten)]
    pub(crate) freshness: Freshness,

    /// Decide by what was in force at this time, such as 2026-11-01 or 2026-11-01T12:00:00Z, from the history of the
    /// cache. Sends no request. There is no verdict if it is not known, or if it changed between the fetches before and after
    #[arg(long, value_name = "TIME", value_parser = instant::time, help_heading = "Live sites", conflicts_with_all = ["robots", "urls", "sitemap", "log", "explain", "no_cache", "offline", "max_age"])]
    pub(crate) at: Option<Time>,
}

// Files with URLs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct UrlLists {
    /// A list of URLs: one per line, a table with a column named url, address or loc (CSV), or a sitemap; `-` for
    /// standard input; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// A local sitemap, and the sitemaps beside it that it lists; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// An access log, in any common format; each path is checked once; repeatable
    #[arg(long, value_name = "FILE|-")]
    pub(crate) log: Vec<PathBuf>,
}

impl UrlLists {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.urls.iter().chain(&self.sitemap).chain(&self.log)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths().next().is_none()
    }
}

/// Parses a valid `comity check` alone. Returns `None` for anything else.
///
/// Building the parser of all commands takes as long as a check, so this parser has only one. Help and error messages
/// come from the parser of all commands.
pub(super) fn alone(words: &[OsString]) -> Option<Arguments> {
    if words.get(1)? != "check" {
        return None;
    }
    let CommandLine { command: Alone::Check(check), color, empty_ok } = CommandLine::try_parse_from(words).ok()?;
    Some(Arguments { command: Command::Check(check), color, empty_ok })
}

#[derive(Debug, Subcommand)]
enum Alone {
    Check(Check),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_check_is_read_alone_as_among_all_commands() {
        for line in [
            "comity check --robots robots.txt /a",
            "comity check /a /b --color always -r - -a GPTBot --agent bingbot --literal",
            "comity check --explain --raw -d google --format json --urls urls.txt --origin https://example.com",
            "comity check https://example.com/ --policy google --timeout 3 --offline",
            "comity check -- --robots",
            "comity check -q --robots robots.txt /a",
            "comity check --robots - --empty-ok /a",
        ] {
            let words = words(line);
            let alone = alone(&words).map(|alone| format!("{alone:?}"));
            let among_all = Arguments::try_parse_from(&words).map(|all| format!("{all:?}"));
            assert_eq!(alone, among_all.ok(), "{line}");
            assert!(alone.is_some(), "{line}");
        }
        for line in ["comity check --help", "comity check --robots", "comity check -d none /a", "comity lint a"] {
            let words = words(line);
            let told = |parsed: clap::error::Result<Arguments>| format!("{:?}", parsed.map_err(|e| e.to_string()));
            assert_eq!(told(Arguments::read(&words)), told(Arguments::try_parse_from(&words)), "{line}");
        }
    }
}
