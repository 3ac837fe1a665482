//! The number of code lines of each crate: lines in `src` with a token that is neither a comment nor part of a test.
//!
//! Items below `#[cfg(test)]` are tests, and so are the files of such modules. Moving tests or deleting comments changes no
//! number.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

use crate::page::files;

/// Prints the code lines of each crate in `crates`, and their sum.
pub(crate) fn print() -> Result<()> {
    let mut crates: Vec<PathBuf> = fs::read_dir("crates")?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    crates.sort();
    let mut sum = 0;
    for folder in crates {
        let lines = of(&folder.join("src"))?;
        sum += lines;
        println!("{:<24} {lines:>6}", folder.file_name().unwrap_or_default().display());
    }
    println!("{:<24} {sum:>6}", "all");
    Ok(())
}

/// Returns the code lines in the Rust files of a folder.
fn of(folder: &Path) -> Result<usize> {
    let (mut lines, mut tests) = (Vec::new(), BTreeSet::new());
    for (path, bytes) in files(folder)? {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = String::from_utf8(bytes).with_context(|| path.display().to_string())?;
            let counted = count(&text);
            // The module `name` of `a.rs`, `mod.rs` or `lib.rs` is in the folder `a`, or beside the file.
            let stem = path.file_stem().unwrap_or_default();
            let is_root = ["mod", "lib", "main"].iter().any(|root| stem == *root);
            let place = if is_root { path.with_file_name("") } else { path.with_extension("") };
            tests.extend(counted.test_modules.iter().map(|name| place.join(name)));
            lines.push((path, counted.lines));
        }
    }
    let is_test = |path: &Path| path.with_extension("").ancestors().any(|ancestor| tests.contains(ancestor));
    Ok(lines.iter().filter(|(path, _)| !is_test(path)).map(|(_, lines)| lines).sum())
}

/// The code lines of a file, and the names of the modules of tests that it declares.
struct Counted {
    lines: usize,
    test_modules: Vec<String>,
}

fn count(text: &str) -> Counted {
    // The lines of each token that is code, and the text of the token.
    let (mut tokens, mut offset, mut line) = (Vec::new(), 0, 0);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let part = &text[offset..offset + token.len as usize];
        let last = line + part.matches('\n').count();
        let is_code = !matches!(
            token.kind,
            TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
        );
        if is_code {
            tokens.push((line..=last, part));
        }
        offset += part.len();
        line = last;
    }
    let (mut lines, mut test_modules) = (BTreeSet::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if starts_with(&tokens[at..], &["#", "[", "cfg", "(", "test", ")", "]"]) {
            let start = at + 7;
            at = end_of_item(&tokens, start);
            let item = &tokens[start..at];
            if let [(_, "mod"), (_, name), (_, ";")] = item {
                test_modules.push((*name).to_owned());
            }
            continue;
        }
        lines.extend(tokens[at].0.clone());
        at += 1;
    }
    Counted { lines: lines.len(), test_modules }
}

type Token<'a> = (std::ops::RangeInclusive<usize>, &'a str);

fn starts_with(tokens: &[Token<'_>], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|((_, token), text)| token == text)
}

/// Returns the position after the item that starts here: after its first `;` or closing brace outside of brackets.
fn end_of_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0;
    for (at, (_, text)) in tokens.iter().enumerate().skip(start) {
        match *text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(*text, ";" | "}") {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let text = r##"
//! A module.

/// A function.
fn code() -> &'static str {
    // Why.
    r#"a string of
// two lines"# /* and a comment
    of two */
}

#[cfg(test)]
mod cases;

#[cfg(test)]
#[allow(dead_code)]
fn only_in_tests() {
    let _ = [1, 2];
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {}
}
"##;
        let counted = count(text);
        assert_eq!(counted.lines, 4);
        assert_eq!(counted.test_modules, ["cases"]);
    }
}
