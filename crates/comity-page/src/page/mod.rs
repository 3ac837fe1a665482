//! Rules of a page: the HTTP field `X-Robots-Tag`, and `<meta name="robots">`.
//!
//! A robots.txt has rules for a site, and these are rules for one page. The two work differently:
//!
//! | | robots.txt | a page's rules |
//! |---|---|---|
//! | crawlers | a crawler's own groups *replace* those of `*` | a crawler's own rules *add up* with those for all |
//! | which rule applies | the longest pattern | the most restrictive |
//! | which use | fetching the page | using the fetched page |
//!
//! So there are two resolvers, [`Robots`](comity::Robots) and [`Page`], and [`permissions`](crate::permissions())
//! combines them. If a page may not be fetched, its rules have no effect: no crawler reads its `noindex`.
//!
//! ```
//! use comity::Crawler;
//! use comity_page::{Limit, Page};
//!
//! let mut page = Page::new();
//! page.header("X-Robots-Tag", b"max-snippet: 50, googlebot: noarchive, otherbot: noindex");
//! page.meta(b"robots", b"max-snippet:20, nofollow");
//!
//! let rules = page.rules_for(&Crawler::known("Googlebot").unwrap());
//! assert!(rules.noindex.is_none()); // said to somebody else
//! assert!(rules.noarchive.is_some() && rules.nofollow.is_some());
//! assert_eq!(rules.snippet().unwrap().0, Limit::To(20));
//! ```
//!
//! Values are untrusted input. Parsing them cannot fail, takes time and memory in proportion to their bytes, and drops
//! nothing. Statements without effect are listed with the reason ([`PageRules::ignored`]), so that a typing error in a
//! `noindex` is reported and not skipped silently. [`read_page`](crate::read_page) finds meta tags in HTML.

mod date;
mod license;
mod page_rules;
#[cfg(feature = "robots-tag")]
mod robots_tag;
mod rule;
mod statement;
mod tdm;
mod value;

use std::fmt;
use std::time::SystemTime;

use comity::spelling::edit_distance;
use comity::{Crawler, Crawlers, Preferences};

pub use date::Moment;
pub use license::License;
pub use page_rules::{Ignored, PageRules};
pub use rule::{ImagePreview, Limit, PageRule, Support};
pub use statement::{Source, Statement};
pub use tdm::{Tdm, TdmProperty, TdmRule, TdmRules, TdmStatement};

static BUILTIN: Crawlers = Crawlers::builtin();

/// The statements of a page, as far as the caller added them.
#[derive(Clone, Debug)]
pub struct Page<'c> {
    crawlers: &'c Crawlers,
    statements: Vec<Statement>,
    /// The values of `Content-Usage`, joined.
    usage: Option<(Vec<u8>, Option<u32>)>,
    /// The values of `Content-Signal`, with the numbers of their lines.
    signals: Vec<(Vec<u8>, Option<u32>)>,
    licenses: Vec<License>,
    canonical: Option<Canonical>,
    tdm: Vec<TdmStatement>,
    time: Option<SystemTime>,
}

/// A link with the relation `canonical` (RFC 6596): the URL that search engines should show in place of the page's own.
///
/// ```
/// use comity_page::Page;
///
/// let mut page = Page::new();
/// page.header("Link", b"<https://shop.example/shoes>; rel=\"canonical\"");
/// assert_eq!(page.canonical().unwrap().url, "https://shop.example/shoes");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The part of the response that has the link.
    pub part: Part,
    /// The line there, from 1, if the caller gave it.
    pub line: Option<u32>,
    /// The URL as written, which may be relative to the page.
    pub url: String,
}

/// A source of statements about a page: a part of its response, or a file of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Part {
    /// The response's header.
    Header,
    /// The HTML.
    Html,
    /// The site's `/.well-known/tdmrep.json`.
    WellKnown,
}

impl Part {
    /// All parts in order of precedence: the closest to the page first.
    const BY_PRECEDENCE: [Self; 3] = [Self::Html, Self::Header, Self::WellKnown];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Header => "header",
            Self::Html => "HTML",
            Self::WellKnown => "tdmrep.json",
        })
    }
}

impl Page<'static> {
    /// Creates an empty page that knows the crawlers of the built-in table.
    pub fn new() -> Self {
        Self::with_crawlers(&BUILTIN)
    }
}

