//! `comity generate`: a robots.txt from choices, proven by reading it back.

mod headers;
mod plan;

use anyhow::{Result, bail};
use comity::{Crawler, Crawlers, Dialect, Escaped, Profile, Robots, Text};
use serde::Serialize;

use crate::args::{self, Format};
use crate::{Outcome, json};
use plan::Plan;

pub(crate) fn run(args: &args::Generate) -> Result<Outcome> {
    let table = Crawlers::builtin();
    let plan = Plan::new(args, &table)?;
    let (text, promises) = if let Some(server) = args.headers {
        headers::write(&plan, server, &table)?
    } else {
        let text = plan.write();
        let promises = plan.promises(&table);
        prove(&text, &plan, &promises)?;
        (text, promises.iter().map(ToString::to_string).collect())
    };
    match args.format.format {
        Format::Human => print!("{text}"),
        Format::Json => {
            #[derive(Serialize)]
            struct Report {
                text: String,
                checked: Vec<String>,
            }
            json::print(&Report { text, checked: promises })?;
        }
    }
    Ok(Outcome::Yes)
}

/// A verdict that must come out.
struct Promise {
    /// None: a crawler that nobody has heard of.
    profile: Option<Profile>,
    token: String,
    path: String,
    is_allowed: bool,
}

impl std::fmt::Display for Promise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.is_allowed { "may" } else { "may not" };
        write!(f, "{} {word} fetch {}", Escaped(self.token.as_bytes()), Escaped(self.path.as_bytes()))
    }
}

impl Promise {
    /// The dialects that it must hold in: that of the crawler's operator, or all modern ones.
    fn dialects(&self) -> &'static [Dialect] {
        const ALL: &[Dialect] = &[Dialect::STANDARD, Dialect::GOOGLE, Dialect::BING, Dialect::YANDEX];
        // Google's parser cuts other tokens, and they are none of Google's.
        let is_word = self.token.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'));
        match self.profile.as_ref().map(|profile| profile.operator.as_ref()) {
            Some("Google") => &ALL[1..2],
            Some("Microsoft") => &ALL[2..3],
            Some("Yandex") => &ALL[3..4],
            None if is_word => ALL,
            _ => &ALL[..1],
        }
    }
}

/// Reads the text as crawlers will, and fails if it does not say what was chosen.
fn prove(text: &str, plan: &Plan, promises: &[Promise]) -> Result<()> {
    for promise in promises {
        for dialect in promise.dialects() {
            let robots = Robots::parse_with(text, dialect);
            let crawler = promise.profile.as_ref().map_or(Crawler::from(&promise.token), Crawler::from);
            let verdict = robots.check(crawler, &promise.path);
            if verdict.is_allowed() != promise.is_allowed || verdict.is_disallowed() == promise.is_allowed {
                bail!(
                    "the choices contradict each other: {promise} was promised, and in the {dialect} dialect it is \
                     {verdict}"
                );
            }
        }
    }
    let robots = Robots::parse(text);
    let lines = Text::new(text.as_bytes(), &Dialect::STANDARD);
    let odd = lines.lines().find(|line| {
        let is_ignored = matches!(line.content, comity::Content::NoRecord);
        is_ignored || line.too_long || line.typo || line.missing_colon
    });
    if let Some(line) = odd {
        bail!("line {} can't be written: {}", line.number, Escaped(line.text));
    }
    if robots.records().any(|record| matches!(record.meaning(), comity::Meaning::NotUnderstood { .. })) {
        bail!("a record can't be written as it was chosen");
    }
    if robots.sitemaps().count() != plan.sitemaps.len() {
        bail!("a sitemap can't be written as it was chosen");
    }
    Ok(())
}
