//! Writes a robots.txt from choices, and proves it by reading it back.

mod choices;
mod file;
mod headers;
mod paths;
mod plan;
mod preset;
mod proof;
mod write;

use std::fmt;

use comity::{Crawlers, Escaped};
use serde::Serialize;

use crate::diff::Diff;
use crate::lines::looks_like_html;
use crate::scope::ProofScope;

pub use choices::{GenerateChoices, GeneratePreset, HeaderServer};
use file::File;
use plan::Plan;

/// Returns early with an error. `[field, value]` before the text names the choice that it is about.
macro_rules! bail {
    ([$field:expr, $value:expr], $($text:tt)*) => {
        return Err(crate::generate::GenerateError::about($field, $value, format_args!($($text)*)))
    };
    ($($text:tt)*) => {
        return Err(crate::generate::GenerateError::of(format_args!($($text)*)))
    };
}
use bail;

type Result<T> = std::result::Result<T, GenerateError>;

/// The reason why no file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateError {
    field: Option<&'static str>,
    message: String,
}

impl GenerateError {
    fn of(error: impl fmt::Display) -> Self {
        Self { field: None, message: error.to_string() }
    }

    fn about(field: &'static str, value: &str, error: impl fmt::Display) -> Self {
        Self { field: Some(field), message: format!("{}: {error}", Escaped(value.as_bytes())) }
    }

    /// Returns the field of [`GenerateChoices`] that the error is about, such as `allow_path`. The error is displayed as
    /// the field and the message.
    #[must_use]
    pub fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// Returns the message without the field. If there is a field, it starts with the value.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = self.field {
            write!(f, "{field} ")?;
        }
        f.write_str(&self.message)
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
    /// The promises that were proven for all URLs, as sentences: for each known crawler in the dialect of its operator,
    /// and for unknown ones.
    pub checked: Vec<String>,
    /// The changes of an existing file that the choices were added to; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Diff>,
}

/// Writes a new file, or adds the choices to the end of an existing one, which must be in UTF-8. Proves for all URLs and
/// all crawlers that the file keeps the choices and that nothing else changes. The proofs stop when `keep_going` returns
/// false.
///
/// ```
/// use comity::{Crawlers, Robots};
/// use comity_report::{GenerateChoices, generate};
///
/// let choices = GenerateChoices { block: vec!["GPTBot".to_owned()], ..GenerateChoices::default() };
/// let found = generate(Some(b"User-agent: *\nDisallow: /cart/\n"), &choices, &Crawlers::builtin(), &|| true)?;
/// assert!(found.text.contains("User-agent: GPTBot\nDisallow: /\n"));
/// # Ok::<(), comity_report::GenerateError>(())
/// ```
///
/// # Errors
///
/// If no file can express the choices, or if the additions would change something else, or if that can't be decided.
pub fn generate(
    old: Option<&[u8]>,
    choices: &GenerateChoices,
    table: &Crawlers,
    keep_going: &dyn Fn() -> bool,
) -> Result<Generated> {
    let choices = preset::apply(choices, table);
    let plan = Plan::new(&choices, table)?;
    let text = old.unwrap_or_default();
    if plan.block_all && !text.is_empty() {
        bail!("choices that are added to a file can't block everything else: write a new file");
    }
    refuse_unreadable(text)?;
    let file = File::new(text, table);
    file.refuse_opposites(&choices, &plan)?;
    let new = write::write(text, &plan, &file);
    if new.len() > MAX_BYTES {
        bail!("the file is {} bytes long, expected at most {MAX_BYTES}: shorten it", new.len());
    }
    let checked = proof::prove(text, &new, &plan, table, keep_going)?;
    let changes = old.map(|old| Diff::new(old, &new, &ProofScope::new(table).keep_going(keep_going)));
    proof::in_time(keep_going)?;
    Ok(Generated { text: String::from_utf8_lossy(&new).into_owned(), checked, changes })
}

/// Writes the choices as header fields, for the configuration of a web server.
///
/// # Errors
///
/// If no headers can express the choices.
pub fn generate_headers(choices: &GenerateChoices, server: HeaderServer, table: &Crawlers) -> Result<Generated> {
    let (text, checked) = headers::write(&Plan::new(&preset::apply(choices, table), table)?, server, table)?;
    Ok(Generated { text, checked, changes: None })
}

/// The maximum size of a file in bytes. Some operators ignore the rest of a larger file.
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

#[cfg(test)]
mod tests {
    use comity::{Dialect, Robots};

