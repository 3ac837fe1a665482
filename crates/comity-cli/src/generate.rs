//! `comity generate`: a robots.txt from choices, proven by reading it back.

mod headers;
mod plan;

use std::io::{self, Write};

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
        Format::Human => io::stdout().write_all(text.as_bytes())?,
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command};

    fn generate(choices: &[&str]) -> Result<()> {
        let typed = Arguments::try_parse_from(["comity", "generate"].iter().chain(choices))?;
        let Command::Generate(args) = typed.command else { unreachable!() };
        let table = Crawlers::builtin();
        let plan = Plan::new(&args, &table)?;
        let promises = plan.promises(&table);
        assert!(!promises.is_empty());
        prove(&plan.write(), &plan, &promises)?;
        for server in [args::Server::Nginx, args::Server::Apache, args::Server::Caddy] {
            // Some choices forbid nothing, so there is nothing to send.
            let _ = headers::write(&plan, server, &table);
        }
        Ok(())
    }

    #[test]
    fn choices_that_go_together_are_proven() {
        const CHOICES: [&[&str]; 9] = [
            &["--block-ai-training"],
            &["--block-ai"],
            &["--block", "AcmeBot"],
            &["--allow", "GPTBot"],
            &["--protect", "/cart/"],
            &["--protect", "/*.pdf$"],
            &["--protect", "AhrefsBot:/caf%C3%A9*x"],
            &["--preferences"],
            &["--sitemap", "https://a.example/s.xml?a=b&c"],
        ];
        for set in 0_u32..1 << CHOICES.len() {
            let chosen = CHOICES.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            let chosen: Vec<&str> = chosen.flat_map(|(_, choice)| choice.iter().copied()).collect();
            if let Err(error) = generate(&chosen) {
                panic!("{chosen:?}: {error}");
            }
        }
    }

    #[test]
    fn a_file_that_breaks_a_promise_is_not_printed() {
        let typed = Arguments::parse_from(["comity", "generate", "--block", "GPTBot", "--protect", "/cart/"]);
        let Command::Generate(args) = typed.command else { unreachable!() };
        let table = Crawlers::builtin();
        let plan = Plan::new(&args, &table).unwrap();
        let promises = plan.promises(&table);
        let text = plan.write();
        assert!(prove(&text, &plan, &promises).is_ok());
        for (right, wrong) in [
            ("Disallow: /\n", "Disallow: /x\n"),
            ("User-agent: GPTBot", "User-agent: GPT"),
            ("Disallow: /cart/", "Allow: /cart/"),
            ("User-agent: *", "User-agent: other"),
            ("Disallow: /cart/", "Disallow: /cart/\nprose"),
            ("Disallow: /cart/", "Disallow: /cart/\nSitemap: /x"),
        ] {
            assert!(text.contains(right));
            assert!(prove(&text.replace(right, wrong), &plan, &promises).is_err(), "{wrong}");
        }
    }
}
