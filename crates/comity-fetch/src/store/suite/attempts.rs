//! Records as attempts to fetch create them, by the policy's state machine.

use std::time::Duration;

use comity::Origin;
use comity_policy::{Action, Failure, Head, Input, Policy, Site, StoredRecord, Time};

/// A site, and the time.
#[derive(Debug)]
pub(crate) struct Attempts {
    site: Site,
    pub(crate) now: Time,
}

pub(crate) fn origin(url: &str) -> Origin {
    Origin::of(url).unwrap()
}

/// Returns bytes that cannot be compressed, different for each seed (xorshift).
pub(crate) fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(size).collect()
}

/// Returns a record of an origin that has just answered with this file.
pub(crate) fn found(url: &str, body: &[u8]) -> StoredRecord {
    Attempts::at(url).found(body)
}

impl Attempts {
    /// Returns a site without attempts, for a URL's origin.
    pub(crate) fn at(url: &str) -> Self {
        let site = Site::new(&origin(url), Policy::STANDARD).with_revalidation();
        Self { site, now: Time::from_unix_seconds(1_800_000_000) }
    }

    pub(crate) fn after(&mut self, seconds: u64) -> &mut Self {
        self.now = self.now + Duration::from_secs(seconds);
        self
    }

    pub(crate) fn found(&mut self, body: &[u8]) -> StoredRecord {
        let head = Head::http(200)
            .with("etag", b"\"e\"")
            .with("last-modified", b"Sat, 21 Nov 2026 09:30:00 GMT")
            .with("content-type", b"text/plain")
            .with("cache-control", b"max-age=7200");
        self.answered(head, body)
    }

    pub(crate) fn status(&mut self, status: u16) -> StoredRecord {
        self.answered(Head::http(status), b"")
    }

    pub(crate) fn redirected_to(&mut self, url: &str, body: &[u8]) -> StoredRecord {
        self.begin();
        let head = Head::http(301).with("location", url.as_bytes());
        self.site.handle(Input::Head(head), self.now);
        assert!(matches!(self.site.poll(self.now), Action::Send(_)));
        self.finish(Head::http(200), body)
    }

    pub(crate) fn failed(&mut self, failure: Failure) -> StoredRecord {
        self.begin();
        self.site.handle(Input::Failed(failure, "as the test has it"), self.now);
        self.end()
    }

    pub(crate) fn pages_answer(&mut self, answers: bool) -> StoredRecord {
        self.site.handle(Input::SiteAnswers(answers), self.now);
        self.site.record().clone()
    }

    fn answered(&mut self, head: Head, body: &[u8]) -> StoredRecord {
        self.begin();
        self.finish(head, body)
    }

    fn begin(&mut self) {
        self.site.refresh();
        assert!(matches!(self.site.poll(self.now), Action::Send(_)));
    }

    fn finish(&mut self, head: Head, body: &[u8]) -> StoredRecord {
        self.site.handle(Input::Head(head), self.now);
        self.site.handle(Input::Bytes(body), self.now);
        self.site.handle(Input::End, self.now);
        self.end()
    }

    fn end(&mut self) -> StoredRecord {
        assert_eq!(self.site.poll(self.now), Action::Finish);
        self.site.record().clone()
    }
}
