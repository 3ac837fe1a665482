//! `comity test`.

use std::path::PathBuf;

use clap::Args;

const TEST_HELP: &str = "\
A test file, mostly robots.test.toml:
  robots = \"public/robots.txt\"     # beside this file, or a site's URL; --robots names another
  origin = \"https://example.com\"   # optional: the site whose file it is; --origin names another

  [[test]]
  name = \"products can be crawled\"  # may be left out
  agent = \"Googlebot\"              # or agents = [...]
  url = \"/products/1\"              # or urls = [...]
  expect = \"allow\"                 # or disallow
  line = 4                         # may be left out: the line that decides

  [[test]]
  agents = [\"Googlebot\", \"bingbot\"]
  sitemap = \"public/sitemap.xml\"   # every URL of it, and of those that it lists
  expect = \"allow\"

  [[test]]
  agent = \"bingbot\"
  urls = [\"/\", \"/cart/\"]
  expect = \"unchanged\"             # as --against has it

  [[test]]
  agents = \"all\"                   # every crawler that the file names, every known one, and any other
  matching = \"/private/\"           # all URLs that match this pattern, which is written as in a rule
  except = [\"/private/press/\"]     # may be left out: all but those that match one of these
  expect = \"disallow\"              # or allow, or unchanged: proven for all these URLs

Examples:
  comity test
  comity test --robots draft.txt
      The same tests, put to a draft
  comity test --robots https://example.com
      Put to a live site
  comity test --robots draft.txt --against https://example.com
      And say which answers the draft changes
  comity test --junit report.xml

Crawlers and URLs are those of `comity check`: product tokens, and paths or absolute URLs of the one site whose file is \
tested. A test with anything else is refused, and so is an HTML page in place of a robots.txt; no test is run then. A \
test file has at most 100,000 cases (crawlers × URLs).

Exit codes: 0 all pass, 1 some fail, 2 they could not be run";

#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub(crate) struct Test {
    /// The tests
    #[arg(value_name = "FILE", default_value = "robots.test.toml")]
    pub(crate) file: PathBuf,

    /// The robots.txt to test, or any URL of a site that is asked for its own, in place of what the test file names;
    /// `-`: standard input
    #[arg(long, short, value_name = "FILE|URL|-")]
    pub(crate) robots: Option<PathBuf>,

    /// Put the same questions to this one, too, and say which answers differ
    #[arg(long, value_name = "FILE|URL|-")]
    pub(crate) against: Option<PathBuf>,

    /// The site whose robots.txt is tested, as any URL on it [default: that of the URL of --robots or --against, or else
    /// of the tests]
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,

    #[command(flatten)]
    pub(crate) dialect: super::DialectName,

    #[command(flatten)]
    pub(crate) naming: super::Naming,

    /// Write a report for continuous integration as well, in the XML of `JUnit`
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) fetching: super::live::Fetching,
}
