//! What a page says of itself: the HTTP field `X-Robots-Tag`, and `<meta name="robots">`.
//!
//! A robots.txt is for sites, this is for pages, and the two don't work alike:
//!
//! | | robots.txt | a page's rules |
//! |---|---|---|
//! | who is meant | the groups that name a crawler *replace* those of `*` | what is said to a crawler *adds up* with what is said to all |
//! | which rule counts | the longest pattern | the most restrictive |
//! | what it is about | whether to fetch | what may be done with what was fetched |
//!
//! So there are two resolvers, [`Robots`](comity::Robots) and [`Page`], and [`permissions`](crate::permissions()) puts
//! them together. A page that may not be fetched says
//! nothing: nobody reads its `noindex`.
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
//! Values come from strangers: reading them can't fail, takes time and memory in proportion to their bytes, and loses
//! nothing. What has no effect is listed with the reason ([`PageRules::ignored`]), so that a typing error in a
//! `noindex` is seen and not passed over. [`read_page`](crate::read_page) finds meta tags in HTML.

mod date;
mod license;
mod rule;
mod tdm;
mod value;

use std::fmt;

use comity::{Crawler, Crawlers, Escaped, PageSupport, Preferences, Profile, Purpose};

pub use date::Moment;
pub use license::License;
pub use rule::{ImagePreview, Limit, Rule, Support};
pub use tdm::{Tdm, TdmProperty, TdmRule, TdmRules, TdmStatement};

static BUILTIN: Crawlers = Crawlers::builtin();

/// What a page says of itself, as far as it was handed over.
#[derive(Clone, Debug)]
pub struct Page<'c> {
    crawlers: &'c Crawlers,
    statements: Vec<Statement>,
    /// The values of `Content-Usage`, joined.
    usage: Option<(Vec<u8>, Option<u32>)>,
    licenses: Vec<License>,
    tdm: Vec<TdmStatement>,
}

/// A part of a response, or what stands beside it, that says something of a page.
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
    /// The one that is closest to the page first.
    const BY_WEIGHT: [Self; 3] = [Self::Html, Self::Header, Self::WellKnown];
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

/// One thing that a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statement {
    /// Where it stands.
    pub source: Source,
    /// The line there, from 1, if the caller said so.
    pub line: Option<u32>,
    /// Whom it is for, as it stands; every crawler, if nobody is named.
    pub agent: Option<String>,
    /// As it stands.
    pub text: String,
    /// What it means.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serialize_rule"))]
    pub rule: Rule,
}

#[cfg(feature = "serde")]
fn serialize_rule<S: serde::Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(rule)
}

/// Where a page says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Source {
    /// The HTTP field `X-Robots-Tag`.
    XRobotsTag,
    /// The HTTP field `Robots-Tag` (draft-illyes-repext-03).
    RobotsTag,
    /// A meta tag.
    Meta,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::XRobotsTag => "X-Robots-Tag",
            Self::RobotsTag => "Robots-Tag",
            Self::Meta => "meta tag",
        })
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.source, &self.agent) {
            (Source::Meta, agent) => {
                let name = agent.as_deref().unwrap_or("robots");
                write!(f, "<meta name=\"{}\"> {}", Escaped(name.as_bytes()), Escaped(self.text.as_bytes()))
            }
            (source, None) => write!(f, "{source}: {}", Escaped(self.text.as_bytes())),
            (source, Some(agent)) => {
                write!(f, "{source}: {}: {}", Escaped(agent.as_bytes()), Escaped(self.text.as_bytes()))
            }
        }
    }
}

