//! Writes a robots.txt from choices, and proves it by reading it back.

mod addition;
mod choices;
mod extend;
mod headers;
mod paths;
mod plan;
mod preset;
mod promise;
mod readings;
mod write;

use std::fmt;

use comity::{Crawlers, Dialect, Escaped, Reach, Robots, SourceText};
use serde::Serialize;

use crate::diff::Diff;
use crate::lines::looks_like_html;
use crate::scope::ProofScope;

use choices::Choice;
pub use choices::{GenerateChoices, GeneratePreset, HeaderServer};
use plan::Plan;
use promise::Promise;
use readings::Readings;

/// Returns early with an error. `|name|` before the text names the function that returns the name of a choice.
macro_rules! bail {
    (|$name:ident| $($text:tt)*) => {
        return Err(crate::generate::GenerateError::naming(|$name| format!($($text)*)))
    };
    ($($text:tt)*) => {
        return Err(crate::generate::GenerateError::of(format_args!($($text)*)))
    };
}
use bail;

type Result<T> = std::result::Result<T, GenerateError>;

/// The reason why no file is written. The message names choices as options of the command, such as `--allow-path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateError {
    /// The message with the names of options.
    with_options: String,
    /// The message with the names of fields.
    with_fields: String,
}

impl GenerateError {
    /// Creates an error whose message names no choices.
    fn of(error: impl fmt::Display) -> Self {
        Self::naming(|_| error.to_string())
    }

    /// Creates an error whose message names choices. Both forms of the message are composed here, because a finished
    /// message does not show which of its words are names: a path may contain `--allow`.
    fn naming(message: impl Fn(fn(Choice) -> &'static str) -> String) -> Self {
        Self { with_options: message(Choice::option), with_fields: message(Choice::field) }
    }

    /// Returns the message with the names of fields, such as `allow_path`, in place of options.
    #[must_use]
    pub fn for_fields(&self) -> &str {
        &self.with_fields
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_options)
    }
}

impl std::error::Error for GenerateError {}

/// A robots.txt that was written from choices.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Generated {
    /// The text of the file.
    pub text: String,
    /// The promises that were checked, as sentences: for each known crawler in the dialect of its operator, and for an
    /// unknown one.
    pub checked: Vec<String>,
    /// The changes of an existing file that the choices were added to; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Diff>,
}

/// Writes a new file.
///
/// # Errors
///
/// If no file can express the choices.
pub fn generate(choices: &GenerateChoices, table: &Crawlers) -> Result<Generated> {
    let plan = Plan::new(&preset::apply(choices, table), table)?;
    let text = plan.write();
    let promises = plan.promises(table);
    prove(&text, &plan, &promises)?;
    Ok(Generated { text, checked: promises.iter().map(ToString::to_string).collect(), changes: None })
}

/// Writes the choices as header fields, for the configuration of a web server.
///
/// # Errors
///
/// If no headers can express the choices.
pub fn generate_headers(choices: &GenerateChoices, server: HeaderServer, table: &Crawlers) -> Result<Generated> {
    let plan = Plan::new(&preset::apply(choices, table), table)?;
    if !plan.allowed.is_empty() {
        bail!(|name| "headers can't express exceptions ({}, or those of a preset)", name(Choice::AllowPath));
    }
    let (text, checked) = headers::write(&plan, server, table)?;
    Ok(Generated { text, checked, changes: None })
}

