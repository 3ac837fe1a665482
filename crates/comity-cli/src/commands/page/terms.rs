//! Terms that a page and its site name in addition to rules: licenses, and reservations of text and data mining. They
//! do not change any answer.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Escaped, Robots};
use comity_page::{License, Page, Part, TdmProperty, TdmRules, TdmStatement};
use serde::Serialize;

use crate::input::file;

/// Adds the rule of a `tdmrep.json` that applies to the URL to the page.
pub(super) fn read_tdmrep(path: &Path, url: &str, page: &mut Page<'_>) -> Result<()> {
    /// The maximum size of the file, in bytes. Most contain only a few rules.
    const MAX_BYTES: u64 = 1 << 20;
    let mut json = Vec::new();
    let read = file::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut json);
    read.with_context(|| format!("{} could not be read", file::name(path)))?;
    if json.len() as u64 > MAX_BYTES {
        bail!("{}: expected a tdmrep.json, found more than 1 MiB", file::name(path));
    }
    let rules: TdmRules = serde_json::from_slice(&json).with_context(|| {
        let example = r#"[{"location": "/", "tdm-reservation": 1}]"#;
        format!("{}: expected a list of rules such as {example}", file::name(path))
    })?;
    rules.rule_for(url).into_iter().for_each(|rule| page.tdm_rule(rule));
    Ok(())
}

/// The licenses and the reservation of text and data mining of a page.
#[derive(Serialize)]
pub(super) struct Terms {
    /// True if text and data mining is reserved; `None` without a statement that is understood.
    mining: Option<Mining>,
    licenses: Vec<Named>,
    /// Statements on text and data mining that were not understood.
    #[serde(skip)]
    odd: Vec<TdmStatement>,
}

#[derive(Serialize)]
struct Mining {
    reserved: bool,
    because: TdmStatement,
    policy: Option<TdmStatement>,
}

/// A license and the place that names it.
#[derive(Serialize)]
struct Named {
    source: &'static str,
    line: Option<u32>,
    url: String,
    media_type: Option<String>,
}

impl Terms {
    /// Returns the terms of a page, if it was seen, and of the robots.txt, if it is that of the page's site.
    pub(super) fn of(page: Option<&Page<'_>>, robots: Option<&Robots>) -> Self {
        let by_file = robots.into_iter().flat_map(Robots::licenses).map(|record| Named {
            source: "robots.txt",
            line: Some(record.line()),
            url: String::from_utf8_lossy(record.value()).into_owned(),
            media_type: None,
        });
        let by_page = page.into_iter().flat_map(Page::licenses).map(Named::by_page);
        let mining = page.and_then(Page::tdm).map(|tdm| Mining {
            reserved: tdm.reservation.0,
            because: tdm.reservation.1.clone(),
            policy: tdm.policy.cloned(),
        });
        let is_odd = |said: &&TdmStatement| said.property == TdmProperty::Reservation && said.reserves().is_none();
        let odd = page.into_iter().flat_map(|page| page.tdm_statements().iter().filter(is_odd).cloned());
        Self { mining, licenses: by_file.chain(by_page).collect(), odd: odd.collect() }
    }

    /// Returns rows for people: subject, answer, and sources.
    pub(super) fn rows(&self) -> Vec<(&'static str, &'static str, Vec<String>)> {
        let mut rows = Vec::new();
        if let Some(mining) = &self.mining {
            let mut because = vec![shown(&mining.because)];
            because.extend(mining.policy.as_ref().map(shown));
            rows.push(("text mining", if mining.reserved { "reserved" } else { "not reserved" }, because));
        }
        if !self.licenses.is_empty() {
            rows.push(("license", "named", self.licenses.iter().map(Named::shown).collect()));
        }
        rows
    }

    /// Returns notes for the author of the page.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.odd.iter().map(|said| format!("{}: expected 1 or 0, ignored.", shown(said)))
    }
}

impl Named {
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
