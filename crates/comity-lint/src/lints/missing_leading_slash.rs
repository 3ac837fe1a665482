use crate::prelude::*;
use crate::recognize::characters::{invisible, quoted};
use crate::recognize::host::host_len;
use crate::recognize::records::second_record;
use crate::recognize::regex::regex;

lint! {
    /// A rule starts with neither a slash nor a star, so it matches no page.
    ///
    /// Add the slash: write `/private/` for `private/`.
    ///
    /// ## What it does
    ///
    /// Finds values of `Allow` and `Disallow` such as `private/`. If the group has the rule with the slash as well, the
    /// finding is a note. URLs and host names are reported by `host-in-path`.
    ///
    /// ## Why is this bad?
    ///
    /// Every path starts with a slash, and a rule is compared from the start of the path. RFC 9309 does not define such
    /// rules, and in Google's parser they match nothing. A few crawlers add the slash, so the effect depends on the
    /// crawler.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: private/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: a path pattern starts with a slash
    /// - Portent, The Complete Guide to Robots.txt: always start with a slash
    "L010" "missing-leading-slash", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let has_patterns = file.rules().any(|(_, _, value)| matches!(value[0], b'/' | b'*'));
    for (line, kind, value) in file.rules() {
        let starts_invisibly = || invisible(value).is_some_and(|(at, _)| at.start == 0);
        let has_other_finding = || {
            host_len(value).is_some()
                || quoted(value).is_some()
                || regex(value).is_some()
                || second_record(value).is_some()
                || starts_invisibly()
        };
        if matches!(value[0], b'/' | b'*') || has_other_finding() {
            continue;
        }
        let span = file.span(value);
        let at = span.start;
        let found = out.add(span, format!("`{}` starts with neither `/` nor `*`: it matches nothing", shown(value)));
        // A slash before another separator would hide the mistake.
        if let [b':' | b'=', rest @ ..] = value {
            if matches!(rest.trim_ascii_start(), [b'/' | b'*', ..]) {
                found.unsafe_fix("keep only the path", vec![Edit::new(at..at + 1, "")]);
            }
            continue;
        }
        let (title, fixed) = fixed(value);
        let fixed: Vec<&[u8]> = fixed.iter().map(Vec::as_slice).collect();
        // Some sites write both for crawlers that add the slash. Then nothing is missing.
        let is_there =
            |pattern: &&[u8]| file.is_stated(line.number, kind, pattern) || file.is_covered(line.number, kind, pattern);
        if has_patterns && fixed.iter().all(is_there) {
            found.severity(Severity::Note).help("the group has the rule with the slash as well: delete this line");
        } else {
            found.unsafe_fix(title, file.with_values(line.number, &fixed));
        }
    }
}

/// Returns the title of a fix and the patterns that are probably meant. A query, a parameter or a file extension is matched
/// on any page, and backslashes are replaced with slashes.
fn fixed(value: &[u8]) -> (&'static str, Vec<Vec<u8>>) {
    let is_ending = |rest: &[u8]| {
        let letters = rest.strip_suffix(b"$").unwrap_or(rest);
        letters.len() < 6 && !letters.is_empty() && letters.iter().all(u8::is_ascii_alphanumeric)
    };
    let is_parameter = || {
        let name = value.strip_suffix(b"*").unwrap_or(value).strip_suffix(b"=");
        name.is_some_and(|name| {
            !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        })
    };
    match value {
        [b'?', rest @ ..] if !rest.is_empty() => {
            let end = value.iter().rposition(|b| *b != b'*').map_or(0, |last| last + 1);
            ("match the query of any page", vec![[b"/*", &value[..end]].concat()])
        }
        [b'.', rest @ ..] if is_ending(rest) && !rest.eq_ignore_ascii_case(b"git") => {
            ("match files with this extension", vec![[b"/*", value].concat()])
        }
        [b'\\', ..] => {
            let slashes = value.iter().map(|b| if *b == b'\\' { b'/' } else { *b });
            ("replace the backslashes with slashes", vec![slashes.collect()])
        }
        _ if is_parameter() => {
            ("match the parameter on any page", vec![[b"/*?", value].concat(), [b"/*&", value].concat()])
        }
        _ => ("add the slash", vec![[b"/", value].concat()]),
    }
}
