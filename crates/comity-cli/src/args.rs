//! The arguments of the command.

mod ai;
mod audit;
pub(crate) mod cache;
mod check;
#[cfg(feature = "parquet")]
mod columns;
mod diff;
pub(crate) mod fetch;
mod generate;
mod groups;
pub(crate) mod health;
mod instant;
mod lint;
pub(crate) mod live;
mod lsp;
mod minimize;
mod names;
mod page;
mod prove;
mod report;
pub(crate) mod serve;
mod sitemaps;
mod test;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ColorChoice, FromArgMatches, Parser, Subcommand, ValueEnum};
use comity::Dialect;

pub(crate) use ai::Ai;
pub(crate) use audit::{Audit, FailingRow};
pub(crate) use check::{Check, UrlLists};
#[cfg(feature = "parquet")]
pub(crate) use columns::{Columns, Warc};
pub(crate) use diff::{Diff, DiffFormat, FailOn};
pub(crate) use generate::Generate;
pub(crate) use lint::{Evidence, Lint, LintFormat, PageSource};
pub(crate) use lsp::Lsp;
pub(crate) use minimize::Minimize;
pub(crate) use page::Page;
pub(crate) use prove::Prove;
pub(crate) use report::{Report, ReportFormat};
pub(crate) use serve::Serve;
pub(crate) use sitemaps::Sitemaps;
pub(crate) use test::{Test, TestFormat};
pub(crate) use watch::Watch;

/// May this crawler fetch this URL, and exactly why?
#[derive(Debug, Parser)]
#[command(name = "comity", version, about, long_about = LONG_ABOUT, after_help = EXAMPLES, max_term_width = 120)]
pub(crate) struct CommandLine<C: Subcommand> {
    #[command(subcommand)]
    pub(crate) command: C,

    /// When to use colors; `auto` uses them on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColorChoice,

    /// Accept that standard input, a pipe or a device is empty; otherwise it is an error, because a command that failed
    /// writes nothing
    #[arg(long, global = true)]
    pub(crate) empty_ok: bool,
}

/// One of all commands.
pub(crate) type Arguments = CommandLine<Command>;

impl Arguments {
    pub(crate) fn read(words: &[OsString]) -> clap::error::Result<Self> {
        if let Some(check) = check::alone(words) {
            return Ok(check);
        }
        let matches = groups::command().try_get_matches_from(words);
        Self::from_arg_matches(&matches.map_err(|error| with_reason(error, words))?)
    }
}

/// Explains how to get a program with Parquet, if the words need it: an unexpected argument looks like a mistake in them.
fn with_reason(error: clap::Error, words: &[OsString]) -> clap::Error {
    let is_input =
        |word: &OsString| word.to_str().is_some_and(|word| word == "--input" || word.starts_with("--input="));
    let needs_parquet = match words.get(1).and_then(|word| word.to_str()) {
        Some("warc") => true,
        Some("batch") => words.iter().any(is_input),
        _ => false,
    };
    if cfg!(feature = "parquet") || !needs_parquet {
        return error;
    }
    let message = "error: this comity was built without Parquet, which `comity warc` and `comity batch --input` need: install a \
                   released program, or build one with `cargo install --locked --profile dist --path crates/comity-cli --features parquet`\n";
    clap::Error::raw(clap::error::ErrorKind::UnknownArgument, message)
}

const LONG_ABOUT: &str = "\
May this crawler fetch this URL, and exactly why?

comity reads robots.txt files by RFC 9309, or as Google, Bing, Yandex or the draft of 1996 do. With each answer it \
prints the line of the file that decides.";

const EXAMPLES: &str = "\
Examples:
  comity check https://example.com/private/ --agent Googlebot
      May Googlebot fetch this page? Which line says so?
  comity check --robots robots.txt --agent GPTBot --agent ClaudeBot --urls urls.txt
      Check many URLs for several crawlers, with a local file; prints a table
  comity fetch https://example.com
      Fetch a site's robots.txt, and show each step
  comity matrix --robots robots.txt https://example.com/private/
      Show which crawlers may fetch the URL, and where the dialects differ
  comity diff old/robots.txt new/robots.txt
      Show what a change does, for all URLs and all crawlers
  comity prove robots.txt --none-allowed /private/
      Prove that no crawler may fetch anything under /private/
  comity inspect robots.txt
      Show the meaning of each line, and the lines that are ignored

Exit codes: 0 yes, 1 no, 2 no answer (wrong usage, an unreadable file, a URL of another site, a crawler that does not \
obey robots.txt)";

