//! Comparisons of records: which of two is used, and whether one may still answer.

use std::time::Duration;

use comity_policy::{Access, Ruling, Site, StoredRecord, Time};

/// Returns the ruling, if it is still good and no older than the caller accepts.
pub(crate) fn good_ruling(site: &Site, max_age: Option<Duration>, now: Time) -> Option<Ruling> {
    let ruling = site.ruling(now)?;
    let record = site.record();
    let since = match (record.whole_copy(), &record.last) {
        (Some(copy), Some(last)) if last.event.is_found() => copy.confirmed,
        (_, Some(last)) => last.ended,
        _ => return None,
    };
    max_age.is_none_or(|max_age| now.since(since) <= max_age).then_some(ruling)
}

/// Returns true if this client may use a record that the store calls fresh.
///
/// The store counts the lifetime that the client that saved the record gave it. This client's policy must give it about
/// the same. The clocks of both do not matter, unless a maximum age is set.
pub(super) fn accepts(site: &Site, max_age: Option<Duration>, now: Time) -> bool {
    let Some(last) = &site.record().last else { return false };
    let (own, theirs) = (site.due().since(last.ended), site.record().fresh_for.unwrap_or(Duration::MAX));
    // The times between retries are spread by ± 20 %.
    let is_as_long = own.saturating_mul(3) / 2 >= theirs;
    let is_young = max_age.is_none() || good_ruling(site, max_age, now).is_some();
    is_as_long && is_young && site.ruling(last.ended).is_some()
}

/// Returns true if a copy that is due may answer while another client fetches: only the lifetime that the site gave it
/// has passed, and not the maximum of the policy.
pub(super) fn may_be_stale(site: &Site, max_age: Option<Duration>, now: Time) -> bool {
    let record = site.record();
    let (Some(copy), Some(last)) = (record.whole_copy(), &record.last) else { return false };
    let max_age = max_age.unwrap_or(Duration::MAX).min(site.policy().max_fresh);
    let is_rules = site.last_ruling(now).is_some_and(|ruling| ruling.access == Access::Rules);
    is_rules && last.event.is_found() && copy.confirmed <= now && now.since(copy.confirmed) < max_age
}

/// Returns true if a record that could not be saved is later than the stored one. A later failure counts only if the
/// copy that it keeps is as recent as the last answer in the stored record: it may have begun while the store was down,
/// without the answer that another client has saved.
pub(crate) fn supersedes(own: &StoredRecord, stored: &StoredRecord) -> bool {
    let confirmed = |record: &StoredRecord| record.copy.as_ref().map(|copy| copy.confirmed);
    let keeps_last_answer = || match (confirmed(own), confirmed(stored)) {
        (Some(own), Some(stored)) => own >= stored,
        // There is no stored copy because the site answered that it has no file, or because all attempts failed.
        (Some(own), None) => Some(own) > ended(stored),
        (None, _) => false,
    };
    ended(own) > ended(stored) && (own.failing_since.is_none() || keeps_last_answer())
}

/// Returns the time when the last attempt ended.
pub(crate) fn ended(record: &StoredRecord) -> Option<Time> {
    record.last.as_ref().map(|last| last.ended)
}
