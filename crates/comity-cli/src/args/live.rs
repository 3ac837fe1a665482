//! The options of all commands that fetch.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use comity_fetch::{Addresses, Policy};

use super::names::policies;

#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Live {
    /// The policy for HTTP statuses and errors: standard, google, google-2019, rfc9309, strict or archive
    #[arg(long, value_name = "NAME", default_value = "standard", value_parser = policies(), hide_possible_values = true)]
    pub(crate) policy: Policy,

    /// The User-Agent header to send: a name, a version and a contact address [default: comity/VERSION]. `check` without
    /// --agent asks for the crawler that it names, also with --robots
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,

    /// The timeout of a fetch with its redirects, such as 10s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// The addresses to which connections are allowed: public, any, or networks such as `10.0.0.0/8,fd00::/8`. The
    /// host of a URL on the command line may have any address [default: public]
    #[arg(long, value_name = "WHICH")]
    pub(crate) addresses: Option<Addresses>,

    /// Connect to this address for a host and port, as in curl; `*` for every host; repeatable
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub(crate) resolve: Vec<String>,

    /// The proxy to use: http://, https:// or socks5h://. Proxies of the environment are not used
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,

    /// A PEM file with more certificates to trust
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,

    /// After a 5xx, send two more requests to find out if the site answers every missing page with 5xx
    #[arg(long)]
    pub(crate) probe: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Cache {
    /// The folder of cached files [default: the user's cache folder]
    #[arg(long = "cache", value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,

    /// The database of cached files, which many machines may share: `postgres://USER@HOST/DATABASE`
    #[arg(long, value_name = "URL", conflicts_with = "dir")]
    pub(crate) store: Option<DatabaseUrl>,

    /// Waits for a database that is down.
    #[arg(skip)]
    pub(crate) waits: bool,
}

/// The address of a database, which may contain a password. It is parsed later: errors of the parser of arguments would
/// contain it.
#[derive(Clone)]
pub(crate) struct DatabaseUrl(
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "only the feature reads it"))] pub(crate) String,
);

impl From<String> for DatabaseUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

// The use of the cache.
#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct CacheOptions {
    #[command(flatten)]
    pub(crate) cache: Cache,

    /// Neither read nor write the cache
    #[arg(long, conflicts_with_all = ["dir", "store"])]
    pub(crate) no_cache: bool,

    /// Revalidate copies (`ETag`, `Last-Modified`) instead of fetching the whole file
    #[arg(long, conflicts_with = "no_cache")]
    pub(crate) revalidate: bool,
}

// The options of commands that take a URL in place of a file.
#[derive(Args, Debug)]
pub(crate) struct Fetching {
    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: CacheOptions,
}

// How fresh an answer must be.
#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Freshness {
    /// Fetch nothing; use cached files of any age
    #[arg(long, conflicts_with_all = ["no_cache", "max_age"])]
    pub(crate) offline: bool,

    /// Fetch files again that are older than this, such as 10m or 6h, even if they are still valid
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_age: Option<Duration>,
}

/// Parses a time with units, such as `90s`, `10m` or `1h 30m`. A number without a unit is in seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    humantime::parse_duration(text)
        .map_err(|_| format!("expected a time with its unit, such as 90s, 10m, 6h or 2d, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, millis) in [("250ms", 250), ("90", 90_000), ("10m", 600_000), ("2d", 172_800_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1s", "1z", "inf", "1e300d", "ä", "99999999999999999999"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