    use super::*;
    use crate::crawler_query::CrawlerQuery;
    use crate::prove::{ClaimKind, ClaimText, Proof, ProofOutcome};

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
        let found = generate(None, &choices, &table, &|| true)?;
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
            &["--block", "AcmeBot", "--block", "Yandex", "--block", "Googlebot", "--allow", "Googlebot-Image"],
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
                .filter(|row| !row.retired)
                .map(comity::Crawler::from)
                .chain([comity::Crawler::ANY, comity::Crawler::literal("nobody")]);
            for crawler in everyone.filter(|crawler| crawler.governed() != comity::Governed::No) {
                for dialect in [Dialect::STANDARD, Dialect::GOOGLE, Dialect::BING, Dialect::YANDEX] {
                    let verdict = Robots::parse_with(&text, &dialect).check(&crawler, path);
                    assert!(verdict.is_disallowed(), "{choices:?}: {crawler:?} {dialect} {path}: {verdict}");
                }
            }
            // The file keeps the promise by `comity prove`, too.
            let claims = [ClaimText::new(ClaimKind::NoneAllowed, path, Vec::new())];
            let proof = Proof::new(text.as_bytes(), &claims, &ProofScope::new(&table)).unwrap();
            assert_eq!(proof.outcome, ProofOutcome::Held, "{choices:?}: {proof:?}");
            // A retired crawler that is asked about has its own answer.
            let retired = [CrawlerQuery::new("AdsBot-Google-Mobile-Apps", Some(&table))];
            let proof = Proof::new(text.as_bytes(), &claims, &ProofScope::new(&table).agents(&retired)).unwrap();
            assert_eq!(proof.outcome, ProofOutcome::Refuted, "{choices:?}: {proof:?}");
        }
    }

    #[test]
    fn allowed_crawlers_do_not_share_the_group_of_a_blocked_one() {
        const BLOCK: [&str; 4] = ["--block", "Googlebot", "--allow", "Googlebot-Image"];
        let table = Crawlers::builtin();
        let image = comity::Crawler::known("Googlebot-Image").unwrap();
        for (more, old, denied) in [
            (&[][..], None, None),
            (&["--protect", "/cart/"], None, Some("/cart/")),
            (&["--protect", "Googlebot-Image:/cart/"], None, Some("/cart/")),
            (&[], Some("User-agent: *\nDisallow: /x\n"), Some("/x")),
            (&[], Some("User-agent: Googlebot-Image\nDisallow: /x\n"), Some("/x")),
        ] {
            let choices = chosen(&[&BLOCK, more].concat());
            let found = generate(old.map(str::as_bytes), &choices, &table, &|| true).unwrap();
            let robots = Robots::parse_with(&found.text, &Dialect::GOOGLE);
            let may = |path: &str| robots.check(&image, path).is_allowed();
            assert!(may("/a.png") && denied.is_none_or(|path| !may(path)), "{}", found.text);
            assert!(robots.check(&comity::Crawler::known("Googlebot-News").unwrap(), "/").is_disallowed());
            let promise = "Googlebot-Image may fetch everything else".to_owned();
            assert_eq!(found.checked.contains(&promise), old.is_none(), "{:?}", found.checked);
        }
        // A header can't except a crawler from one for all.
        for choices in [&BLOCK[..], &["--block-all", "--allow", "bingbot"], &["--preset", "search-only"]] {
            let error = generate_headers(&chosen(choices), HeaderServer::Nginx, &table).unwrap_err().to_string();
            assert!(error.contains("headers can't express exceptions"), "{choices:?}: {error}");
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
        generate(Some(old.as_bytes()), &chosen(options), &Crawlers::builtin(), &|| true)
    }

    #[test]
    fn a_delay_for_one_crawler_replaces_that_for_all() {
        let delays = ["--crawl-delay", "5", "--crawl-delay", "bingbot:7", "--crawl-delay", "AcmeBot:9"];
        for old in ["", "User-agent: bingbot\nDisallow: /y\n"] {
            let robots = Robots::parse(added(old, &delays).unwrap().text);
            let delay = |token: &str| robots.crawl_delay(&comity::Crawler::literal(token)).unwrap().delay.as_secs();
            assert_eq!(["*", "bingbot", "AcmeBot", "nobody"].map(delay), [5, 7, 9, 5], "{old:?}");
        }
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
            (&["--protect", "/a", "--allow-path", "/a"][..], "protect /a: it is also an exception"),
            (&["--block", "GPTBot", "--allow", "gptbot"], "block GPTBot: it is also allowed"),
            (&["--protect", "https://a.example/b/"], "protect https://a.example/b/: expected a path such as /private/"),
            (&["--allow-path", "https://a.example"], "allow_path https://a.example: expected a path such as /private/"),
            (&["--protect", "/robots.txt"], "no rule can block the robots.txt itself"),
            (&["--block-all", "--crawl-delay", "5"], "crawl_delay *: no file can state this delay"),
            (&["--block", "ChatGPT"], "Its crawlers are GPTBot, OAI-SearchBot and ChatGPT-User: a group for `ChatGPT`"),
            (&["--protect", "google:/a"], "google is a company. Its crawlers include Googlebot"),
            (&["--block", "GPTBot", "--allow-path", "GPTBot:/a"], "blocked completely"),
            (&["--crawl-delay", "bingbot:soon"], "expected a number of seconds"),
            (&["--crawl-delay", "0"], "expected a number of seconds"),
            (&["--allow-path", "a"], "allow_path a: expected a path that starts with `/`"),
            (&["--block-all", "--allow-path", "/docs/index.html"], "fetch /docs/ in the google dialect"),
            (&["--protect", "/docs/*", "--allow-path", "/docs/index.html"], "fetch /docs/ in the google dialect"),
            (&["--block-all", "--allow-path", "/docs/*/index.html"], "/ in the google dialect"),
            (&["--block-all", "--allow-path", "/"], "allow_path /: this is the whole site"),
            (&["--block-all", "--allow-path", "/."], "allow_path /.: this is the whole site"),
            (&["--block-all", "--allow-path", "/a/.."], "allow_path /a/..: this is the whole site"),
            (&["--block-all", "--allow-path", "/%2e/**"], "allow_path /%2e/**: this is the whole site"),
            (&["--block-all", "--allow-path", "GPTBot:/*$"], "allow_path GPTBot:/*$: this is the whole site"),
        ] {
            let error = generated(choices).expect_err(reason);
            assert!(error.to_string().contains(reason), "{choices:?}: {error}");
        }
    }

    #[test]
    fn errors_name_fields_and_keep_values() {
        for (choices, field, message) in [
            (&["--protect", "/a--b-c", "--allow-path", "/a--b-c"][..], "protect", "/a--b-c: it is also an exception"),
            (&["--block", "x--allow-path", "--allow", "x--allow-path"], "block", "x--allow-path: it is also allowed"),
            (&["--allow-path", "a--b-c"], "allow_path", "a--b-c: expected a path that starts with `/`"),
            (&["--crawl-delay", "a--b-c"], "crawl_delay", "a--b-c: expected a number of seconds"),
            (&["--sitemap", "a--b-c"], "sitemap", "a--b-c: expected an absolute URL"),
            (&["--protect", "/"], "protect", "/: this is the whole site"),
        ] {
            let error = generated(choices).expect_err(message);
            assert_eq!(error.field(), Some(field), "{choices:?}: {error}");
            assert!(error.message().starts_with(message), "{choices:?}: {error}");
            assert!(error.to_string().starts_with(&format!("{field} {message}")), "{choices:?}: {error}");
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
        let choices = chosen(&["--block", "GPTBot", "--block", "AcmeBot", "--protect", "/cart/", "--crawl-delay", "5"]);
        let plan = Plan::new(&choices, &table).unwrap();
        let text = String::from_utf8(write::write(b"", &plan, &File::new(b"", &table))).unwrap();
        let prove = |text: &str| proof::prove(b"", text.as_bytes(), &plan, &table, &|| true);
        assert!(prove(&text).is_ok());
        for (right, wrong) in [
            ("Disallow: /\n", "Disallow: /x\n"),
            ("User-agent: GPTBot", "User-agent: GPT"),
            ("User-agent: AcmeBot\n", ""),
            ("User-agent: AdsBot-Google\n", ""),
            ("Disallow: /cart/", "Allow: /cart/"),
            ("Disallow: /cart/", "Disallow: /car"),
            ("Disallow: /cart/", "Disallow: /cart/\nAllow: /cart/deep/in/it.html$"),
            ("User-agent: *", "User-agent: other"),
            ("Disallow: /cart/", "Disallow: /cart/\nprose"),
            ("Disallow: /cart/", "Disallow: /cart/\nSitemap: /x"),
            ("Crawl-delay: 5", "Crawl-delay: 6"),
        ] {
            assert!(text.contains(right));
            assert!(prove(&text.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
}