impl Default for Page<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'c> Page<'c> {
    /// Creates an empty page that knows the crawlers of a table.
    ///
    /// The table distinguishes the name of a crawler from a rule where a header could mean either. It also determines
    /// which crawlers and control tokens have the same operator.
    ///
    /// ```
    /// use comity::{Crawler, Crawlers, Profile, Purpose};
    /// use comity_page::Page;
    ///
    /// let mut crawlers = Crawlers::builtin();
    /// crawlers.add(Profile::new("AcmeFetcher", "Acme", Purpose::Search));
    /// let mut page = Page::with_crawlers(&crawlers);
    /// page.header("X-Robots-Tag", b"nofollow, AcmeFetcher: noindex");
    /// assert_eq!(page.rules_for(&Crawler::ANY).to_string(), "nofollow");
    /// ```
    pub fn with_crawlers(crawlers: &'c Crawlers) -> Self {
        Self {
            crawlers,
            statements: Vec::new(),
            usage: None,
            signals: Vec::new(),
            licenses: Vec::new(),
            canonical: None,
            tdm: Vec::new(),
            time: None,
        }
    }

    /// Sets the time at which the page was read. From the date of an `unavailable_after` on, that rule has the effect of
    /// `noindex`. Defaults to none: then no date has come.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    /// use comity_page::{Page, Stance, permissions};
    /// use std::time::{Duration, SystemTime};
    ///
    /// let indexing = |seconds| {
    ///     let mut page = Page::new().at(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    ///     page.header("X-Robots-Tag", b"unavailable_after: 2030-01-31");
    ///     permissions(&Robots::default(), &Crawler::ANY, "/a", &page).index.stance
    /// };
    /// assert_eq!(indexing(1_800_000_000), Stance::NotStated); // in January 2027
    /// assert_eq!(indexing(1_900_000_000), Stance::No); // in March 2030
    /// ```
    #[must_use]
    pub fn at(self, time: SystemTime) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Returns true if a moment is not later than the [time](Self::at) at which the page was read.
    pub fn has_come(&self, moment: Moment) -> bool {
        // Not the other way round: on some systems, a `SystemTime` cannot be as early as a year that a page may state.
        self.time.is_some_and(|time| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            moment.unix_seconds() <= i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
    }

    /// Returns the table of the crawlers that the page knows.
    pub fn crawlers(&self) -> &'c Crawlers {
        self.crawlers
    }

    /// Adds one line of the response's header. Returns true if it is one of those that matter: `X-Robots-Tag`,
    /// `Content-Usage`, `Content-Signal`, `tdm-reservation`, `tdm-policy`, a `Link` to a license or a canonical URL, and with the feature
    /// `robots-tag` also `Robots-Tag`. A name that people write for `X-Robots-Tag`, such as `X-Robots`, has no effect, but a restriction in it
    /// is reported as [`Ignored::OtherField`]. Ignores all other lines.
    ///
    /// Add each line by itself, as received: the name of a crawler applies only up to the end of its line.
    pub fn header(&mut self, name: &str, value: &[u8]) -> bool {
        self.header_at(name, value, None)
    }

    /// Adds a line like [`header`](Self::header), with its line number.
    pub fn header_at(&mut self, name: &str, value: &[u8], line: impl Into<Option<u32>>) -> bool {
        let line = line.into();
        if name.eq_ignore_ascii_case("x-robots-tag") {
            let statements = &mut self.statements;
            value::header(value, self.crawlers, |item| statements.push(Statement::new(Source::XRobotsTag, line, item)));
            return true;
        }
        if name.eq_ignore_ascii_case("content-usage") {
            // A structured field in several lines is one field (RFC 9651 §4.2), and an empty line adds nothing.
            let value = value.trim_ascii();
            match &mut self.usage {
                Some((usage, _)) if !usage.is_empty() && !value.is_empty() => {
                    usage.extend_from_slice(b", ");
                    usage.extend_from_slice(value);
                }
                Some((usage, _)) if !usage.is_empty() => {}
                _ => self.usage = Some((value.to_vec(), line)),
            }
            return true;
        }
        if name.eq_ignore_ascii_case("content-signal") {
            self.signals.push((value.trim_ascii().to_vec(), line));
            return true;
        }
        if let Some(property) = TdmProperty::named(name.as_bytes()) {
            self.tdm_said(Part::Header, line, property, value);
            return true;
        }
        if name.eq_ignore_ascii_case("link") {
            let before = self.licenses.len();
            license::of_field(value, "license", |url, media_type| {
                self.licenses.push(License::new(Part::Header, line, url, media_type));
            });
            let mut has_canonical = false;
            license::of_field(value, "canonical", |url, _| {
                has_canonical = true;
                self.canonical_said(Part::Header, line, url);
            });
            return has_canonical || self.licenses.len() > before;
        }
        #[cfg(feature = "robots-tag")]
        if name.eq_ignore_ascii_case("robots-tag") {
            self.robots_tag(value, line);
            return true;
        }
        // Without the feature, too, the name of the draft is no misspelling.
        if means_robots(name.as_bytes()) && !name.eq_ignore_ascii_case("robots-tag") {
            let text = [name.as_bytes(), b": ", value.trim_ascii()].concat();
            let mut first = None;
            value::header(value, self.crawlers, |item| note_restriction(&mut first, item));
            self.add_without_effect(Source::OtherField, line, &text, first);
        }
        false
    }

