//! One line of a batch and its answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use comity::url::{is_plain_path, without_userinfo};
use comity::{Dialect, Origin, Rules};
use comity_fetch::{CheckError, SiteRobots, SiteRules, Time};
use comity_report::{
    BatchLine, BatchQuestion, BatchRules, BatchUrls, Files, LineCrawler, LineError, LineLimits, MAX_URL_BYTES,
    is_refused, is_unanswered,
};

use crate::api::ask;
use crate::state::State;

/// The minimum sizes of a line with many URLs and of a file with many rules that together take long.
const COSTLY_LINE_BYTES: usize = 4 << 10;
const COSTLY_FILE_BYTES: usize = 16 << 10;

/// The limits of one line.
const LIMITS: LineLimits = LineLimits::new(Duration::from_secs(5), MAX_URL_BYTES);

/// Answers lines, and caches what the next lines will probably need.
pub(super) struct Answerer {
    state: State,
    /// The dialect in which files that are given in lines are read. If the request names it, the files of sites are
    /// read in it, too.
    dialect: Dialect,
    is_named: bool,
    files: Files,
    /// The sites of questions in this step.
    sites: Vec<Site>,
    /// Files of sites, read in another dialect than the service's, with the time when each is due.
    read: HashMap<Origin, (Option<Time>, SiteRobots)>,
    /// The size of the copies in `read`.
    read_bytes: usize,
    /// True if the answerer runs on a thread of its own.
    is_apart: bool,
}

/// The state of a line.
pub(super) enum LineState {
    /// Its answer was written.
    Answered,
    /// Its site must be fetched first.
    Waiting(Origin),
    /// It takes long, which would delay other requests, so it must be answered on another thread: with this site, if it
    /// is about one.
    Long(Option<Box<SiteRobots>>),
}

/// The condition that is missing for an answer.
enum Need {
    Nothing,
    Site(Origin),
    /// Time on another thread, with this site.
    Time(Option<Box<SiteRobots>>),
}

/// A site and the rules of crawlers there.
struct Site {
    origin: Origin,
    /// The start of the origin's URLs: `https://example.com`.
    prefix: String,
    robots: SiteRobots,
    /// The first digits of the hash of its copy.
    copy: Option<String>,
    /// True if this service may not connect to the site.
    is_refused: bool,
    rules: Vec<(LineCrawler<'static>, SiteRules)>,
}

impl Answerer {
    /// The maximum size of the cached parsed files of lines.
    const MAX_FILE_BYTES: usize = 8 << 20;
    /// The maximum number of sites cached in one step, and of sites read in another dialect.
    const MAX_SITES: usize = 64;
    /// The maximum size of the copies of sites that are read in another dialect. One is always kept.
    const MAX_READ_BYTES: usize = 8 << 20;
    /// The maximum number of crawlers cached per site.
    const MAX_CRAWLERS: usize = 16;

    pub(super) fn new(state: State, named: Option<Dialect>) -> Self {
        Self {
            dialect: named.unwrap_or(Dialect::STANDARD),
            is_named: named.is_some_and(|named| named != *state.client.dialect()),
            state,
            files: Files::new(Self::MAX_FILE_BYTES),
            sites: Vec::new(),
            read: HashMap::new(),
            read_bytes: 0,
            is_apart: false,
        }
    }

    /// Returns the same answerer for a thread of its own.
    pub(super) fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    /// Drops cached sites that may be outdated: those that are due are looked up again in the next step.
    pub(super) fn begin_step(&mut self) {
        self.sites.clear();
    }

    /// Appends the answer to a line, or returns the site that it needs. An error has `input_line` where that helps.
    pub(super) fn answer(&mut self, line: &[u8], number: u64, tells_line: bool, out: &mut Vec<u8>) -> LineState {
        let mut object = match BatchLine::parse(line) {
            Ok(object) => object,
            Err(error) => {
                complain(&error, number, out);
                return LineState::Answered;
            }
        };
        match self.enter(&mut object, line.len()) {
            Ok(Need::Nothing) => {
                if tells_line {
                    object.set_number("input_line", number);
                }
            }
            Ok(Need::Site(origin)) => return LineState::Waiting(origin),
            Ok(Need::Time(site)) => return LineState::Long(site),
            Err(error) => object.fail(&error.to_string(), number),
        }
        object.write(out);
        LineState::Answered
    }

