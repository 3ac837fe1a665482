//! `comity lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comity_lint::Severity;

use super::live::Fetching;

const LINT_HELP: &str = "\
Examples:
  comity lint
      Find the mistakes of the robots.txt files of a project: in this folder, public, static, src, app and src/app
  comity lint robots.txt
      Find the mistakes of a local file
  comity lint https://example.com
      Find the mistakes of a live site's file
  comity lint --fix robots.txt
      Apply the fixes that change no answer
  comity lint --unsafe-fixes --diff --url https://example.com/robots.txt robots.txt
      Show the other fixes, and the answers that they change
  comity lint --sitemap sitemap.xml --log access.log.gz robots.txt
      Use real URLs: shows which of them a mistake affects
  comity lint --page https://example.com/ --page about.html=https://example.com/about robots.txt
      Check pages: blocked styles and scripts, and a noindex that crawlers cannot see
  comity lint --fetch https://example.com
      Also check how the site serves the file, its other addresses, and its sitemaps
  comity lint --reader lighthouse robots.txt
      Find the lines that make Lighthouse reject the file
  comity lint --format github public/robots.txt
      Print annotations for continuous integration; gitlab and sarif are for reports
  comity lint --explain L011
      Explain a lint; without its code or name, list all lints

A comment disables a lint: `# comity: ignore[L011]` at the end of a line or on the line above it, \
`# comity: ignore-file[L011]` in the whole file.

comity.toml, in this folder or one above it:
  [lint]
  select = [\"default\", \"L015\"]      # codes, names, default, all
  ignore = [\"secret-disclosure\"]
  severity = { L004 = \"error\" }
  fail-on = \"warning\"

Exit codes: 0 no finding of the severity of --fail-on, 1 at least one, 2 a file could not be read";

#[derive(Args, Debug)]
#[command(after_help = LINT_HELP)]
pub(crate) struct Lint {
    /// The robots.txt files: files, any URLs of sites, or `-` for standard input [default: those in this folder and in
    /// public, static, src, app and src/app]
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) files: Vec<PathBuf>,

    /// Explain a lint, by its code or name, instead of checking files [default: list all lints]
    #[arg(
        long,
        value_name = "LINT",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["files", "select", "ignore", "fix", "unsafe_fixes", "diff"]
    )]
    pub(crate) explain: Option<String>,

    /// Run only these lints: codes, names, `default` or `all`
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    pub(crate) select: Vec<String>,

    /// Do not run these lints
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,

    /// The configuration of lints [default: comity.toml in this folder or one above it]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Apply the fixes that keep every verdict in the dialects standard, google, google-parser, bing and yandex (not
    /// norobots-1996), which is proven for all URLs and all crawlers
    #[arg(long)]
    pub(crate) fix: bool,

    /// Also apply fixes that change answers, and list the changes. Fixes that would block `/`, or paths that no rule
    /// named before, are left out
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,

    /// Also apply unsafe fixes that block `/`, or paths that no rule named before
    #[arg(long, requires = "unsafe_fixes")]
    pub(crate) allow_blocking: bool,

    /// Print the fixes as a diff, without applying them; with --unsafe-fixes, also the unsafe ones
    #[arg(long)]
    pub(crate) diff: bool,

    /// The lowest severity with which the command fails: note, warning or error [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = str::parse::<Severity>)]
    pub(crate) fail_on: Option<Severity>,

    #[command(flatten)]
    pub(crate) evidence: Evidence,

    /// Count the findings of each lint instead of showing them
    #[arg(long)]
    pub(crate) statistics: bool,

    /// Show every finding, instead of the first ten of each lint, and of the rules that repeat others one summary per file
    #[arg(long)]
    pub(crate) all: bool,

    /// Report only what one validator rejects: `lighthouse` or `google`, or a version such as `lighthouse@12`
    #[arg(long, value_name = "READER", conflicts_with_all = ["select", "ignore", "fix", "unsafe_fixes", "explain"])]
    pub(crate) reader: Option<String>,

    /// The output format: human, short (one line per finding), json, csv, sarif (for code scanning), github (annotations),
    /// gitlab (Code Quality) or junit
    #[arg(long, short, value_name = "FORMAT", default_value = "human", hide_possible_values = true)]
    pub(crate) format: LintFormat,

    /// Print no findings: the exit code is the answer. Errors and the number of fixes are still printed
    #[arg(long, short, conflicts_with_all = ["format", "statistics", "all", "diff"])]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

// Facts about the site besides its robots.txt.
#[derive(Args, Debug, Default)]
pub(crate) struct Evidence {
    /// The URL of the robots.txt, such as `https://example.com/robots.txt`
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// A sitemap of the site: XML or a list of URLs, compressed or not; repeatable. Sitemaps of an index are read from
    /// the folder of the index, or fetched if the index was fetched
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) sitemap: Vec<PathBuf>,

    /// A list of URLs of the site, one per line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) urls: Vec<PathBuf>,

    /// An access log of the server, compressed or not
    #[arg(long, value_name = "FILE|-")]
    pub(crate) log: Vec<PathBuf>,

    /// A list of URLs of pages with `noindex`, one per line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) noindex: Vec<PathBuf>,

    /// A page of the site: a URL to fetch, or a file and its URL; repeatable
    #[arg(long, value_name = "URL|FILE=URL", value_parser = page)]
    pub(crate) page: Vec<PageSource>,

    /// Also check how the site serves its robots.txt, the files of its other addresses, and its sitemaps
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
    /// Returns the path of a local file.
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
    // Both the path and the URL may contain these characters.
    let at = ["=http://", "=https://"].iter().filter_map(|sign| text.find(sign)).min().filter(|at| *at > 0);
    let Some(at) = at else {
        return Err("expected a URL, or a file and its URL, such as about.html=https://example.com/about".to_owned());
    };
    Ok(PageSource::File { path: text[..at].into(), url: text[at + 1..].to_owned() })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    Human,
    /// One line per finding
    Short,
    Json,
    Csv,
    Sarif,
    Github,
    Gitlab,
    Junit,
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
