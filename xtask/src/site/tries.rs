//! Links that open an example of the documentation in the tester, with its file.
//!
//! A block of the language `robots` is a robots.txt: its link opens the mistakes in it. A block of the language `console`
//! after a line with `<!-- try -->` is a command about a file of the workspace: its link opens the view of that command, with
//! the crawlers and URLs of the command.

use std::fs;
use std::io::Write as _;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::json;

use crate::workspace::root;

/// The line before a command with a link.
const MARK: &str = "<!-- try -->";

/// The crawlers of a link if a command names none: those of the tester's own example.
const AGENTS: [&str; 3] = ["Googlebot", "bingbot", "GPTBot"];

/// The first character of a link's state, as in `web/src/share.ts`.
const VERSION: char = '1';

/// The state that a link opens, as `web/src/share.ts` reads it.
#[derive(Debug, Default, PartialEq)]
struct State {
    robots: String,
    original: Option<String>,
    site: Option<String>,
    urls: Vec<String>,
    agents: Vec<String>,
    dialect: Option<String>,
    view: &'static str,
}

impl State {
    /// Returns the state as the part of an address after `#`.
    fn fragment(&self) -> Result<String> {
        let agents = if self.agents.is_empty() { AGENTS.map(str::to_owned).to_vec() } else { self.agents.clone() };
        let urls = if self.urls.is_empty() { "/".to_owned() } else { self.urls.join("\n") };
        let fields = json!({
            "r": self.robots, "o": self.original, "s": "", "w": self.site, "x": null, "u": urls + "\n", "a": agents,
            "d": self.dialect.as_deref().unwrap_or("standard"), "v": self.view,
        });
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&serde_json::to_vec(&fields)?)?;
        Ok(format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(packed.finish()?)))
    }
}

/// Returns a page with a link after each example. `root` is the path to the root of the site.
pub(super) fn add(text: &str, root: &str) -> Result<String> {
    let mut whole = String::with_capacity(text.len());
    let mut lines = text.lines();
    let mut is_marked = false;
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if line.trim() == MARK {
                is_marked = true;
            } else {
                ensure!(!is_marked || line.is_empty(), "expected a block of commands after `{MARK}`, found `{line}`");
                whole += line;
                whole.push('\n');
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        // For mdBook, a robots.txt has the syntax of an INI file.
        let shown = if language == "robots" { "text" } else { language };
        // The tests of the documentation expect the exit code in a line of its own.
        let is_code = |line: &str| language == "console" && line.strip_prefix("? ").is_some_and(|code| code.len() < 4);
        let text: Vec<&str> = block.iter().copied().filter(|line| !is_code(line)).collect();
        whole += &format!("```{shown}\n{}\n```\n", text.join("\n").trim_end());
        let state = match language {
            "robots" => Some(State { robots: block.join("\n") + "\n", view: "lint", ..State::default() }),
            "console" if is_marked => Some(command(&block)?),
            _ => None,
        };
        ensure!(
            !is_marked || language == "console",
            "expected the language `console` after `{MARK}`, found `{language}`"
        );
        is_marked = false;
        if let Some(state) = state {
            let name = if language == "robots" { "Open this file in the tester" } else { "Open this in the tester" };
            whole += &format!("\n<p class=\"try\"><a href=\"{root}try/#{}\">{name}</a></p>\n", state.fragment()?);
        }
    }
    Ok(whole)
}

/// Returns the state that shows what the first command of a block prints.
fn command(block: &[&str]) -> Result<State> {
    let line =
        block.iter().find_map(|line| line.strip_prefix("$ comity ")).context("expected `$ comity …`, found none")?;
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let name = words.next().unwrap_or_default();
    let mut state = State { view: view(name)?, ..State::default() };
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` has no value in `{line}`"));
        match word {
            "--robots" => files.push(value()?),
            "--agent" => state.agents.push(value()?.to_owned()),
            "--dialect" => state.dialect = Some(value()?.to_owned()),
            "--urls" => state.urls.extend(read(value()?)?.lines().map(str::to_owned)),
            "--explain" => {}
            _ if word.starts_with('-') => bail!("the tester does not know `{word}` of `{line}`"),
            url if url.starts_with('/') || url.contains("://") => state.urls.push(url.to_owned()),
            file => files.push(file),
        }
    }
    let mut texts = files.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    state.robots = texts.pop().with_context(|| format!("`{line}` names no file"))?;
    state.original = texts.pop();
    state.site = state.urls.iter().find(|url| url.contains("://")).map(|url| origin(url));
    Ok(state)
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(root().join(file)).with_context(|| file.to_owned())
}

/// Returns the view of the tester for a command.
fn view(command: &str) -> Result<&'static str> {
    Ok(match command {
        "check" | "inspect" => "test",
        "lint" => "lint",
        "diff" => "compare",
        "matrix" => "matrix",
        "ai" => "ai",
        _ => bail!("the tester has no view for `comity {command}`"),
    })
}

/// Returns the scheme and host of a URL.
fn origin(url: &str) -> String {
    url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use serde_json::Value;

    use super::*;

    /// Returns the fields of the state that the only link of a page opens.
    fn opened(page: &str) -> Value {
        let fragment = page.split("try/#1").nth(1).unwrap().split('"').next().unwrap();
        let packed = URL_SAFE_NO_PAD.decode(fragment).unwrap();
        let mut text = String::new();
        DeflateDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_file_opens_with_its_mistakes() {
        let page = add("a\n\n```robots\nUser-agent: *\nDisallow: x\n```\n\nb\n", "../").unwrap();
        let (before, after) = page.split_once("\n<p class=\"try\"><a href=\"../try/#1").unwrap();
        assert_eq!(before, "a\n\n```text\nUser-agent: *\nDisallow: x\n```\n");
        assert!(after.ends_with("</a></p>\n\nb\n"), "{after}");
        let state = opened(&page);
        assert_eq!((&state["r"], &state["v"]), (&json!("User-agent: *\nDisallow: x\n"), &json!("lint")));
    }

    #[test]
    fn a_marked_command_opens_with_its_file_crawlers_and_urls() {
        let line = "$ comity check --robots docs/shop/robots.txt --agent A --agent B https://shop.example/a \"/b\"";
        let page = add(&format!("<!-- try -->\n\n```console\n{line}\n? 1\nYes.\n\n```\n"), "").unwrap();
        assert!(page.contains("\nYes.\n```\n") && !page.contains("? 1"), "{page}");
        let state = opened(&page);
        assert_eq!(state["r"], read("docs/shop/robots.txt").unwrap());
        assert_eq!((&state["a"], &state["v"]), (&json!(["A", "B"]), &json!("test")));
        assert_eq!(
            (&state["u"], &state["w"]),
            (&json!("https://shop.example/a\n/b\n"), &json!("https://shop.example"))
        );
    }

    #[test]
    fn only_marked_commands_have_links_and_wrong_marks_are_refused() {
        let page = "```console\n$ comity check --robots docs/shop/robots.txt /\n```\n";
        assert_eq!(add(page, "").unwrap(), page);
        let fetch =
            add("<!-- try -->\n```console\n$ comity fetch https://a.example\n```\n", "").unwrap_err().to_string();
        assert_eq!(fetch, "the tester has no view for `comity fetch`");
        assert!(add("<!-- try -->\ntext\n", "").is_err());
        assert!(add("<!-- try -->\n```sh\nx\n```\n", "").is_err());
    }
}
