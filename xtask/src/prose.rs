//! A check of the words in comments and documentation, by the rules that CONTRIBUTING.md states under "Words".
//!
//! It reads the comments of programs and of configuration files, docstrings, and all text of Markdown files, without code.
//! [`CLEAN`] names the folders and files that it reads.

use std::path::Path;
use std::{fmt, fs};

use anyhow::{Result, ensure};

use crate::names;
use crate::page::files;

/// The folders and files that are checked.
const CLEAN: &[&str] = &[
    "CHANGELOG.md",
    "COMPARE.md",
    "CONTRIBUTING.md",
    "DESIGN.md",
    "README.md",
    "RELEASING.md",
    "SECURITY.md",
    "action",
    "bench/columns",
    "bench/fetch/src",
    "bench/fleet/src",
    "bench/js",
    "bench/python",
    "bench/serve/src",
    "bench/src",
    "crates/comity",
    "crates/comity-arrow",
    "crates/comity-audit",
    "crates/comity-cli",
    "crates/comity-fetch",
    "crates/comity-heap",
    "crates/comity-lint",
    "crates/comity-log",
    "crates/comity-meaning",
    "crates/comity-page",
    "crates/comity-policy",
    "crates/comity-report",
    "crates/comity-server",
    "crates/comity-store-postgres",
    "docs/audit.md",
    "crates/comity-watch",
    "docs/crawler-authors.md",
    "docs/dialects.md",
    "docs/fleet.md",
    "docs/glossary.md",
    "docs/images/README.md",
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
    "docs/watch.md",
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
    "packaging",
    "python",
    "testdata",
    "testserver",
    "web/DESIGN.md",
    "web/src",
    "web/tests",
    "xtask",
];

/// The page that is built from `web`. Its comments are those of libraries.
const BUILT: &str = "crates/comity-server/page/";

/// Words and phrases to avoid, and better ones. A `*` matches any ending.
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

/// British spellings, and the American ones.
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

/// The extensions of the files that are checked in a folder.
const EXTENSIONS: [&str; 12] = ["css", "js", "md", "mjs", "py", "pyi", "rs", "service", "sh", "toml", "ts", "tsx"];

/// Words that a doc comment should not start with: a verb or a noun phrase is easier to read.
const FIRST_WORDS: [&str; 7] = ["What", "Whether", "How", "Where", "Who", "That", "Of"];

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

/// Checks all texts and the names of public types. Fails if it finds anything.
pub(crate) fn check() -> Result<()> {
    let words: Vec<_> = WORDS.iter().chain(&SPELLINGS).copied().collect();
    let mut problems = Vec::new();
    for root in CLEAN {
        for (file, text) in texts(Path::new(root))? {
            problems.extend(findings(&file, &text, &words).iter().map(Finding::to_string));
            let starts = first_words(&text, extension(&file)).into_iter();
            let describe = |(line, word)| format!("{file}:{line}: `{word}`: start with a verb or a noun phrase");
            problems.extend(starts.filter(|(_, word)| FIRST_WORDS.contains(word)).map(describe));
        }
    }
    let is_missing = |folder: &String| !CLEAN.contains(&folder.as_str());
    let missing = crates()?.into_iter().filter(is_missing);
    problems.extend(missing.map(|folder| format!("{folder}: add it to `CLEAN` in xtask/src/prose.rs")));
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
        let is_own = !file.ends_with("xtask/src/prose.rs") && !file.starts_with(BUILT);
        if is_own && EXTENSIONS.contains(&extension(&file)) {
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
            "service" | "sh" | "toml" => hash_comment(line),
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

/// Returns the text of the comment that starts with `#` in a line, if it has one. A `#` in a string starts none.
fn hash_comment(line: &str) -> Option<&str> {
    if line.trim_start().starts_with('#') {
        return Some(line);
    }
    let mut starts = line.match_indices(" # ").map(|(start, _)| start);
    let start = starts.find(|start| line[..*start].matches('"').count().is_multiple_of(2))?;
    Some(&line[start..])
}

/// Returns the text of the comment in a line, if it has one.
fn comment(line: &str) -> Option<&str> {
    let start = line.trim_start();
    if start.starts_with("//") || start.starts_with("/*") || start.starts_with("* ") {
        return Some(start.trim_start_matches(['/', '*', '!']));
    }
    line.split_once(" // ").map(|(_, text)| text)
}

/// Returns the first word of each doc comment and docstring, with its line.
fn first_words<'t>(text: &'t str, extension: &str) -> Vec<(usize, &'t str)> {
    let mut is_in_doc = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let start = match extension {
            "rs" => {
                let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
                let was_in_doc = std::mem::replace(&mut is_in_doc, doc.is_some());
                doc.filter(|_| !was_in_doc)
            }
            "py" | "pyi" => {
                let doc = line.strip_prefix("\"\"\"").filter(|_| !is_in_doc);
                is_in_doc ^= line.matches("\"\"\"").count() % 2 == 1;
                doc
            }
            // The text may begin in the line after `/**`.
            "js" | "mjs" | "ts" | "tsx" => {
                let doc = if is_in_doc { line.strip_prefix('*') } else { line.strip_prefix("/**") };
                is_in_doc = doc.is_some_and(|doc| doc.trim().is_empty());
                doc
            }
            _ => None,
        };
        let Some(start) = start.map(str::trim_start) else { continue };
        let end = start.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(start.len());
        if end > 0 {
            found.push((index + 1, &start[..end]));
        }
    }
    found
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
    fn comments_with_hashes_are_read() {
        let text = "# behind\nkey = \"a # stands\" # mend\nname = \"anew\"\n";
        assert_eq!(found("a.toml", text), [(1, "behind"), (2, "mend")]);
        assert_eq!(found("a.sh", "echo behind # anew\n"), [(1, "anew")]);
    }

    #[test]
    fn first_words_of_docs_are_found() {
        let text = "//! What it is.\n\n/// Returns it.\n/// What follows is no first word.\nfn f() {}\n/// `x`\n";
        assert_eq!(first_words(text, "rs"), [(1, "What"), (3, "Returns")]);
        let text = "\"\"\"How it is.\n\nWhere.\n\"\"\"\nx = 1\n\"\"\"Returns it.\"\"\"\n";
        assert_eq!(first_words(text, "py"), [(1, "How"), (6, "Returns")]);
        let text = "/** Whether it is. */\n/* Who */\n/**\n * A page.\n * That is all.\n */\n";
        assert_eq!(first_words(text, "mjs"), [(1, "Whether"), (4, "A")]);
    }

    #[test]
    fn a_finding_names_file_line_and_the_better_word() {
        let words = [("behind", "after")];
        assert_eq!(findings("a.rs", "\n// behind\n", &words)[0].to_string(), "a.rs:2: `behind`: write `after`");
    }
}
