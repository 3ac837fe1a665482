//! Terms that a page and its site name in addition to rules: licenses, and reservations of text and data mining. They
//! do not change any answer.

use comity::{Escaped, Robots};
use comity_page::{License, Page, Part, TdmProperty, TdmStatement};
use serde::Serialize;

/// The licenses and the reservation of text and data mining of a page.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PageTerms {
    /// The reservation of text and data mining; `null` without a statement that is understood.
    pub mining: Option<Mining>,
    /// The licenses that the page and its site name.
    pub licenses: Vec<NamedLicense>,
    /// The response's header fields `Content-Signal`. No specification defines them, so they change no answer.
    pub content_signals: Vec<HeaderSignal>,
    /// Statements on text and data mining that were not understood.
    #[serde(skip)]
    odd: Vec<TdmStatement>,
}

/// A reservation of text and data mining.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Mining {
    /// True if text and data mining is reserved.
    pub reserved: bool,
    /// The statement.
    pub because: TdmStatement,
    /// The statement that names the terms.
    pub policy: Option<TdmStatement>,
}

/// A header field `Content-Signal` of the response.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HeaderSignal {
    /// The line of the header.
    pub line: Option<u32>,
    /// The value as received, such as `ai-train=no`.
    pub value: String,
}

/// A license and the place that names it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct NamedLicense {
    /// The place: `robots.txt`, `header` or `HTML`.
    pub source: &'static str,
    /// The line there.
    pub line: Option<u32>,
    /// The address of the license.
    pub url: String,
    /// The media type of the license.
    pub media_type: Option<String>,
}

impl PageTerms {
    /// Returns the terms of a page, if it was seen, and of the robots.txt, if it is that of the page's site.
    pub(super) fn of(page: Option<&Page<'_>>, robots: Option<&Robots>) -> Self {
        let by_file = robots.into_iter().flat_map(Robots::licenses).map(|record| NamedLicense {
            source: "robots.txt",
            line: Some(record.line()),
            url: String::from_utf8_lossy(record.value()).into_owned(),
            media_type: None,
        });
        let by_page = page.into_iter().flat_map(Page::licenses).map(NamedLicense::by_page);
        let mining = page.and_then(Page::tdm).map(|tdm| Mining {
            reserved: tdm.reservation.0,
            because: tdm.reservation.1.clone(),
            policy: tdm.policy.cloned(),
        });
        let is_odd = |said: &&TdmStatement| said.property == TdmProperty::Reservation && said.reserves().is_none();
        let odd = page.into_iter().flat_map(|page| page.tdm_statements().iter().filter(is_odd).cloned());
        let signals = page
            .into_iter()
            .flat_map(Page::content_signal_fields)
            .map(|(value, line)| HeaderSignal { line, value: String::from_utf8_lossy(value).into_owned() });
        let (licenses, content_signals) = (by_file.chain(by_page).collect(), signals.collect());
        Self { mining, licenses, content_signals, odd: odd.collect() }
    }

    /// Returns rows for people: subject, answer, and sources.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, &'static str, Vec<String>)> {
        let mut rows = Vec::new();
        if let Some(mining) = &self.mining {
            let mut because = vec![shown(&mining.because)];
            because.extend(mining.policy.as_ref().map(shown));
            rows.push(("text mining", if mining.reserved { "reserved" } else { "not reserved" }, because));
        }
        if !self.licenses.is_empty() {
            rows.push(("license", "named", self.licenses.iter().map(NamedLicense::shown).collect()));
        }
        if !self.content_signals.is_empty() {
            rows.push(("content signal", "named", self.content_signals.iter().map(HeaderSignal::shown).collect()));
        }
        rows
    }

    /// Returns notes for the author of the page.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let is_named = !self.content_signals.is_empty();
        let of_signals = is_named.then(|| {
            "No specification defines Content-Signal as a header field: it changes no answer here. In robots.txt, it does."
                .to_owned()
        });
        self.odd.iter().map(|said| format!("{}: expected 1 or 0, ignored.", shown(said))).chain(of_signals)
    }
}

impl HeaderSignal {
    fn shown(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(" line {line}"));
        format!("header{line}: Content-Signal: {}", Escaped(self.value.as_bytes()))
    }
}

impl NamedLicense {
    fn by_page(license: &License) -> Self {
        let source = if license.part == Part::Header { "header" } else { "HTML" };
        let License { line, url, media_type, .. } = license.clone();
        Self { source, line, url, media_type }
    }

    fn shown(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(" line {line}"));
        let is_rsl = self.media_type.as_ref().is_some_and(|media_type| media_type.contains("rsl+xml"));
        let kind = if is_rsl { " (RSL)" } else { "" };
        format!("{}{line}: {}{kind}", self.source, Escaped(self.url.as_bytes()))
    }
}

fn shown(said: &TdmStatement) -> String {
    let line = said.line.map_or(String::new(), |line| format!(" line {line}"));
    format!("{}{line}: {said}", said.part)
}
