//! The fields of a question, and what they have in common.

use comity::{Crawlers, Dialect, Escaped, Origin};
use comity_report::{CopyFacts, CrawlerQuery, FileDocument, crawler_queries};

use super::refusal::Refusal;
use crate::parts::Reader;

/// The maximum number of URLs, as in the service.
pub(super) const MAX_URLS: usize = 10_000;

/// The maximum number of crawlers, as in the service.
pub(super) const MAX_AGENTS: usize = 200;

/// The maximum number of URLs times crawlers, as in the service.
pub(super) const MAX_QUESTIONS: usize = 50_000;

/// A question: the names of its fields, with their values. A value of text or bytes is a list of one.
#[derive(Debug)]
pub(super) struct Question<'a>(Vec<(&'a str, Vec<&'a [u8]>)>);

impl<'a> Question<'a> {
    /// Reads the path of an endpoint, and a question.
    pub(super) fn read(input: &'a [u8]) -> (&'a str, Self) {
        let mut input = Reader::new(input);
        let path = input.text();
        let mut fields = Vec::new();
        while !input.is_empty() {
            let name = input.text();
            let count = input.text().parse().expect("a list starts with its length");
            fields.push((name, (0..count).map(|_: usize| input.bytes()).collect()));
        }
        (path, Self(fields))
    }

    fn values(&self, name: &str) -> Option<&[&'a [u8]]> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, values)| values.as_slice())
    }

    /// Returns the bytes of a field.
    pub(super) fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.values(name)?.first().copied()
    }

    /// Returns the text of a field.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.bytes(name).map(text)
    }

    /// Returns the values of a field, or none.
    pub(super) fn list(&self, name: &str) -> Vec<&'a str> {
        self.values(name).unwrap_or_default().iter().copied().map(text).collect()
    }

    /// Returns true if a field is there and true.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// Returns the number in a field.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Returns the file of the question.
    pub(super) fn file(&self) -> Result<&'a [u8], Refusal> {
        self.bytes("robots").ok_or_else(|| {
            Refusal::bad_request("expected a file in `robots` or `robots_b64`, or a site in `url`, found none")
        })
    }

    /// Returns the dialect of the question. Defaults to standard.
    pub(super) fn dialect(&self) -> Result<Dialect, Refusal> {
        self.text("dialect").map_or(Ok(Dialect::STANDARD), dialect)
    }

    /// Returns true if the question has a list of this name, even an empty one.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values(name).is_some()
    }

    /// Returns the URLs.
    pub(super) fn urls(&self) -> Result<Vec<comity_report::Question>, Refusal> {
        let urls = self.list("urls");
        expect_at_most(MAX_URLS, "urls", urls.len())?;
        // The browser has parsed them: the parser of URLs and the tables of IDN are as large as the engine.
        let (sent, sites) = (self.list("sent"), self.list("sites"));
        let parsed = urls.into_iter().zip(sent).zip(sites).map(|((typed, sent), site)| match site {
            _ if sent.is_empty() => Err(not_a_url(typed).about(typed)),
            "" => Ok(comity_report::Question::parsed(typed, sent.to_owned(), None)),
            site => Ok(comity_report::Question::parsed(typed, sent.to_owned(), Some(origin(site)?))),
        });
        parsed.collect()
    }

    /// Returns the site of the file, if it is known.
    pub(super) fn site(&self) -> Result<Option<Origin>, Refusal> {
        self.text("origin").map(origin).transpose()
    }

    /// Returns the crawlers. Defaults to any crawler that the file does not name.
    pub(super) fn crawlers(&self, table: &Crawlers) -> Result<Vec<CrawlerQuery>, Refusal> {
        let names = self.list("agents");
        if names.is_empty() && self.has("agents") {
            return Err(Refusal::unprocessable("expected at least one crawler in `agents`, found an empty list"));
        }
        expect_at_most(MAX_AGENTS, "agents", names.len())?;
        let found =
            if names.is_empty() { crawler_queries(&["*"], Some(table)) } else { crawler_queries(&names, Some(table)) };
        Ok(found?)
    }
}

/// Returns an origin that the browser has normalized.
fn origin(text: &str) -> Result<Origin, Refusal> {
    Origin::from_normalized(text).ok_or_else(|| not_a_url(text))
}

fn not_a_url(text: &str) -> Refusal {
    let found = Escaped(text.as_bytes());
    Refusal::unprocessable(format!("expected an absolute URL or a path that starts with `/`, found `{found}`"))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text is encoded as UTF-8")
}

fn expect_at_most(most: usize, name: &str, found: usize) -> Result<(), Refusal> {
    if found <= most {
        return Ok(());
    }
    Err(Refusal::too_large(format!("expected at most {most} in `{name}`, found {found}")))
}

/// Returns the dialect of this name.
pub(super) fn dialect(name: &str) -> Result<Dialect, Refusal> {
    Dialect::named(name).ok_or_else(|| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name).collect();
        let found = Escaped(name.as_bytes());
        Refusal::bad_request(format!("expected one of {} in `dialect`, found `{found}`", names.join(", ")))
    })
}

/// Refuses more questions than there may be.
pub(super) fn expect_few(urls: usize, crawlers: usize) -> Result<(), Refusal> {
    let found = urls.saturating_mul(crawlers);
    if found <= MAX_QUESTIONS {
        return Ok(());
    }
    Err(Refusal::too_large(format!(
        "expected at most {MAX_QUESTIONS} questions, URLs times crawlers, found {found}: ask in several requests"
    )))
}

/// Returns a report about a file that came with the question.
pub(super) fn document<R>(body: &[u8], report: R) -> FileDocument<'_, R> {
    FileDocument { policy: None, copy: Some(CopyFacts::given(body)), report }
}
