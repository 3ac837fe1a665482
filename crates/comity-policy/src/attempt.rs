//! The state machine of one attempt, from its first request to its end.

use std::time::Duration;

use url::Url;

use crate::event::{Event, Failure};
use crate::head::{Head, Location, Status};
use crate::record::{Attempt, GoodCopy, Hop};
use crate::site::{Action, BODY_LIMIT, Input, Request, Validators};
use crate::time::Time;

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The parameters of an attempt.
#[derive(Debug)]
pub(crate) struct Terms {
    /// The time limit.
    pub(crate) time: Duration,
    pub(crate) redirects: u8,
    /// The path to probe, if probes are enabled.
    pub(crate) probe: Option<String>,
    /// True if the caller reported that the site's pages answer, so that `/` need not be requested.
    pub(crate) site_answers: bool,
    /// The validators that may be sent, and the URL that they belong to.
    pub(crate) validators: Option<(String, Validators)>,
}

/// An attempt in progress.
#[derive(Debug)]
pub(crate) struct Running {
    terms: Terms,
    began: Time,
    deadline: Time,
    state: State,
    /// The URL of the last request.
    url: Url,
    hops: Vec<Hop>,
    /// The last response head for the file.
    head: Option<Head>,
    body: Vec<u8>,
    detail: Option<String>,
}

/// The next expected step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Waiting for the caller to send the request.
    Send,
    /// Waiting for the head of the response.
    Head,
    Body,
    /// Waiting for the caller to request a page that cannot exist, since the file was answered with this status.
    SendMissing(u16),
    Missing(u16),
    /// Waiting for the caller to request the home page.
    SendHome(u16),
    Home(u16),
}

/// The result of an attempt, with the new copy if there is one.
pub(crate) struct Ended {
    pub(crate) attempt: Attempt,
    pub(crate) copy: Option<GoodCopy>,
}

impl Running {
    pub(crate) fn new(url: Url, terms: Terms, began: Time) -> Self {
        let mut running = Self {
            began,
            deadline: began + terms.time,
            state: State::Send,
            hops: Vec::new(),
            head: None,
            body: Vec::new(),
            detail: None,
            url,
            terms,
        };
        running.ask();
        running
    }

    /// Returns the next action, or `None` if the time is up.
    pub(crate) fn poll(&mut self, now: Time) -> Option<Action> {
        if self.is_over(now) {
            return None;
        }
        Some(match self.state {
            State::Send => {
                self.state = State::Head;
                Action::Send(self.request(&self.url))
            }
            State::SendMissing(status) => {
                self.state = State::Missing(status);
                let path = self.terms.probe.as_deref().unwrap_or_default();
                Action::Probe(self.request(&self.on_site(path)))
            }
            State::SendHome(status) => {
                self.state = State::Home(status);
                Action::Probe(self.request(&self.on_site("/")))
            }
            State::Body => Action::Read { max_bytes: BODY_LIMIT - self.body.len(), deadline: self.deadline },
            State::Head | State::Missing(_) | State::Home(_) => Action::Wait(self.deadline),
        })
    }

    /// Processes an input, and returns the event if it ends the attempt. Unexpected inputs are ignored.
    pub(crate) fn handle(&mut self, input: Input<'_>, now: Time) -> Option<Event> {
        if self.is_over(now) {
            return Some(self.timed_out());
        }
        match (self.state, input) {
            (State::Head, Input::Head(head)) => self.take_head(head),
            (State::Body, Input::Bytes(bytes)) => {
                let room = BODY_LIMIT - self.body.len();
                self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
                (self.body.len() == BODY_LIMIT).then_some(Event::Found)
            }
            (State::Body, Input::End) => Some(Event::Found),
            (State::Head | State::Body, Input::Failed(failure, detail)) => Some(self.fail(failure, detail)),
            (State::Missing(status), Input::Head(head)) => match head.status {
                Status::Http(500..=599) if self.terms.site_answers => Some(Event::ErrorForMissing(status)),
                Status::Http(500..=599) => {
                    self.state = State::SendHome(status);
                    None
                }
                _ => Some(Event::Status(status)),
            },
            (State::Home(status), Input::Head(head)) => Some(match head.status {
                Status::Http(200..=299) => Event::ErrorForMissing(status),
                _ => Event::Status(status),
            }),
            // A failed probe proves nothing.
            (State::Missing(status) | State::Home(status), Input::Failed(..)) => Some(Event::Status(status)),
            _ => None,
        }
    }

    /// Returns true if the time is up. If the clock was set back, the remaining time is at most the original limit.
    fn is_over(&mut self, now: Time) -> bool {
        self.deadline = self.deadline.min(now + self.terms.time);
        now >= self.deadline
    }

    /// Ends the attempt when the time is up. The status that was known before a probe is kept.
    pub(crate) fn timed_out(&mut self) -> Event {
        match self.state {
            State::SendMissing(status) | State::Missing(status) | State::SendHome(status) | State::Home(status) => {
                Event::Status(status)
            }
            _ => self.fail(Failure::Timeout, "the attempt took too long"),
        }
    }

