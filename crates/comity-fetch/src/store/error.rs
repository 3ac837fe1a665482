//! Errors of stores.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use comity::Escaped;

/// An error of a store. Its text says what to do about it, and is safe to print.
#[derive(Clone, Debug)]
pub struct StoreError {
    kind: Kind,
    /// The store's file, if it has one.
    path: Option<Arc<PathBuf>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A value of one origin, or one content.
    Damaged(String),
    /// The database itself is damaged.
    Broken(String),
    Locked,
    Older,
    Newer {
        found: u64,
        known: u64,
    },
    /// A file of another program.
    Foreign,
    /// Other users could have written the file, for this reason.
    Exposed(&'static str),
    /// The operation and its error.
    Io(&'static str, Arc<io::Error>),
    /// Reading or writing failed earlier, and has not been tried again.
    Stopped,
    /// A value that no store accepts.
    Invalid(String),
    /// An error of a store outside this crate.
    Other(Cause, Arc<dyn std::error::Error + Send + Sync>),
}

/// The cause of an error of a store outside this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Newer,
    Full,
    Unknown,
}

impl StoreError {
    /// Wraps an error of a store outside this crate: a lost connection, a failed statement. A `StoreError` is returned as it
    /// is.
    ///
    /// ```
    /// use std::error::Error;
    /// use comity_fetch::store::StoreError;
    ///
    /// let error = StoreError::other("the connection was closed");
    /// assert_eq!(error.to_string(), "the store failed: the connection was closed");
    /// assert!(error.source().is_some() && !error.is_damaged());
    /// ```
    pub fn other(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        match source.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::new(Kind::Other(Cause::Unknown, Arc::from(error))),
        }
    }

    /// Wraps an error of a store outside this crate whose tables or files are of a [newer version](Self::is_newer) than it
    /// knows.
    pub fn newer(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Kind::Other(Cause::Newer, Arc::from(source.into())))
    }

    /// Wraps an error of a store outside this crate that has [no space left](Self::is_full).
    pub fn full(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Kind::Other(Cause::Full, Arc::from(source.into())))
    }

    /// Creates the error for a damaged value: it is not as it was written. `what` is its name for people, such as
    /// `the record of https://a.example`.
    pub fn damaged(what: impl Into<String>) -> Self {
        let what = what.into();
        Self::new(Kind::Damaged(Escaped(what.as_bytes()).to_string()))
    }

    #[cfg(test)]
    pub(crate) fn broken(what: &str) -> Self {
        Self::new(Kind::Broken(what.to_owned()))
    }

    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, path: None }
    }

    pub(crate) fn io(doing: &'static str, error: io::Error) -> Self {
        Self::new(Kind::Io(doing, Arc::new(error)))
    }

    #[must_use]
    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path = Some(Arc::new(path.to_path_buf()));
        self
    }

    /// Returns true if a stored value is damaged: it is not as it was written. Other values may still be good.
    pub fn is_damaged(&self) -> bool {
        matches!(self.kind, Kind::Damaged(_) | Kind::Broken(_))
    }

    /// Returns true if a stored value is damaged, and the other values in the store can be trusted.
    pub(crate) fn is_one_damaged(&self) -> bool {
        matches!(self.kind, Kind::Damaged(_))
    }

    /// Returns the name of the damaged part.
    pub(crate) fn what(&self) -> String {
        match &self.kind {
            Kind::Damaged(what) | Kind::Broken(what) => what.clone(),
            _ => self.to_string(),
        }
    }

    /// Returns true if another process kept the store from being used for too long.
    pub fn is_locked(&self) -> bool {
        matches!(self.kind, Kind::Locked)
    }

    /// Returns true if the store is of a newer format than this version knows.
    pub fn is_newer(&self) -> bool {
        matches!(self.kind, Kind::Newer { .. } | Kind::Other(Cause::Newer, _))
    }

    /// Returns true if the file in the store's place belongs to another program.
    pub fn is_foreign(&self) -> bool {
        matches!(self.kind, Kind::Foreign)
    }

    /// Returns true if other users could have written the file, so that nothing in it can be trusted.
    pub fn is_exposed(&self) -> bool {
        matches!(self.kind, Kind::Exposed(_))
    }

    /// Returns true if a value is not valid in a store: for example a body that is too large, or text that is not an
    /// origin's.
    pub fn is_invalid(&self) -> bool {
        matches!(self.kind, Kind::Invalid(_))
    }

    /// Returns true if reading or writing failed: for example for permissions, a full disk, or a broken one.
    pub fn is_io(&self) -> bool {
        matches!(self.kind, Kind::Io(..) | Kind::Stopped | Kind::Other(Cause::Full, _))
    }

    /// Returns true if there was no space. Then [`is_io`](Self::is_io) is true as well.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match &self.kind {
            Kind::Io(_, error) => matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge),
            Kind::Other(cause, _) => *cause == Cause::Full,
            _ => false,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self
            .path
            .as_ref()
            .map_or("the cache".into(), |path| format!("`{}`", Escaped(path.as_os_str().as_encoded_bytes())));
        match &self.kind {
            Kind::Damaged(what) => {
                write!(f, "{path} is damaged: {what}; `comity cache verify` lists all damage")
            }
            Kind::Broken(what) => {
                write!(f, "{path} is damaged: {what}; move it away: it is only a cache, and will be created again")
            }
            Kind::Locked => write!(
                f,
                "{path} is in use: another process has been writing to it for too long; try again in a moment"
            ),
            Kind::Older => write!(
                f,
                "{path} is a cache of an older version of comity: export it with that version (`comity cache export`), move \
                 it away, and import it with `comity cache import`; or use another directory"
            ),
            Kind::Newer { found, known } => write!(
                f,
                "{path} has format {found}, of a newer version of comity; this one knows format {known}: use \
                 the newer one, or another directory"
            ),
            Kind::Foreign => write!(f, "{path} is not a cache of comity, and was not changed: use another directory"),
            Kind::Exposed(why) => write!(
                f,
                "{path} could have been written by another user, since {why}: use a directory that only you can write \
                 to"
            ),
            Kind::Io(_, error) if self.is_full() => write!(f, "no room left to write {path}: {error}"),
            Kind::Io(doing, error) => write!(f, "can't {doing} {path}: {error}"),
            Kind::Invalid(what) => write!(f, "a store cannot contain {what}"),
            Kind::Other(_, error) => write!(f, "the store failed: {}", Escaped(error.to_string().as_bytes())),
            Kind::Stopped => write!(f, "{path} is closed since it could not be read or written: try again in a moment"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            Kind::Io(_, error) => Some(error),
            Kind::Other(_, error) => Some(&**error),
            _ => None,
        }
    }
}
