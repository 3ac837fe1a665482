//! The answers for several crawlers in every dialect, with the reasons why dialects differ.

use comity::{Answer, Basis, Dialect, Escaped, Robots, Verdict};
use serde::{Serialize, Serializer};

use crate::choices::because;
use crate::crawler_query::CrawlerQuery;
use crate::question::{Question, Questions};

/// The crawlers that are checked unless the user names some: large crawlers of each purpose, and `*`.
const BEST_KNOWN: [&str; 12] = [
    "*",
    "Googlebot",
    "bingbot",
    "YandexBot",
    "Applebot",
    "DuckDuckBot",
    "AdsBot-Google",
    "GPTBot",
    "ClaudeBot",
    "CCBot",
    "PerplexityBot",
    "Google-Extended",
];

/// Returns the best-known crawlers, and those that the file names, up to 30 in all. Large files name hundreds.
pub fn usual_names(robots: &Robots) -> Vec<String> {
    const MAX_NAMES: usize = 30;
    let mut names: Vec<String> = BEST_KNOWN.map(String::from).to_vec();
    for agent in robots.groups().flat_map(|group| group.agents()) {
        let Ok(token) = std::str::from_utf8(agent.token()) else { continue };
        if names.len() < MAX_NAMES && !token.is_empty() && !names.iter().any(|name| name.eq_ignore_ascii_case(token)) {
            names.push(token.to_owned());
        }
    }
    names
}

/// The answers of one file for several crawlers, in every dialect.
#[derive(Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Matrix<'a> {
    /// The dialect that the others are compared with.
    pub dialect: &'static str,
    /// The name of the file.
    pub robots: &'a str,
    /// The site of the file.
    pub origin: Option<String>,
    /// True if the site was not given and is assumed from the URLs.
    pub origin_is_assumed: bool,
    /// The rows, by URL, then by crawler.
    pub rows: Vec<MatrixRow<'a>>,
}

/// The answers about one URL for one crawler, in every dialect.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct MatrixRow<'a> {
    /// The question.
    #[serde(skip)]
    pub question: &'a Question,
    /// The URL as it was given.
    pub url: &'a str,
    /// The URL that was checked, in the form in which a browser would send it.
    pub asked: &'a str,
    /// The crawler's token.
    pub agent: &'a str,
    /// True if the crawler is in the table of crawlers.
    pub known: bool,
    /// The groups that the verdict in the standard dialect is based on; empty if there is no verdict.
    pub group: String,
    /// The verdicts in all dialects: in JSON an object with the names of the dialects as keys, in Rust in the order of
    /// [`Dialect::ALL`].
    #[serde(rename = "dialects", serialize_with = "by_dialect")]
    pub verdicts: Vec<Verdict>,
    /// The dialects that answer differently than the standard dialect.
    pub differences: Vec<DialectDifference>,
}

/// A dialect that answers differently than the standard dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DialectDifference {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// The choices of the dialect that cause the difference, in words.
    pub because: String,
}

/// Serializes verdicts as a map from the names of their dialects.
fn by_dialect<S: Serializer>(verdicts: &[Verdict], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Dialect::ALL.iter().map(|dialect| dialect.name).zip(verdicts))
}

impl<'a> Matrix<'a> {
    /// Checks all URLs for all crawlers by a file of this name.
    pub fn new(robots: &'a str, body: &[u8], questions: &'a Questions, crawlers: &'a [CrawlerQuery]) -> Self {
        let mut matrix = Self::without_rows(robots, questions);
        matrix.fill(body, questions, crawlers, || true);
        matrix
    }

    /// Checks as [`new`](Self::new) does, and calls `is_left` after each row. Returns `None` as soon as that returns
    /// false, for example because the time is over. A row may parse the file forty times to find out why a dialect
    /// differs.
    pub fn while_left(
        robots: &'a str,
        body: &[u8],
        questions: &'a Questions,
        crawlers: &'a [CrawlerQuery],
        is_left: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut matrix = Self::without_rows(robots, questions);
        matrix.fill(body, questions, crawlers, is_left).then_some(matrix)
    }

    fn without_rows(robots: &'a str, questions: &Questions) -> Self {
        let origin = questions.site.as_ref().map(ToString::to_string);
        Self {
            dialect: Dialect::STANDARD.name,
            robots,
            origin,
            origin_is_assumed: questions.is_assumed,
            rows: Vec::new(),
        }
    }

    /// Adds the rows. Returns true if all of them were added before `is_left` returned false.
    fn fill(
        &mut self,
        body: &[u8],
        questions: &'a Questions,
        crawlers: &'a [CrawlerQuery],
        mut is_left: impl FnMut() -> bool,
    ) -> bool {
        let parsed: Vec<Robots> = Dialect::ALL.iter().map(|dialect| Robots::parse_with(body, dialect)).collect();
        let pairs_of = |question| crawlers.iter().map(move |crawler| (question, crawler));
        let mut asked = questions.list.iter().flat_map(pairs_of);
        asked.all(|(question, crawler)| {
            self.rows.push(MatrixRow::new(question, crawler, questions, &parsed, body));
            is_left()
        })
    }
}

impl<'a> MatrixRow<'a> {
    fn new(
        question: &'a Question,
        crawler: &'a CrawlerQuery,
        questions: &Questions,
        robots: &[Robots],
        body: &[u8],
    ) -> Self {
        let verdict = |robots: &Robots| {
            if questions.is_in_scope(question) {
                robots.check(&crawler.as_crawler(), question.asked_in(robots.dialect()))
            } else {
                Verdict::out_of_scope()
            }
        };
        let verdicts: Vec<Verdict> = robots.iter().map(verdict).collect();
        let mut differences = Vec::new();
        for (dialect, verdict) in Dialect::ALL.iter().zip(&verdicts).skip(1) {
            if verdict.answer() != verdicts[0].answer() {
                differences.push(DialectDifference {
                    dialect: dialect.name,
                    because: because(body, crawler, question, dialect, verdict.answer()),
                });
            }
        }
        let group = match verdicts[0].answer() {
            Answer::Allowed | Answer::Disallowed => match verdicts[0].basis() {
                Basis::StarIgnored => "no group: it ignores the groups of *".to_owned(),
                Basis::Nothing => "no group".to_owned(),
                _ => group_of(&robots[0], crawler),
            },
            _ => String::new(),
        };
        Self {
            question,
            url: &question.typed,
            asked: question.shown_in(&Dialect::STANDARD),
            agent: crawler.token(),
            known: crawler.profile().is_some(),
            group,
            verdicts,
            differences,
        }
    }
}

/// Returns the groups of a crawler as text, by the lines that name it.
fn group_of(robots: &Robots, crawler: &CrawlerQuery) -> String {
    let groups = robots.explain(&crawler.as_crawler(), "/").groups;
    let lines: Vec<String> = groups.iter().take(3).map(|group| format!("line {}", group.line)).collect();
    let more = if groups.len() > lines.len() { " and others" } else { "" };
    let value = groups.first().map_or("", |group| &group.value);
    format!("group of {}{more} ({})", lines.join(", "), Escaped(value.as_bytes()))
}
