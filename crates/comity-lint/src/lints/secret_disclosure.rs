use std::collections::BTreeSet;

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
    let mut told = BTreeSet::new();
    for (line, kind, value) in file.rules() {
        if kind != RuleKind::Disallow {
            continue;
        }
        let Some(word) = tells_of(value) else { continue };
        // Every group may say it again, and all of them are read by the same people.
        if !told.insert(value) {
            continue;
        }
        let message = format!("`{}` tells everybody where to look", shown(word));
        out.add(line.number, file.span(word), message).help("robots.txt is public and stops nobody: put it behind a password");
    }
}

/// The part of a path that gives something away: a name that is nothing else, or a file's ending.
fn tells_of(path: &[u8]) -> Option<&[u8]> {
    // With a star it says that there might be such files, not where they are.
    if path.contains(&b'*') {
        return None;
    }
    path.split(|b| matches!(b, b'/' | b'?')).find(|name| {
        let name = name.strip_suffix(b"$").unwrap_or(name);
        match name.iter().rposition(|b| *b == b'.') {
            Some(0) => is_any(name, &[".git", ".svn", ".env", ".htpasswd"]),
            Some(dot) => is_any(&name[dot..], &[".sql", ".bak"]),
            None => is_any(name, NAMES),
        }
    })
}

/// Names of directories and files that lead to what should not be found. Pages such as `forgot-password` are not meant.
const NAMES: &[&str] = &[
    "backup", "backups", "confidential", "credentials", "db-backup", "db_backup", "dbdump", "htpasswd", "old-backup",
    "passwd", "passwords", "private-files", "secret", "secrets", "sql-dump", "sqldump",
];

fn is_any(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|n| name.eq_ignore_ascii_case(n.as_bytes()))
}
