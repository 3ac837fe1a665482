//! `comity check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::live::{Freshness, Keeping, Live};
use super::{Arguments, Command, DialectName, Naming, OutputFormat, Typed};

const CHECK_EXAMPLES: &str = "\
Examples:
  comity check https://example.com/private/ --agent Googlebot
      Asks the site for its robots.txt, or remembers it from the last time
  comity check --urls urls.txt --agent GPTBot --agent ClaudeBot --user-agent 'MyBot/1.0 (+https://my.example/bot)'
      Thousands of URLs of any sites: each site is asked once
  comity check --robots robots.txt https://example.com/private/
      By a file of yours
  comity check --robots robots.txt --agent Googlebot-Image --explain https://example.com/a.png
      With the group that counts, the rules that match, and the arithmetic
  comity check --robots robots.txt --agent GPTBot /articles/
      A path is enough: it is asked for on the file's own site
  comity check --robots robots.txt --urls urls.txt --format json
      For scripts; `comity batch` is for programs that ask about many files

User names and passwords in URLs are dropped before anything is asked or printed.

In JSON, each answer has: url (as typed), asked (as asked for), agent, known (a crawler of the table), answer, \
allowed (true, false, or null without a verdict), reason, line (0: no rule decided), rule, priority (octets), basis \
(whose groups), seen (the file names the agent), advisory (the operator does not promise to obey), text (of the \
line), and crawl_delay (seconds). operator_answer is there if the dialect of a known crawler's own operator gives another \
answer: operator, dialect, answer, line, because, and all of it in a sentence. Without --robots there is also origin, and `sites` tells of each what was fetched, \
what the policy made of it, and when it is due again.

A site that can't be asked allows nothing, unless the policy says otherwise; the answer says which row of it decided. \
Where comity's own rules refuse to connect, the site has not answered, and there is no verdict: see --addresses.

If the dialect of a known crawler's own operator answers differently, a sentence says so and why. --literal knows no \
crawlers, so there is none.

With --dialect google-parser, URLs are taken as they are, as Google's parser does, as if --raw were given.

Exit codes: 0 all allowed; 1 something is disallowed; 2 something has no verdict, whatever the others have";

/// The names of options that have no effect on a given file.
const LIVE: [&str; 12] = [
    "policy",
    "user_agent",
    "timeout",
    "addresses",
    "resolve",
    "proxy",
    "ca_file",
    "probe",
    "dir",
    "no_cache",
    "offline",
    "max_age",
];

#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct Check {
    /// The URLs; or paths, with --robots or --origin
    #[arg(value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// The robots.txt; `-`: standard input. Without it, the sites' own are fetched
    #[arg(long, short, value_name = "FILE|-", conflicts_with_all = LIVE)]
    pub(crate) robots: Option<PathBuf>,

    /// The crawler: a product token such as Googlebot; repeat it for several [default: *]
    #[arg(long, short, value_name = "TOKEN")]
    pub(crate) agent: Vec<String>,

    #[command(flatten)]
    pub(crate) naming: Naming,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    /// More URLs, one a line, at most 1,000,000; `-`: from standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Option<PathBuf>,

    /// Whose robots.txt it is, and on which site paths are: any URL of that site. Without it, all URLs must belong to
    /// one site if there is a --robots
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    /// Use the URLs unchanged, instead of as a browser would send them
    #[arg(long)]
    pub(crate) raw: bool,

    /// Show the reasoning: group, rules, arithmetic
    #[arg(long, short)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: Keeping,

    #[command(flatten)]
    pub(crate) freshness: Freshness,
}

/// A check, if it is one and all is right about it.
///
/// Putting all commands together takes as long as a check does, so it is read without them. Messages and help are left
/// to those who know all commands.
pub(super) fn alone(words: &[OsString]) -> Option<Arguments> {
    if words.get(1)? != "check" {
        return None;
    }
    let Typed { command: Alone::Check(check), color, config } = Typed::try_parse_from(words).ok()?;
    Some(Arguments { command: Command::Check(check), color, config })
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
