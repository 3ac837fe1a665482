//! The arguments of the command.

mod ai;
pub(crate) mod cache;
mod check;
mod diff;
pub(crate) mod fetch;
mod generate;
mod lint;
pub(crate) mod live;
mod lsp;
mod minimize;
mod names;
mod page;
mod prove;
pub(crate) mod serve;
mod sitemaps;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use comity::Dialect;

use crate::input::config;

pub(crate) use ai::Ai;
pub(crate) use check::Check;
pub(crate) use diff::{Diff, DiffFormat, FailOn};
pub(crate) use generate::{Generate, Server};
pub(crate) use lint::{Evidence, Lint, LintFormat, PageSource, Rule};
pub(crate) use lsp::Lsp;
pub(crate) use minimize::Minimize;
pub(crate) use page::Page;
pub(crate) use prove::Prove;
pub(crate) use serve::Serve;
pub(crate) use sitemaps::Sitemaps;
pub(crate) use test::Test;

/// May this crawler fetch this URL, and exactly why?
#[derive(Debug, Parser)]
#[command(name = "comity", version, about, long_about = LONG_ABOUT, after_help = EXAMPLES, max_term_width = 120)]
pub(crate) struct Typed<C: Subcommand> {
    #[command(subcommand)]
    pub(crate) command: C,

    /// When to use colours; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: Colour,

    /// The configuration: lints, and dialects and policies of your own [default: comity.toml, here or in a folder above]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// One of all commands.
pub(crate) type Arguments = Typed<Command>;

impl Arguments {
    pub(crate) fn read(words: &[OsString]) -> clap::error::Result<Self> {
        config::set_file(words);
        check::alone(words).map_or_else(|| Self::try_parse_from(words), Ok)
    }
}

const LONG_ABOUT: &str = "\
May this crawler fetch this URL, and exactly why?

comity reads robots.txt files as RFC 9309 says, or as Google, Bing, Yandex and the draft of 1996 do, and names the \
line behind every answer.";

const EXAMPLES: &str = "\
Examples:
  comity check https://example.com/private/ --agent Googlebot
      May Googlebot fetch this page? Which line says so?
  comity check --robots robots.txt --agent GPTBot --agent ClaudeBot --urls urls.txt
      A table by a file of yours: many URLs, several crawlers
  comity fetch https://example.com
      What happens when the site is asked for its robots.txt, step by step
  comity matrix --robots robots.txt https://example.com/private/
      Who may, who may not, and where the dialects differ
  comity diff old/robots.txt new/robots.txt
      What a change means, for all URLs and all crawlers
  comity prove robots.txt --none-allowed /private/
      Whether a claim holds, for all URLs and all crawlers
  comity inspect robots.txt
      What was understood, line by line, and what was ignored

Exit codes: 0 yes, 1 no, 2 no answer (usage, files, another site's URL, a crawler that robots.txt does not govern)";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

// The arguments of a command and the end of its help are built only when the command is used; building all of them takes
// as long as a check. So `after_help` is an attribute of the structs. Structs that are built so late must not have an
// `about`, so those that are flattened into commands have comments that clap ignores.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// May a crawler fetch a URL? Names the line that decides
    Check(Check),
    /// Fetches a site's robots.txt, and shows each request and what the result means
    Fetch(fetch::Fetch),
    /// Asks the same question for many crawlers in every dialect, and shows why the answers differ
    Matrix(Matrix),
    /// Compares two files for all URLs and all crawlers: what is newly blocked or allowed, and by which line
    Diff(Diff),
    /// Checks claims about a file for all URLs, such as that nobody may fetch anything under /private/
    Prove(Prove),
    /// Prints the smallest file that means the same, for all URLs and all crawlers
    Minimize(Minimize),
    /// Shows what a robots.txt means, line by line, and what is ignored
    Inspect(Inspect),
    /// Answers questions for programs: JSON Lines in, JSON Lines out
    Batch(Batch),
    /// Lists the known crawlers, or shows one of them
    Crawlers(Crawlers),
    /// Lists, shows, purges, verifies, exports or imports cached robots.txt files
    Cache(cache::Cache),
    /// Shows earlier versions of a site's robots.txt
    History(cache::History),
    /// Runs comity's own test cases against any robots.txt parser, and scores it
    Conformance(Conformance),
    /// May a crawler fetch a page, index it, quote it, train on it? Robots.txt, header and HTML in one answer
    Page(Page),
    /// Shows what a robots.txt allows AI crawlers, by their purpose
    Ai(Ai),
    /// Reads the sitemaps that a robots.txt lists, and finds pages that it forbids to fetch
    Sitemaps(Sitemaps),
    /// Writes a robots.txt from choices, and proves it
    Generate(Generate),
    /// Finds the mistakes in a robots.txt, and fixes them
    Lint(Lint),
    /// Lists the lints, or explains one of them
    Rule(Rule),
    /// Runs a site's own tests of its robots.txt
    Test(Test),
    /// The service: the same questions over HTTP, for fleets of crawlers, and a page for people
    Serve(Box<Serve>),
    /// For editors: a language server for robots.txt
    Lsp(Lsp),
    /// Prints a completion script for a shell
    Completions(Completions),
    /// Prints the manual page, or that of a command
    Man(Man),
}

const MATRIX_EXAMPLES: &str = "\
Examples:
  comity matrix --robots robots.txt https://example.com/private/
  comity matrix --robots robots.txt --agent Googlebot --agent bingbot /a /b
  comity matrix --robots robots.txt --all-crawlers /

Exit codes: 0 all allowed in every dialect, 1 something is disallowed in some, 2 there is no verdict. Crawlers \
that robots.txt does not govern count only if there are no others";

#[derive(Args, Debug)]
#[command(after_help = MATRIX_EXAMPLES)]
pub(crate) struct Matrix {
    /// The URLs, or paths on the file's own site
    #[arg(value_name = "URL", required = true)]
    pub(crate) url: Vec<String>,

