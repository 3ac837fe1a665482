//! One site: what is known about it, and its judgment.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::{Archive, ContentHash, StoreError, Version};
use comity_fetch::{Client, StoredRecord, Time};

use crate::alert::{Alert, AlertKind};
use crate::judge::{Judge, Key, Look, State};
use crate::outbox::Outbox;
use crate::schedule::{Due, next_look};

/// Sites with the same options.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct SiteGroup {
    /// The time between two looks. Defaults to [`DEFAULT_EVERY`](crate::DEFAULT_EVERY), or longer if the site's `max-age`
    /// says so.
    pub every: Option<Duration>,
    /// The file that they should have.
    pub expected: Option<Expected>,
    /// URLs of the sites; those of other sites are ignored.
    pub known: Arc<[String]>,
    /// Sites whose files must not be those of the watched ones.
    pub staging: Vec<Origin>,
}

/// Reads an expected file. An error is a text for people.
type ReadExpected = Arc<dyn Fn() -> Result<Vec<u8>, String> + Send + Sync>;

/// A file that a site should have. It is read at each look, since it changes with the site.
#[derive(Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct Expected {
    /// The name, for people.
    pub name: String,
    /// Reads the file.
    pub read: ReadExpected,
}

impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The settings and services that all looks share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) outbox: Outbox,
    pub(super) judge: Judge,
    pub(super) groups: Vec<SiteGroup>,
    /// The sites, and the number of the group of each.
    pub(super) sites: Vec<(Origin, u32)>,
}

/// The result of a judgment that was saved.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) next: Due,
    /// The conditions that hold.
    pub(super) open: Vec<AlertKind>,
    pub(super) alerts: Vec<Alert>,
    /// The reason why the site was not compared with the expected file.
    pub(super) problem: Option<String>,
}

impl Shared {
    pub(super) fn origin(&self, number: u32) -> &Origin {
        &self.sites[number as usize].0
    }

    pub(super) fn group(&self, number: u32) -> &SiteGroup {
        &self.groups[self.sites[number as usize].1 as usize]
    }

    /// Returns the time of the next look at a site.
    pub(super) fn next(&self, number: u32, record: &StoredRecord, state: &State) -> Due {
        let is_reported = state.open.contains_key(&AlertKind::Unreachable);
        let report_after = Some(self.judge.after).filter(|_| !is_reported);
        next_look(self.group(number).every, record, state.news, report_after)
    }

    fn archive(&self) -> Result<&dyn Archive, StoreError> {
        self.outbox.store().archive().ok_or_else(|| StoreError::other("it keeps no history"))
    }

    /// Returns the record and the state of a site, and true if all of its history was judged.
    pub(super) async fn known(&self, number: u32) -> Result<(StoredRecord, State, bool), StoreError> {
        let origin = self.origin(number);
        let record = match self.outbox.store().load(origin).await {
            // The next look replaces it.
            Err(error) if error.is_damaged() => None,
            loaded => loaded?.map(|stored| stored.record),
        };
        let state = self.outbox.state(origin).await?;
        let versions = match self.archive()?.versions(origin).await {
            Err(error) if error.is_damaged() => Vec::new(),
            versions => versions?,
        };
        let is_judged = versions.is_empty() || versions.first().map(Key::of) == state.judged;
        Ok((record.unwrap_or_else(|| StoredRecord::new(origin)), state, is_judged))
    }

    /// Judges a site, and saves its state and its alerts.
    pub(super) async fn judge(
        self: &Arc<Self>,
        number: u32,
        record: StoredRecord,
        now: Time,
    ) -> Result<Judged, StoreError> {
        let origin = self.origin(number);
        let state = self.outbox.state(origin).await?;
        let versions = self.archive()?.versions(origin).await?;
        let has_news = versions.first().map(Key::of) != state.judged;
        let staging = self.staging(number, has_news).await;
        let shared = Arc::clone(self);
        let before = state.clone();
        let judge = move || {
            let (state, alerts, problem) = shared.judge_blocking(number, &before, &versions, &record, &staging, now)?;
            Ok::<_, StoreError>((shared.next(number, &record, &state), state, alerts, problem))
        };
        // Without news, no file is read and nothing is proven, so another thread would cost more than the judgment.
        let is_quick = !has_news && self.group(number).expected.is_none();
        let judged = if is_quick { judge() } else { tokio::task::spawn_blocking(judge).await.map_err(StoreError::other)? };
        let (next, next_state, alerts, problem) = judged?;
        if next_state != state || !alerts.is_empty() {
            self.outbox.save(origin, &next_state, &alerts, now).await?;
        }
        Ok(Judged { next, open: next_state.open.into_keys().collect(), alerts, problem })
    }

    fn judge_blocking(
        &self,
        number: u32,
        state: &State,
        versions: &[Version],
        record: &StoredRecord,
        staging: &[ContentHash],
        now: Time,
    ) -> Result<(State, Vec<Alert>, Option<String>), StoreError> {
        let (origin, group, archive) = (self.origin(number), self.group(number), self.archive()?);
        let runtime = tokio::runtime::Handle::current();
        let failed: RefCell<Option<StoreError>> = RefCell::default();
        let bodies: RefCell<HashMap<ContentHash, Option<Arc<[u8]>>>> = RefCell::default();
        let body = |hash: ContentHash| {
            let known = bodies.borrow().get(&hash).cloned();
            known.unwrap_or_else(|| {
                let body = match runtime.block_on(archive.body(hash)) {
                    Ok(body) => body,
                    Err(error) if error.is_damaged() => None,
                    Err(error) => {
                        *failed.borrow_mut() = Some(error);
                        None
                    }
                };
                bodies.borrow_mut().insert(hash, body.clone());
                body
            })
        };
        let read = |expected: &Expected| (expected.read)();
        let (expected, problem) = match group.expected.as_ref().map(read).transpose() {
            Ok(bytes) => (bytes, None),
            Err(problem) => (None, Some(problem)),
        };
        // URLs are only counted if something changed.
        let has_news = versions.first().map(Key::of) != state.judged;
        let known: Vec<String> = if has_news { of_site(&group.known, origin) } else { Vec::new() };
        let look = Look {
            origin,
            versions,
            body: &body,
            record,
            known: &known,
            staging,
            expected: group.expected.as_ref().zip(expected.as_ref()).map(|(file, bytes)| (&*file.name, &bytes[..])),
        };
        let (state, alerts) = self.judge.judge(state, &look, now);
        // A file that could not be read now is not one that is no longer stored.
        failed.into_inner().map_or(Ok((state, alerts, problem)), Err)
    }

    /// Returns the files of the sites that are marked as staging.
    async fn staging(&self, number: u32, is_needed: bool) -> Vec<ContentHash> {
        let mut hashes = Vec::new();
        for origin in self.group(number).staging.iter().filter(|_| is_needed) {
            // A staging site that cannot be reached has no file to compare with.
            if let Ok(site) = self.client.robots(origin.as_str()).await {
                hashes.extend(site.hash());
            }
        }
        hashes
    }
}

/// Returns the URLs of a site.
fn of_site(urls: &[String], origin: &Origin) -> Vec<String> {
    urls.iter().filter(|url| Origin::of(url).is_ok_and(|other| other == *origin)).cloned().collect()
}
