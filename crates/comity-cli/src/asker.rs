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

    /// The same for what a person typed, who may have pasted a whole header.
    pub(crate) fn typed(name: &str, table: Option<&Crawlers>) -> Result<Self> {
        if table.is_some_and(|table| table.find(name).is_none()) && user_agent::is_header(name) {
            let header = Escaped(name.as_bytes());
            match user_agent::candidates(name).first() {
                Some(token) => bail!(
                    "expected a product token, found a whole User-Agent header: `{header}`. \
                     It probably means --agent {}",
                    Escaped(token.as_bytes())
                ),
                None => bail!(
                    "expected a product token such as Googlebot, found a whole User-Agent header, and no crawler's: \
                     `{header}`"
                ),
            }
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

/// The table that names are looked up in: ours, with the user's rows.
pub(crate) fn table(own: Option<&Path>) -> Result<Crawlers> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        crawler: Vec<Profile>,
    }
    let mut table = Crawlers::builtin();
    if let Some(path) = own {
        let text = String::from_utf8(input::read(path)?)
            .with_context(|| format!("{}: expected a TOML file, found bytes that are no text", input::name(path)))?;
        let own: Own = toml::from_str(&text).with_context(|| {
            format!("{}: expected [[crawler]] tables, as in `comity crawlers --help`", input::name(path))
        })?;
        own.crawler.into_iter().for_each(|profile| table.add(profile));
    }
    Ok(table)
}
