//! A check of the words in comments and documentation, by the rules that CONTRIBUTING.md states under "Words".
//!
//! It reads the comments of Rust, TypeScript, CSS and Python files, docstrings, and all text of Markdown files, without
//! code. [`CLEAN`] names
//! the folders and files that pass; the others are in [`NOT_YET`], where only the spelling is checked. Move an entry once
//! it passes.

use std::path::Path;
use std::{fmt, fs};

use anyhow::{Result, ensure};

use crate::names;
use crate::page::files;

/// The folders and files with texts that pass the whole check.
const CLEAN: &[&str] = &[
    "CHANGELOG.md",
    "COMPARE.md",
    "CONTRIBUTING.md",
    "DESIGN.md",
    "README.md",
    "RELEASING.md",
    "SECURITY.md",
    "bench/columns",
    "bench/fetch/src",
    "bench/fleet/src",
    "bench/js",
    "bench/python",
    "bench/serve/src",
    "bench/src",
    "crates/comity",
    "crates/comity-arrow",
    "crates/comity-cli",
    "crates/comity-fetch",
    "crates/comity-heap",
    "crates/comity-lint",
    "crates/comity-meaning",
    "crates/comity-page",
    "crates/comity-policy",
    "crates/comity-report",
    "crates/comity-server",
    "crates/comity-store-postgres",
    "docs/crawler-authors.md",
    "docs/fleet.md",
    "docs/glossary.md",
    "docs/install.md",
    "docs/linting.md",
    "docs/lints",
    "docs/meaning-theory.md",
    "docs/meaning.md",
    "docs/performance",
    "docs/performance.md",
    "docs/scale",
    "docs/scale.md",
    "docs/service.md",
    "docs/site-owners.md",
    "docs/tester.md",
    "docs/javascript.md",
    "docs/python.md",
    "docs/scrapy.md",
    "examples",
    "fuzz/README.md",
    "fuzz/fuzz_targets",
    "js/README.md",
    "js/package",
    "js/src",
    "js/tests",
    "python",
    "testdata",
    "testserver",
    "web/src",
    "xtask",
];

/// The folders and files with texts that have not been revised yet.
const NOT_YET: &[&str] = &[];

/// Words and phrases to avoid in texts that have been revised, and better ones. A `*` matches any ending.
const WORDS: [(&str, &str); 17] = [
    ("anew", "again"),
    ("as it stands", "as it is, unchanged"),
    ("as they stand", "as they are, unchanged"),
    ("behind", "after"),
    ("came of it", "the result"),
    ("for ever", "forever"),
    ("if nothing is said", "Defaults to …"),
    ("is told", "receives, gets"),
    ("licence", "license"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("neighbour*", "neighbor"),
    ("stand", "be, is written, applies"),
    ("stands", "is, is written, applies"),
    ("unless said", "by default"),
    ("what came of", "the result of"),
    ("without a word", "by default"),
];

/// British spellings that are in no text any more, and the American ones.
const SPELLINGS: [(&str, &str); 12] = [
    ("behaviour*", "behavior"),
    ("catalogue*", "catalog"),
    ("centre*", "center"),
    ("colour*", "color"),
    ("favour*", "favor"),
    ("honour*", "honor"),
    ("initialis*", "initializ…"),
    ("labelled", "labeled"),
    ("optimis*", "optimiz…"),
    ("organis*", "organiz…"),
    ("recognis*", "recogniz…"),
    ("serialis*", "serializ…"),
];

/// Words that a doc comment should not start with: a verb or a noun phrase is easier to read.
const FIRST_WORDS: [&str; 7] = ["What", "Whether", "How", "Where", "Who", "That", "Of"];

/// The maximum percentage of doc comments that start with one of [`FIRST_WORDS`].
const MAX_PERCENT: usize = 2;

/// A word to avoid, with its place.
struct Finding {
    file: String,
    line: usize,
    word: &'static str,
    better: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: `{}`: write `{}`", self.file, self.line, self.word, self.better)
    }
}

