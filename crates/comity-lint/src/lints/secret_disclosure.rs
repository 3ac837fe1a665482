use std::collections::BTreeSet;

use crate::prelude::*;

lint! {
    /// A rule discloses the path of something secret to everyone who reads the file.
    ///
    /// Protect the files with a password or remove them from the server, and remove the rule. To keep a public page out
    /// of search results, use `noindex` in the page or in an `X-Robots-Tag` header.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow` rules with paths that name passwords, secrets, credentials, backups, database dumps and similar
    /// files, and parameters such as `?token=7f3b19c2`. Paths of forms, such as `/password-reset`, and files as a content management system is delivered with are
    /// not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Everyone can read robots.txt, and people who look for secrets read it first. It protects nothing: it only asks
    /// crawlers not to fetch. If a rule is needed, a shorter one discloses less, for example `/xyz-` for
    /// `/xyz-secret-plans`.
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
    /// A password for `/backup/`, and a file that does not name it:
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow:
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §3: the file is public, and no security measure
    /// - Portent, The Complete Guide to Robots.txt: don't use it for private content
    "L003" "secret-disclosure", Warning, affects: "everyone who can read the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told = BTreeSet::new();
    let is_stock = || STOCK.iter().all(|path| file.has_rule(path));
    for (_, value) in file.disallowed() {
        let secret = secret_parameter(value);
        let Some(word) = secret.or_else(|| disclosed(value)).filter(|_| !(value == b"/backup/" && is_stock())) else {
            continue;
        };
        // A path that several groups repeat is reported once.
        if !told.insert(value) {
            continue;
        }
        let what = if secret.is_some() { "what only its owner may know" } else { "a path" };
        let message = format!("`{}` discloses {what} to everyone who reads the file", shown(word));
        out.add(file.span(word), message).help("robots.txt is public and protects nothing: use a password");
    }
}

/// Other rules of the file that Grav, a content management system, is delivered with. It is no secret that such sites
/// have a folder `/backup/`.
const STOCK: [&[u8]; 5] = [b"/bin/", b"/cache/", b"/logs/", b"/system/", b"/user/"];

/// The minimum length of a pattern with a secret in it: `/?key=12345678`, in bytes.
const MIN_SECRET: usize = 14;

/// Returns the parameter of a pattern that grants access, with its value.
fn secret_parameter(value: &[u8]) -> Option<&[u8]> {
    const PARAMETERS: &str =
        "access_key access_token api_key apikey auth key pass password pwd secret sig signature token";
    // Fast path: few patterns are as long, or have a digit near their end.
    if value.len() < MIN_SECRET || !value[value.len() - 8..].iter().any(u8::is_ascii_digit) {
        return None;
    }
    let query = value.iter().position(|byte| *byte == b'?')?;
    value[query + 1..].split(|byte| matches!(byte, b'&' | b'*' | b'$')).find(|part| {
        let mut sides = part.splitn(2, |byte| *byte == b'=');
        let (Some(name), Some(secret)) = (sides.next(), sides.next()) else { return false };
        is_in(PARAMETERS, name) && secret.len() >= 8 && secret.iter().any(u8::is_ascii_digit)
    })
}

/// The length of the shortest name that is a secret, `.env`, in bytes.
const MIN_NAME: usize = 4;
/// Longer names of files and directories are not looked at, in bytes.
const MAX_NAME: usize = 128;

/// Returns the part of a path that discloses something secret: the name of a file or directory.
fn disclosed(path: &[u8]) -> Option<&[u8]> {
    let path = path.strip_suffix(b"*").unwrap_or(path);
    // A pattern with a star does not disclose where such files are, only that there may be some.
    if path.contains(&b'*') {
        return None;
    }
    // `/products/backup/` may be a page about a product.
    let depth = path.iter().position(|b| *b != b'/').unwrap_or(0);
    path.split(|b| matches!(b, b'/' | b'?')).find(|name| {
        let is_at_root = path[depth..].as_ptr() == name.as_ptr();
        let name = name.strip_suffix(b"$").unwrap_or(name);
        // Most names are told apart by this alone.
        if !(MIN_NAME..=MAX_NAME).contains(&name.len()) || !name.iter().any(u8::is_ascii_alphabetic) {
            return false;
        }
        is_listed(name, if is_at_root { words::SECRET | words::SECRET_AT_ROOT } else { words::SECRET })
            || name.iter().any(|byte| matches!(byte, b'.' | b'-' | b'_')) && is_secret_in_any_case(name)
    })
}

/// Returns true for a name in any case that contains or suggests a secret. It is copied to the stack: many names get here,
/// and few are secrets.
fn is_secret_in_any_case(name: &[u8]) -> bool {
    let mut lower = [0; MAX_NAME];
    lower[..name.len()].copy_from_slice(name);
    lower.make_ascii_lowercase();
    std::str::from_utf8(&lower[..name.len()]).is_ok_and(is_secret)
}

/// The words in the names of data files that suggest a secret.
const SECRET_DATA: &str = "abonn backup credential customer kunden passwd password patient salaries secret subscriber";
const COPY: &str = "backup backups dump dumps";
const COPIED: &str = "database db mysql site sql website wp";

/// Returns true for a name in lower case, of several words or with an ending, that contains or suggests a secret.
fn is_secret(name: &str) -> bool {
    if name.starts_with("compromising-") {
        return true;
    }
    if name.bytes().any(|byte| byte == b'.') {
        let dots = name.match_indices('.').map(|(at, _)| at).filter(|at| *at > 0);
        let endings = dots.fold(0, |all, at| all | words::lists_of(&name.as_bytes()[at..]));
        let is_data = || endings & words::DATA_ENDING != 0 && SECRET_DATA.split(' ').any(|word| name.contains(word));
        return endings & words::SECRET_ENDING != 0 || name.starts_with("wp-config.php") || is_data();
    }
    let is_copy = |word: &str| is_in(COPY, word.as_bytes());
    let is_copied = |word: &str| is_in(COPIED, word.as_bytes());
    let mut parts = name.rsplit(['-', '_']);
    let (Some(two), Some(one), more, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_harmless = |word: &str| is_listed(word.as_bytes(), words::HARMLESS);
    // `backup-2019`, `db_dump`, `site-backup`
    is_copy(one) && (is_number(two) || is_copied(two))
        || is_copy(two) && is_copied(one)
        || more.is_none() && (one == "secret" || two == "secret") && !is_harmless(one) && !is_harmless(two)
}

fn is_number(word: &str) -> bool {
    word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit())
}