    /// Adds one meta tag: its `name` and its `content`. Any name may be passed, since not every name of a crawler can
    /// be recognized; a tag whose name no crawler uses has no effect. [`is_robots_name`] recognizes the likely ones.
    pub fn meta(&mut self, name: &[u8], content: &[u8]) {
        self.meta_at(name, content, None);
    }

    /// Adds a meta tag like [`meta`](Self::meta), with its line number.
    pub fn meta_at(&mut self, name: &[u8], content: &[u8], line: impl Into<Option<u32>>) {
        let line = line.into();
        let name = name.trim_ascii();
        if let Some(property) = TdmProperty::named(name) {
            return self.tdm_said(Part::Html, line, property, content);
        }
        let agent = (!value::is_everyone(name)).then_some(name);
        let statements = &mut self.statements;
        value::meta(content, |item| {
            statements.push(Statement::new(Source::Meta, line, value::Item { agent, ..item }));
        });
    }

    /// Adds a meta tag of a form that no crawler reads, if it would restrict one in the right form. The statement has no
    /// effect, and is reported as such. `written` is the whole tag.
    pub(crate) fn other_meta(&mut self, name: &[u8], content: &[u8], written: &[u8], line: u32) {
        let name = name.trim_ascii();
        let agent = (!value::is_everyone(name)).then_some(name);
        let mut first = None;
        value::meta(unquoted(content), |item| note_restriction(&mut first, value::Item { agent, ..item }));
        self.add_without_effect(Source::OtherTag, Some(line), written, first);
    }

    fn add_without_effect(&mut self, source: Source, line: Option<u32>, text: &[u8], item: Option<value::Item<'_>>) {
        self.statements.extend(item.map(|item| Statement::new(source, line, value::Item { text, ..item })));
    }

    /// Adds a `link` element with `rel=license`: its `href`, and its `type` if it has one.
    pub fn license(&mut self, href: &[u8], media_type: Option<&[u8]>, line: impl Into<Option<u32>>) {
        self.licenses.push(License::new(Part::Html, line.into(), href, media_type));
    }

    /// Adds a `link` element with `rel=canonical`: its `href`. The first canonical URL of a page is used.
    pub fn canonical_at(&mut self, href: &[u8], line: impl Into<Option<u32>>) {
        self.canonical_said(Part::Html, line.into(), href);
    }

    fn canonical_said(&mut self, part: Part, line: Option<u32>, url: &[u8]) {
        let url = String::from_utf8_lossy(url.trim_ascii()).into_owned();
        if !url.is_empty() {
            self.canonical.get_or_insert(Canonical { part, line, url });
        }
    }

    /// Returns the canonical URL that the page names, if it names one.
    pub fn canonical(&self) -> Option<&Canonical> {
        self.canonical.as_ref()
    }

    fn tdm_said(&mut self, part: Part, line: Option<u32>, property: TdmProperty, value: &[u8]) {
        let text = String::from_utf8_lossy(value.trim_ascii()).into_owned();
        self.tdm.push(TdmStatement { part, line, property, text });
    }

    /// Returns the licenses that the page names, in the order in which they were added.
    pub fn licenses(&self) -> &[License] {
        &self.licenses
    }

