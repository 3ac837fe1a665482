//! Patterns of rules in words.
//!
//! The tester page describes them by a function of its own, since it shows them without asking the service. Both are
//! tested with `testdata/words/patterns.toml`.

/// Returns a description of the URLs that a pattern matches. `quote` writes its literal parts, for example as code.
///
/// ```
/// use comity_report::pattern_words;
///
/// let plain = |part: &str| part.to_owned();
/// assert_eq!(pattern_words("/cart/", plain), "URLs that start with /cart/");
/// assert_eq!(pattern_words("/*.pdf$", plain), "URLs that end with .pdf");
/// ```
pub fn pattern_words(pattern: &str, quote: impl Fn(&str) -> String) -> String {
    let everything = "every URL of the site".to_owned();
    let (body, is_anchored) = pattern.strip_suffix('$').map_or((pattern, false), |body| (body, true));
    let Some((start, rest)) = body.split_once('*') else {
        return match (is_anchored, body) {
            (true, _) => format!("exactly {}, and nothing longer", quote(body)),
            (false, "/") => everything,
            (false, _) => format!("URLs that start with {}", quote(body)),
        };
    };
    let mut later: Vec<String> = rest.split('*').filter(|part| !part.is_empty()).map(&quote).collect();
    // The last part is at the end of the URL, unless a star is after it.
    let end = if is_anchored && !body.ends_with('*') { later.pop() } else { None };
    let mut said = Vec::new();
    if !matches!(start, "" | "/") {
        said.push(format!("start with {}", quote(start)));
    }
    if !later.is_empty() {
        said.push(format!("contain {}", later.join(", then ")));
    }
    said.extend(end.map(|end| format!("end with {end}")));
    if said.is_empty() { everything } else { format!("URLs that {}", said.join(", and then ")) }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Cases {
        pattern: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        pattern: String,
        words: String,
    }

    #[test]
    fn patterns_are_described_as_the_tester_does() {
        let cases: Cases = toml::from_str(include_str!("../../../testdata/words/patterns.toml")).unwrap();
        assert!(cases.pattern.len() > 10);
        for Case { pattern, words } in cases.pattern {
            assert_eq!(super::pattern_words(&pattern, str::to_owned), words, "{pattern}");
        }
    }
}