/// Checks all texts and the names of public types, and prints the first words of each crate. Fails if it finds anything.
pub(crate) fn check() -> Result<()> {
    let spellings: Vec<_> = SPELLINGS.to_vec();
    let all: Vec<_> = WORDS.iter().chain(&SPELLINGS).copied().collect();
    let mut problems = Vec::new();
    for (roots, words) in [(CLEAN, &all), (NOT_YET, &spellings)] {
        for root in roots {
            for (file, text) in texts(Path::new(root))? {
                problems.extend(findings(&file, &text, words).iter().map(Finding::to_string));
            }
        }
    }
    for folder in crates()? {
        let is_listed = |list: &[&str]| list.iter().any(|root| Path::new(root).starts_with(&folder));
        if !is_listed(CLEAN) && !is_listed(NOT_YET) {
            problems.push(format!("{folder}: add it to `CLEAN` in xtask/src/prose.rs"));
        }
        let source = format!("{folder}/src");
        let mut measure = Measure::default();
        for (_, text) in texts(Path::new(&source))?.iter().filter(|(file, _)| extension(file) == "rs") {
            measure.add(text);
        }
        println!("{folder:<24} {measure}");
        if is_listed(CLEAN) && measure.percent() > MAX_PERCENT {
            problems.push(format!("{folder}: {measure}, expected at most {MAX_PERCENT} %"));
        }
    }
    ensure!(problems.is_empty(), "CONTRIBUTING.md has the rules for words:\n{}", problems.join("\n"));
    let mut published = crates()?;
    published.push("testdata".to_owned());
    names::check(&published)
}

/// Returns the folders of all crates that users see.
fn crates() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("crates")? {
        found.push(format!("crates/{}", entry?.file_name().to_string_lossy()));
    }
    found.sort();
    Ok(found)
}

