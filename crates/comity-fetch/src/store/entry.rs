//! The stored data of an origin, for export and import.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use comity::Origin;
use comity_policy::{BODY_LIMIT, StoredRecord};

use super::content::ContentHash;
use super::error::{Kind, StoreError};
use super::history::{self, Version, VersionCopy};
use super::lease::Ticket;

/// The data of an origin in an archive: its record, history and bodies. It can be copied to another archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveEntry {
    /// The record, with its copy's body.
    pub record: StoredRecord,
    /// The history, the newest first.
    pub versions: Vec<Version>,
    /// The bytes of all versions that are copies, and of the record's: each content once, in the order of their hashes.
    pub bodies: Vec<Arc<[u8]>>,
}

impl ArchiveEntry {
    /// Creates an entry.
    ///
    /// It is an [error](StoreError::is_invalid) if the origin is not an origin's text, a body is missing or larger than
    /// [`BODY_LIMIT`], or a version has another size than its body. Bodies that belong to no version are dropped.
    pub fn new(record: StoredRecord, versions: Vec<Version>, bodies: Vec<Arc<[u8]>>) -> Result<Self, StoreError> {
        Self { record, versions, bodies }.checked()
    }

    /// Returns the entry, if it is one that a store may contain: with a body for each version, and no others.
    pub(crate) fn checked(mut self) -> Result<Self, StoreError> {
        check_alone(&self.record)?;
        history::limit(&mut self.versions);
        let mut bodies: HashMap<ContentHash, Arc<[u8]>> = self
            .bodies
            .drain(..)
            .chain(self.record.copy.iter().map(|copy| Arc::clone(&copy.body)))
            .map(|body| (ContentHash::of(&body), body))
            .collect();
        for copy in self.versions.iter().filter_map(|version| version.copy.as_ref()) {
            let hash = copy.hash;
            match bodies.get(&hash) {
                None => return Err(invalid(format!("a version whose content is missing: {hash}"))),
                Some(body) if body.len() != copy.size => {
                    return Err(invalid(format!("a version of {} bytes with {}: {hash}", copy.size, body.len())));
                }
                Some(body) if body.len() > BODY_LIMIT => return Err(too_large(body.len())),
                Some(_) => {}
            }
        }
        let copy = VersionCopy::of(&self.record);
        let contents = contents(copy.as_ref(), &self.versions);
        self.bodies = contents.iter().filter_map(|hash| bodies.remove(hash)).collect();
        Ok(self)
    }
}

/// Checks that a store may contain a record, and that a ticket is one of the record's origin. It is an
/// [error](StoreError::is_invalid) if the origin is not an origin's text, or the copy has no body or one that is larger than
/// [`BODY_LIMIT`]. A [`complete`](super::Store::complete) that calls it fails as the contract requires.
pub fn check_record(record: &StoredRecord, ticket: Option<&Ticket>) -> Result<(), StoreError> {
    check_alone(record)?;
    match ticket {
        Some(ticket) if ticket.origin().to_string() != record.origin => {
            Err(invalid(format!("a record of {} for a ticket of {}", record.origin, ticket.origin())))
        }
        _ => Ok(()),
    }
}

fn check_alone(record: &StoredRecord) -> Result<(), StoreError> {
    if !Origin::of(&record.origin).is_ok_and(|origin| origin.to_string() == record.origin) {
        return Err(invalid(format!("the origin `{}`", comity::Escaped(record.origin.as_bytes()))));
    }
    match &record.copy {
        Some(copy) if copy.body.len() > BODY_LIMIT => Err(too_large(copy.body.len())),
        Some(copy) if !copy.has_body() => Err(invalid("a copy without its body".to_owned())),
        _ => Ok(()),
    }
}

/// Returns the contents that an origin has, ordered by their hashes.
pub(crate) fn contents(copy: Option<&VersionCopy>, versions: &[Version]) -> BTreeSet<ContentHash> {
    versions.iter().filter_map(|version| version.copy.as_ref()).chain(copy).map(|copy| copy.hash).collect()
}

/// Returns true if a record's last attempt is later than that of another.
pub(crate) fn is_later(record: &StoredRecord, other: &StoredRecord) -> bool {
    let ended = |record: &StoredRecord| record.last.as_ref().map(|last| last.ended);
    ended(record) > ended(other)
}

fn too_large(size: usize) -> StoreError {
    invalid(format!("a body of {size} bytes, which is more than {BODY_LIMIT}"))
}

fn invalid(what: String) -> StoreError {
    StoreError::new(Kind::Invalid(what))
}
