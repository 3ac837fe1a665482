//! From what a person calls a crawler to a crawler.

use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Crawler, Crawlers, Escaped, Profile, user_agent};
use serde::Deserialize;

use crate::input;

/// Who asks, as it was typed.
#[derive(Clone, Debug)]
pub(crate) enum Asker {
    /// A crawler of the table.
    Known(Box<Profile>),
    /// A literal token; `*` stands for any crawler that the file does not name.
    Token(String),
}

impl Asker {
    /// A crawler of the table, or else a literal token.
    pub(crate) fn new(token: &str, table: Option<&Crawlers>) -> Self {
        match table.and_then(|table| table.find(token)) {
            Some(profile) => Self::Known(Box::new(profile.clone())),
            None => Self::Token(token.to_owned()),
        }
    }

    /// The same for what a person typed, who may have pasted a whole header, or a list. With no table, all is literal.
    pub(crate) fn typed(name: &str, table: Option<&Crawlers>) -> Result<Self> {
        let Some(known) = table else { return Ok(Self::new(name, None)) };
        let name = name.trim();
        if known.find(name).is_some() {
            return Ok(Self::new(name, table));
        }
        let shown = Escaped(name.as_bytes());
        if name.is_empty() {
            bail!("--agent is empty: expected a product token such as Googlebot, or * for any crawler");
        }
        if user_agent::is_header(name) {
            match user_agent::candidates(name).first() {
                Some(token) => bail!(
                    "expected a product token, found a whole User-Agent header: `{shown}`. \
                     It probably means --agent {}",
                    Escaped(token.as_bytes())
                ),
                None => bail!(
                    "expected a product token such as Googlebot, found a whole User-Agent header, and no crawler's: \
                     `{shown}`"
                ),
            }
        }
        if name.contains(',') {
            let tokens: Vec<String> =
                name.split(',').map(|token| format!("--agent {}", Escaped(token.trim().as_bytes()))).collect();
            bail!("expected one product token, found a list: `{shown}`. Repeat the option: {}", tokens.join(" "));
        }
        Ok(Self::new(name, table))
    }

    pub(crate) fn crawler(&self) -> Crawler<'_> {
        match self {
            Self::Known(profile) => Crawler::from(&**profile),
            Self::Token(token) => Crawler::from(token.as_str()),
        }
    }

    pub(crate) fn profile(&self) -> Option<&Profile> {
        match self {
            Self::Known(profile) => Some(profile),
            Self::Token(_) => None,
        }
    }

    /// Its token, as it was typed or as its operator spells it.
    pub(crate) fn token(&self) -> &str {
        match self {
            Self::Known(profile) => &profile.token,
            Self::Token(token) => token,
        }
    }

    /// Its name at the start of a sentence.
    pub(crate) fn subject(&self) -> String {
        match self.token() {
            "*" => "A crawler that the file does not name".to_owned(),
            "" => "A crawler without a name".to_owned(),
            token => Escaped(token.as_bytes()).to_string(),
        }
    }
}

/// The askers that were typed, each once.
pub(crate) fn typed(names: &[String], table: Option<&Crawlers>) -> Result<Vec<Asker>> {
    let mut askers: Vec<Asker> = Vec::new();
    for name in names {
        let asker = Asker::typed(name, table)?;
        if !askers.iter().any(|other| other.token() == asker.token()) {
            askers.push(asker);
        }
    }
    Ok(askers)
}

/// The known name that a token is probably meant to be: one slip of the fingers away.
pub(crate) fn similar<'t>(token: &str, table: &'t Crawlers) -> Option<&'t str> {
    let token = token.to_ascii_lowercase();
    table.iter().map(|profile| profile.token.as_ref()).find(|known| {
        let known = known.to_ascii_lowercase();
        token.len() > 4 && known != token && is_one_slip(token.as_bytes(), known.as_bytes())
    })
}

/// Whether two texts differ by one letter that was added, dropped, changed, or swapped with its neighbour.
fn is_one_slip(a: &[u8], b: &[u8]) -> bool {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&a[..a.len() - end], &b[..b.len() - end]) {
        ([], [_]) | ([_], [] | [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

/// The table that names are looked up in: ours, with the user's rows.
pub(crate) fn table(own: Option<&Path>) -> Result<Crawlers> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        crawler: Vec<Profile>,
    }
    let mut table = Crawlers::builtin();
    if let Some(path) = own {
        if input::is_stdin(path) {
            bail!("--crawlers can't be standard input: name a file");
        }
        let text = String::from_utf8(input::read(path)?)
            .with_context(|| format!("{}: expected a TOML file, found bytes that are no text", input::name(path)))?;
        let own: Own = toml::from_str(&text).with_context(|| {
            format!("{}: expected [[crawler]] tables, as in `comity crawlers --help`", input::name(path))
        })?;
        own.crawler.into_iter().for_each(|profile| table.add(profile));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let table = Crawlers::builtin();
        for (typed, meant) in
            [("GTPBot", "GPTBot"), ("googelbot", "Googlebot"), ("CCBott", "CCBot"), ("bigbot", "bingbot")]
        {
            assert_eq!(similar(typed, &table), Some(meant));
        }
        for other in ["mybot", "Googlebot", "bot", "examplebot"] {
            assert_eq!(similar(other, &table), None, "{other}");
        }
    }
}
