//! Choices about paths and delays, for one crawler or for all.

use super::{Result, bail};
use comity::Escaped;

use super::choices::Choice;
use super::plan::check_token;

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
                |name| "{} {}: expected a number of seconds from 1 to {MAX_SECONDS}, such as 10 or bingbot:10",
                name(Choice::CrawlDelay),
                Escaped(typed.as_bytes())
            ),
        }
    }
}

impl PathRule {
    /// Parses `PATH` or `TOKEN:PATH`, the value of a choice.
    pub(super) fn parse(choice: Choice, typed: &str) -> Result<Self> {
        let (token, path) = match typed.split_once(":/") {
            Some((token, _)) if !token.contains('/') => (Some(token), &typed[token.len() + 1..]),
            _ => (None, typed),
        };
        let shown = Escaped(typed.as_bytes());
        if let Some(token) = token {
            check_token(token)?;
        }
        if !path.starts_with('/') {
            bail!(
                |name| "{} {shown}: expected a path that starts with `/`, perhaps after a token and a colon",
                name(choice)
            );
        }
        if path.contains(|c: char| c.is_control() || c == '#') {
            bail!(|name| "{} {shown}: expected a path without controls and `#`: escape them, as in %23", name(choice));
        }
        if path.ends_with(char::is_whitespace) {
            bail!(
                |name| "{} {shown}: expected a path that ends without white space: escape it, as in %20",
                name(choice)
            );
        }
        // Crawlers send `/.` and `/a/..` as `/`.
        let path = escaped(choice, path)?;
        if path.strip_suffix("*$").unwrap_or(&path).trim_end_matches('*') == "/" {
            bail!(
                |name| "{} {shown} is about everything: that is {}, {} TOKEN or {} TOKEN",
                name(choice),
                name(Choice::BlockAll),
                name(Choice::Block),
                name(Choice::Allow)
            );
        }
        Ok(Self { token: token.map(str::to_owned), path })
    }

    /// Returns true if the path belongs in the group of a token.
    pub(super) fn is_for(&self, token: &str) -> bool {
        self.token.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(token))
    }

    /// Returns paths that the pattern must match.
    pub(super) fn samples(&self) -> Vec<String> {
        let (body, is_anchored) = self.path.strip_suffix('$').map_or((self.path.as_str(), false), |body| (body, true));
        let with_ends = |path: String| if is_anchored { vec![path] } else { vec![format!("{path}more"), path] };
        let mut samples = with_ends(body.replace('*', "x"));
        if body.contains('*') {
            // Without the star, other octets may become an escape, as in `/%*41`, or the path `/robots.txt`.
            samples.extend(with_ends(body.replace('*', "")).into_iter().filter(|path| self.covers(path)));
        }
        samples
    }

    /// Returns paths of the directory of an index page. Google's parser also allows it if the page is allowed.
    pub(super) fn directories_of_index(&self) -> Vec<String> {
        match self.path.rsplit_once('/') {
            Some((folder, page)) if page.starts_with("index.htm") => {
                let mut directories = vec![format!("{}/", folder.replace('*', "x"))];
                if folder.contains('*') {
                    directories.push(format!("{}/", folder.replace('*', "")));
                }
                directories
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if the pattern matches a path. This is used to decide what is promised about other paths.
    pub(super) fn covers(&self, path: &str) -> bool {
        let text = format!("User-agent: *\nDisallow: {}\n", self.path);
        comity::Robots::parse(text).check(&comity::Crawler::ANY, path).is_disallowed()
    }
}

/// Returns a path as crawlers send it, with the escapes that URLs require (URL Standard, path and query states).
fn escaped(choice: Choice, path: &str) -> Result<String> {
    const BASE: &str = "http://site.invalid";
    let sent = comity::url::parse_url(&format!("{BASE}{path}")).ok().map(String::from);
    match sent.as_deref().and_then(|sent| sent.strip_prefix(BASE)) {
        Some(sent) => Ok(sent.to_owned()),
        None => bail!(|name| "{} {}: expected the path of a URL", name(choice), Escaped(path.as_bytes())),
    }
}