    #[command(flatten)]
    pub(crate) robots: RobotsFile,

    /// The crawlers' product tokens; may be repeated [default: the best-known crawlers, and those that the file names]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    /// Ask for every crawler of the table
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all_crawlers: bool,

    #[command(flatten)]
    pub(crate) naming: Naming,

    /// Whose robots.txt it is: any URL of that site. Without it, all URLs must belong to one site
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Use the URLs unchanged, instead of as a browser would send them
    #[arg(long)]
    pub(crate) raw: bool,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  comity inspect robots.txt
  comity inspect --dialect yandex robots.txt
  comity inspect https://example.com

Exit codes: 0 it was read, whatever it says; 2 it could not be read";

#[derive(Args, Debug)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct Inspect {
    /// The robots.txt, or any URL of a site that is asked for its own; `-`: standard input
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
One JSON object a line:
  robots | robots_b64 | robots_file   the robots.txt: its text, its bytes as base64, or a path
  agent | agent_b64                   a product token, taken literally
  agents                              several tokens, whose groups are merged as Google's library does
  crawler                             a name of the crawler table, with its fallback tokens
  url | url_b64                       taken as it is
  urls, origin                        URLs or paths of one site; allowed and lines are lists then
Other fields pass through. Added: allowed (true, false, or null without a verdict), line (0: no rule decided), \
seen (the file names the agent), reason. A bad line gets `error` and `input_line` in its place; blank lines are \
skipped.

Nothing is guessed here: an agent is a product token, so a whole User-Agent header, or one with a space too many, \
names nobody; a URL is matched as it is given, on any site; and the dialect is that of the option. `POST /v1/batch` of `comity serve` takes the same lines, and asks sites; `comity check` \
is for people, and asks back.

Example:
  printf '%s\\n' '{\"robots\": \"User-agent: *\\nDisallow: /a\", \"agent\": \"mybot\", \"url\": \"/a\"}' | comity batch

Exit codes: 0 every line was answered, 2 some were not";

#[derive(Args, Debug)]
#[command(after_help = BATCH_HELP)]
pub(crate) struct Batch {
    /// The questions; `-`: standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Crawlers of your own, as TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Memory for robots.txt files that occur again, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub(crate) memory: usize,
}

const CRAWLERS_EXAMPLES: &str = "\
Examples:
  comity crawlers
  comity crawlers Applebot
  comity crawlers --format json

Crawlers of your own go into a TOML file; only token, operator and purpose are needed:
  [[crawler]]
  token = \"AcmeBot-Images\"
  operator = \"Acme\"
  purpose = \"search\"         # ai-search, ai-training, user-triggered, ads, preview, seo, archive, security, tool, other
  fallback = [\"AcmeBot\"]     # tokens that are tried when no group names it
  obeys_star = true           # whether the groups of * bind it
  governed = \"yes\"           # may-bypass, no, control-token, unstated
  crawl_delay = \"heeded\"     # ignored, unknown
  docs = \"acme.example/bot\"
  confirmed = true
  retired = false
  note = \"\"";

#[derive(Args, Debug)]
#[command(after_help = CRAWLERS_EXAMPLES)]
pub(crate) struct Crawlers {
    /// One crawler's product token
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Crawlers of your own, as TOML: `[[crawler]]` with token, operator, purpose and what else the card shows
    #[arg(long = "crawlers", value_name = "FILE")]
    pub(crate) own: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}

const CONFORMANCE_HELP: &str = "\
The program gets one JSON object a line on its standard input:
  {\"id\": \"...\", \"robots\": \"...\", \"agent\": \"...\", \"url\": \"...\"}
with robots_b64, agent_b64 or url_b64 where the bytes are no text; `agents` in place of `agent` where the groups of \
several tokens are merged, and `crawler` where a known crawler's fallback tokens count. It answers each with a line:
  {\"allowed\": true}      or with the deciding line: {\"allowed\": false, \"line\": 2}
null means that there is no verdict, and {\"error\": \"...\"} that it can't answer. With the question's `id` in each \
answer they may come in any order; without, they come in the order of the questions, one line each.

Examples:
  comity conformance --cmd comity -- batch
  comity conformance --cmd python3 --dialect google-parser -- my_parser.py

Exit codes: 0 it agrees with every case, 1 it does not, 2 it could not be asked";

#[derive(Args, Debug)]
#[command(after_help = CONFORMANCE_HELP)]
pub(crate) struct Conformance {
    /// The program to ask
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) cmd: PathBuf,

    /// Its arguments
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// Seconds until the program must have answered everything
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,

    /// Show every case that differs, instead of the first of each theme
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
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
}

#[derive(Args, Debug)]
pub(crate) struct RobotsFile {
    /// The robots.txt; `-`: standard input
    #[arg(long = "robots", short = 'r', value_name = "FILE|-")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Naming {
    /// Take every token literally, even a known crawler's: no fallback tokens, no exceptions
    #[arg(long)]
    pub(crate) literal: bool,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE", conflicts_with = "literal")]
    pub(crate) crawlers: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct DialectName {
    /// The dialect to read files in: standard, google, google-parser, bing, yandex, norobots-1996, or one of your own
    /// from comity.toml
    #[arg(long, short, value_name = "NAME", default_value = "standard", value_parser = names::dialects(), hide_possible_values = true)]
    pub(crate) dialect: Dialect,
}

#[derive(Args, Debug)]
pub(crate) struct OutputFormat {
    /// For people or for programs
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}
