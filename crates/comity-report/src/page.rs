//! A page: what a crawler may do with it, by its robots.txt, its header and its HTML.

mod headline;
mod resources;
mod response;
mod terms;

use comity::{Crawler, Crawlers, Escaped, Profile, Robots, Verdict};
use comity_page::{
    BecauseSource, Conflict, Found, ImagePreview, Limit, Page, PageRules, Permission, Permissions, Stance, Statement,
    Support, permissions,
};
use serde::Serialize;

use crate::crawler_query::CrawlerQuery;
use crate::headline::Headline;
use crate::question::{Question, Questions};

pub use resources::{MAX_RESOURCE_SITES, PageResources, ResourceKind, ResourceRow};
pub use response::{PageHop, PageResponse, read_answer};
pub use terms::{HeaderSignal, Mining, NamedLicense, PageTerms};

/// The maximum number of bytes that are fetched of a page. Its tags are at its start.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// The sources of the answers about a page.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct PageSources<'a> {
    /// The name of the robots.txt in reports.
    pub file: &'a str,
    /// The robots.txt.
    pub robots: &'a Robots,
    /// The page as the first question, and the site of the file.
    pub questions: &'a Questions,
    /// The crawler.
    pub crawler: &'a CrawlerQuery,
    /// The statements of the page.
    pub page: &'a Page<'a>,
    /// The tags of the HTML, if it was read.
    pub found: Option<&'a Found>,
    /// True if the header was read.
    pub has_header: bool,
    /// The response, if the page was fetched or its header was saved with the status.
    pub response: Option<&'a PageResponse>,
}

impl<'a> PageSources<'a> {
    /// Returns the first URL that redirects led to and that the crawler may not fetch.
    fn closed_hop(&self) -> Option<&'a PageHop> {
        self.response.and_then(PageResponse::closed_hop)
    }
}

/// The answers about a page: what a crawler may do with it, and why.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct PageCheck<'a> {
    /// The sources.
    pub sources: PageSources<'a>,
    /// The question.
    question: &'a Question,
    /// The permissions.
    pub permissions: Permissions,
    /// The rules of the page for the crawler.
    pub rules: PageRules<'a>,
    /// The terms of the page and of its site, as evidence.
    pub terms: PageTerms,
    /// The reason why this rule of the robots.txt decides.
    pub why: String,
    /// The rule of the robots.txt that decides.
    decides: Option<String>,
    /// A `Content-Usage` that is not understood.
    malformed_usage: Option<String>,
    /// The control tokens by which the file denies the crawler's operator some uses of the page.
    control_tokens: Vec<Profile>,
}

impl<'a> PageCheck<'a> {
    /// Answers by these sources. `questions` must contain the page.
    pub fn new(sources: PageSources<'a>, question: &'a Question) -> Self {
        let PageSources { robots, questions, crawler: query, page, .. } = sources;
        let crawler = query.as_crawler();
        let url = question.asked_in(robots.dialect());
        let is_in_scope = questions.is_in_scope(question);
        let mut permissions = if is_in_scope {
            permissions(robots, &crawler, url, page)
        } else {
            // The file of another site does not apply to this page.
            let empty = Robots::parse_with(b"", robots.dialect());
            let mut permissions = permissions(&empty, &crawler, url, page);
            permissions.fetch = Verdict::out_of_scope();
            permissions
        };
        let is_open = !permissions.fetch.is_disallowed() && sources.closed_hop().is_none();
        for permission in answers_about_content(&mut permissions) {
            if !is_open {
                hide_page(permission);
            } else if sources.found.is_some_and(|found| found.is_cut) && !permission.stance.forbids() {
                // The part that was not read may forbid what nothing else forbids.
                permission.stance = Stance::Hidden;
                permission.because.clear();
            }
        }
        let malformed = page.content_usage_field().filter(|_| page.content_usage().is_none());
        let explanation = robots.explain(&crawler, url);
        let decides = explanation.deciding().filter(|_| is_in_scope);
        Self {
            decides: decides.map(|rule| format!("{}: {}", rule.kind, Escaped(rule.value.as_bytes()))),
            why: explanation.why_it_wins(),
            terms: PageTerms::of(Some(page).filter(|_| is_open), Some(robots).filter(|_| is_in_scope)),
            control_tokens: control_tokens(query, page.crawlers(), robots, url, is_in_scope),
            malformed_usage: malformed.map(|(field, _)| Escaped(field).to_string()),
            rules: page.rules_for(&crawler),
            permissions,
            question,
            sources,
        }
    }