impl Page<'static> {
    /// Creates an empty page. The crawlers that it knows are those of the built-in table.
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
    /// The table tells a crawler's name from a rule where a header could mean either, and which crawlers and control tokens
    /// have the same operator.
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
        Self { crawlers, statements: Vec::new(), usage: None, licenses: Vec::new(), tdm: Vec::new() }
    }

    /// Returns the table of the crawlers that it knows.
    pub fn crawlers(&self) -> &'c Crawlers {
        self.crawlers
    }

    /// Takes one line of the response's header. Lines of other fields are passed over; returns whether it was one that
    /// counts: `X-Robots-Tag`, `Content-Usage`, `tdm-reservation`, `tdm-policy`, a `Link` to a licence, and with the
    /// feature `robots-tag` also `Robots-Tag`.
    ///
    /// Each line is handed over as it came: what one says to a crawler ends with it.
    pub fn header(&mut self, name: &str, value: &[u8]) -> bool {
        self.header_at(name, value, None)
    }

    /// The same with the number of the line.
    pub fn header_at(&mut self, name: &str, value: &[u8], line: impl Into<Option<u32>>) -> bool {
        let line = line.into();
        if name.eq_ignore_ascii_case("x-robots-tag") {
            let statements = &mut self.statements;
            value::header(value, self.crawlers, |item| statements.push(Statement::new(Source::XRobotsTag, line, item)));
            return true;
        }
        if name.eq_ignore_ascii_case("content-usage") {
            // A structured field that comes several times is one field (RFC 9651 §4.2), and an empty line adds nothing.
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
        if let Some(property) = TdmProperty::named(name.as_bytes()) {
            self.tdm_said(Part::Header, line, property, value);
            return true;
        }
        if name.eq_ignore_ascii_case("link") {
            let before = self.licenses.len();
            license::of_field(value, |url, media_type| {
                self.licenses.push(License::new(Part::Header, line, url, media_type));
            });
            return self.licenses.len() > before;
        }
        #[cfg(feature = "robots-tag")]
        if name.eq_ignore_ascii_case("robots-tag") {
            self.robots_tag(value, line);
            return true;
        }
        false
    }

    /// Takes one meta tag: its `name` and its `content`. Whether a name is a crawler's can't be told for all of them,
    /// so every tag is taken, and one that no crawler goes by is never heard; [`is_robots_name`] sorts them out.
    pub fn meta(&mut self, name: &[u8], content: &[u8]) {
        self.meta_at(name, content, None);
    }

    /// The same with the number of the line.
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

    /// Takes a `link` element with `rel=license`: its `href`, and its `type` if it has one.
    pub fn license(&mut self, href: &[u8], media_type: Option<&[u8]>, line: impl Into<Option<u32>>) {
        self.licenses.push(License::new(Part::Html, line.into(), href, media_type));
    }

    fn tdm_said(&mut self, part: Part, line: Option<u32>, property: TdmProperty, value: &[u8]) {
        let text = String::from_utf8_lossy(value.trim_ascii()).into_owned();
        self.tdm.push(TdmStatement { part, line, property, text });
    }

    /// The licences that it names, in the order in which they were handed over.
    pub fn licenses(&self) -> &[License] {
        &self.licenses
    }

    /// Everything that it says to crawlers, in the order in which it was handed over.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The preferences of the HTTP field `Content-Usage`, if it came and is well-formed.
    #[must_use]
    pub fn content_usage(&self) -> Option<Preferences<'_>> {
        self.usage.as_ref().and_then(|(usage, _)| Preferences::parse(usage))
    }

    /// The HTTP field `Content-Usage` as it came, and the number of its first line.
    pub fn content_usage_field(&self) -> Option<(&[u8], Option<u32>)> {
        self.usage.as_ref().map(|(usage, line)| (usage.as_slice(), *line))
    }

    /// What all of it comes to for one crawler: what is said to it and what is said to everyone, added up, the most
    /// restrictive first.
    ///
    /// A crawler of the table also hears what is said to those of its fallback tokens that are its operator's:
    /// Googlebot-News hears Googlebot's rules, and Applebot does not.
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

/// Returns whether a meta tag of this name is for crawlers: `robots`, the name of a crawler in the table, or one that ends
/// as theirs do; a name under which a crawler in the table heeds a rule; or one of the TDM Reservation Protocol.
#[must_use]
pub fn is_robots_name(name: &[u8], crawlers: &Crawlers) -> bool {
    let name = name.trim_ascii();
    value::is_everyone(name)
        || TdmProperty::named(name).is_some()
        || crawlers
            .iter()
            .flat_map(|row| row.page_rules.heeds_under.iter())
            .any(|entry| entry.split_once(':').is_some_and(|(listed, _)| listed.as_bytes().eq_ignore_ascii_case(name)))
        || value::looks_like_crawler(name, crawlers)
}

impl Statement {
    fn new(source: Source, line: Option<u32>, item: value::Item<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { source, line, agent: item.agent.map(text), text: text(item.text), rule: item.rule }
    }

    /// Whether a crawler hears it, and if it is meant and does not, why.
    fn is_for(&self, crawler: &Crawler<'_>, crawlers: &Crawlers) -> Hearing {
        let profile = crawler.profile();
        let Some(agent) = &self.agent else {
            // Google: AdsBot hears only what is said to it by name.
            let is_ads = profile.is_some_and(|profile| profile.purpose == Purpose::Ads);
            return if is_ads && self.source == Source::Meta { Hearing::NotMeant } else { Hearing::Heard };
        };
        if profile.is_some_and(|profile| profile.page_rules.heeds_under(agent, self.rule.name())) {
            return Hearing::Heard;
        }
        let is_same_operator = |token: &[u8]| {
            profile.is_none_or(|profile| {
                token.eq_ignore_ascii_case(profile.token.as_bytes())
                    || std::str::from_utf8(token)
                        .ok()
                        .and_then(|token| crawlers.find(token))
                        .is_none_or(|row| row.operator == profile.operator)
            })
        };
        let is_named =
            crawler.tokens().any(|token| token.eq_ignore_ascii_case(agent.as_bytes()) && is_same_operator(token));
        let is_meta_name = |profile: &Profile| {
            let names = &profile.page_rules.meta_names;
            names.is_empty() || PageSupport::lists(names, agent)
        };
        match is_named {
            false => Hearing::NotMeant,
            true if self.source == Source::Meta && !profile.is_none_or(is_meta_name) => Hearing::NotInMeta,
            true => Hearing::Heard,
        }
    }
}