    /// Returns all statements of the page for crawlers, in the order in which they were added.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Returns the preferences of the HTTP field `Content-Usage`, or `None` if it was not added or is malformed.
    #[must_use]
    pub fn content_usage(&self) -> Option<Preferences<'_>> {
        self.usage.as_ref().and_then(|(usage, _)| Preferences::parse(usage))
    }

    /// Returns the HTTP field `Content-Usage` as received, and the number of its first line.
    pub fn content_usage_field(&self) -> Option<(&[u8], Option<u32>)> {
        self.usage.as_ref().map(|(usage, line)| (usage.as_slice(), *line))
    }

    /// Returns the HTTP fields `Content-Signal` as received, and the numbers of their lines. No specification defines this
    /// field for responses, so it changes no permission.
    pub fn content_signal_fields(&self) -> impl Iterator<Item = (&[u8], Option<u32>)> {
        self.signals.iter().map(|(signal, line)| (signal.as_slice(), *line))
    }

    /// Returns the rules for one crawler: the statements for it and those for every crawler, combined. Of several, the
    /// most restrictive applies.
    ///
    /// A crawler of the table also obeys statements for those of its fallback tokens that belong to the same operator:
    /// Googlebot-News obeys the rules for Googlebot, but Applebot does not.
    pub fn rules_for(&self, crawler: &Crawler<'_>) -> PageRules<'_> {
        let mut rules = PageRules::default();
        for statement in &self.statements {
            rules.take(statement, crawler, self.crawlers);
        }
        if let (Some(embedded), None) = (rules.indexifembedded, rules.noindex) {
            rules.indexifembedded = None;
            rules.ignored.push((embedded, Ignored::WithoutNoindex));
        }
        rules
    }
}

/// Keeps the first item that restricts crawlers.
fn note_restriction<'a>(first: &mut Option<value::Item<'a>>, item: value::Item<'a>) {
    if first.is_none() && item.rule.is_restriction() {
        *first = Some(item);
    }
}

/// Returns a value without the quotation marks of a text processor around it, which HTML takes for a part of the value.
fn unquoted(content: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| byte.is_ascii();
    let start = content.iter().position(is_text).unwrap_or(content.len());
    &content[start..content.iter().rposition(is_text).map_or(start, |last| last + 1)]
}

/// Returns true if a value of a meta tag restricts crawlers.
pub(crate) fn restricts(content: &[u8]) -> bool {
    let mut first = None;
    value::meta(unquoted(content), |item| note_restriction(&mut first, item));
    first.is_some()
}

/// Returns the name for which another one was probably written, which no crawler reads: `robots`, or that of a crawler in
/// the table. The table has no crawler with the name itself.
pub(crate) fn meant_name<'c>(name: &[u8], crawlers: &'c Crawlers) -> Option<&'c str> {
    /// The minimum length of a token that may be misspelled. Shorter ones are close to names of other crawlers.
    const MIN_MISSPELLED: usize = "googlebot".len();
    if is_listed_name(name, crawlers) {
        return None;
    }
    if means_robots(name) {
        return Some("robots");
    }
    let digits = |name: &[u8]| name.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_meant = |token: &[u8]| {
        let is_plural = name
            .split_last()
            .is_some_and(|(last, singular)| last.eq_ignore_ascii_case(&b's') && singular.eq_ignore_ascii_case(token));
        is_plural
            || token.len() >= MIN_MISSPELLED && digits(token) == digits(name) && edit_distance(name, token, 1).is_some()
    };
    crawlers.iter().map(|row| row.token.as_ref()).find(|token| is_meant(token.as_bytes()))
}

/// Returns true if a name is close to `robots` or `X-Robots-Tag`, or to what people write for them. Hyphens and other marks
/// do not count.
fn means_robots(name: &[u8]) -> bool {
    let letters: Vec<u8> = name.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    [(&b"robots"[..], 1), (b"xrobots", 1), (b"metarobots", 1), (b"xrobotstag", 2)]
        .iter()
        .any(|(known, steps)| edit_distance(&letters, known, *steps).is_some())
}

/// Returns true if a meta tag of this name is for crawlers: `robots`; the name of a crawler in the table, or a name
/// that ends as theirs do; a name under which a crawler in the table obeys a rule; or a name of the TDM Reservation
/// Protocol.
#[must_use]
pub fn is_robots_name(name: &[u8], crawlers: &Crawlers) -> bool {
    let name = name.trim_ascii();
    is_listed_name(name, crawlers) || value::looks_like_crawler(name, crawlers)
}

/// Returns true if a specification or the table has the name of a meta tag.
fn is_listed_name(name: &[u8], crawlers: &Crawlers) -> bool {
    value::is_everyone(name)
        || TdmProperty::named(name).is_some()
        || str::from_utf8(name).is_ok_and(|name| crawlers.find(name).is_some())
        || crawlers
            .iter()
            .flat_map(|row| row.page_rules.supports_under.iter())
            .any(|entry| entry.split_once(':').is_some_and(|(listed, _)| listed.as_bytes().eq_ignore_ascii_case(name)))
}
