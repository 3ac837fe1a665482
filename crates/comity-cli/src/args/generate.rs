//! `comity generate`.

use std::path::PathBuf;

use clap::Args;
use comity_report::{GeneratePreset, HeaderServer};

use super::OutputFormat;
use super::names::{header_servers, presets};

const HELP: &str = "\
Examples:
  comity generate > robots.txt
      Allow everything
  comity generate --block-ai-training --preferences --sitemap https://example.com/sitemap.xml
      Block AI training, and allow AI search and everything else
  comity generate --protect /cart/ --protect Googlebot:/drafts/
      Protect a path from all crawlers, and another from one crawler
  comity generate --block-all --allow Googlebot
      Allow only one crawler
  comity generate --preset wordpress --explain
      Write the usual file for WordPress, with a comment for each line
  comity generate --from robots.txt --block GPTBot --protect /cart/ > new.txt
      Keep a file, add choices, and show what they change
  comity generate --protect /cart/ --headers nginx
      Print X-Robots-Tag lines for the same choices, for a server's configuration

The result is checked before it is printed: it must give the promised answers to every known crawler, in the dialect of \
its operator, and to an unknown one. Otherwise nothing is printed. Known crawlers that ignore the group of * are named in \
it. A crawler that uses another crawler's group, as Googlebot-Image uses that of Googlebot, has the same choices. A \
robots.txt cannot block crawlers that do not obey it.

Paths are written as crawlers send them: /caf\u{e9}/ becomes /caf%C3%A9/, and a space %20.

A robots.txt prevents fetching, not indexing: a search engine may list the address of a disallowed page if other pages \
link to it. To keep a page out of an index, allow fetching and send a noindex.

Exit codes: 0 printed and checked; 2 no file can express the choices";

#[derive(Args, Clone, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Generate {
    /// Block every crawler except those of --allow and those that use their groups
    #[arg(long)]
    pub(crate) block_all: bool,

    /// Block the known crawlers that collect data to train AI models; AI search stays allowed
    #[arg(long)]
    pub(crate) block_ai_training: bool,

    /// Block all known AI crawlers: for training, for search, and on request of a user
    #[arg(long)]
    pub(crate) block_ai: bool,

    /// Block this crawler; repeatable
    #[arg(long, value_name = "TOKEN")]
    pub(crate) block: Vec<String>,

    /// Allow this crawler, which another option would block; repeatable
    #[arg(long, value_name = "TOKEN")]
    pub(crate) allow: Vec<String>,

    /// Protect paths from all crawlers, or from one; `*` and a final `$` are special, as in a rule; repeatable
    #[arg(long, value_name = "[TOKEN:]PATH")]
    pub(crate) protect: Vec<String>,

    /// Allow paths, as exceptions from --protect or --block-all; repeatable
    #[arg(long, value_name = "[TOKEN:]PATH")]
    pub(crate) allow_path: Vec<String>,

    /// Ask for this time between two requests, in seconds; repeatable
    #[arg(long, value_name = "[TOKEN:]SECONDS")]
    pub(crate) crawl_delay: Vec<String>,

    /// Choices for a kind of site: wordpress, shop, staging, block-ai-training or search-only; more choices may be added
    #[arg(long, value_name = "NAME", value_parser = presets(), hide_possible_values = true)]
    pub(crate) preset: Option<GeneratePreset>,

    /// Add the choices to this file, keep its lines, and show what changes, for all URLs and all crawlers
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["block_all", "headers"])]
    pub(crate) from: Option<PathBuf>,

    /// Explain each line in a comment
    #[arg(long)]
    pub(crate) explain: bool,

    /// Also state preferences about AI training and search: Content-Signal and Content-Usage
    #[arg(long)]
    pub(crate) preferences: bool,

    /// List a sitemap; repeatable
    #[arg(long, value_name = "URL")]
    pub(crate) sitemap: Vec<String>,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Print X-Robots-Tag lines for the configuration of a server instead: nginx, apache or caddy
    #[arg(long, value_name = "SERVER", value_parser = header_servers(), hide_possible_values = true)]
    pub(crate) headers: Option<HeaderServer>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}