    /// Adds a site for the lines that wait for it.
    pub(super) fn learn(&mut self, site: SiteRobots) {
        self.add(site);
    }

    /// Adds a site whose file another answerer of the same batch has read in the dialect of the batch.
    pub(super) fn learn_read(&mut self, robots: SiteRobots) {
        self.add_read(robots);
    }

    /// Adds the answer to a line, or returns the site that must be fetched first.
    fn enter(&mut self, line: &mut BatchLine<'_>, length: usize) -> Result<Need, LineError> {
        let BatchQuestion { crawler, urls, rules, .. } = line.question()?;
        let has_many = !self.is_apart && matches!(urls, BatchUrls::Many { .. }) && length > COSTLY_LINE_BYTES;
        match rules {
            BatchRules::Given(body) => {
                if has_many && body.len() > COSTLY_FILE_BYTES {
                    return Ok(Need::Time(None));
                }
                let dialect = self.dialect;
                let enter = |rules: &Rules| line.answer_by_rules(&urls, rules, &dialect, Some(LIMITS));
                self.files.with_rules(&body, &dialect, crawler, &self.state.crawlers, enter)??;
                return Ok(Need::Nothing);
            }
            BatchRules::File(_) => {
                return Err(LineError::new("`robots_file` is not read here: give the file itself, in `robots`"));
            }
            BatchRules::Site => {}
        }
        let url = match urls {
            BatchUrls::One(url) => {
                LIMITS.check_url("url", url.len())?;
                url
            }
            BatchUrls::Many { origin } => {
                let origin = origin.ok_or_else(|| {
                    LineError::new("expected the site of `urls` in `origin`, or its file in `robots`, found neither")
                })?;
                let Some(site) = self.site(&origin) else { return Ok(Need::Site(origin)) };
                if has_many && copy_bytes(&self.sites[site].robots) > COSTLY_FILE_BYTES {
                    return Ok(self.time_with(site));
                }
                if self.sites[site].is_refused {
                    return Err(LineError::new(ask::REFUSED));
                }
                let Some(at) = self.rules(site, crawler)? else { return Ok(self.time_with(site)) };
                let (rules, copy) = (&self.sites[site].rules[at].1, self.sites[site].copy.clone());
                line.answer_each(Some(&origin), self.live_dialect(), Some(LIMITS), |url| {
                    let outcome = rules.check_as_is(url);
                    (outcome.answer(), outcome.verdict().and_then(|verdict| verdict.line()))
                })?;
                line.set_text("copy", copy);
                return Ok(Need::Nothing);
            }
        };
        let url = std::str::from_utf8(&url)
            .map_err(|_| LineError::new("expected a URL in `url_b64`, found bytes that are no text"))?;
        // A user name is not sent, and a dialect that takes any text may read a path in it.
        let url = &*without_userinfo(url);
        // Usually the URL is on the site of the last line, and already in the form in which it would be sent.
        let here = |site: &Site| url.strip_prefix(site.prefix.as_str()).is_some_and(is_plain_path);
        let (site, asked) = if let Some(at) = self.sites.iter().position(here) {
            (at, Cow::Borrowed(url))
        } else {
            if let Some(error) = ask::long_host(url) {
                return Err(LineError::new(error));
            }
            let (sent, origin) = Origin::parse_url(url).map_err(LineError::new)?;
            let Some(site) = self.site(&origin) else { return Ok(Need::Site(origin)) };
            let is_raw = comity_report::accepts_raw_urls(self.live_dialect());
            (site, if is_raw { Cow::Borrowed(url) } else { sent })
        };
        let Some(at) = self.rules(site, crawler)? else { return Ok(self.time_with(site)) };
        let site = &self.sites[site];
        let outcome = site.rules[at].1.check_as_is(&asked);
        if site.is_refused && is_unanswered(&site.robots, &outcome) {
            return Err(LineError::new(ask::REFUSED));
        }
        line.answer_by(&outcome);
        line.set_text("copy", site.copy.clone());
        Ok(Need::Nothing)
    }

