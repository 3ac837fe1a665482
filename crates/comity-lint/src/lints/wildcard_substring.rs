use crate::diagnostic::Diagnostics;
use crate::evidence::{self, Page};
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A star before a word matches the word inside of others.
    ///
    /// ## What it does
    ///
    /// Finds patterns such as `*foo`, in which a star stands right before a word, if a URL of the site (`--sitemap`, `--urls`,
    /// `--log`) shows that they hit other words. A word at the start of the pattern with no slash at all (`*foo`) is told
    /// of without such evidence.
    ///
    /// ## Why is this bad?
    ///
    /// `*foo` matches `/foo`, and `/petfood` as well. With slashes around it, the word is the name of a directory.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: *foo
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: */foo/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: what a star stands for
    /// - Portent, The Complete Guide to Robots.txt: wildcards match inside words
    "L018" "wildcard-substring", Note, concerns: "crawlers that understand `*`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
        let Some(star) = value.iter().position(|b| *b == b'*') else { continue };
        let word = &value[star + 1..];
        let end = word.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, rest) = word.split_at(end);
        if word.len() < 2 || rest.first() == Some(&b'=') {
            continue;
        }
        let inside = |page: &&&Page| {
            let path = page.path().as_bytes();
            let at = path.windows(word.len()).position(|part| part == word);
            at.is_some_and(|at| at > 0 && path[at - 1].is_ascii_alphanumeric()) && file.forbids(line.number, page)
        };
        let hit: Vec<&Page> = file.pages().iter().filter(inside).copied().collect();
        // A word with `/` or `.` behind it ends there, and is long enough to mean itself.
        let bare = star == 0 && rest.iter().all(|b| *b == b'*');
        if hit.is_empty() && !bare {
            continue;
        }
        let message = if hit.is_empty() {
            format!("`{}` matches `{}` inside of longer words, too", shown(value), shown(word))
        } else {
            format!("`{}` also matches {}", shown(value), evidence::describe(&hit))
        };
        out.add(line.number, file.span(value), message).help(format!("`*/{}/` matches directories of that name", shown(word)));
    }
}