enum Hearing {
    Heard,
    NotMeant,
    NotInMeta,
}

/// What a page's rules come to for one crawler, by [`Page::rules_for`]. Each is the first statement that says so, and
/// none is there if nothing is said.
#[derive(Clone, Debug, Default)]
#[must_use]
#[non_exhaustive]
pub struct PageRules<'p> {
    /// Not to be shown in results: `noindex` or `none`.
    pub noindex: Option<&'p Statement>,
    /// Not to follow the links: `nofollow` or `none`.
    pub nofollow: Option<&'p Statement>,
    /// No snippet: `nosnippet`, for Apple also `none`.
    pub nosnippet: Option<&'p Statement>,
    /// The least of the limits for snippets, in characters.
    pub max_snippet: Option<(Limit, &'p Statement)>,
    /// The least of the sizes for previews of images.
    pub max_image_preview: Option<(ImagePreview, &'p Statement)>,
    /// The least of the limits for previews of videos, in seconds.
    pub max_video_preview: Option<(Limit, &'p Statement)>,
    /// The earliest moment from which it counts as `noindex`.
    pub unavailable_after: Option<(Moment, &'p Statement)>,
    /// No translation to be offered.
    pub notranslate: Option<&'p Statement>,
    /// No images of the page to be indexed.
    pub noimageindex: Option<&'p Statement>,
    /// In spite of `noindex`, may be indexed where it is embedded.
    pub indexifembedded: Option<&'p Statement>,
    /// No copy to be shown.
    pub noarchive: Option<&'p Statement>,
    /// Only address, title and snippet to be used.
    pub nocache: Option<&'p Statement>,
    /// Not to be used for AI.
    pub noai: Option<&'p Statement>,
    /// No images to be used for AI.
    pub noimageai: Option<&'p Statement>,
    /// Not to be read aloud.
    pub nopagereadaloud: Option<&'p Statement>,
    /// Everything that is for this crawler, or for all, and is understood.
    pub heard: Vec<&'p Statement>,
    /// What is said to others.
    pub others: Vec<&'p Statement>,
    /// What is for this crawler, or for all, and has no effect.
    pub ignored: Vec<(&'p Statement, Ignored)>,
}

/// Why a statement has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Ignored {
    /// No rule of that name is known.
    Unknown,
    /// The rule is known, and its value is not understood.
    NotUnderstood,
    /// What it is about is gone.
    Obsolete,
    /// `indexifembedded` counts only beside `noindex`.
    WithoutNoindex,
    /// The crawler heeds no meta tag of that name: see [`PageSupport::meta_names`]. In the built-in table, only Google's
    /// search is so particular, and heeds `robots`, `googlebot` and `googlebot-news`.
    NotInMeta,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unknown => "no such rule is known",
            Self::NotUnderstood => "the value is not understood",
            Self::Obsolete => "what it is about is gone",
            Self::WithoutNoindex => "it counts only beside noindex",
            Self::NotInMeta => "the crawler heeds no meta tags of that name",
        })
    }
}

impl<'p> PageRules<'p> {
    /// How much of the text may be shown, and which statement says so: `nosnippet` is a limit of 0.
    #[must_use]
    pub fn snippet(&self) -> Option<(Limit, &'p Statement)> {
        self.nosnippet.map(|statement| (Limit::To(0), statement)).or(self.max_snippet)
    }

