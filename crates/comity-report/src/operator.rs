//! Answers in the dialects of the crawlers' own operators, if these answers are different.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use comity::{Answer, Crawler, Dialect, Escaped, Profile, Reason, Robots, Rules, Verdict};
use comity_fetch::SiteRobots;
use serde::Serialize;

use crate::choices::choices;

/// A different answer than that of the row, in the dialect of the crawler's own operator.
///
/// A crawler of the table parses files as its operator documents it, which may be in another dialect than that of the
/// row. Google, for example, does not decode UTF-16, reads only 512,000 bytes and leaves escapes unchanged. The field
/// is absent if both dialects allow or both disallow. It is also absent for literal tokens, for crawlers whose operator
/// documents no dialect of its own, for `/robots.txt` itself, and if there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct OperatorAnswer {
    /// The crawler's operator.
    pub operator: String,
    /// The operator's dialect.
    pub dialect: &'static str,
    /// The answer in that dialect: allowed or disallowed.
    pub answer: Answer,
    /// The line that decides in that dialect, from 1; null if no line decides.
    pub line: Option<u32>,
    /// The choice of that dialect that causes the difference, as a sentence without a period.
    pub because: &'static str,
    /// All of these facts in one sentence.
    pub sentence: String,
}

/// A verdict that may be different in the dialect of the crawler's own operator: rules decided, in another dialect.
#[derive(Clone, Debug)]
pub struct OperatorQuestion<'p> {
    profile: Cow<'p, Profile>,
    used: Dialect,
    verdict: Verdict,
}

impl<'p> OperatorQuestion<'p> {
    /// Creates a question about a verdict in the dialect `used`. Returns `None` if the operator's answer can't be
    /// different, whatever the file contains, or if no rules decided.
    pub fn new(profile: &'p Profile, used: &Dialect, verdict: Verdict) -> Option<Self> {
        let is_decided = (verdict.is_allowed() || verdict.is_disallowed()) && verdict.reason() != Reason::RobotsTxt;
        let may_differ = is_decided && profile.dialect != Dialect::STANDARD && profile.dialect != *used;
        may_differ.then_some(Self { profile: Cow::Borrowed(profile), used: *used, verdict })
    }

    /// Returns the question with an owned profile, so that it can be sent to another thread.
    pub fn into_owned(self) -> OperatorQuestion<'static> {
        OperatorQuestion { profile: Cow::Owned(self.profile.into_owned()), ..self }
    }
}

/// A file as parsed in the dialects of operators: once for each dialect, when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct Readings(Vec<Reading>);

#[derive(Clone, Debug)]
struct Reading {
    dialect: Dialect,
    robots: Robots,
    /// The rules of each crawler that was asked for before, with its token.
    rules: Vec<(String, Rules)>,
    /// A trial for each choice in which the dialect differs from the one in use.
    trials: Vec<Trial>,
}

/// The dialect in use with one choice of another dialect.
#[derive(Clone, Debug)]
struct Trial {
    sentence: &'static str,
    dialect: Dialect,
    robots: OnceCell<Robots>,
}

impl Readings {
    fn memory(&self) -> usize {
        self.0.iter().map(Reading::memory).sum()
    }