/// Returns the names and contents of a file, or of the files with text in a folder. This module contains all words, and is
/// left out.
fn texts(root: &Path) -> Result<Vec<(String, String)>> {
    if root.is_file() {
        return Ok(vec![(root.display().to_string(), fs::read_to_string(root)?)]);
    }
    let mut texts = Vec::new();
    for (path, bytes) in files(root)? {
        let file = root.join(path).display().to_string();
        let is_text = ["rs", "md", "ts", "tsx", "css", "py", "pyi"].contains(&extension(&file));
        if is_text && !file.ends_with("xtask/src/prose.rs") {
            texts.push((file, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(texts)
}

/// Returns the extension of a file's name, without the dot.
fn extension(file: &str) -> &str {
    Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Returns the words to avoid in a file. A phrase is also found across a line break.
fn findings(file: &str, text: &str, words: &[(&'static str, &'static str)]) -> Vec<Finding> {
    let lines = prose(text, extension(file));
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).map_or("", String::as_str);
        let both = format!("{} {}", line.trim_end(), next.trim_start());
        for &(word, better) in words {
            // A match in the next line alone is found there.
            if contains(&both, word) && !contains(next, word) || contains(line, word) {
                found.push(Finding { file: file.to_owned(), line: index + 1, word, better });
            }
        }
    }
    found
}

/// Returns true if a line has this word or phrase, in any case. A `*` at its end is any ending.
fn contains(line: &str, word: &str) -> bool {
    let (stem, is_stem) = word.strip_suffix('*').map_or((word, false), |stem| (stem, true));
    let is_letter = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let line = line.to_lowercase();
    line.match_indices(stem).any(|(start, _)| {
        let after = line[start + stem.len()..].chars().next();
        !is_letter(line[..start].chars().next_back()) && (is_stem || !is_letter(after))
    })
}

/// Returns the prose of each line: in Markdown all text, in programs the comments and docstrings. Code in fences and
/// backticks is left out.
fn prose(text: &str, extension: &str) -> Vec<String> {
    let mut is_in_fence = false;
    let mut is_in_docstring = false;
    let lines = text.lines().map(|line| {
        let line = match extension {
            "md" => Some(line),
            "py" | "pyi" => python_comment(line, &mut is_in_docstring),
            _ => comment(line),
        };
        let Some(line) = line else {
            is_in_fence = false;
            return String::new();
        };
        if line.trim_start().starts_with("```") {
            is_in_fence = !is_in_fence;
            return String::new();
        }
        if is_in_fence { String::new() } else { line.split('`').step_by(2).collect::<Vec<_>>().join("`") }
    });
    lines.collect()
}

/// Returns the text of the comment or of the docstring in a line of Python, without examples.
fn python_comment<'l>(line: &'l str, is_in_docstring: &mut bool) -> Option<&'l str> {
    const QUOTES: &str = "\"\"\"";
    let start = line.trim_start();
    let was_in_docstring = *is_in_docstring;
    *is_in_docstring ^= start.matches(QUOTES).count() % 2 == 1;
    if was_in_docstring || start.starts_with(QUOTES) {
        return (!start.starts_with(">>>")).then_some(start.trim_matches('"'));
    }
    if start.starts_with('#') { Some(start) } else { line.split_once("  # ").map(|(_, text)| text) }
}

/// Returns the text of the comment in a line, if it has one.
fn comment(line: &str) -> Option<&str> {
    let start = line.trim_start();
    if start.starts_with("//") || start.starts_with("/*") || start.starts_with("* ") {
        return Some(start.trim_start_matches(['/', '*', '!']));
    }
    line.split_once(" // ").map(|(_, text)| text)
}

/// The first words of doc comments.
#[derive(Debug, Default)]
struct Measure {
    all: usize,
    bad: usize,
}

impl Measure {
    /// Counts the first word of each run of doc comment lines.
    fn add(&mut self, text: &str) {
        let mut is_in_run = false;
        for line in text.lines() {
            let line = line.trim_start();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(doc) = doc.filter(|_| !is_in_run) {
                let doc = doc.trim_start();
                let end = doc.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(doc.len());
                self.all += usize::from(end > 0);
                self.bad += usize::from(FIRST_WORDS.contains(&&doc[..end]));
            }
            is_in_run = doc.is_some();
        }
    }

    /// Returns the percentage of bad first words, rounded up.
    fn percent(&self) -> usize {
        (100 * self.bad).div_ceil(self.all.max(1))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = FIRST_WORDS.join(", ");
        write!(f, "{} of {} doc comments start with {words} ({} %)", self.bad, self.all, self.percent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<(usize, &'static str)> {
        let words: Vec<_> = WORDS.iter().chain(&SPELLINGS).copied().collect();
        findings(file, text, &words).iter().map(|finding| (finding.line, finding.word)).collect()
    }

    #[test]
    fn words_are_found_in_comments_only() {
        let text =
            "/// It is Behind it.\nfn behind() {} // stands\nlet url = \"http://behind\";\n// a `behind` and behinds\n";
        assert_eq!(found("a.rs", text), [(1, "behind"), (2, "stands")]);
    }

    #[test]
    fn code_in_docs_is_left_out() {
        let text = "/// ```\n/// // behind\n/// ```\n/// behind\nfn f() {}\n//! ```\nx\n// anew\n";
        assert_eq!(found("a.rs", text), [(4, "behind"), (8, "anew")]);
        assert_eq!(found("a.md", "```\nbehind\n```\nThe recognised\n"), [(4, "recognis*")]);
    }

    #[test]
    fn docstrings_and_comments_of_python_are_read() {
        let text = "\"\"\"It is behind it.\n\n>>> behind\nanew\n\"\"\"\nbehind = 1  # stands\n# mend\n\"\"\"anew\"\"\"\nanew()\n";
        assert_eq!(found("a.py", text), [(1, "behind"), (4, "anew"), (6, "stands"), (7, "mend"), (8, "anew")]);
    }

    #[test]
    fn phrases_may_be_broken_over_lines() {
        assert_eq!(found("a.rs", "// 5 if nothing\n// is said.\n"), [(1, "if nothing is said")]);
        assert_eq!(found("a.rs", "// so it\n// is told\n"), [(2, "is told")]);
    }

    #[test]
    fn the_first_words_of_docs_are_counted() {
        let mut measure = Measure::default();
        measure.add("//! What it is.\n\n/// Returns it.\n/// What follows is no first word.\nfn f() {}\n/// `x`\n");
        assert_eq!((measure.bad, measure.all, measure.percent()), (1, 2, 50));
    }

    #[test]
    fn a_finding_names_file_line_and_the_better_word() {
        let words = [("behind", "after")];
        assert_eq!(findings("a.rs", "\n// behind\n", &words)[0].to_string(), "a.rs:2: `behind`: write `after`");
    }
}
