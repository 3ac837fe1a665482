use comity::RuleKind;

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A rule tells everybody where something lies that nobody should find.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow` rules whose paths name passwords, secrets, credentials, backups, database dumps and the like. Paths
    /// that only lead to a form, such as `/password-reset`, don't count.
    ///
    /// ## Why is this bad?
    ///
    /// Everyone can read robots.txt, and those who look for secrets read it first. It stops nobody. What should be secret
    /// needs a password. What should merely not be found needs `noindex`, in the page or in an `X-Robots-Tag` header; a rule
    /// that is still wanted can say less (`/xyz-` for `/xyz-secret-plans`).
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /backup/customers.sql
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /b-
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §3: the file is public, and no security measure
    /// - Portent, The Complete Guide to Robots.txt: don't use it for private content
    "L003" "secret-disclosure", Warning, concerns: "people who read the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        if kind != RuleKind::Disallow {
            continue;
        }
        let Some(word) = tells_of(value) else { continue };
        let message = format!("`{}` tells everybody where to look", shown(word));
        out.add(line.number, file.span(word), message).help("robots.txt is public and stops nobody: put it behind a password");
    }
}

/// The word in a path that gives something away.
fn tells_of(path: &[u8]) -> Option<&[u8]> {
    let mut rest = path;
    loop {
        let start = rest.iter().position(u8::is_ascii_alphanumeric)?;
        let dotted = start > 0 && rest[start - 1] == b'.';
        rest = &rest[start..];
        let end = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let found = match word.len() {
            3 => dotted && is_any(word, &["sql", "bak", "env", "git", "svn", "pem"]),
            6 => is_any(word, &["passwd", "secret", "backup", "dbdump"]),
            7 => is_any(word, &["secrets", "backups", "sqldump"]),
            8 => is_any(word, &["htpasswd", "password"]) && behind.first().is_none_or(|b| *b == b's'),
            9 => is_any(word, &["passwords"]),
            10 => is_any(word, &["credential"]),
            11 => is_any(word, &["credentials"]),
            12 => is_any(word, &["confidential"]),
            _ => false,
        };
        if found {
            return Some(word);
        }
        rest = behind;
    }
}

fn is_any(word: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}
