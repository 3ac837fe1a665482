//! The changes in meaning between the versions of a site's robots.txt.

use std::sync::Arc;

use comity_fetch::store::{ContentHash, Version};
use serde::Serialize;

use crate::diff::Diff;
use crate::headline::{Headline, Tone};
use crate::scope::ProofScope;
use crate::site::VersionFacts;

/// A version of a site's robots.txt, and its difference from the last file before it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct VersionChange {
    /// The version.
    #[serde(flatten)]
    pub version: VersionFacts,
    /// The hash of the last file before this one; `null` if there is none, or if this version is not a file but another
    /// result of a fetch.
    pub compared_with: Option<String>,
    /// The difference from that file; `null` if there is none, or if the bytes of one of the two are not stored any more.
    pub diff: Option<Diff>,
}

/// Compares each version of a history with the last file before it. Returns them from the oldest to the newest; each is
/// compared when the iterator reaches it.
///
/// `versions` is in the order of an archive, the newest first. `body` returns the bytes of a file, if they are stored.
pub fn version_changes<'a>(
    versions: &'a [Version],
    body: impl Fn(ContentHash) -> Option<Arc<[u8]>> + 'a,
    scope: &'a ProofScope<'a>,
) -> impl Iterator<Item = VersionChange> + 'a {
    let mut last = None;
    versions.iter().rev().map(move |version| {
        let hash = version.copy.as_ref().map(|copy| copy.hash);
        // A fetch without a file in between does not change which file was the last one.
        let before = hash.and_then(|hash| last.replace(hash));
        let diff = before.and_then(&body).zip(hash.and_then(&body)).map(|(old, new)| Diff::new(&old, &new, scope));
        VersionChange { version: VersionFacts::of(version), compared_with: before.map(|hash| hash.to_string()), diff }
    })
}

/// Returns when a file changed last and what that meant, in words. `changes` are those of [`version_changes`].
#[must_use]
pub fn history_headline(changes: &[VersionChange]) -> Headline {
    let mut files = changes.iter().filter(|change| change.version.hash.is_some());
    let Some(first) = files.next() else { return Headline::new(Tone::Neutral, "No earlier version is stored.") };
    let is_change = |change: &&VersionChange| {
        change.compared_with.is_some() && change.compared_with.as_deref() != change.version.hash.as_deref()
    };
    let Some(last) = changes.iter().rev().find(is_change) else {
        let text = match changes {
            [only] if only.version.first_seen == only.version.last_seen => {
                "First seen now, so there is nothing to compare with.".to_owned()
            }
            _ => format!("Not changed since it was first seen, on {}.", day(&first.version.first_seen)),
        };
        return Headline::new(Tone::Neutral, text);
    };
    let day = day(&last.version.first_seen);
    if let Some(diff) = &last.diff {
        let tone = if diff.headline.tone == Tone::Good { Tone::Neutral } else { diff.headline.tone };
        return Headline::new(tone, format!("Seen to change on {day}: {}", diff.headline.text));
    }
    let text = format!("Seen to change on {day}. The file before is not stored, so its effect is not known.");
    Headline::new(Tone::Caution, text)
}

/// Returns the day of a time as RFC 3339 text.
fn day(stamp: &str) -> &str {
    stamp.split('T').next().unwrap_or(stamp)
}

#[cfg(test)]
mod tests {
    use comity::Crawlers;
    use comity_fetch::store::VersionCopy;
    use comity_fetch::{Event, Time};

    use super::*;
    use crate::diff::DiffOutcome;

    const SHOP: &[u8] = b"User-agent: *\nDisallow: /shop/\n";
    const OPEN: &[u8] = b"User-agent: *\nDisallow:\n";

    fn version(hour: u64, body: Option<&[u8]>) -> Version {
        let at = Time::from_unix_millis(hour * 3_600_000);
        let copy = body.map(|body| {
            VersionCopy::new("https://shop.example/robots.txt".to_owned(), body.len(), ContentHash::of(body))
        });
        let event = if copy.is_some() { Event::Found } else { Event::Status(503) };
        Version::new(at, at, event, copy)
    }

    fn changes(versions: &[Version], bodies: &[&[u8]]) -> Vec<VersionChange> {
        let body = |hash| bodies.iter().find(|body| ContentHash::of(body) == hash).map(|body| Arc::from(*body));
        version_changes(versions, body, &ProofScope::new(&Crawlers::builtin())).collect()
    }

    #[test]
    fn a_file_is_compared_with_the_last_file_before_it() {
        let versions = [version(4, Some(SHOP)), version(3, None), version(2, Some(OPEN)), version(1, Some(OPEN))];
        let found = changes(&versions, &[SHOP, OPEN]);
        let outcomes: Vec<_> = found.iter().map(|row| row.diff.as_ref().map(|diff| diff.outcome)).collect();
        assert_eq!(outcomes, [None, Some(DiffOutcome::Same), None, Some(DiffOutcome::Differs)]);
        let open = ContentHash::of(OPEN).to_string();
        let with: Vec<_> = found.iter().map(|row| row.compared_with.as_deref()).collect();
        assert_eq!(with, [None, Some(&*open), None, Some(&*open)]);
        assert_eq!(found[0].version.first_seen, "1970-01-01T01:00:00Z", "the oldest first");
        assert_eq!(found[2].version.event, "answered 503");
    }

    #[test]
    fn a_file_that_is_not_stored_is_not_called_the_same() {
        let found = changes(&[version(2, Some(SHOP)), version(1, Some(OPEN))], &[SHOP]);
        assert!(found[1].compared_with.is_some() && found[1].diff.is_none());
    }
}