/// Adds the choices to an existing file, and compares the two for all URLs and all crawlers. The old file must be in
/// UTF-8, so the new one is, too. The proofs stop when `keep_going` returns false.
///
/// # Errors
///
/// If the additions cannot express the choices, or would change something else, or if that cannot be decided.
pub fn generate_into(
    old: &[u8],
    choices: &GenerateChoices,
    table: &Crawlers,
    keep_going: &dyn Fn() -> bool,
) -> Result<Generated> {
    let choices = preset::apply(choices, table);
    let plan = Plan::new(&choices, table)?;
    if plan.block_all {
        bail!("choices that are added to a file can't block everything else: write a new file");
    }
    refuse_unreadable(old)?;
    let readings = Readings::new(old, table);
    for token in &choices.allow {
        let crawler = readings.crawler(token);
        if readings.robots(&crawler).extent(&crawler).reach == Reach::Nothing {
            let token = Escaped(token.as_bytes());
            bail!(
                |name| "{} {token}: the file blocks {token} completely: remove that from the file",
                name(Choice::Allow)
            );
        }
    }
    let new = extend::extend(old, &plan, table)?;
    if new.len() > MAX_BYTES {
        bail!("the file with the additions is {} bytes long, expected at most {MAX_BYTES}: shorten it", new.len());
    }
    let checked = addition::prove(old, &new, &plan, table, keep_going)?;
    let changes = Some(Diff::new(old, &new, &ProofScope::new(table).keep_going(keep_going)));
    addition::in_time(keep_going)?;
    Ok(Generated { text: String::from_utf8_lossy(&new).into_owned(), checked, changes })
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
    use super::*;

    /// Returns the choices that the command's options state.
    pub(super) fn chosen(options: &[&str]) -> GenerateChoices {
        let mut choices = GenerateChoices::default();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut value = || options.next().map(|value| (*value).to_owned());
            match *option {
                "--block-all" => choices.block_all = true,
                "--block-ai" => choices.block_ai = true,
                "--block-ai-training" => choices.block_ai_training = true,
                "--explain" => choices.explain = true,
                "--preferences" => choices.preferences = true,
                "--preset" => choices.preset = GeneratePreset::named(&value().unwrap()),
                "--block" => choices.block.extend(value()),
                "--allow" => choices.allow.extend(value()),
                "--protect" => choices.protect.extend(value()),
                "--allow-path" => choices.allow_path.extend(value()),
                "--crawl-delay" => choices.crawl_delay.extend(value()),
                "--sitemap" => choices.sitemap.extend(value()),
                _ => panic!("{option}"),
            }
        }
        choices
    }

    fn generated(options: &[&str]) -> Result<String> {
        let table = Crawlers::builtin();
        let choices = chosen(options);
        let found = generate(&choices, &table)?;
        assert!(!found.checked.is_empty());
        for server in [HeaderServer::Nginx, HeaderServer::Apache, HeaderServer::Caddy] {
            // Some choices forbid nothing, so no header is needed.
            let _ = generate_headers(&choices, server, &table);
        }
        Ok(found.text)
    }

    #[test]
    fn choices_that_go_together_are_proven() {
        const CHOICES: [&[&str]; 10] = [
            &["--block-ai-training"],
            &["--block-ai"],
            &["--block", "AcmeBot", "--block", "Yandex"],
            &["--allow", "GPTBot", "--allow-path", "/d/index.html"],
            &["--protect", "/cart/", "--allow-path", "/cart/help"],
            &["--protect", "/*.pdf$", "--crawl-delay", "5", "--crawl-delay", "bingbot:10"],
            &["--protect", "AhrefsBot:/caf%C3%A9*x", "--allow-path", "AhrefsBot:/caf%C3%A9/"],
            &["--protect", "/café/", "--protect", "/my folder/\"x\""],
            &["--preferences", "--explain"],
            &["--sitemap", "https://a.example/s.xml?a=b&c"],
        ];
        for set in 0_u32..1 << CHOICES.len() {
            let picked = CHOICES.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            let picked: Vec<&str> = picked.flat_map(|(_, choice)| choice.iter().copied()).collect();
            if let Err(error) = generated(&picked) {
                panic!("{picked:?}: {error}");
            }
        }
    }

    #[test]
    fn choices_for_everyone_bind_all_known_crawlers() {
        let table = Crawlers::builtin();
        for (choices, path) in [
            (&["--block-all"][..], "/"),
            (&["--block-all"], "/a"),
            (&["--protect", "/cart/"], "/cart/"),
            (&["--protect", "/cart/", "--block", "Yandex", "--protect", "AdsBot-Google:/x"], "/cart/1"),
            (&["--protect", "/café/"], "/caf%C3%A9/1"),
        ] {
            let text = generated(choices).unwrap();
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
                let picked = [&["--preset", preset], more].concat();
                if let Err(error) = generated(&picked) {
                    panic!("{picked:?}: {error}");
                }
            }
        }
    }

    fn added(old: &str, options: &[&str]) -> Result<Generated> {
        generate_into(old.as_bytes(), &chosen(options), &Crawlers::builtin(), &|| true)
    }

    #[test]
    fn preferences_of_a_preset_are_added_to_a_file() {
        const LINES: &str = "Content-Signal: search=yes, ai-train=no\nContent-Usage: search=y, train-ai=n\n";
        for old in [
            "",
            "User-agent: *\nDisallow: /x\n",
            "User-agent: Googlebot\nDisallow: /y\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n",
            "User-agent: Yandex\nUser-agent: Foo\nContent-Signal: /x ai-train=yes\nAllow: /\n",
            // Stated already, in part.
            "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /x\n",
        ] {
            let found = added(old, &["--preset", "block-ai-training"]).unwrap_or_else(|error| panic!("{old}: {error}"));
            assert!(found.text.starts_with(old) && found.text.contains(LINES), "{}", found.text);
            let changes = found.changes.unwrap();
            assert!(!changes.signals.is_empty(), "{changes:?}");
            // Each crawler that may fetch reads them: those with a group of their own, too.
            let robots = Robots::parse(&found.text);
            for name in ["Googlebot", "Yandex", "Foo", "bingbot"] {
                let crawler = comity::Crawler::known(name).unwrap_or(comity::Crawler::token(name).unwrap());
                let train = robots.content_signals(&crawler, "/").of("ai-train").unwrap_or_else(|| panic!("{name}"));
                assert!(!train.granted, "{old}: {name}");
            }
        }
        let twice = added("", &["--preset", "block-ai-training", "--protect", "bingbot:/a"]).unwrap();
        assert_eq!(twice.text.matches(LINES).count(), 2, "{}", twice.text);
        for (old, reason) in [
            ("User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /x\n", "ai-train for * already, in line 2"),
            ("User-agent: Foo\nContent-Usage: search=n\nDisallow: /x\n", "search for Foo already, in line 2"),
        ] {
            let error = added(old, &["--preset", "block-ai-training"]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn choices_without_a_file_are_refused() {
        for (choices, reason) in [
            (&["--protect", "/a", "--allow-path", "/a"][..], "--protect /a and --allow-path /a contradict each other"),
            (&["--block", "ChatGPT"], "Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User: a group for `ChatGPT`"),
            (&["--protect", "google:/a"], "google is a company. Its crawlers include Googlebot"),
            (&["--block", "GPTBot", "--allow-path", "GPTBot:/a"], "blocked completely"),
            (&["--crawl-delay", "bingbot:soon"], "expected a number of seconds"),
            (&["--crawl-delay", "0"], "expected a number of seconds"),
            (&["--allow-path", "a"], "--allow-path a: expected a path that starts with `/`"),
            (&["--block-all", "--allow-path", "/docs/index.html"], "may not fetch /docs/, but in the google dialect"),
            (
                &["--protect", "/docs/*", "--allow-path", "/docs/index.html"],
                "may not fetch /docs/, but in the google dialect",
            ),
            (
                &["--block-all", "--allow-path", "/docs/*/index.html"],
                "may not fetch /docs/x/, but in the google dialect",
            ),
            (&["--block-all", "--allow-path", "/"], "--allow-path / is about everything"),
            (&["--block-all", "--allow-path", "/."], "--allow-path /. is about everything"),
            (&["--block-all", "--allow-path", "/a/.."], "--allow-path /a/.. is about everything"),
            (&["--block-all", "--allow-path", "/%2e/**"], "--allow-path /%2e/** is about everything"),
            (&["--block-all", "--allow-path", "GPTBot:/*$"], "--allow-path GPTBot:/*$ is about everything"),
        ] {
            let error = generated(choices).expect_err(reason);
            assert!(error.to_string().contains(reason), "{choices:?}: {error}");
        }
    }

    #[test]
    fn errors_name_fields_and_keep_paths() {
        for (choices, message) in [
            (
                &["--protect", "/a--b-c", "--allow-path", "/a--b-c"][..],
                "protect /a--b-c and allow_path /a--b-c contradict each other",
            ),
            (&["--block", "x--allow-path", "--allow", "x--allow-path"], "block x--allow-path and allow x--allow-path"),
            (&["--allow-path", "a--b-c"], "allow_path a--b-c: expected a path that starts with `/`"),
            (&["--crawl-delay", "a--b-c"], "crawl_delay a--b-c: expected a number of seconds"),
            (&["--sitemap", "a--b-c"], "sitemap a--b-c: expected an absolute URL"),
            (&["--protect", "/"], "protect / is about everything: that is block_all, block TOKEN or allow TOKEN"),
        ] {
            let error = generated(choices).expect_err(message);
            assert!(error.for_fields().starts_with(message), "{choices:?}: {}", error.for_fields());
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
        let table = Crawlers::builtin();
        let plan = Plan::new(&chosen(&["--block", "GPTBot", "--protect", "/cart/"]), &table).unwrap();
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
