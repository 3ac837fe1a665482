//! `comity test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const TEST_HELP: &str = "\
A test file, such as robots.test.toml:
  robots = \"public/robots.txt\"     # relative to this file, or a URL of a site; --robots overrides it
  origin = \"https://example.com\"   # optional: the site of the file; --origin overrides it

  [[test]]
  name = \"products can be crawled\"  # optional
  agent = \"Googlebot\"              # or agents = [...]
  url = \"/products/1\"              # or urls = [...]
  expect = \"allow\"                 # or disallow
  line = 4                         # optional: the line that decides
  ai-train = \"no\"                  # optional: the preference of Content-Signal and Content-Usage; also
                                   # ai-input and search, and yes and not-stated; expect may be left out then

  [[test]]
  agents = [\"Googlebot\", \"bingbot\"]
  sitemap = \"public/sitemap.xml\"   # all its URLs, and those of the sitemaps that it lists
  expect = \"allow\"

  [[test]]
  agent = \"bingbot\"
  urls = [\"/\", \"/cart/\"]
  expect = \"unchanged\"             # the same answer as with the file of --against

  [[test]]
  agents = \"all\"                   # all crawlers: those that the file names, the known ones, and any other
  matching = \"/private/\"           # all URLs that match this pattern, written as in a rule
  except = [\"/private/press/\"]     # optional: except those that match one of these
  expect = \"disallow\"              # or allow, or unchanged: proven for all these URLs

Examples:
  comity test
  comity test --robots draft.txt
      Test a draft
  comity test --robots https://example.com
      Test a live site
  comity test --robots draft.txt --against https://example.com
      Also show the answers that the draft changes
  comity test --format github --junit report.xml
      Annotations for GitHub Actions, and a report for other servers

Crawlers are product tokens. URLs are paths or absolute URLs of the tested site, as in `comity check`. If a test has \
anything else, or the robots.txt is an HTML page, no test is run. A test file has at most 100,000 cases (crawlers × URLs).

Exit codes: 0 all tests pass, 1 at least one fails, 2 they could not be run";

#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub(crate) struct Test {
    /// The test file
    #[arg(value_name = "FILE", default_value = "robots.test.toml")]
    pub(crate) file: PathBuf,

    /// The robots.txt to test: a file, any URL of a site, or `-` for standard input [default: that of the test file]
    #[arg(long, short, value_name = "FILE|URL|-")]
    pub(crate) robots: Option<PathBuf>,

    /// Another robots.txt to test as well, to show which answers differ
    #[arg(long, value_name = "FILE|URL|-")]
    pub(crate) against: Option<PathBuf>,

    /// The site of the robots.txt, as any URL of it [default: the site of --robots, --against or the tests]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    #[command(flatten)]
    pub(crate) dialect: super::DialectName,

    #[command(flatten)]
    pub(crate) naming: super::Naming,

    /// The output format; `github` prints annotations for the tests that fail
    #[arg(long, short, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: TestFormat,

    /// Print nothing: the exit code is the answer. Errors are still printed, and the report of --junit is written
    #[arg(long, short, conflicts_with = "format")]
    pub(crate) quiet: bool,

    /// Also write a report as `JUnit` XML, for continuous integration
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: super::live::Fetching,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    Human,
    Json,
    Github,
}
