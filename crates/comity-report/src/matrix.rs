//! The answers for several crawlers in every dialect, with the reasons why dialects differ.

mod reader;

use comity::{Dialect, Robots, Verdict};
use serde::{Serialize, Serializer};

use self::reader::{Reader, Stopped};
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
        // It is not stopped.
        let _ = matrix.fill(&mut Reader::new(body, questions, crawlers, &mut || true));
        matrix
    }

    /// Checks as [`new`](Self::new) does, and calls `is_left` after each step of the work: a file that was parsed in a
    /// dialect, or a URL that was checked for the crawlers whose rules are the same. Returns `None` as soon as that
    /// returns false, for example because the time is over.
    pub fn while_left(
        robots: &'a str,
        body: &[u8],
        questions: &'a Questions,
        crawlers: &'a [CrawlerQuery],
        mut is_left: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut matrix = Self::without_rows(robots, questions);
        matrix.fill(&mut Reader::new(body, questions, crawlers, &mut is_left)).ok()?;
        Some(matrix)
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

    /// Adds the rows. The file is read once in each dialect for all rows.
    fn fill(&mut self, reader: &mut Reader<'a, '_>) -> Result<(), Stopped> {
        let (questions, crawlers) = (reader.questions, reader.crawlers);
        let pairs_of = |question| crawlers.iter().map(move |crawler| (question, crawler));
        self.rows = questions
            .list
            .iter()
            .flat_map(pairs_of)
            .map(|(question, crawler)| MatrixRow::new(question, crawler))
            .collect();
        for dialect in Dialect::ALL {
            let robots = reader.parse(dialect)?;
            let verdicts = reader.verdicts(&robots, |_| true)?;
            if *dialect == Dialect::STANDARD {
                let groups = reader.groups(&robots)?;
                for ((row, verdict), group) in self.rows.iter_mut().zip(&verdicts).zip(groups.iter().cycle()) {
                    if verdict.is_some_and(|verdict| verdict.is_allowed() || verdict.is_disallowed()) {
                        row.group.clone_from(group);
                    }
                }
            }
            for (row, verdict) in self.rows.iter_mut().zip(verdicts) {
                row.verdicts.push(verdict.unwrap_or_else(Verdict::out_of_scope));
            }
            let answers = self.rows.iter().map(|row| row.verdicts.first().zip(row.verdicts.last()));
            let differing = answers.enumerate().filter_map(|(row, verdicts)| {
                let (standard, own) = verdicts?;
                (own.answer() != standard.answer()).then(|| (row, own.answer()))
            });
            for (row, because) in reader.reasons(dialect, differing.collect())? {
                self.rows[row].differences.push(DialectDifference { dialect: dialect.name, because });
            }
        }
        Ok(())
    }
}