    fn take(&mut self, statement: &'p Statement, crawler: &Crawler<'_>, crawlers: &Crawlers) {
        match statement.is_for(crawler, crawlers) {
            Hearing::Heard => {}
            Hearing::NotMeant => return self.others.push(statement),
            Hearing::NotInMeta => return self.ignored.push((statement, Ignored::NotInMeta)),
        }
        let set = |place: &mut Option<&'p Statement>| {
            place.get_or_insert(statement);
        };
        match statement.rule {
            Rule::All | Rule::Index | Rule::Follow => {}
            Rule::NoIndex => set(&mut self.noindex),
            Rule::NoFollow => set(&mut self.nofollow),
            Rule::None => {
                set(&mut self.noindex);
                set(&mut self.nofollow);
                if crawler.profile().is_some_and(|profile| profile.page_rules.none_means_nosnippet) {
                    set(&mut self.nosnippet);
                }
            }
            Rule::NoSnippet => set(&mut self.nosnippet),
            Rule::MaxSnippet(limit) => least(&mut self.max_snippet, limit, statement),
            Rule::MaxImagePreview(size) => least(&mut self.max_image_preview, size, statement),
            Rule::MaxVideoPreview(limit) => least(&mut self.max_video_preview, limit, statement),
            Rule::UnavailableAfter(moment) => least(&mut self.unavailable_after, moment, statement),
            Rule::NoTranslate => set(&mut self.notranslate),
            Rule::NoImageIndex => set(&mut self.noimageindex),
            Rule::IndexIfEmbedded => set(&mut self.indexifembedded),
            Rule::NoArchive => set(&mut self.noarchive),
            Rule::NoCache => set(&mut self.nocache),
            Rule::NoAi => set(&mut self.noai),
            Rule::NoImageAi => set(&mut self.noimageai),
            Rule::NoPageReadAloud => set(&mut self.nopagereadaloud),
            Rule::NoSitelinksSearchBox | Rule::NoOdp | Rule::NoYdir => {
                return self.ignored.push((statement, Ignored::Obsolete));
            }
            Rule::NotUnderstood { .. } => return self.ignored.push((statement, Ignored::NotUnderstood)),
            Rule::Unknown => return self.ignored.push((statement, Ignored::Unknown)),
        }
        self.heard.push(statement);
    }
}

/// As one value that says all of it: `noindex, max-snippet:20`; `all` if nothing is restricted.
impl fmt::Display for PageRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.noindex, Rule::NoIndex),
            (self.nofollow, Rule::NoFollow),
            (self.nosnippet, Rule::NoSnippet),
            (self.notranslate, Rule::NoTranslate),
            (self.noimageindex, Rule::NoImageIndex),
            (self.indexifembedded, Rule::IndexIfEmbedded),
            (self.noarchive, Rule::NoArchive),
            (self.nocache, Rule::NoCache),
            (self.noai, Rule::NoAi),
            (self.noimageai, Rule::NoImageAi),
            (self.nopagereadaloud, Rule::NoPageReadAloud),
        ];
        let flags = flags.into_iter().filter_map(|(statement, rule)| statement.map(|_| rule));
        let valued = [
            self.max_snippet.map(|(limit, _)| Rule::MaxSnippet(limit)),
            self.max_image_preview.map(|(size, _)| Rule::MaxImagePreview(size)),
            self.max_video_preview.map(|(limit, _)| Rule::MaxVideoPreview(limit)),
            self.unavailable_after.map(|(moment, _)| Rule::UnavailableAfter(moment)),
        ];
        let mut is_empty = true;
        for rule in flags.chain(valued.into_iter().flatten()) {
            write!(f, "{}{rule}", if is_empty { "" } else { ", " })?;
            is_empty = false;
        }
        if is_empty { f.write_str("all") } else { Ok(()) }
    }
}

/// Keeps the lesser value, and of equal ones the first.
fn least<'p, T: Ord>(place: &mut Option<(T, &'p Statement)>, value: T, statement: &'p Statement) {
    if place.as_ref().is_none_or(|(known, _)| value < *known) {
        *place = Some((value, statement));
    }
}

#[cfg(feature = "robots-tag")]
mod robots_tag {
    //! The draft successor of `X-Robots-Tag`: draft-illyes-repext-03 of 18 April 2026, an individual draft. A list of
    //! product tokens, with rules as their parameters.

    use comity::structured::{self, Bare};

    use super::{Page, Rule, Source, Statement, value};

    /// The octets of a field that are read; the draft wants 8 KiB at least. Of what is longer, only whole members count.
    const MOST: usize = 16 * 1024;

    impl Page<'_> {
        pub(super) fn robots_tag(&mut self, field: &[u8], line: Option<u32>) {
            let (field, is_cut) = if field.len() > MOST { (&field[..MOST], true) } else { (field, false) };
            let Some(members) = structured::list(field, is_cut) else {
                let rule = Rule::NotUnderstood { expected: "expected a list such as *;nosnippet, ExampleBot;noindex" };
                let item = value::Item { agent: None, text: field, rule };
                return self.statements.push(Statement::new(Source::RobotsTag, line, item));
            };
            for (token, parameters) in members {
                let Bare::Token(token) = token else { continue };
                let agent = (!value::is_everyone(token)).then_some(token);
                for parameter in parameters {
                    let rule = match parameter.text {
                        b"" => Rule::flag(parameter.key),
                        text => Rule::valued(
                            parameter.key,
                            text.strip_prefix(b"\"").map_or(text, |t| t.strip_suffix(b"\"").unwrap_or(t)),
                        ),
                    };
                    let item = value::Item { agent, text: parameter.whole, rule };
                    self.statements.push(Statement::new(Source::RobotsTag, line, item));
                }
            }
        }
    }
}
