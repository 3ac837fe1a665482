//! Choices about paths and delays, for one crawler or for all.

use super::plan::check_token;
use super::{Result, bail};

/// A path that is disallowed or allowed, for one crawler or for all.
#[derive(PartialEq, Eq)]
pub(super) struct PathRule {
    pub(super) token: Option<String>,
    pub(super) path: String,
}

/// The seconds between two requests, for one crawler or for all.
pub(super) struct Delay {
    pub(super) token: Option<String>,
    pub(super) seconds: u32,
}

impl Delay {
    /// Parses `SECONDS` or `TOKEN:SECONDS`.
    pub(super) fn parse(typed: &str) -> Result<Self> {
        /// A day. A longer delay is a mistake.
        const MAX_SECONDS: u32 = 86_400;
        let (token, number) = typed.split_once(':').map_or((None, typed), |(token, number)| (Some(token), number));
        if let Some(token) = token {
            check_token(token)?;
        }
        match number.parse() {
            Ok(seconds @ 1..=MAX_SECONDS) => Ok(Self { token: token.map(str::to_owned), seconds }),
            _ => bail!(
                ["crawl_delay", typed],
                "expected a number of seconds from 1 to {MAX_SECONDS}, such as 10 or bingbot:10"
            ),
        }
    }
}

impl PathRule {
    /// Parses `PATH` or `TOKEN:PATH`, the value of a field of the choices.
    pub(super) fn parse(field: &'static str, typed: &str) -> Result<Self> {
        const BASE: &str = "http://site.invalid";
        let (token, path) = match typed.split_once(":/") {
            Some((token, _)) if !token.contains('/') => (Some(token), &typed[token.len() + 1..]),
            _ => (None, typed),
        };
        if let Some(token) = token {
            check_token(token)?;
        }
        if token.is_some() && path.starts_with("//") {
            bail!([field, typed], "expected a path such as /private/ or /*.pdf$, found a URL");
        }
        if !path.starts_with('/') {
            bail!([field, typed], "expected a path that starts with `/`, perhaps after a token and a colon");
        }
        if path.contains(|c: char| c.is_control() || c == '#') {
            bail!([field, typed], "expected a path without controls and `#`: escape them, as in %23");
        }
        if path.ends_with(char::is_whitespace) {
            bail!([field, typed], "expected a path that ends without white space: escape it, as in %20");
        }
        // Crawlers send `/.` and `/a/..` as `/`, and the escapes that URLs require (URL Standard, path and query states).
        let sent = comity::url::parse_url(&format!("{BASE}{path}")).ok().map(String::from);
        let Some(path) = sent.as_deref().and_then(|sent| sent.strip_prefix(BASE)) else {
            bail!([field, typed], "expected the path of a URL");
        };
        if path.strip_suffix("*$").unwrap_or(path).trim_end_matches('*') == "/" {
            bail!([field, typed], "this is the whole site: block or allow crawlers instead");
        }
        Ok(Self { token: token.map(str::to_owned), path: path.to_owned() })
    }

    /// Returns true if the path belongs in the group of a token.
    pub(super) fn is_for(&self, token: &str) -> bool {
        self.token.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(token))
    }
}