impl<'a> MatrixRow<'a> {
    /// Returns a row without verdicts.
    fn new(question: &'a Question, crawler: &'a CrawlerQuery) -> Self {
        Self {
            question,
            url: &question.typed,
            asked: question.shown_in(&Dialect::STANDARD),
            agent: crawler.token(),
            known: crawler.profile().is_some(),
            group: String::new(),
            verdicts: Vec::with_capacity(Dialect::ALL.len()),
            differences: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use comity::{Answer, Crawlers};
    use comity_testdata::Asker;

    use super::*;
    use crate::choices::{Choice, choices};

    /// Returns the reason of a difference, from a parse of the file for each trial.
    fn because(body: &[u8], row: &MatrixRow<'_>, crawler: &CrawlerQuery, dialect: &Dialect, answer: Answer) -> String {
        let choices = choices(&Dialect::STANDARD, dialect, body);
        let answers_alike = |adopted: &[Choice]| {
            let mut trial = Dialect::STANDARD;
            for choice in adopted {
                (choice.adopt)(&mut trial, dialect);
            }
            trial.decide(body, &crawler.as_crawler(), row.question.asked_in(&trial)).answer() == answer
        };
        if let Some(choice) = choices.iter().find(|choice| answers_alike(&[**choice])) {
            return choice.sentence.to_owned();
        }
        let mut needed = choices.clone();
        for choice in &choices {
            let others: Vec<Choice> =
                needed.iter().copied().filter(|other| other.sentence != choice.sentence).collect();
            if answers_alike(&others) {
                needed = others;
            }
        }
        needed.iter().map(|choice| choice.sentence).collect::<Vec<_>>().join(", and ")
    }

    #[test]
    fn rows_are_what_each_crawler_gets_alone() {
        /// Larger files take long to parse for each trial of each row.
        const MAX_BYTES: usize = 64 << 10;
        let table = Crawlers::builtin();
        let (mut rows, mut differences) = (0, 0);
        for file in comity_testdata::suite().files.iter().filter(|file| file.body.len() <= MAX_BYTES) {
            let mut names = vec!["*", "AdsBot-Google", "Google-Extended", "Googlebot-Image", "YandexBot"];
            let mut list = Vec::new();
            for case in &file.cases {
                list.extend(std::str::from_utf8(&case.url).ok().and_then(|url| Question::new(url, case.raw).ok()));
                names.extend(match &case.asker {
                    Asker::Agent(token) => std::str::from_utf8(token).ok(),
                    Asker::Crawler(name) => Some(&**name),
                    _ => None,
                });
            }
            names.sort_unstable();
            names.dedup();
            let crawlers: Vec<_> = names.iter().map(|name| CrawlerQuery::new(name, Some(&table))).collect();
            let Ok(questions) = Questions::of_file(list, None) else { continue };
            let matrix = Matrix::new("robots.txt", &file.body, &questions, &crawlers);
            let parsed: Vec<_> = Dialect::ALL.iter().map(|dialect| Robots::parse_with(&file.body, dialect)).collect();
            let pairs =
                questions.list.iter().flat_map(|question| crawlers.iter().map(move |crawler| (question, crawler)));
            for (row, (question, crawler)) in matrix.rows.iter().zip(pairs) {
                let verdict = |robots: &Robots| {
                    let asked = question.asked_in(robots.dialect());
                    if questions.is_in_scope(question) {
                        robots.check(&crawler.as_crawler(), asked)
                    } else {
                        Verdict::out_of_scope()
                    }
                };
                let verdicts: Vec<_> = parsed.iter().map(verdict).collect();
                assert_eq!(
                    (row.verdicts.clone(), row.url, row.agent),
                    (verdicts, &*question.typed, crawler.token()),
                    "{}",
                    file.name
                );
                let others =
                    Dialect::ALL.iter().zip(&row.verdicts).map(|(dialect, verdict)| (dialect, verdict.answer()));
                let expected: Vec<_> = others
                    .filter(|(_, answer)| *answer != row.verdicts[0].answer())
                    .map(|(dialect, answer)| DialectDifference {
                        dialect: dialect.name,
                        because: because(&file.body, row, crawler, dialect, answer),
                    })
                    .collect();
                assert_eq!(row.differences, expected, "{}: {} {}", file.name, row.url, row.agent);
                differences += expected.len();
                rows += 1;
            }
            assert_eq!(matrix.rows.len(), questions.list.len() * crawlers.len());
        }
        assert!(rows > 2_000 && differences > 500, "{rows} rows, {differences} differences");
    }

    /// The numbers of times that the file is parsed and compiled depend on the file and the dialects, not on the URLs.
    #[test]
    fn more_urls_need_no_more_parsing_and_compiling() {
        let table = Crawlers::builtin();
        // Dialects differ about it, so reasons are looked for, too.
        let body = b"User-agent: *\nDissallow: /a\nDisallow: /*b\n\nUser-agent: Googlebot\nDisallow: /c\n";
        let crawlers: Vec<_> =
            usual_names(&Robots::parse(body)).iter().map(|name| CrawlerQuery::new(name, Some(&table))).collect();
        let work = |urls: usize| {
            let list =
                (0..urls).flat_map(|n| ["/a", "/x/b", "/c"].map(|path| Question::new(&format!("{path}{n}"), false)));
            let questions = Questions::of_file(list.map(Result::unwrap).collect(), None).unwrap();
            let mut matrix = Matrix::without_rows("robots.txt", &questions);
            let mut is_left = || true;
            let mut reader = Reader::new(body, &questions, &crawlers, &mut is_left);
            matrix.fill(&mut reader).unwrap();
            assert!(matrix.rows.iter().any(|row| !row.differences.is_empty()));
            reader.work
        };
        let [parsed, compiled] = work(3);
        assert!(parsed >= Dialect::ALL.len() && compiled >= Dialect::ALL.len(), "{parsed}, {compiled}");
        assert_eq!(work(30), [parsed, compiled]);
        assert_eq!(work(1)[0], parsed);
        // Crawlers with the same rules share them: there are far fewer than crawlers.
        assert!(compiled < parsed * crawlers.len() / 2, "{compiled} for {parsed}");
    }
}
