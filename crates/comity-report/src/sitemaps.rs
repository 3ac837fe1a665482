//! Sitemaps: those that a robots.txt names, and the pages that they list, with the verdicts on them.

use comity::{Crawler, Crawlers, Meaning, Origin, Profile, Record, Robots, Rules, Verdict};
use comity_page::{Entry, EntryKind, Format, Scope};
use serde::Serialize;
use url::Url;

use crate::crawler_query::CrawlerQuery;
use crate::headline::{Headline, Tone, counted, known_name, number};

/// The problem of an index that an index lists.
pub const NESTED_INDEX: &str = "an index lists this index, which sitemaps.org does not allow: crawlers may not read it";

/// Decides the entries of sitemaps by a robots.txt, for one crawler.
#[derive(Debug)]
pub struct SitemapCheck {
    rules: Rules,
    agent: String,
    /// Those that fetch the images, the videos and the alternates of pages; `None` for a crawler that does not.
    images: Option<Fetcher>,
    videos: Option<Fetcher>,
    pages: Option<Fetcher>,
    origin: Option<Origin>,
}

/// A crawler of files, with the rules for it.
#[derive(Debug)]
struct Fetcher {
    agent: String,
    rules: Rules,
}

/// A sitemap that the robots.txt names.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NamedSitemap {
    /// The line of the robots.txt.
    pub line: u32,
    /// The address as written.
    pub url: String,
    /// The reason why it cannot be a sitemap, if it cannot.
    pub problem: Option<&'static str>,
    /// The verdict for the crawler on the sitemap's URL, if the sitemap is known to be on the same site.
    pub verdict: Option<Verdict>,
}

/// The numbers of a sitemap's entries, by kind.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SitemapCounts {
    /// The number of pages that the crawler may fetch.
    pub allowed: u64,
    /// The number of pages that the crawler may not fetch.
    pub disallowed: u64,
    /// The number of pages without a verdict, for example because they are on another site.
    pub no_verdict: u64,
    /// The number of entries that are not URLs of pages.
    pub problems: u64,
    /// The number of sitemaps that it lists.
    pub sitemaps: u64,
    /// The number of all these entries that a sitemap at its location may not list.
    pub outside: u64,
    /// The number of images, videos and alternates of pages that the crawlers that fetch them may fetch.
    pub files_allowed: u64,
    /// The number of images, videos and alternates of pages that the crawlers that fetch them may not fetch.
    pub files_disallowed: u64,
}

impl SitemapCounts {
    /// Returns the number of entries that are no sitemaps.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.allowed + self.disallowed + self.no_verdict + self.problems
    }

    /// Returns true if an entry is not an allowed page of the site.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.disallowed + self.no_verdict + self.problems + self.outside + self.files_disallowed > 0
    }
}

/// A sitemap, with its entries.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CheckedSitemap {
    /// The name of the file, or its URL.
    pub file: String,
    /// The format, for example `XML`.
    pub format: String,
    /// The numbers of its entries.
    #[serde(flatten)]
    pub counts: SitemapCounts,
    /// The problem of the file as a whole: it is an index that another index lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
    /// The entries.
    pub entries: Vec<SitemapRow>,
    /// The reason why it was not read to its end, or why nothing in it was understood.
    pub error: Option<String>,
}

impl CheckedSitemap {
    /// Creates a sitemap without entries.
    #[must_use]
    pub fn new(file: String, format: String) -> Self {
        Self { file, format, counts: SitemapCounts::default(), problem: None, entries: Vec::new(), error: None }
    }

    /// Creates a sitemap that could not be read.
    #[must_use]
    pub fn unread(file: String, error: String) -> Self {
        Self { error: Some(error), ..Self::new(file, String::new()) }
    }

    /// Notes that an index lists it, which may list no index (sitemaps.org).
    pub fn set_listed_by_index(&mut self) {
        if self.format == Format::Index.to_string() {
            self.problem = Some(NESTED_INDEX);
        }
    }

    /// Returns true if it was read, and is empty.
    #[must_use]
    pub fn has_no_entry(&self) -> bool {
        self.error.is_none() && self.counts.pages() + self.counts.sitemaps == 0
    }
}

/// An entry of a sitemap.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SitemapRow {
    /// The line in the sitemap.
    pub line: u64,
    /// The URL as written.
    pub url: String,
    /// True if it is another sitemap.
    pub sitemap: bool,
    /// The kind of a file of a page: `image`, `video` or `alternate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'static str>,
    /// The crawler that fetches such files, if it is another one than was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The reason why it is not the URL of a page or of a sitemap.
    pub problem: Option<String>,
    /// The verdict for the crawler.
    pub verdict: Option<Verdict>,
    /// The folder of its sitemap, if the entry is outside it, and nothing else allows the sitemap to list it.
    pub outside: Option<String>,
}