// The arguments of a command and the end of its help are built only when the command is used; building all of them takes
// as long as a check. So `after_help` is an attribute of the structs. Structs that are built so late must not have an
// `about`, so those that are flattened into commands have comments that clap ignores.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Checks if a crawler may fetch a URL, and shows the line that decides
    Check(Check),
    /// Checks if a page may be fetched, indexed, quoted or trained on
    Page(Page),
    /// Shows which AI crawlers a robots.txt allows, by purpose
    Ai(Ai),
    /// Checks a URL in every dialect, and shows why the answers differ
    Matrix(Matrix),
    /// Shows the meaning of each line of a robots.txt, and ignored lines
    Inspect(Inspect),
    /// Lists the known crawlers, or shows one
    Crawlers(Crawlers),
    /// Finds the mistakes in a robots.txt, and fixes or explains them
    Lint(Lint),
    /// Shows what a change blocks or allows, for all URLs and crawlers
    Diff(Diff),
    /// Proves claims such as: no crawler may fetch a URL under /private/
    Prove(Prove),
    /// Removes the rules that do nothing; all answers stay the same
    Minimize(Minimize),
    /// Runs your tests of a robots.txt
    Test(Test),
    /// Writes a robots.txt from your choices, and checks the result
    Generate(Generate),
    /// Finds the pages of a site's sitemaps that its robots.txt disallows
    Sitemaps(Sitemaps),
    /// Shows a site on one page: if it is open, its mistakes, its sitemaps
    Report(Report),
    /// Fetches a site's robots.txt, and shows each request and its result
    Fetch(fetch::Fetch),
    /// Shows earlier versions of a site's robots.txt
    History(cache::History),
    /// Compares access logs with the robots.txt of their time: who obeyed?
    Audit(Box<Audit>),
    /// Lists, shows, purges, verifies, exports or imports cached files
    Cache(cache::Cache),
    /// Reports when the meaning of a site's robots.txt changes
    Watch(Box<Watch>),
    /// Starts the HTTP service: an API for crawlers, and a tester page
    Serve(Box<Serve>),
    /// Answers many questions for a program, as JSON Lines
    Batch(Batch),
    /// Starts the language server for editors
    Lsp(Lsp),
    /// Asks a running service if it accepts requests
    Health(health::Health),
    /// Turns archives of robots.txt files (WARC) into a table of sites and a table of bodies
    #[cfg(feature = "parquet")]
    Warc(Warc),
    /// Prints the manual page of comity or of a command, or writes all pages
    Man(Man),
    /// Prints a completion script for a shell
    Completions(Completions),
    /// Prints the version, as --version does
    #[command(hide = true)]
    Version,
}

const MATRIX_EXAMPLES: &str = "\
Examples:
  comity matrix https://example.com/private/
      Fetch the robots.txt of the site
  comity matrix --robots robots.txt --agent Googlebot --agent bingbot /a /b
  comity matrix --robots robots.txt --all-crawlers /

Exit codes: 0 all allowed in every dialect, 1 at least one disallowed in a dialect, 2 no verdict. Crawlers that do not \
obey robots.txt count only if there are no others";

#[derive(Args, Debug)]
#[command(after_help = MATRIX_EXAMPLES)]
pub(crate) struct Matrix {
    /// The URLs to check, or paths of the file's site
    #[arg(value_name = "URL", required = true)]
    pub(crate) url: Vec<String>,

    #[command(flatten)]
    pub(crate) robots: RobotsFile,

    /// The product token of a crawler; repeatable [default: the best-known crawlers, and those that the file names]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// Check every known crawler
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all_crawlers: bool,

    #[command(flatten)]
    pub(crate) naming: Naming,

    /// The site of the robots.txt, as any URL of it [default: the site of the URLs, which must be one]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Do not parse the URLs as a browser does. Only dots and backslashes are resolved, and in google-parser nothing is
    #[arg(long)]
    pub(crate) raw: bool,

    #[command(flatten)]
    pub(crate) format: TableOutput,

    #[command(flatten)]
    pub(crate) fetching: live::Fetching,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  comity inspect robots.txt
  comity inspect --dialect yandex robots.txt
  comity inspect https://example.com

Exit codes: 0 the file was read; 2 it could not be read";

#[derive(Args, Debug)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct Inspect {
    /// The robots.txt: a file, any URL of a site, or `-` for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) fetching: live::Fetching,
}

const BATCH_HELP: &str = "\
One JSON object per line:
  robots | robots_b64 | robots_file   the robots.txt: its text, its bytes as base64, or a path
  agent | agent_b64                   a product token, used literally
  agents                              several tokens; their groups are merged as Google's library does
  crawler                             a known crawler, with its fallback tokens
  url | url_b64                       a URL, in which only dots and backslashes are resolved
  urls, origin                        URLs or paths of one site; `allowed` and `lines` are lists then. `origin` does
                                      not go with `url`
Other fields are copied to the answer, which adds: allowed (true, false, or null without a verdict), line (null: no rule \
decided), names_crawler (the file names it), reason. The answer to an invalid line has `error` and `input_line`; blank \
lines are skipped.

The fields are used as they are: an agent must be a product token, since a whole User-Agent header, or a token with a \
space, matches no group; a URL is not parsed and may be of any site; the dialect is the one of --dialect. `POST \
/v1/batch` of `comity serve` takes the same lines, and can fetch the files from their sites. `comity check` is for \
people, and reports such mistakes.