    /// Returns the need for time on another thread, for a line about this site.
    fn time_with(&self, site: usize) -> Need {
        Need::Time(Some(Box::new(self.sites[site].robots.clone())))
    }

    fn live_dialect(&self) -> &Dialect {
        if self.is_named { &self.dialect } else { self.state.client.dialect() }
    }

    /// Returns the index of a cached site; `None` if it must be fetched.
    fn site(&mut self, origin: &Origin) -> Option<usize> {
        if let Some(at) = self.sites.iter().position(|site| site.origin == *origin) {
            return Some(at);
        }
        let site = self.state.client.in_memory(origin)?;
        Some(self.add(site))
    }

    fn add(&mut self, site: SiteRobots) -> usize {
        let robots = if self.is_named { self.read_in_dialect(&site) } else { site };
        self.add_read(robots)
    }

    fn add_read(&mut self, robots: SiteRobots) -> usize {
        if self.sites.len() >= Self::MAX_SITES {
            self.sites.clear();
        }
        let copy = robots.hash().map(|hash| hash.to_string()[..16].to_owned());
        let (origin, prefix) = (robots.origin().clone(), robots.origin().to_string());
        self.sites.retain(|site| site.origin != origin);
        let is_refused = is_refused(&robots);
        self.sites.push(Site { origin, prefix, robots, copy, is_refused, rules: Vec::new() });
        self.sites.len() - 1
    }

    /// Returns the file in the dialect of this batch, parsed once and not in each step.
    fn read_in_dialect(&mut self, site: &SiteRobots) -> SiteRobots {
        let asked = site.attempt().map(|attempt| attempt.ended);
        if let Some((when, read)) = self.read.get(site.origin())
            && *when == asked
        {
            return read.clone();
        }
        let bytes = copy_bytes(site);
        if self.read.len() >= Self::MAX_SITES || self.read_bytes + bytes > Self::MAX_READ_BYTES {
            self.read.clear();
            self.read_bytes = 0;
        }
        let read = site.read_in(&self.dialect);
        self.read_bytes += bytes;
        if let Some((_, old)) = self.read.insert(site.origin().clone(), (asked, read.clone())) {
            self.read_bytes -= copy_bytes(&old);
        }
        read
    }

    /// Returns the index of a crawler's rules at a site; `None` if they must be compiled first, which takes long.
    fn rules(&mut self, site: usize, who: LineCrawler<'_>) -> Result<Option<usize>, LineError> {
        let site = &mut self.sites[site];
        if let Some(at) = site.rules.iter().position(|(known, _)| *known == who) {
            return Ok(Some(at));
        }
        let is_quick = self.is_apart || copy_bytes(&site.robots) <= COSTLY_FILE_BYTES;
        let rules = who.with(&self.state.crawlers, |crawler| {
            (is_quick || site.robots.has_compiled(crawler)).then(|| site.robots.rules_for(crawler))
        })?;
        let Some(rules) = rules else { return Ok(None) };
        if site.rules.len() >= Self::MAX_CRAWLERS {
            site.rules.clear();
        }
        site.rules.push((who.into_owned(), rules));
        Ok(Some(site.rules.len() - 1))
    }
}

/// Returns the size of the last good copy of a site.
fn copy_bytes(site: &SiteRobots) -> usize {
    site.copy().map_or(0, |copy| copy.body.len())
}

/// Appends an error for a line that cannot be answered.
pub(super) fn complain(error: &dyn std::fmt::Display, number: u64, out: &mut Vec<u8>) {
    let mut object = BatchLine::default();
    object.fail(&error.to_string(), number);
    object.write(out);
}

/// Appends an error for a line whose site cannot be fetched.
pub(super) fn refuse(line: &[u8], error: &CheckError, number: u64, out: &mut Vec<u8>) {
    let mut object = BatchLine::parse(line).unwrap_or_default();
    object.fail(&error.to_string(), number);
    object.write(out);
}
