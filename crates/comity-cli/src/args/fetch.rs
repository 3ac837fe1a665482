//! `comity fetch`.

use clap::Args;

use super::live::{CacheOptions, Live};
use super::{DialectName, OutputFormat};

const EXAMPLES: &str = "\
Examples:
  comity fetch https://example.com
      Show each request and its result, the decision of the policy, and the clause for it
  comity fetch --policy google https://example.com
      Decide by Google's policy
  comity fetch --body https://example.com | comity inspect -
      Print only the file
  comity fetch --resolve example.com:443:127.0.0.1 https://example.com
      Fetch from another server, for example before a DNS change

The file is always fetched, and stored in the cache for `comity check`.

Exit codes: 0 the file was fetched, or the site has none; 1 it could not be fetched, or the site refused; 2 no request \
was made";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fetch {
    /// The sites, as any URLs of them
    #[arg(value_name = "URL", required = true)]
    pub(crate) url: Vec<String>,

    /// Print only the file; if it is empty, a comment that says so
    #[arg(long)]
    pub(crate) body: bool,

    #[command(flatten)]
    pub(crate) dialect: DialectName,

    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: CacheOptions,

    #[command(flatten)]
    pub(crate) format: OutputFormat,
}
