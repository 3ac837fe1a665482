//! Errors of a check without a decision.

use std::fmt;
use std::time::Duration;

use comity::{Escaped, Origin, OriginError};

use crate::budget::Unsent;
use crate::store::StoreError;

/// The reason why there is no decision about a URL. Returned by the methods of [`Client`](crate::Client) that ask about
/// a site.
///
/// A site that cannot be reached is not an error: the policy decides then. Treat an error as "not allowed".
///
/// | predicate | cause | what to do |
/// |---|---|---|
/// | [`is_url`](Self::is_url) | The text is not an absolute URL, or it has no host. | Skip the URL. |
/// | [`is_scheme`](Self::is_scheme) | The scheme of the URL cannot be fetched. | Skip the URL. |
/// | [`is_nothing_known`](Self::is_nothing_known) | The client is offline, and the site was never fetched. | Ask again online. |
/// | [`is_store`](Self::is_store) | The store failed, and there is no decision without it. | Ask again when the store works. |
/// | [`retry_after`](Self::retry_after) | The [budget](crate::Client::with_budget) has no request left for the site. | Ask again after that time. |
/// | none | The fetch broke off, for example because its runtime was shut down or has no timers (`enable_time`). | Ask again. |
///
/// The predicates are not exhaustive: later versions may have more causes. [`Display`](fmt::Display) states what was
/// expected, what was found, and what to do, in one line that is safe to print. `source` returns the [`OriginError`] or
/// the [`StoreError`], if there is one.
///
/// ```
/// use std::error::Error;
/// use comity_fetch::Client;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn Error>> {
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let me = comity::Crawler::token("ExampleBot")?;
/// let error = client.check(&me, "/page").await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected an absolute URL such as https://example.com/page, found `/page`",
/// );
/// assert!(error.source().is_some_and(|source| source.is::<comity::OriginError>()));
/// # Ok(())
/// # }
/// ```
///
/// # Design
///
/// A failed fetch is a result and no error, since callers tend to treat errors of a fetch as "no rules". The causes are
/// predicates and not variants, so that they can get more details without a new major version. The error is [`Clone`],
/// because all questions that share a fetch receive it.
#[derive(Clone, Debug)]
pub struct CheckError(Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Url(OriginError),
    Scheme(Origin),
    NothingKnown(Origin),
    Store { origin: Origin, error: StoreError },
    StoreRequired { origin: Origin, error: StoreError },
    Unsent { origin: Origin, unsent: Unsent },
    Lost(Origin),
}

impl CheckError {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(kind)
    }

    /// Returns true if the text is not a URL that a robots.txt could govern: it is no absolute URL, or has no host.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").build()?;
    /// for text in ["/page", "mailto:bot@example.com"] {
    ///     assert!(client.robots(text).await.unwrap_err().is_url());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_url(&self) -> bool {
        matches!(self.0, Kind::Url(_))
    }

    /// Returns true if this client cannot fetch URLs of this scheme. `http` and `https` can be fetched, and `ftp` with the
    /// feature `ftp`.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").build()?;
    /// assert!(client.robots("gopher://example.org/").await.unwrap_err().is_scheme());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_scheme(&self) -> bool {
        matches!(self.0, Kind::Scheme(_))
    }

    /// Returns true if the client is [offline](crate::ClientBuilder::offline), and nothing about the origin is stored.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = comity_fetch::Client::builder("ExampleBot/1.0").offline(true).build()?;
    /// assert!(client.robots("https://example.org/").await.unwrap_err().is_nothing_known());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_nothing_known(&self) -> bool {
        matches!(self.0, Kind::NothingKnown(_))
    }

    /// Returns true if the store failed, and there is no decision without it: the client is offline or
    /// [requires](crate::ClientBuilder::require_store) the store, or [`Client::cached`](crate::Client::cached) was asked.
    pub fn is_store(&self) -> bool {
        matches!(self.0, Kind::Store { .. } | Kind::StoreRequired { .. })
    }

    /// Returns the time after which to ask again, if a [budget](crate::Client::with_budget) has no request left for the
    /// site, or for a host that it redirects to. Nothing is cached then: the site has not answered.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Kind::Unsent { unsent, .. } = &self.0 { Some(unsent.after) } else { None }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Url(error) => error.fmt(f),
            Kind::Scheme(origin) => {
                let schemes = if cfg!(feature = "ftp") { "http:, https: and ftp:" } else { "http: and https:" };
                let origin = origin.to_string();
                write!(f, "robots.txt files are fetched by {schemes}, found `{}`", Escaped(origin.as_bytes()))
            }
            Kind::NothingKnown(origin) => {
                write!(f, "no file of {origin} is stored, and offline nothing is fetched: ask once while online")
            }
            Kind::Store { origin, error } => write!(f, "what is stored of {origin} could not be read: {error}"),
            Kind::StoreRequired { origin, error } => {
                write!(f, "{origin} was not fetched, since the store failed and is required: {error}")
            }
            Kind::Unsent { origin, unsent } => write!(f, "{origin} was not asked for its robots.txt: {unsent}"),
            Kind::Lost(origin) => write!(f, "the fetch for {origin} broke off: ask again"),
        }
    }
}

impl std::error::Error for CheckError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Url(error) => Some(error),
            Kind::Store { error, .. } | Kind::StoreRequired { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<OriginError> for CheckError {
    fn from(error: OriginError) -> Self {
        Self(Kind::Url(error))
    }
}
