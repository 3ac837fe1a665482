//! Crawlers as users name them, looked up in the crawler table.

use comity::spelling::edit_distance;
use comity::{Crawler, Crawlers, Escaped, Profile, user_agent};

use crate::error::{AskError, Kind};

/// A crawler to check for, as a user named it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CrawlerQuery {
    /// A crawler of the table.
    Known(Box<Profile>),
    /// A literal token. `*` means any crawler that the file does not name.
    Token(String),
}

impl CrawlerQuery {
    /// Returns the crawler of this name in the table, or else a literal token.
    pub fn new(token: &str, table: Option<&Crawlers>) -> Self {
        match table.and_then(|table| table.find(token)) {
            Some(profile) => Self::Known(Box::new(profile.clone())),
            None => Self::Token(token.to_owned()),
        }
    }

    /// Returns the crawler of a name that a person typed. Without a table, every name that is not empty is a literal
    /// token.
    ///
    /// # Errors
    ///
    /// If the name is empty, or if there is a table and the name is a whole `User-Agent` header, a list, or a
    /// [misnomer](comity::crawlers::Misnomer): the name of a company or a product, or a name with white space in it.
    pub fn typed(name: &str, table: Option<&Crawlers>) -> Result<Self, AskError> {
        if name.trim().is_empty() {
            return Err(AskError::new(Kind::NoAgent));
        }
        let Some(known) = table else { return Ok(Self::new(name, None)) };
        let name = name.trim();
        if known.find(name).is_some() {
            return Ok(Self::new(name, table));
        }
        if user_agent::is_header(name, known) {
            let token = user_agent::candidates(name, known).first().map(ToString::to_string);
            return Err(AskError::new(Kind::Header { name: name.to_owned(), token }));
        }
        if name.contains(',') {
            return Err(AskError::new(Kind::List(name.to_owned())));
        }
        if let Some(misnomer) = known.misnomer(name) {
            return Err(AskError::new(Kind::Misnomer(misnomer)));
        }
        Ok(Self::new(name, table))
    }

    /// Returns the crawler as a [`Crawler`] of the engine.
    pub fn as_crawler(&self) -> Crawler<'_> {
        match self {
            Self::Known(profile) => Crawler::from(&**profile),
            Self::Token(token) => Crawler::literal(token),
        }
    }

    /// Returns the crawler's row of the table, if it is known.
    pub fn profile(&self) -> Option<&Profile> {
        match self {
            Self::Known(profile) => Some(profile),
            Self::Token(_) => None,
        }
    }

    /// Returns the crawler's token, as its operator spells it or, if the crawler is not known, as it was typed.
    pub fn token(&self) -> &str {
        match self {
            Self::Known(profile) => &profile.token,
            Self::Token(token) => token,
        }
    }

    /// Returns the crawler's name in a form that fits at the start of a sentence.
    pub fn subject(&self) -> String {
        match self.token() {
            "*" => "A crawler without its own group".to_owned(),
            "" => "An unnamed crawler".to_owned(),
            token => Escaped(token.as_bytes()).to_string(),
        }
    }
}

/// Returns the crawlers with these names, each once.
///
/// ```
/// use comity::Crawlers;
///
/// let table = Crawlers::builtin();
/// let crawlers = comity_report::crawler_queries(&["googlebot", "Googlebot", "mybot"], Some(&table))?;
/// let tokens: Vec<&str> = crawlers.iter().map(|crawler| crawler.token()).collect();
/// assert_eq!(tokens, ["Googlebot", "mybot"]);
/// assert!(comity_report::crawler_queries(&["Mozilla/5.0 (compatible; GPTBot/1.2)"], Some(&table)).is_err());
/// let error = comity_report::crawler_queries(&["ChatGPT"], Some(&table)).unwrap_err();
/// assert_eq!(error.meant(), ["GPTBot", "OAI-SearchBot", "ChatGPT-User"]);
/// # Ok::<(), comity_report::AskError>(())
/// ```
pub fn crawler_queries(names: &[impl AsRef<str>], table: Option<&Crawlers>) -> Result<Vec<CrawlerQuery>, AskError> {
    let mut crawlers: Vec<CrawlerQuery> = Vec::new();
    for name in names {
        let crawler = CrawlerQuery::typed(name.as_ref(), table)?;
        if !crawlers.iter().any(|other| other.token() == crawler.token()) {
            crawlers.push(crawler);
        }
    }
    Ok(crawlers)
}

/// Returns a known name that a token is probably a misspelling of. The token differs from it by one letter that is
/// added, dropped, changed, or swapped with its neighbor.
#[must_use]
pub fn similar<'t>(token: &str, table: &'t Crawlers) -> Option<&'t str> {
    /// The minimum length of a token. Shorter ones are similar to too many names.
    const MIN_LEN: usize = 5;
    let is_near = |known: &str| edit_distance(known.as_bytes(), token.as_bytes(), 1) == Some(1);
    let mut names = table.iter().map(|profile| profile.token.as_ref());
    names.find(|known| token.len() >= MIN_LEN && is_near(known))
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
