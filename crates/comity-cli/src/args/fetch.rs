//! `comity fetch`.

use clap::Args;

use super::live::{Keeping, Live};
use super::{DialectName, OutputFormat};

const EXAMPLES: &str = "\
Examples:
  comity fetch https://example.com
      Each request and what came of it, what the policy makes of it, and where that is written
  comity fetch --policy google https://example.com
      The same as Google would take it
  comity fetch --body https://example.com | comity inspect -
      The file itself
  comity fetch --resolve example.com:443:127.0.0.1 https://example.com
      From another server than the name's own

It always asks the site, and remembers what came of it for `comity check`.

Exit codes: 0 the file was fetched, or there is none; 1 it can't be fetched, or its site forbids that; 2 no attempt \
was made";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fetch {
    /// The sites, as any URL on them
    #[arg(value_name = "URL", required = true)]
    pub(crate) url: Vec<String>,

    /// Print the file and nothing else
    #[arg(long)]
    pub(crate) body: bool,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: Keeping,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}
