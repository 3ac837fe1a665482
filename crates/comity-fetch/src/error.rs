//! Errors of a check without a decision.

use std::fmt;

use comity::{Escaped, Origin, OriginError};

use crate::store::StoreError;

/// The reason why there is no decision about a URL. A site that cannot be reached is not an error: the policy decides
/// then.
#[derive(Clone, Debug)]
pub struct CheckError(Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Url(OriginError),
    Scheme(Origin),
    NothingKnown(Origin),
    Store { origin: Origin, error: StoreError },
    StoreRequired { origin: Origin, error: StoreError },
    Lost(Origin),
}

impl CheckError {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(kind)
    }

    /// Returns true if the text is not a URL that a robots.txt could govern.
    pub fn is_url(&self) -> bool {
        matches!(self.0, Kind::Url(_))
    }

    /// Returns true if this client cannot fetch URLs of this scheme.
    pub fn is_scheme(&self) -> bool {
        matches!(self.0, Kind::Scheme(_))
    }

    /// Returns true if the client is offline, and nothing about the origin is stored.
    pub fn is_nothing_known(&self) -> bool {
        matches!(self.0, Kind::NothingKnown(_))
    }

    /// Returns true if the store failed, and the client is offline or [requires](crate::ClientBuilder::require_store) it.
    pub fn is_store(&self) -> bool {
        matches!(self.0, Kind::Store { .. } | Kind::StoreRequired { .. })
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
                write!(f, "nothing is known of {origin}, and offline nothing is fetched: ask once while online")
            }
            Kind::Store { origin, error } => write!(f, "what is stored of {origin} could not be read: {error}"),
            Kind::StoreRequired { origin, error } => {
                write!(f, "{origin} was not fetched, since the store failed and is required: {error}")
            }
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
