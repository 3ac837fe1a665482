//! The check that fixes do not close a site, that is, newly block paths that no rule named.

use std::collections::BTreeSet;

use comity::RuleKind;

use crate::budget::{Budget, Halt};
use crate::readings::{self, Difference, Readings};
use crate::verdicts::{self, VerdictChange};

/// Words for paths that no rule is likely to name. There are several with different first letters, because a rule may
/// match one of them by accident.
const WORDS: [&str; 4] = ["qzxk", "jvwy", "0918", "%E2%98%83"];
/// The forms of these paths, in which `W` is replaced with a word.
const SHAPES: [&str; 12] =
    ["/W", "/W/", "/W/W", "/W/W/W/W/", "/W.W", "/W?W", "/W?W=W", "/W?W=W&W=W", "/W-W_W", "/W%20W", "/W+W,W;W:W", "//W"];
/// The maximum number of wide patterns of one crawler from which paths are made.
const MAX_WIDE: usize = 100;

/// Returns an example of a path that no rule named and that is newly blocked, for any crawler in any checked dialect.
///
/// A pattern without any word names nothing: it blocks paths whatever their names are.
pub(crate) fn find(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<VerdictChange>, Halt> {
    let mut found = None;
    readings::compare(before, after, budget, &mut |difference, budget| {
        if found.is_none() {
            found = of_crawler(difference, budget)?;
        }
        Ok(())
    })?;
    Ok(found)
}

fn of_crawler(difference: &Difference<'_>, budget: &mut Budget<'_>) -> Result<Option<VerdictChange>, Halt> {
    let Difference { who, files, rules } = difference;
    let is_wide = |rule: &comity::Rule<'_>| rule.kind() == RuleKind::Disallow && !names_something(rule.pattern());
    // Without such a rule, no path is blocked that no rule names.
    if !rules[1].iter().any(is_wide) {
        return Ok(None);
    }
    let mut probes: BTreeSet<String> = BTreeSet::from(["/".to_owned()]);
    for word in WORDS {
        probes.extend(SHAPES.map(|shape| shape.replace('W', word)));
        let changed = verdicts::changed(rules);
        let wide: Vec<_> = changed.iter().filter(|rule| is_wide(rule)).collect();
        for rule in wide.iter().take(MAX_WIDE) {
            let pattern = String::from_utf8_lossy(rule.pattern());
            let path = pattern.strip_suffix('$').unwrap_or(&pattern).replace('*', word);
            probes.insert(if path.starts_with('/') { path } else { format!("/{path}") });
        }
    }
    let [old, new] = files.map(|file| file.rules_for(&who.crawler()));
    let weight = 2 + (rules[0].len() + rules[1].len()) / 32;
    for path in probes {
        budget.spend(weight)?;
        let is = new.check(&path);
        if !is.is_disallowed() || !old.check(&path).is_allowed() {
            continue;
        }
        if verdicts::rule_of_line(&rules[1], is.line()).is_none_or(|rule| is_wide(&rule)) {
            let (agent, dialect) = (who.name(*files), files[0].dialect().name);
            return Ok(Some(VerdictChange { agent, dialect, path, allowed: false }));
        }
    }
    Ok(None)
}

/// Returns true if a pattern contains a letter or a digit, escaped or not. A pattern without any, such as `/*?`, names
/// no path.
pub(crate) fn names_something(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let escaped = tail.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let octet = match escaped {
            Some(octet) if byte == b'%' => {
                rest = &tail[2..];
                octet
            }
            _ => byte,
        };
        if octet.is_ascii_alphanumeric() || !octet.is_ascii() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::names_something;

    #[test]
    fn letters_and_digits_name_something() {
        for pattern in ["/a", "*9", "/%C3%A9", "/é", "/%61", "/*?id="] {
            assert!(names_something(pattern.as_bytes()), "{pattern}");
        }
        for pattern in ["", "/", "/*", "*/", "/*$", "/*?", "/%20", "//*/", "/%", "/&=%2F"] {
            assert!(!names_something(pattern.as_bytes()), "{pattern}");
        }
    }
}
