//! `comity generate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::OutputFormat;

const HELP: &str = "\
Examples:
  comity generate > robots.txt
      Everything is allowed, and says so
  comity generate --block-ai-training --preferences --sitemap https://example.com/sitemap.xml
      Not for training, but for AI search and everybody else
  comity generate --protect /cart/ --protect Googlebot:/drafts/
      Paths for all, and for one crawler, whose own group then holds both
  comity generate --block-all --allow Googlebot
      Nobody but one
  comity generate --protect /cart/ --headers nginx
      The X-Robots-Tag lines for the same choices, for a server's configuration

What is printed was read back first: every verdict that the choices promise was checked, for every known crawler in the \
dialect of its operator, and for one that nobody knows. If one does not come out, nothing is printed. Known crawlers that \
pass over the group of * are named in it. One that follows another crawler's group, as Googlebot-Image follows Googlebot, \
shares what is chosen for that one. Crawlers whose operators say that they heed no robots.txt can't be kept out by one.

Paths are written as crawlers send them: /caf\u{e9}/ becomes /caf%C3%A9/, and a space %20.

A robots.txt keeps pages from being fetched, not from being found: what is linked elsewhere may be listed by its \
address alone. To keep a page out of an index, let it be fetched, and send a noindex.

Exit codes: 0 printed, and it holds; 2 the choices contradict each other";

#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_help = HELP)]
pub(crate) struct Generate {
    /// Block every crawler, but for those of --allow and what follows their groups
    #[arg(long)]
    pub(crate) block_all: bool,

    /// Block the known crawlers that train AI models or gather data for it; AI search stays allowed
    #[arg(long)]
    pub(crate) block_ai_training: bool,

    /// Block all known AI crawlers: training, search, and those that fetch for a person
    #[arg(long)]
    pub(crate) block_ai: bool,

    /// Block a crawler, by its product token; repeat it for several
    #[arg(long, value_name = "TOKEN")]
    pub(crate) block: Vec<String>,

    /// Allow a crawler that would be blocked; repeat it for several
    #[arg(long, value_name = "TOKEN")]
    pub(crate) allow: Vec<String>,

    /// Keep crawlers, or one that is named, from paths: `*` and a final `$` are understood; repeat it for several
    #[arg(long, value_name = "[TOKEN:]PATH")]
    pub(crate) protect: Vec<String>,

    /// Also say what is preferred about AI training and search: Content-Signal and Content-Usage
    #[arg(long)]
    pub(crate) preferences: bool,

    /// Name a sitemap; repeat it for several
    #[arg(long, value_name = "URL")]
    pub(crate) sitemap: Vec<String>,

    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Print the X-Robots-Tag lines for a server's configuration instead: nginx, apache or caddy
    #[arg(long, value_name = "SERVER", hide_possible_values = true)]
    pub(crate) headers: Option<Server>,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    Nginx,
    Apache,
    Caddy,
}