impl SitemapRow {
    /// Returns true if it is not an allowed page of the site.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        // Files may be on other sites, such as a content network.
        let is_wrong = |verdict: Verdict| {
            if self.file.is_some() { verdict.is_disallowed() } else { !verdict.is_allowed() }
        };
        self.problem.is_some() || self.outside.is_some() || self.verdict.is_some_and(is_wrong)
    }
}

impl SitemapCheck {
    /// Creates a check. If the site of the robots.txt is not known, that of the first entry is assumed. In `table`, the
    /// crawlers are looked up that fetch the images and videos of pages for this crawler.
    #[must_use]
    pub fn new(robots: &Robots, crawler: &CrawlerQuery, table: &Crawlers, origin: Option<Origin>) -> Self {
        let token = crawler.token();
        let is_for = |token: &str, files: &str| token.to_ascii_lowercase().contains(files);
        let own = || Fetcher { agent: token.to_owned(), rules: robots.rules_for(&crawler.as_crawler()) };
        // `Googlebot-Image` fetches the images of the pages that Googlebot fetches, and no videos.
        let (images, videos) = (is_for(token, "image"), is_for(token, "video"));
        let fetcher = |files: &str| {
            let is_its = |row: &&Profile| {
                !row.retired && is_for(&row.token, files) && row.fallback.first().is_some_and(|name| name == token)
            };
            let row = table.iter().find(is_its);
            row.map_or_else(own, |row| Fetcher {
                agent: row.token.to_string(),
                rules: robots.rules_for(&Crawler::from(row)),
            })
        };
        Self {
            rules: robots.rules_for(&crawler.as_crawler()),
            agent: token.to_owned(),
            images: (!videos).then(|| if images { own() } else { fetcher("image") }),
            videos: (!images).then(|| if videos { own() } else { fetcher("video") }),
            pages: (!images && !videos).then(own),
            origin,
        }
    }

    /// Returns the site of the robots.txt, once it is known.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Returns a sitemap that the robots.txt names, with its verdict.
    #[must_use]
    pub fn named(&self, record: &Record<'_>) -> NamedSitemap {
        let url = String::from_utf8_lossy(record.value()).into_owned();
        let problem = match record.meaning() {
            Meaning::NotUnderstood { expected, .. } => Some(expected),
            _ => None,
        };
        // The site of the file is known only if it was given. Sitemaps on other sites get no verdict.
        let is_ours = self.origin.as_ref().is_some_and(|origin| origin.governs(&url));
        let verdict = (problem.is_none() && is_ours).then(|| ask(&self.rules, &url));
        NamedSitemap { line: record.line(), url, problem, verdict }
    }

    /// Decides a file of a page and counts it. Returns `None` for a file without a URL, and for one that the crawler does not
    /// fetch.
    fn file(&self, entry: Entry, counts: &mut SitemapCounts) -> Option<SitemapRow> {
        let (file, fetcher) = match entry.kind {
            EntryKind::Image => ("image", self.images.as_ref()?),
            EntryKind::Video => ("video", self.videos.as_ref()?),
            _ => ("alternate", self.pages.as_ref()?),
        };
        let site = Origin::of(&entry.location).ok()?;
        let verdict = if self.origin.as_ref().is_some_and(|origin| *origin == site) {
            ask(&fetcher.rules, &entry.location)
        } else {
            Verdict::out_of_scope()
        };
        if verdict.is_disallowed() {
            counts.files_disallowed += 1;
        } else if verdict.is_allowed() {
            counts.files_allowed += 1;
        }
        let agent = (fetcher.agent != self.agent).then(|| fetcher.agent.clone());
        let (line, url, verdict) = (entry.line, entry.location, Some(verdict));
        Some(SitemapRow { line, url, sitemap: false, file: Some(file), agent, problem: None, verdict, outside: None })
    }

