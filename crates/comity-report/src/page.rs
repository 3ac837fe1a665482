//! A page: what a crawler may do with it, by its robots.txt, its header and its HTML.

mod resources;
mod terms;

use comity::{Answer, Crawler, Crawlers, Escaped, Origin, Profile, Robots, Verdict};
use comity_fetch::SiteRobots;
use comity_page::{
    BecauseSource, Conflict, Found, ImagePreview, Limit, Page, PageRules, Permission, Permissions, Stance, Statement,
    Support, permissions,
};
use serde::Serialize;
use url::Url;

use crate::crawler_query::CrawlerQuery;
use crate::question::{Question, Questions};

pub use resources::{MAX_RESOURCE_SITES, PageResources, ResourceKind, ResourceRow};
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
    /// The URL that redirects led to, and the answer about it, if it is not the URL of the question. See
    /// [`PageCheck::moved`].
    pub moved: Option<(&'a str, Option<Answer>)>,
}

/// The answers about a page: what a crawler may do with it, and why.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct PageCheck<'a> {
    /// The sources.
    pub sources: PageSources<'a>,
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
    /// Returns the URL that a page was read from, if it is not the URL of the question, and the answer about it. There
    /// is no answer if the robots.txt of its site is not available. `robots` is the file of the questions' site, and
    /// `site` is that of the URL, if it is another one.
    #[must_use]
    pub fn moved(
        found_at: &'a Url,
        question: &Question,
        questions: &Questions,
        crawler: &CrawlerQuery,
        robots: &Robots,
        site: Option<&SiteRobots>,
    ) -> Option<(&'a str, Option<Answer>)> {
        let found = found_at.as_str();
        let asked = question.sent.as_deref().unwrap_or(&question.typed);
        if without_fragment(found) == without_fragment(asked) {
            return None;
        }
        let crawler = crawler.as_crawler();
        let is_here = Origin::of(found).is_ok_and(|origin| questions.site.as_ref() == Some(&origin));
        let answer = if is_here {
            Some(robots.check(&crawler, found).answer())
        } else {
            site.map(|site| site.check_as_is(&crawler, found).answer())
        };
        Some((found, answer))
    }

    /// Answers by these sources. `questions` must contain the page.
    pub fn new(sources: PageSources<'a>, question: &Question) -> Self {
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
        let is_open = !permissions.fetch.is_disallowed() && !is_lost(sources.moved);
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
            sources,
        }
    }

    /// Returns true if robots.txt does not disallow the page, nor the URL that it redirects to, so that its rules can be
    /// read.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.permissions.fetch.is_disallowed() && self.lost_at().is_none()
    }

    /// Returns the URL that redirects led to, if the crawler may not fetch it or there is no answer about it.
    #[must_use]
    pub fn lost_at(&self) -> Option<&'a str> {
        self.sources.moved.filter(|moved| is_lost(Some(*moved))).map(|(url, _)| url)
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
        if let Some((url, answer)) = self.sources.moved.filter(|moved| is_lost(Some(*moved))) {
            let url = Escaped(url.as_bytes());
            notes.push(if answer == Some(Answer::Disallowed) {
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
            url,
            agent: self.sources.crawler.token(),
            known: self.sources.crawler.profile().is_some(),
            robots: self.sources.file,
            page_seen: self.is_seen(),
            found_at: None,
            found_at_allowed: self.sources.moved.map(|moved| !is_lost(Some(moved))),
            status: None,
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

/// Returns true if redirects led to a URL that the crawler may not fetch, or about which there is no answer.
fn is_lost(moved: Option<(&str, Option<Answer>)>) -> bool {
    moved.is_some_and(|(_, answer)| !matches!(answer, Some(Answer::Allowed | Answer::NotGoverned)))
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
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
    pub found_at: Option<String>,
    /// False if the crawler may not fetch that URL, or if there is no answer about it. Absent if the page was not
    /// redirected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_at_allowed: Option<bool>,
    /// The status of the page. Absent if it was not fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
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