Example:
  printf '%s\\n' '{\"robots\": \"User-agent: *\\nDisallow: /a\", \"agent\": \"mybot\", \"url\": \"/a\"}' | comity batch

With --input, if the program was built with the feature `parquet`, the questions are a Parquet file instead:
  url                                 a URL, which is normalized as a browser would, except with --raw
  crawler                             a known crawler, or a product token; without this column, --agent names one
  robots                              the robots.txt; or, with --robots:
  origin                              the site of the file; without this column, that of the URL
The output has the columns of the input, except `robots`, and: allowed (null without a verdict), line (null: no rule \
decided), reason. Rows have no verdict if a value is null, the URL is invalid or of another site than `origin`, or no \
file is known. Sort the rows by site: this is two to three times as fast.

Example:
  comity batch --input questions.parquet --robots sites.parquet --agent GPTBot --output answers.parquet

Exit codes: 0 every line was answered, or the output was written; 2 at least one line was not answered, or there is no \
output";

#[derive(Args, Debug)]
#[command(after_help = BATCH_HELP)]
pub(crate) struct Batch {
    /// The questions, or `-` for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// The size of the cache of parsed files, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub(crate) memory: usize,

    #[cfg(feature = "parquet")]
    #[command(flatten)]
    pub(crate) columns: Columns,
}

const CRAWLERS_EXAMPLES: &str = "\
Examples:
  comity crawlers
  comity crawlers Applebot
  comity crawlers --header 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'
  comity crawlers --format json

--crawlers FILE, of this and other commands, reads a table in TOML or JSON: the crawlers.json of a newer release, or your \
own crawlers. Its rows replace those with the same token. A field that this version does not know is ignored with a \
warning.

A TOML file with your own crawlers; only token, operator and purpose are required:
  [[crawler]]
  token = \"AcmeBot-Images\"
  operator = \"Acme\"
  purpose = \"search\"         # ai-search, ai-training, user-triggered, ads, preview, seo, archive, security, tool, other
  uses = { search = \"\", training = \"acme.example/terms\" }  # search, agent, training: with the source of each
  fallback = [\"AcmeBot\"]     # tokens to try when no group names the crawler
  obeys_star = true           # false: it ignores the groups of *
  governed = \"yes\"           # may-bypass, no, control-token, unstated
  crawl_delay = \"obeyed\"     # ignored, unknown
  verification = { hosts = [\"bot.acme.example\"], ranges = [\"acme.example/ips.json\"], source = \"acme.example/bot\" }
  docs = \"acme.example/bot\"
  confirmed = true
  retired = false
  note = \"\"";

#[derive(Args, Debug)]
#[command(after_help = CRAWLERS_EXAMPLES)]
pub(crate) struct Crawlers {
    /// The product token of a crawler
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// A User-Agent header, for example from a log: shows the crawler that it claims to be, and how to verify that
    #[arg(long, value_name = "TEXT", conflicts_with = "name")]
    pub(crate) header: Option<String>,

    /// A file with your own crawlers, in TOML or JSON; see below
    #[arg(long = "crawlers", value_name = "FILE")]
    pub(crate) own: Option<PathBuf>,

    /// Fetch the operators' lists of addresses, and write them to this folder, for `comity audit --ranges`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "header"])]
    pub(crate) fetch_ranges: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) live: live::Live,
}

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct Man {
    /// The command
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// Write the pages of comity and of all commands to this folder, such as `comity-check.1`
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) all: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RobotsFile {
    /// The robots.txt, or `-` for standard input [default: fetched from the site]
    #[arg(long = "robots", short = 'r', value_name = "FILE|-")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Naming {
    /// Take names literally: no fallback tokens and no exceptions of known crawlers, and no refusal of names that are
    /// not a crawler's
    #[arg(long)]
    pub(crate) literal: bool,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE", conflicts_with = "literal")]
    pub(crate) crawlers: Option<PathBuf>,
}

// The crawler of a command that takes only one, and the dialect in which it reads the file.
#[derive(Args, Debug)]
pub(crate) struct CrawlerArgs {
    /// The product token of the crawler, such as Googlebot
    #[arg(long, short, value_name = "TOKEN", default_value = "*")]
    pub(crate) agent: String,

    #[command(flatten)]
    pub(crate) naming: Naming,

    #[command(flatten)]
    pub(crate) dialect: DialectName,
}

#[derive(Args, Debug)]
pub(crate) struct DialectName {
    /// The rules by which to read the file: standard (RFC 9309), google, google-parser, bing, yandex, or
    /// norobots-1996
    #[arg(long, short, value_name = "NAME", default_value = "standard", value_parser = names::dialects(), hide_possible_values = true)]
    pub(crate) dialect: Dialect,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct OutputFormat {
    /// The output format
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

// The output formats of commands that print tables.
#[derive(Args, Debug)]
pub(crate) struct TableOutput {
    /// The output format; csv is for spreadsheets
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: TableFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    Human,
    Json,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}