    /// Returns the answer in the dialect of the crawler's operator, if it is different from that of the verdict. `body` is
    /// the file, which must be the same in all calls. `asked` returns the form of the URL that is checked in a dialect.
    pub fn answer<'q>(
        &mut self,
        body: &[u8],
        question: &OperatorQuestion<'_>,
        asked: impl Fn(&Dialect) -> &'q str,
    ) -> Option<OperatorAnswer> {
        let OperatorQuestion { profile, used, verdict } = question;
        let reading = self.reading(body, used, &profile.dialect);
        let own = reading.rules_for(profile).check(asked(&profile.dialect));
        if own.answer() == verdict.answer() {
            return None;
        }
        let is_cause = |trial: &&Trial| {
            let robots = trial.robots.get_or_init(|| Robots::parse_with(body, &trial.dialect));
            robots.check(&Crawler::from(&**profile), asked(&trial.dialect)).answer() == own.answer()
        };
        let because = reading.trials.iter().find(is_cause).map_or(SEVERAL_CHOICES, |trial| trial.sentence);
        let (operator, dialect) = (profile.operator.to_string(), profile.dialect.name);
        let line = own.line();
        let word = if own.is_allowed() { "allowed" } else { "disallowed" };
        let by = line.map_or_else(String::new, |line| format!(" by line {line}"));
        let whose = Escaped(operator.as_bytes());
        let sentence = format!("{whose}'s own dialect ({dialect}) answers differently, {word}{by}: {because}.");
        Some(OperatorAnswer { operator, dialect, answer: own.answer(), line, because, sentence })
    }

    fn reading(&mut self, body: &[u8], used: &Dialect, dialect: &Dialect) -> &mut Reading {
        let at = self.0.iter().position(|reading| reading.dialect == *dialect).unwrap_or_else(|| {
            let trials = choices(used, dialect, body).into_iter().map(|choice| {
                let mut trial = *used;
                (choice.adopt)(&mut trial, dialect);
                Trial { sentence: choice.sentence, dialect: trial, robots: OnceCell::new() }
            });
            let robots = Robots::parse_with(body, dialect);
            self.0.push(Reading { dialect: *dialect, robots, rules: Vec::new(), trials: trials.collect() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

impl Reading {
    /// Returns the crawler's rules, compiled when they are first needed.
    fn rules_for(&mut self, profile: &Profile) -> &Rules {
        let at = self.rules.iter().position(|(token, _)| *token == profile.token).unwrap_or_else(|| {
            self.rules.push((profile.token.to_string(), self.robots.rules_for(&Crawler::from(profile))));
            self.rules.len() - 1
        });
        &self.rules[at].1
    }

    fn memory(&self) -> usize {
        let trials = self.trials.iter().filter_map(|trial| trial.robots.get()).map(Robots::memory);
        let rules = self.rules.iter().map(|(_, rules)| rules.memory());
        self.robots.memory() + trials.sum::<usize>() + rules.sum::<usize>()
    }
}

/// A source of answers in the operators' dialects about the files of sites. It caches the last parsed files within a
/// bound of memory.
#[derive(Debug, Default)]
pub struct OperatorAnswers(Mutex<VecDeque<SiteReadings>>);

/// The file of a site, as parsed in the dialects of operators.
#[derive(Clone, Debug)]
struct SiteReadings {
    body: Arc<[u8]>,
    readings: Arc<Mutex<Readings>>,
    memory: usize,
}

impl OperatorAnswers {
    /// The maximum number of bytes that the cached files occupy.
    const MAX_MEMORY: usize = 16 << 20;
    /// The maximum number of cached files.
    const MAX_FILES: usize = 64;

    /// Returns true if [`answer`](Self::answer) has to parse the file, which takes time if the file is large.
    #[must_use]
    pub fn needs_file(&self, site: &SiteRobots) -> bool {
        site.copy().is_some_and(|copy| self.find(&copy.body).is_none())
    }

    /// Returns the answer in the dialect of the crawler's operator, if it is different from that of the verdict.
    /// `asked` is called with a dialect, and returns the URL in the form in which that dialect checks it.
    pub fn answer<'q>(
        &self,
        site: &SiteRobots,
        question: &OperatorQuestion<'_>,
        asked: impl Fn(&Dialect) -> &'q str,
    ) -> Option<OperatorAnswer> {
        let body = &site.copy()?.body;
        let readings = self.find(body).unwrap_or_default();
        let (answer, memory) = {
            let mut readings = lock(&readings);
            (readings.answer(body, question, asked), body.len() + readings.memory())
        };
        self.keep(SiteReadings { body: Arc::clone(body), readings, memory });
        answer
    }

    fn find(&self, body: &Arc<[u8]>) -> Option<Arc<Mutex<Readings>>> {
        let files = lock(&self.0);
        files.iter().find(|file| Arc::ptr_eq(&file.body, body)).map(|file| Arc::clone(&file.readings))
    }

    /// Adds a file to the cache. Removes the oldest files if the cache is full.
    fn keep(&self, file: SiteReadings) {
        let mut files = lock(&self.0);
        match files.iter_mut().find(|other| Arc::ptr_eq(&other.body, &file.body)) {
            Some(other) if other.memory == file.memory => return,
            Some(other) => *other = file,
            None => files.push_back(file),
        }
        while files.len() > Self::MAX_FILES || files.iter().map(|file| file.memory).sum::<usize>() > Self::MAX_MEMORY {
            files.pop_front();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sentence if no single choice causes the difference. Finding out which choices are needed together takes long, so
/// only a [`Matrix`](crate::Matrix) does it.
const SEVERAL_CHOICES: &str = "several of its choices together cause the difference";

#[cfg(test)]
mod tests {
    use comity::Crawlers;

    use super::*;
    use crate::crawler_query::CrawlerQuery;
    use crate::question::Question;

    /// Returns the answer in the dialect of the crawler's operator to a question that was answered in `used`.
    fn answer(body: &[u8], used: &Dialect, agent: &str, url: &str, literal: bool) -> Option<OperatorAnswer> {
        let table = Crawlers::builtin();
        let crawler = CrawlerQuery::new(agent, (!literal).then_some(&table));
        let question = Question::new(url, false).unwrap();
        let verdict = used.decide(body, &crawler.as_crawler(), question.asked_in(used));
        let differing = OperatorQuestion::new(crawler.profile()?, used, verdict)?;
        let found = Readings::default().answer(body, &differing, |dialect| question.asked_in(dialect));
        if let Some(found) = &found {
            let dialect = Dialect::named(found.dialect).unwrap();
            let own = dialect.decide(body, &crawler.as_crawler(), question.asked_in(&dialect));
            assert_eq!((own.answer(), own.line()), (found.answer, found.line));
            assert_ne!(own.answer(), verdict.answer());
        }
        found
    }

    /// Returns the sentence about a question for Googlebot that was answered in the standard dialect.
    fn said(body: &[u8], url: &str) -> Option<String> {
        answer(body, &Dialect::STANDARD, "Googlebot", url, false).map(|found| found.sentence)
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
    }

    const PRIVATE: &str = "User-agent: *\nDisallow: /private/\n";

    #[test]
    fn utf16_holds_no_rules_for_google() {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(
                said(&utf16(PRIVATE, unit), "/private/").unwrap(),
                "Google's own dialect (google) answers differently, allowed: it does not decode UTF-16, so it reads no \
                 rules in the file."
            );
            assert_eq!(said(&utf16(PRIVATE, unit), "/public/"), None);
        }
        assert_eq!(said(PRIVATE.as_bytes(), "/private/"), None);
    }

    #[test]
    fn size_is_what_google_reads() {
        // The limit is within the last line.
        let start = format!("{PRIVATE}Disallow: /\n");
        let body = format!("{start}#{}\nAllow: /press/archive\n", "x".repeat(512_000 - start.len() - 2 - 13));
        let sentence = said(body.as_bytes(), "/press/today").unwrap();
        assert_eq!(
            sentence,
            "Google's own dialect (google) answers differently, allowed by line 5: it reads the first 512,000 bytes, with a \
             part of the last line."
        );
        // Google's parser reads on after the limit, but Google does not.
        let body = format!("#{}\n{PRIVATE}", "x".repeat(512_000));
        let found = answer(body.as_bytes(), &Dialect::GOOGLE_PARSER, "Googlebot", "/private/", false).unwrap();
        assert_eq!((found.answer, found.line), (Answer::Allowed, None));
        assert!(found.because.contains("512,000 bytes"), "{found:?}");
        // Yandex treats such a file as if there were none.
        let body = format!("{PRIVATE}#{}\n", "x".repeat(512_000));
        let found = answer(body.as_bytes(), &Dialect::STANDARD, "YandexBot", "/private/", false).unwrap();
        assert_eq!((found.dialect, found.answer), ("yandex", Answer::Allowed));
        assert_eq!(found.because, "a file of more than 512,000 bytes is treated as no file");
    }

    #[test]
    fn escapes_and_tolerances() {
        let said = |body: &str, url| said(body.as_bytes(), url).unwrap_or_default();
        let sentence = said("User-agent: *\nDisallow: /~joe\n", "/%7Ejoe");
        assert!(
            sentence.ends_with("it escapes bytes outside ASCII in URLs and leaves all others as they are."),
            "{sentence}"
        );
        let sentence = said("User-agent: *\nDisallowed: /a\n", "/a");
        assert!(sentence.contains("disallowed by line 2: a field name may have more letters at its end"), "{sentence}");
        let sentence = said("User-agent: Googlebot2\nDisallow: /a\n", "/a");
        assert!(sentence.contains("disallowed by line 2: a product token ends at the first"), "{sentence}");
        let sentence = said("User-agent: *\nDisallow: /\nAllow: /index.html\n", "/");
        assert!(sentence.contains("allowed by line 3: an Allow of …/index.html"), "{sentence}");
        // Neither the token alone nor the field's name alone makes the difference.
        let sentence = said("User-agent: Googlebot2\nDisallowed: /a\n", "/a");
        assert!(
            sentence.ends_with("disallowed by line 2: several of its choices together cause the difference."),
            "{sentence}"
        );
    }

    #[test]
    fn equal_answers_need_no_sentence() {
        let body = utf16(PRIVATE, u16::to_le_bytes);
        let is_said = |used: &Dialect, agent, literal| answer(&body, used, agent, "/private/", literal).is_some();
        assert!(is_said(&Dialect::STANDARD, "Googlebot", false));
        assert!(is_said(&Dialect::BING, "Googlebot", false));
        assert!(is_said(&Dialect::GOOGLE, "bingbot", false));
        // The dialect is the operator's own; the name is a literal token; the crawler is not known; its operator
        // documents no dialect.
        assert!(!is_said(&Dialect::GOOGLE, "Googlebot", false));
        assert!(!is_said(&Dialect::STANDARD, "Googlebot", true));
        assert!(!is_said(&Dialect::STANDARD, "mybot", false));
        assert!(!is_said(&Dialect::GOOGLE, "GPTBot", false));
        // Both dialects read no rules.
        assert!(!is_said(&Dialect::GOOGLE_PARSER, "Googlebot", false));
        // Every crawler may fetch the robots.txt itself, and some crawlers obey none.
        assert_eq!(said(b"User-agent: *\nDisallow: /\n", "/robots.txt"), None);
        assert!(!is_said(&Dialect::STANDARD, "FeedFetcher-Google", false));
    }
}
