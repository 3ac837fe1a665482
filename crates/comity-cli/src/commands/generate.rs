//! `comity generate`: writes a robots.txt from choices, and proves it by reading it back.

mod addition;
mod extend;
mod headers;
mod paths;
mod plan;
mod preset;
mod promise;
mod readings;
mod write;

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use comity::{Crawlers, Dialect, Escaped, Reach, Robots, SourceText};
use comity_report::{Diff, ProofScope, looks_like_html};
use serde::Serialize;

use crate::args::{self, Format};
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::diff::Shown;
use crate::render::json;
use plan::Plan;
use promise::Promise;
use readings::Readings;

pub(crate) fn run(args: &args::Generate) -> Result<Outcome> {
    let table = crawlers::table(args.crawlers.as_deref())?;
    let args = &preset::apply(args, &table);
    let plan = Plan::new(args, &table)?;
    if args.headers.is_some() && !plan.allowed.is_empty() {
        bail!("--headers can't express exceptions (--allow-path, or those of a preset)");
    }
    if let Some(path) = &args.from {
        return add_to(path, args, &plan, &table);
    }
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

/// The maximum size in bytes of a file that choices are added to. Some operators ignore the rest of a larger file.
const MAX_BYTES: usize = 512_000;

/// Fails for a file that some crawlers can't read, or not all of it.
fn refuse_unreadable(old: &[u8]) -> Result<()> {
    if old.len() > MAX_BYTES {
        bail!("expected a file of at most {MAX_BYTES} bytes, found {}: crawlers ignore the rest of it", old.len());
    }
    if old.starts_with(&[0xFF, 0xFE]) || old.starts_with(&[0xFE, 0xFF]) {
        bail!("expected a file in UTF-8, found UTF-16, which most crawlers can't read: save it as UTF-8 first");
    }
    if let Err(error) = std::str::from_utf8(old) {
        let line = old[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
        bail!("expected a file in UTF-8, found other bytes in line {line}: save it as UTF-8 first");
    }
    if looks_like_html(old) {
        bail!("expected a robots.txt, found what looks like an HTML page");
    }
    Ok(())
}

/// Prints an existing file with the choices added, and on standard error what that changes, for all URLs and all
/// crawlers.
fn add_to(path: &Path, args: &args::Generate, plan: &Plan, table: &Crawlers) -> Result<Outcome> {
    if plan.block_all {
        bail!("--from keeps the rules of the file, so it can't block everything else: write a new file");
    }
    let old = file::read(path)?;
    refuse_unreadable(&old)?;
    let readings = Readings::new(&old, table);
    for token in &args.allow {
        let crawler = readings.crawler(token);
        if readings.robots(&crawler).extent(&crawler).reach == Reach::Nothing {
            bail!("--allow {0}: the file blocks {0} completely: remove that from the file", Escaped(token.as_bytes()));
        }
    }
    let new = extend::extend(&old, plan, table)?;
    if new.len() > MAX_BYTES {
        bail!("the file with the additions is {} bytes long, expected at most {MAX_BYTES}: shorten it", new.len());
    }
    let checked = addition::prove(&old, &new, plan, table)?;
    let diff = Diff::new(&old, &new, &ProofScope::new(table));
    match args.format.format {
        Format::Human => {
            io::stdout().write_all(&new)?;
            let shown = Shown { diff: &diff, chosen: false, all: false, full: false, same_lines: true };
            shown.human(&mut anstream::stderr().lock())?;
        }
        Format::Json => {
            #[derive(Serialize)]
            struct Report {
                text: String,
                checked: Vec<String>,
                changes: Diff,
            }
            let text = String::from_utf8_lossy(&new).into_owned();
            json::print(&Report { text, checked, changes: diff })?;
        }
    }
    Ok(Outcome::Yes)
}

/// Fails if the text does not express the choices, or if a line of it is not understood.
fn prove(text: &str, plan: &Plan, promises: &[Promise]) -> Result<()> {
    promise::prove(text.as_bytes(), promises)?;
    promise::prove_delays(text, plan)?;
    let robots = Robots::parse(text);
    let lines = SourceText::new(text.as_bytes(), &Dialect::STANDARD);
    let odd = lines.lines().find(|line| {
        let is_ignored = matches!(line.content, comity::Content::NoRecord);
        is_ignored || line.too_long || line.typo || line.missing_colon
    });
    if let Some(line) = odd {
        bail!("line {} can't be written: {}", line.number, Escaped(line.text));
    }
    if robots.records().any(|record| matches!(record.meaning(), comity::Meaning::NotUnderstood { .. })) {
        bail!("a record cannot be written");
    }
    if robots.sitemaps().count() != plan.sitemaps.len() {
        bail!("a sitemap cannot be written");
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
        let args = preset::apply(&args, &table);
        let plan = Plan::new(&args, &table)?;
        let promises = plan.promises(&table);
        assert!(!promises.is_empty());
        prove(&plan.write(), &plan, &promises)?;
        for server in [args::Server::Nginx, args::Server::Apache, args::Server::Caddy] {
            // Some choices forbid nothing, so no header is needed.
            let _ = headers::write(&plan, server, &table);
        }
        Ok(())
    }

    #[test]
    fn choices_that_go_together_are_proven() {
        const CHOICES: [&[&str]; 10] = [
            &["--block-ai-training"],
            &["--block-ai"],
            &["--block", "AcmeBot", "--block", "Yandex"],
            &["--allow", "GPTBot"],
            &["--protect", "/cart/", "--allow-path", "/cart/help"],
            &["--protect", "/*.pdf$", "--crawl-delay", "5", "--crawl-delay", "bingbot:10"],
            &["--protect", "AhrefsBot:/caf%C3%A9*x", "--allow-path", "AhrefsBot:/caf%C3%A9/"],
            &["--protect", "/café/", "--protect", "/my folder/\"x\""],
            &["--preferences", "--explain"],
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
    fn nobody_that_is_known_gets_around_what_is_chosen_for_everyone() {
        let table = Crawlers::builtin();
        for (choices, path) in [
            (&["--block-all"][..], "/"),
            (&["--block-all"], "/a"),
            (&["--protect", "/cart/"], "/cart/"),
            (&["--protect", "/cart/", "--block", "Yandex", "--protect", "AdsBot-Google:/x"], "/cart/1"),
            (&["--protect", "/café/"], "/caf%C3%A9/1"),
        ] {
            let typed = Arguments::try_parse_from(["comity", "generate"].iter().chain(choices)).unwrap();
            let Command::Generate(args) = typed.command else { unreachable!() };
            let text = Plan::new(&args, &table).unwrap().write();
            let everyone = table
                .iter()
                .map(comity::Crawler::from)
                .chain([comity::Crawler::ANY, comity::Crawler::literal("nobody")]);
            for crawler in everyone.filter(|crawler| crawler.governed() != comity::Governed::No) {
                for dialect in [Dialect::STANDARD, Dialect::GOOGLE, Dialect::BING, Dialect::YANDEX] {
                    let verdict = Robots::parse_with(&text, &dialect).check(&crawler, path);
                    assert!(verdict.is_disallowed(), "{choices:?}: {crawler:?} {dialect} {path}: {verdict}");
                }
            }
        }
    }

    #[test]
    fn presets_are_proven() {
        for preset in ["wordpress", "shop", "staging", "block-ai-training", "search-only"] {
            for more in [&[][..], &["--explain"], &["--sitemap", "https://a.example/s.xml", "--block", "GPTBot"]] {
                let chosen = [&["--preset", preset], more].concat();
                if let Err(error) = generate(&chosen) {
                    panic!("{chosen:?}: {error}");
                }
            }
        }
    }

    #[test]
    fn choices_without_a_file_are_refused() {
        for (choices, reason) in [
            (&["--protect", "/a", "--allow-path", "/a"][..], "contradict each other"),
            (&["--block", "GPTBot", "--allow-path", "GPTBot:/a"], "blocked completely"),
            (&["--crawl-delay", "bingbot:soon"], "expected a number of seconds"),
            (&["--crawl-delay", "0"], "expected a number of seconds"),
            (&["--allow-path", "a"], "--allow-path a: expected a path that starts with `/`"),
        ] {
            let error = generate(choices).expect_err(reason);
            assert!(error.to_string().contains(reason), "{choices:?}: {error}");
        }
    }

    #[test]
    fn files_that_crawlers_cannot_read_completely_are_refused() {
        for (old, reason) in [
            (vec![b'#'; MAX_BYTES + 1], "at most 512000 bytes, found 512001"),
            (b"\xFF\xFEU\0".to_vec(), "found UTF-16"),
            (b"User-agent: *\nDisallow: /caf\xE9\n".to_vec(), "in line 2"),
            (b"\xEF\xBB\xBF\n<html>".to_vec(), "HTML"),
        ] {
            let error = refuse_unreadable(&old).expect_err(reason);
            assert!(error.to_string().contains(reason), "{error}");
        }
        assert!(refuse_unreadable(&vec![b'#'; MAX_BYTES]).is_ok());
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