    /// Returns true if robots.txt does not disallow the page, nor the URL that it redirects to, so that its rules can be
    /// read.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.permissions.fetch.is_disallowed() && self.lost_at().is_none()
    }

    /// Returns the first URL that redirects led to and that the crawler may not fetch, or about which there is no answer.
    #[must_use]
    pub fn lost_at(&self) -> Option<&'a str> {
        self.sources.closed_hop().map(|hop| hop.url.as_str())
    }

    /// Returns the URL that redirects led to, if it is not that of the question.
    #[must_use]
    pub fn moved_to(&self) -> Option<&'a str> {
        self.sources.response?.moved_to(self.question)
    }

    /// Returns the URL that the page names as the original, if it is not its own.
    #[must_use]
    pub fn canonical(&self) -> Option<String> {
        let base = self.sources.found.and_then(|found| found.base.as_deref());
        self.sources.response?.other_canonical(self.sources.page, base)
    }

    /// Returns the status of the page, if it is an error.
    #[must_use]
    pub fn error_status(&self) -> Option<u16> {
        self.sources.response.filter(|response| !response.is_page()).map(|response| response.status)
    }

    /// Returns true if the header or the HTML was read.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.sources.has_header || self.sources.found.is_some()
    }

    /// Returns true if the date of an `unavailable_after` has passed.
    #[must_use]
    pub fn is_past(&self) -> bool {
        self.rules.unavailable_after.is_some_and(|(moment, _)| self.sources.page.has_come(moment))
    }

    /// Returns the notes: facts about the answers that are not in the permissions.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let PageSources { crawler, found, has_header, .. } = self.sources;
        if let Some(hop) = self.sources.closed_hop() {
            let url = Escaped(hop.url.as_bytes());
            notes.push(if hop.allowed == Some(false) {
                format!("The page redirects to {url}, which {} may not fetch.", crawler.subject())
            } else {
                format!("The page redirects to {url}, and the robots.txt of that site is not available.")
            });
        }
        if let Some(profile) = crawler.profile() {
            let is_ignored = |statement: &&&Statement| {
                statement.rule.is_restriction() && statement.rule.support_by(profile) == Support::Ignored
            };
            for statement in self.rules.applied.iter().filter(is_ignored) {
                let (operator, rule) = (Escaped(profile.operator.as_bytes()), statement.rule);
                let note = format!("{operator} says that it ignores {rule}.");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        if self.permissions.fetch.is_advisory() {
            notes.push(format!("{} does not promise to obey robots.txt, so this is advice.", crawler.subject()));
        }
        if self.is_seen() && !(has_header && found.is_some()) && self.is_open() {
            notes.push("Only a part of the page was checked: give both --headers and --html.".to_owned());
        }
        if let Some(found) = found {
            if found.is_cut {
                notes.push(
                    "A part of the page was not read: it is too long, or an element such as script is never closed."
                        .to_owned(),
                );
            }
            if let Some(line) = found.nosnippet.first() {
                notes.push(format!("data-nosnippet excludes parts of the page from snippets, first in line {line}."));
            }
        }
        let explained = self.control_tokens.iter().filter(|token| !token.note.is_empty());
        notes.extend(explained.map(|token| format!("{}: {}", token.token, token.note)));
        notes.extend(self.terms.notes());
        if let Some(field) = &self.malformed_usage {
            notes.push(format!("The field Content-Usage is malformed, and ignored: {field}"));
        }
        notes
    }

    /// Returns the document of the answers, without resources.
    pub fn document(&self, url: &'a str) -> PageDocument<'_> {
        let limit = |limit: Limit| match limit {
            Limit::To(number) => i64::from(number),
            Limit::Unlimited => -1,
        };
        let rules = &self.rules;
        let ignored =
            rules.ignored.iter().map(|(statement, why)| IgnoredStatement { statement, because: why.to_string() });
        PageDocument {
            headline: self.headline(),
            resources_headline: None,
            url,
            agent: self.sources.crawler.token(),
            known: self.sources.crawler.profile().is_some(),
            robots: self.sources.file,
            page_seen: self.is_seen(),
            found_at: self.sources.response.and_then(|response| response.url.as_ref()).map(url::Url::as_str),
            found_at_allowed: self.moved_to().map(|_| self.lost_at().is_none()),
            status: self.sources.response.map(|response| response.status),
            redirects: self.sources.response.map_or(&[], |response| &response.hops),
            canonical: self.canonical(),
            fetch: self.permissions.fetch,
            text: self.decides.as_deref(),
            index: &self.permissions.index,
            follow: &self.permissions.follow,
            training: &self.permissions.training,
            ai_input: &self.permissions.ai_input,
            search: &self.permissions.search,
            terms: &self.terms,
            max_snippet: rules.snippet().map(|(found, _)| limit(found)),
            max_image_preview: rules.max_image_preview.map(|(found, _)| found),
            max_video_preview: rules.max_video_preview.map(|(found, _)| limit(found)),
            unavailable_after: rules.unavailable_after.map(|(moment, _)| moment.unix_seconds()),
            is_past: self.is_past(),
            rules: rules.to_string(),
            conflicts: &self.permissions.conflicts,
            applied: rules.applied.clone(),
            ignored: ignored.collect(),
            others: rules.others.clone(),
            notes: self.notes(),
            resources: Vec::new(),
        }
    }
}

/// Returns the permissions that the statements of a page can restrict.
fn answers_about_content(permissions: &mut Permissions) -> [&mut Permission; 5] {
    let Permissions { index, follow, training, ai_input, search, .. } = permissions;
    [index, follow, training, ai_input, search]
}

/// Removes what a page states from a permission, since the crawler does not read the page. A refusal by the robots.txt
/// remains.
fn hide_page(permission: &mut Permission) {
    permission.because.retain(|because| because.source == BecauseSource::RobotsTxt);
    if !permission.stance.forbids() || permission.because.is_empty() {
        permission.stance = Stance::Hidden;
        permission.because.clear();
    }
}

/// Returns the control tokens of the crawler's operator that the file disallows the page for.
fn control_tokens(
    crawler: &CrawlerQuery,
    table: &Crawlers,
    robots: &Robots,
    url: &str,
    is_in_scope: bool,
) -> Vec<Profile> {
    let Some(profile) = crawler.profile().filter(|_| is_in_scope) else { return Vec::new() };
    let is_refused = |row: &&Profile| robots.check(&Crawler::from(*row), url).is_disallowed();
    table.control_tokens(profile).filter(is_refused).cloned().collect()
}

/// The answers about a page as a document, which `comity page` prints and `/v1/page` returns.
#[derive(Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct PageDocument<'a> {
    /// The result in words: if search engines may show the page, and otherwise why not.
    pub headline: Headline,
    /// The result for the resources in words, if the page loads any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources_headline: Option<Headline>,
    /// The page as it was given.
    pub url: &'a str,
    /// The crawler's token.
    pub agent: &'a str,
    /// True if the crawler is in the table of crawlers.
    pub known: bool,
    /// The robots.txt.
    pub robots: &'a str,
    /// True if the header or the HTML of the page was read.
    pub page_seen: bool,
    /// The URL that the page was read from, after redirects. Absent if it was not fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_at: Option<&'a str>,
    /// False if the crawler may not fetch that URL or another one on the way there, or if there is no answer about it.
    /// Absent if the page was not redirected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_at_allowed: Option<bool>,
    /// The status of the page. Absent if neither the page was fetched nor a header with a status was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The URLs that redirects led to, the last of which is `found_at`; empty without a redirect.
    pub redirects: &'a [PageHop],
    /// The URL that the page names as the original, if it is not its own. Search engines usually show that one instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The verdict on fetching the page.
    pub fetch: Verdict,
    /// The rule that decides, as written in the robots.txt. Absent if no rule decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The permission to show the page in results.
    pub index: &'a Permission,
    /// The permission to follow the links of the page.
    pub follow: &'a Permission,
    /// The permission to train models on the page.
    pub training: &'a Permission,
    /// The permission to use the page as an input to a model that answers a question.
    pub ai_input: &'a Permission,
    /// The permission to use the page for search, as one of the uses of content that preferences distinguish.
    pub search: &'a Permission,
    /// The terms of the page and of its site, as evidence.
    pub terms: &'a PageTerms,
    /// The maximum number of characters of a snippet; -1 for no limit.
    pub max_snippet: Option<i64>,
    /// The maximum size of the preview of an image.
    pub max_image_preview: Option<ImagePreview>,
    /// The maximum number of seconds of the preview of a video; -1 for no limit.
    pub max_video_preview: Option<i64>,
    /// The time after which the page must not be shown, in seconds since 1970.
    pub unavailable_after: Option<i64>,
    /// True if that time has passed.
    pub is_past: bool,
    /// The rules in force, in the form of a meta tag.
    pub rules: String,
    /// The statements that cannot have an effect, or that contradict each other.
    pub conflicts: &'a [Conflict],
    /// The statements for this crawler, or for every crawler, that are understood.
    pub applied: Vec<&'a Statement>,
    /// The statements for this crawler, or for every crawler, that have no effect.
    pub ignored: Vec<IgnoredStatement<'a>>,
    /// The statements for other crawlers.
    pub others: Vec<&'a Statement>,
    /// Facts about the answers, as sentences.
    pub notes: Vec<String>,
    /// The style sheets, scripts and images that the page loads, and if the crawler may fetch them.
    pub resources: Vec<ResourceRow<'a>>,
}

impl<'a> PageDocument<'a> {
    /// Sets the resources that the page loads. Defaults to none.
    pub fn set_resources(&mut self, resources: Vec<ResourceRow<'a>>) {
        self.resources_headline = headline::of_resources(self.agent, &resources);
        self.resources = resources;
    }
}

/// A statement of a page that has no effect.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct IgnoredStatement<'a> {
    /// The statement.
    #[serde(flatten)]
    pub statement: &'a Statement,
    /// The reason in words.
    pub because: String,
}
