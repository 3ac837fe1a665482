//! The options that all commands that fetch have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use comity_fetch::{Addresses, Policy};

use super::names::policies;

#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Live {
    /// The policy for responses and errors: standard, google, google-2019, rfc9309, strict, archive, or one of your own
    /// from comity.toml
    #[arg(long, value_name = "NAME", default_value = "standard", value_parser = policies(), hide_possible_values = true)]
    pub(crate) policy: Policy,

    /// The User-Agent header to send: name, version and your address [default: comity/VERSION]
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,

    /// The timeout of a fetch, redirects included, such as 10s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// The addresses to allow connections to: public, any, or networks such as `10.0.0.0/8,fd00::/8`. The host of a
    /// URL that you type may have any address [default: public]
    #[arg(long, value_name = "WHICH")]
    pub(crate) addresses: Option<Addresses>,

    /// Connect to this address for a host and port, as in curl; `*` for every host; may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub(crate) resolve: Vec<String>,

    /// Go through a proxy, http://, https:// or socks5h://; the environment names none
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,

    /// Trust the certificates of this PEM file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,

    /// After a 5xx, find out with two more requests if the site answers 5xx for every missing page
    #[arg(long)]
    pub(crate) probe: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Cache {
    /// The folder where fetched files are remembered [default: the user's cache folder]
    #[arg(long = "cache", value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

// What is remembered, and used.
#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Keeping {
    #[command(flatten)]
    pub(crate) cache: Cache,

    /// Remember nothing, and know nothing of what was remembered
    #[arg(long, conflicts_with = "dir")]
    pub(crate) no_cache: bool,

    /// Ask sites whether a copy is still good (`ETag`, `Last-Modified`), instead of for the whole file
    #[arg(long, conflicts_with = "no_cache")]
    pub(crate) revalidate: bool,
}

// The options of commands that take a URL in place of a file.
#[derive(Args, Debug)]
pub(crate) struct Fetching {
    #[command(flatten)]
    pub(crate) live: Live,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

// How fresh an answer must be.
#[derive(Args, Debug)]
#[command(next_help_heading = "Live sites")]
pub(crate) struct Freshness {
    /// Fetch nothing: answer by what is remembered, however old
    #[arg(long, conflicts_with_all = ["no_cache", "max_age"])]
    pub(crate) offline: bool,

    /// Fetch again what is older than this, such as 10m or 6h, even if it may still be used
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) max_age: Option<Duration>,
}

/// A time with units, such as `90s`, `10m` or `1h 30m`; a bare number is seconds.
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
