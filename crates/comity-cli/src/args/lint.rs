//! `comity lint` and `comity rule`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comity_lint::Severity;

use super::live::Fetching;

const LINT_HELP: &str = "\
Examples:
  comity lint robots.txt
      What is wrong, where, and what to do
  comity lint https://example.com
      The same of a live site's
  comity lint --fix robots.txt
      Apply the fixes that change no verdict
  comity lint --unsafe-fixes --diff --url https://example.com/robots.txt robots.txt
      Show what the other fixes would do, and whose answers would change
  comity lint --sitemap sitemap.xml --log access.log.gz robots.txt
      With real URLs: which of them a mistake hits
  comity lint --page https://example.com/ --page about.html=https://example.com/about robots.txt
      With pages: what they load, and whether a noindex on them can be seen
  comity lint --fetch https://example.com
      Ask the site besides: how it serves the file, its other addresses, its sitemaps
  comity lint --format github public/robots.txt
      For continuous integration; sarif is for code scanning
  comity rule L011
      What a lint is about

A comment tells it to look away: `# comity: ignore[L011]` behind a record, or on the line above; \
`# comity: ignore-file[L011]` for the whole file.

comity.toml, in this folder or one above it:
  [lint]
  select = [\"default\", \"L015\"]      # codes, names, default, all
  ignore = [\"secret-disclosure\"]
  severity = { L004 = \"error\" }
  fail-on = \"warning\"

Exit codes: 0 nothing as bad as --fail-on was found, 1 something was, 2 it could not be read";

#[derive(Args, Debug)]
#[command(after_help = LINT_HELP)]
pub(crate) struct Lint {
    /// The robots.txt files, or any URLs of sites that are asked for theirs; `-`: standard input
    #[arg(value_name = "FILE|URL|-", default_value = "robots.txt")]
    pub(crate) files: Vec<PathBuf>,

    /// Run these lints only: codes, names, `default` or `all`
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    pub(crate) select: Vec<String>,

    /// Leave these lints out
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Apply the fixes that keep every verdict in the dialects standard, google, bing and yandex (not norobots-1996);
    /// each is checked for every known crawler and every one that the file names
    #[arg(long)]
    pub(crate) fix: bool,

    /// Also apply fixes that change verdicts, and list the changes; those that would block `/`, or paths that no rule
    /// named before, are left out
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,

    /// Also apply the unsafe fixes that block `/`, or paths that no rule named before
    #[arg(long, requires = "unsafe_fixes")]
    pub(crate) allow_closing: bool,

    /// Print what the fixes would change, and change nothing; without --unsafe-fixes, the safe ones
    #[arg(long)]
    pub(crate) diff: bool,

    /// The least severity that fails: note, warning or error [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = str::parse::<Severity>)]
    pub(crate) fail_on: Option<Severity>,

    #[command(flatten)]
    pub(crate) evidence: Evidence,

    /// Count the findings of each lint instead of showing them
    #[arg(long)]
    pub(crate) statistics: bool,

    /// Show every finding, instead of the first ten of each lint
    #[arg(long)]
    pub(crate) all: bool,

    /// For people, for programs, for code scanning, or for GitHub's annotations
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: LintFormat,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

// What is known of the site besides its robots.txt.
#[derive(Args, Debug, Default)]
pub(crate) struct Evidence {
    /// The URL of the file, such as <https://example.com/robots.txt>
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// A sitemap of the site: XML or a list of URLs, compressed or not; repeat it for several. What an index lists is
    /// read from the index's own folder, or fetched if it was
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// URLs of the site, one a line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// The server's access log, in the common or combined format, compressed or not
    #[arg(long, value_name = "FILE|-")]
    pub(crate) log: Vec<PathBuf>,

    /// URLs of pages that say `noindex`, one a line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) noindex: Vec<PathBuf>,

    /// A page of the site, to be fetched, or a file and its URL; repeat it for several
    #[arg(long, value_name = "URL|FILE=URL", value_parser = page)]
    pub(crate) page: Vec<PageSource>,

    /// Ask the site how it serves its robots.txt, what counts under its other addresses, and for its sitemaps
    #[arg(long)]
    pub(crate) fetch: bool,
}

/// The source of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageSource {
    Live(String),
    File { path: PathBuf, url: String },
}

impl PageSource {
    /// The file, if it is one.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Live(_) => None,
        }
    }
}

fn page(text: &str) -> Result<PageSource, String> {
    let is_url = |text: &str| text.starts_with("http://") || text.starts_with("https://");
    if is_url(text) {
        return Ok(PageSource::Live(text.to_owned()));
    }
    // Either may hold more of these signs.
    let at = ["=http://", "=https://"].iter().filter_map(|sign| text.find(sign)).min().filter(|at| *at > 0);
    let Some(at) = at else {
        return Err("expected a URL, or a file and its URL, such as about.html=https://example.com/about".to_owned());
    };
    Ok(PageSource::File { path: text[..at].into(), url: text[at + 1..].to_owned() })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    Human,
    Json,
    Sarif,
    Github,
}

const RULE_HELP: &str = "\
Examples:
  comity rule
  comity rule L011
  comity rule query-param-overmatch

Exit codes: 0 it is there, 2 there is no such lint";

#[derive(Args, Debug)]
#[command(after_help = RULE_HELP)]
pub(crate) struct Rule {
    /// A lint's code or name; without one, all are listed
    #[arg(value_name = "LINT")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) format: super::OutputFormat,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_urls_or_files_with_theirs() {
        let file = |path: &str, url: &str| PageSource::File { path: path.into(), url: url.to_owned() };
        assert_eq!(
            page("https://a.example/?b=http://c"),
            Ok(PageSource::Live("https://a.example/?b=http://c".to_owned()))
        );
        assert_eq!(
            page("a=b.html=http://c.example/?d=https://e"),
            Ok(file("a=b.html", "http://c.example/?d=https://e"))
        );
        for text in ["about.html", "about.html=", "=https://a.example/", "about.html=a.example"] {
            assert!(page(text).is_err(), "{text}");
        }
    }
}