    pub(crate) fn end(self, event: Event, now: Time) -> Ended {
        let lifetime = self.head.as_ref().and_then(|head| head.lifetime(now));
        let retry_after = self.head.as_ref().and_then(|head| head.retry_after(now));
        let copy = (event == Event::Found).then(|| {
            let head = self.head.as_ref();
            let field = |field: fn(&Head) -> &Option<String>| head.and_then(|head| field(head).clone());
            GoodCopy {
                url: self.url.to_string(),
                fetched: now,
                confirmed: now,
                lifetime,
                etag: field(|head| &head.etag),
                last_modified: field(|head| &head.last_modified),
                content_type: field(|head| &head.content_type),
                body: self.body.into(),
            }
        });
        let Self { began, hops, detail, .. } = self;
        Ended { attempt: Attempt { began, ended: now, event, detail, hops, lifetime, retry_after }, copy }
    }

    fn take_head(&mut self, head: Head) -> Option<Event> {
        let code = head.status();
        if let Some(hop) = self.hops.last_mut() {
            hop.status = Some(code);
        }
        let status = head.status;
        let location = head.location.clone();
        self.head = Some(head);
        match status {
            // RFC 9110 §15.3.5: no content. A 205 must not have content either (§15.3.6), but may have it in practice,
            // and such rules must not be dropped.
            Status::Http(204) => Some(Event::Found),
            // A part of the file, which was not requested.
            Status::Http(206) => Some(Event::Status(206)),
            Status::Http(200..=299) | Status::Ftp(100..=299) => {
                self.state = State::Body;
                None
            }
            Status::Http(301 | 302 | 303 | 307 | 308) => self.redirect(&location),
            Status::Http(304) if self.validators_here().is_some() => Some(Event::NotModified),
            Status::Http(500..=599) if self.terms.probe.is_some() && self.is_at_home() => {
                self.state = State::SendMissing(code);
                None
            }
            Status::Http(_) => Some(Event::Status(code)),
            Status::Ftp(_) => Some(Event::Ftp(code)),
        }
    }

    /// Follows a redirect. Returns the event if it cannot be followed.
    fn redirect(&mut self, location: &Location) -> Option<Event> {
        let text = match location {
            Location::One(text) => text,
            Location::None => return Some(self.fail(Failure::BadRedirect, "the redirect has no Location")),
            Location::Unusable => return Some(self.fail(Failure::BadRedirect, "the redirect has no usable Location")),
        };
        let Ok(mut target) = self.url.join(text) else {
            return Some(self.fail(Failure::BadRedirect, "the redirect's Location is not a URL"));
        };
        target.set_fragment(None);
        // A proxy may answer an FTP request over HTTP.
        if !is_web(&target) || !is_web(&self.url) {
            return Some(self.fail(Failure::BadRedirect, "the redirect leads to another kind of address than http(s)"));
        }
        if !target.username().is_empty() || target.password().is_some() {
            return Some(self.fail(Failure::BadRedirect, "the redirect's Location contains a user name"));
        }
        if self.hops.iter().any(|hop| hop.url == target.as_str()) {
            return Some(Event::RedirectLoop);
        }
        if self.hops.len() > usize::from(self.terms.redirects) {
            return Some(Event::RedirectLimit);
        }
        self.url = target;
        self.ask();
        None
    }

    /// Schedules the next request for the file, at `url`.
    fn ask(&mut self) {
        self.hops.push(Hop { url: self.url.to_string(), status: None });
        self.state = State::Send;
    }

    fn request(&self, url: &Url) -> Request {
        let is_for_file = matches!(self.state, State::Head);
        Request {
            url: url.clone(),
            hop: self.hops.len() - 1,
            validators: if is_for_file { self.validators_here().cloned() } else { None },
            deadline: self.deadline,
        }
    }

    /// Returns the validators if the current URL is the one that they belong to.
    fn validators_here(&self) -> Option<&Validators> {
        self.terms.validators.as_ref().filter(|(url, _)| *url == self.url.as_str()).map(|(_, validators)| validators)
    }

    /// Returns true if the current URL belongs to the site itself and not to a redirect target. Only then can a probe
    /// of the site explain the response.
    fn is_at_home(&self) -> bool {
        self.on_site("/").origin() == self.url.origin()
    }

    /// Returns the URL of a page of the site that the file governs.
    fn on_site(&self, path: &str) -> Url {
        let site = self.hops.first().and_then(|hop| Url::parse(&hop.url).ok());
        site.and_then(|site| site.join(path).ok()).unwrap_or_else(|| self.url.clone())
    }

    fn fail(&mut self, failure: Failure, detail: &str) -> Event {
        /// The maximum length of details, which come from libraries and may quote the site.
        const MAX_DETAIL_CHARS: usize = 300;
        let detail: String = detail.chars().take(MAX_DETAIL_CHARS).collect();
        self.detail = Some(detail).filter(|detail| !detail.is_empty());
        Event::Failed(failure)
    }
}