    /// Decides an entry of a sitemap and counts it. Returns `None` for a file that the crawler does not fetch. `scope`
    /// contains the URLs that the sitemap may list.
    pub fn row(&mut self, entry: Entry, scope: Option<Scope<'_>>, counts: &mut SitemapCounts) -> Option<SitemapRow> {
        if !matches!(entry.kind, EntryKind::Page | EntryKind::Sitemap) {
            return self.file(entry, counts);
        }
        let mut row = SitemapRow {
            line: entry.line,
            sitemap: entry.kind == EntryKind::Sitemap,
            file: None,
            agent: None,
            problem: entry.problem().map(|problem| problem.to_string()),
            url: entry.location,
            verdict: None,
            outside: None,
        };
        if row.problem.is_some() {
            counts.problems += 1;
            return Some(row);
        }
        let verdict = match Origin::of(&row.url) {
            Ok(origin) => {
                let site = self.origin.get_or_insert_with(|| origin.clone());
                if *site == origin { ask(&self.rules, &row.url) } else { Verdict::out_of_scope() }
            }
            Err(error) => {
                row.problem = Some(error.to_string());
                counts.problems += 1;
                return Some(row);
            }
        };
        row.verdict = Some(verdict);
        if let Some(scope) = scope.filter(|scope| !Url::parse(&row.url).is_ok_and(|url| scope.covers(url.as_str()))) {
            row.outside = Some(scope.to_string());
            counts.outside += 1;
        }
        *(if row.sitemap {
            &mut counts.sitemaps
        } else if verdict.is_allowed() {
            &mut counts.allowed
        } else if verdict.is_disallowed() {
            &mut counts.disallowed
        } else {
            &mut counts.no_verdict
        }) += 1;
        Some(row)
    }
}

/// Returns the verdict for a URL in the form that a browser would send.
fn ask(rules: &Rules, url: &str) -> Verdict {
    match comity::url::parse_url(url) {
        Ok(parsed) => rules.check(parsed.as_str()),
        Err(_) => rules.check(url),
    }
}

/// The sitemaps of a site, as a document.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct SitemapsDocument<'a> {
    /// The result in words: see [`SitemapsDocument::headline`].
    pub headline: Headline,
    /// The robots.txt.
    pub robots: &'a str,
    /// The dialect in which the file was read.
    pub dialect: &'static str,
    /// The crawler's token.
    pub agent: &'a str,
    /// The site of the file, if it is known.
    pub origin: Option<String>,
    /// True if the site is assumed from the first entry.
    pub origin_is_assumed: bool,
    /// The sitemaps that the file names.
    pub named: Vec<NamedSitemap>,
    /// The sitemaps that were read.
    pub sitemaps: Vec<CheckedSitemap>,
    /// The number of sitemaps that were not read because of limits.
    pub left_out: usize,
}

impl SitemapsDocument<'_> {
    /// Returns the result for a crawler in words: how many of the listed pages it may not fetch.
    #[must_use]
    pub fn headline(agent: &str, named: usize, sitemaps: &[CheckedSitemap], left_out: usize) -> Headline {
        let who = known_name(agent);
        let sum = |count: fn(&SitemapCounts) -> u64| sitemaps.iter().map(|one| count(&one.counts)).sum::<u64>();
        let (allowed, blocked, unknown) =
            (sum(|counts| counts.allowed), sum(|counts| counts.disallowed), sum(|counts| counts.no_verdict));
        let pages = allowed + blocked + unknown;
        let failed = sitemaps.iter().filter(|one| one.error.is_some()).count() as u64;
        let mut rest = String::new();
        if failed > 0 {
            let of = counted(sitemaps.len() as u64, "sitemap");
            rest = format!(" {} of {of} could not be read, or only in part.", number(failed));
        }
        if left_out > 0 {
            rest +=
                &format!(" {} more {} not read.", number(left_out as u64), if left_out == 1 { "was" } else { "were" });
        }
        let (tone, text) = if blocked > 0 {
            let (of, are) = (counted(pages, "sitemap page"), if blocked == 1 { "is" } else { "are" });
            (Tone::Bad, format!("{} of {of} {are} blocked for {who}.", number(blocked)))
        } else if sitemaps.is_empty() && named == 0 {
            (Tone::Neutral, "The robots.txt names no sitemap.".to_owned())
        } else if sitemaps.is_empty() {
            (Tone::Caution, "No sitemap was read.".to_owned())
        } else if pages == 0 && failed > 0 {
            (Tone::Caution, "No sitemap page was checked.".to_owned())
        } else if pages == 0 {
            (Tone::Caution, "The sitemaps list no page.".to_owned())
        } else if unknown > 0 {
            let (of, have) = (counted(pages, "sitemap page"), if unknown == 1 { "has" } else { "have" });
            let why = "on another site, or for a crawler that does not obey robots.txt";
            (Tone::Caution, format!("{} of {of} {have} no answer for {who}: {why}.", number(unknown)))
        } else if !rest.is_empty() {
            (Tone::Caution, format!("No sitemap page that was read is blocked for {who}."))
        } else if pages == 1 {
            (Tone::Good, format!("The one sitemap page is open to {who}."))
        } else {
            (Tone::Good, format!("All {} are open to {who}.", counted(pages, "sitemap page")))
        };
        Headline::new(tone, text + &rest)
    }
}
