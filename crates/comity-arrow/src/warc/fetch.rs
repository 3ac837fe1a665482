//! The meaning of a record: the site, the status, and the access that follows by a policy.

use std::time::UNIX_EPOCH;

use comity::Origin;
use comity_policy::{Access, Action, BODY_LIMIT, Failure, Head, Input, Policy, Site, Time};

use super::reader::WarcRecord;

/// The number of bytes of a block that are read: the head of the response, and all that is parsed of the body.
pub(super) const MAX_BLOCK: usize = BODY_LIMIT + (64 << 10);

/// The fetch of a site's robots.txt, from an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchivedFetch {
    /// The origin that the file governs.
    pub origin: Origin,
    /// The time of the fetch, in seconds since 1970.
    pub fetched: Option<i64>,
    /// The HTTP status; `None` if the response is invalid.
    pub status: Option<u16>,
    /// The access to the site.
    pub outcome: ArchivedOutcome,
    /// The body, up to the size limit, if its rules apply.
    pub body: Option<Vec<u8>>,
    /// True if the archive contains only the start of the body, as `WARC-Truncated` or the response's `Content-Length`
    /// states, or if it is larger than what is parsed.
    pub is_truncated: bool,
    /// True if the body looks like HTML, which has no rules.
    pub is_html: bool,
}

/// The access to a site, by an archived response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchivedOutcome {
    /// The rules of the body decide.
    Rules,
    /// Everything is allowed, for example because the site has no robots.txt.
    AllowAll,
    /// Everything is disallowed, for example because the site failed.
    DisallowAll,
    /// The response is a redirect. Its target has a record of its own, for the origin of the target.
    Redirect,
}

impl ArchivedOutcome {
    /// Returns the name in the column `outcome`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::AllowAll => "allow-all",
            Self::DisallowAll => "disallow-all",
            Self::Redirect => "redirect",
        }
    }
}

impl ArchivedFetch {
    /// Returns the fetch that a record contains. Returns `None` for other records: requests, metadata, and responses
    /// for anything but `/robots.txt` at the root of a site. A redirect may lead to another path, whose content must not
    /// become the rules of that site.
    pub fn of(record: &WarcRecord, policy: &Policy) -> Option<Self> {
        if record.kind != "response" {
            return None;
        }
        let origin = Origin::of_robots_url(&record.target).ok()?;
        let fetched = unix_seconds(&record.date);
        let Response { head, body, is_encoded, is_cut } = Response::new(&record.block);
        let status = head.as_ref().map(Head::status);
        let is_truncated = record.is_truncated || is_cut;
        let end = match () {
            () if is_encoded => Input::Failed(Failure::Encoding, ""),
            () if (is_truncated || record.is_block_cut) && body.len() < BODY_LIMIT => {
                Input::Failed(Failure::Truncated, "")
            }
            () => Input::End,
        };
        let now = Time::from_unix_seconds(fetched.unwrap_or_default().max(0).unsigned_abs());
        let mut site = Site::new(&origin, *policy);
        let outcome = drive(&mut site, head, body, &end, now);
        let copy = site.into_record().copy.filter(|_| outcome == ArchivedOutcome::Rules);
        Some(Self {
            origin,
            fetched,
            status,
            outcome,
            is_truncated: is_truncated || record.is_block_cut || body.len() > comity::SIZE_LIMIT,
            is_html: is_html(body),
            body: copy.map(|copy| copy.body.to_vec()),
        })
    }
}

/// Passes an archived response to the state machine of its site, and returns the access.
fn drive(site: &mut Site, mut head: Option<Head>, body: &[u8], end: &Input<'_>, now: Time) -> ArchivedOutcome {
    /// The maximum number of actions for one response: it is requested and read.
    const MAX_ACTIONS: usize = 8;
    let mut is_requested = false;
    for _ in 0..MAX_ACTIONS {
        match site.poll(now) {
            Action::Send(_) if is_requested => return ArchivedOutcome::Redirect,
            Action::Send(_) => {
                is_requested = true;
                match head.take() {
                    Some(head) => site.handle(Input::Head(head), now),
                    None => site.handle(Input::Failed(Failure::InvalidResponse, ""), now),
                }
            }
            Action::Read { max_bytes, .. } => {
                site.handle(Input::Bytes(&body[..body.len().min(max_bytes)]), now);
                site.handle(end.clone(), now);
            }
            _ => break,
        }
    }
    match site.last_ruling(now).map(|ruling| ruling.access) {
        Some(Access::Rules) => ArchivedOutcome::Rules,
        Some(Access::AllowAll) => ArchivedOutcome::AllowAll,
        _ => ArchivedOutcome::DisallowAll,
    }
}

/// A response, as it was sent.
struct Response<'b> {
    /// The head, if the response is HTTP and the head is complete.
    head: Option<Head>,
    body: &'b [u8],
    /// True if the body is still encoded. Common Crawl's archives contain decoded bodies, and rename these fields.
    is_encoded: bool,
    /// True if the body is shorter than `Content-Length` states, or if that is not a number. Archives with decoded bodies
    /// state the length of the decoded body there, and keep the original value in a renamed field.
    is_cut: bool,
}

impl<'b> Response<'b> {
    fn new(block: &'b [u8]) -> Self {
        let mut lines = Lines { rest: block };
        let mut head = lines.next().and_then(status).map(Head::http);
        let (mut is_encoded, mut length, mut is_complete) = (false, Some(0), false);
        for line in lines.by_ref() {
            if line.is_empty() {
                is_complete = true;
                break;
            }
            let Some(colon) = line.iter().position(|octet| *octet == b':') else { continue };
            let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
            let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
            is_encoded |= (is("Content-Encoding") || is("Transfer-Encoding"))
                && !value.is_empty()
                && !value.eq_ignore_ascii_case(b"identity");
            if is("Content-Length") {
                length = length.zip(content_length(value)).map(|(known, found)| known.max(found));
            }
            if let Ok(name) = str::from_utf8(name) {
                head = head.map(|head| head.with(name, value));
            }
        }
        let body = lines.rest;
        let is_cut = length.is_none_or(|length| body.len() < length);
        Self { head: head.filter(|_| is_complete), body, is_encoded, is_cut }
    }
}

/// Returns the number in a `Content-Length`, the greatest of a list; `None` if it is not a number.
fn content_length(value: &[u8]) -> Option<usize> {
    let numbers = str::from_utf8(value).ok()?.split(',').map(|number| number.trim().parse::<usize>());
    numbers.reduce(|first, second| Ok(first?.max(second?)))?.ok()
}

/// Returns the status of a status line, such as `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().filter(|version| version.starts_with(b"HTTP/"))?;
    let code = str::from_utf8(words.next()?).ok()?;
    code.parse().ok().filter(|code| (100..1000).contains(code))
}

/// The complete lines of a head, without their ends.
struct Lines<'b> {
    rest: &'b [u8],
}

impl<'b> Iterator for Lines<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        let end = self.rest.iter().position(|octet| *octet == b'\n')?;
        let (line, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Returns true if a body starts with a tag.
fn is_html(body: &[u8]) -> bool {
    body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start().starts_with(b"<")
}

/// Returns the seconds since 1970 of a date such as `2026-01-31T12:00:00Z`.
fn unix_seconds(date: &str) -> Option<i64> {
    let time = humantime::parse_rfc3339(date).ok()?;
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}
