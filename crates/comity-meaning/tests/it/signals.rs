//! Checks that `Content-Signal` and `Content-Usage` are compared by value, for all URLs.

use comity::{Crawler, Dialect, Preference, Robots};
use comity_meaning::{Comparison, Difference, Outcome, SignalRecord};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn compare(old: &str, new: &str) -> Difference {
    let [old, new] = [old, new].map(Robots::parse);
    Comparison::new(&old, &new).run()
}

fn found(old: &str, new: &str) -> Vec<String> {
    let of = |text: &str| format!("User-agent: *\n{text}Disallow: /x\n");
    compare(&of(old), &of(new)).signals.iter().map(|change| format!("{} {change}", change.crawlers.len() > 1)).collect()
}

#[test]
fn values_count_and_not_their_spelling() {
    let same = [
        ("Content-Signal: search=yes, ai-train=no\n", "Content-Signal: ai-train=NO,search=yes\n"),
        ("Content-Signal: ai-train=no\n", "Content-Signal: ai-train=no\nContent-Signal: /a ai-train=no\n"),
        ("Content-Usage: train-ai=n\n", "Content-Usage: train-ai=n, train-ai=n\n"),
        // Of two statements about the same paths, the more restrictive one applies.
        ("Content-Usage: train-ai=n\n", "Content-Usage: train-ai=y\nContent-Usage: train-ai=n\n"),
    ];
    for (old, new) in same {
        assert!(found(old, new).is_empty(), "{old}{new}");
        assert!(found(new, old).is_empty(), "{new}{old}");
    }
}

#[test]
fn other_values_are_changes() {
    let cases = [
        ("Content-Signal: ai-train=no\n", "Content-Signal: ai-train=yes\n", "ai-train", "was refused, is granted", "/"),
        ("", "Content-Signal: /a/*.pdf$ search=no\n", "search", "was not stated, is refused", "/a/.pdf"),
        ("Content-Usage: train-ai=n\n", "Content-Usage: /b\n", "train-ai", "was refused, is not stated", "/"),
        // A longer path overrides a shorter one, whatever its value.
        (
            "Content-Usage: train-ai=n\n",
            "Content-Usage: train-ai=n\nContent-Usage: /b search=y\n",
            "train-ai",
            "was refused, is not stated",
            "/b",
        ),
    ];
    for (old, new, key, values, witness) in cases {
        let found = found(old, new);
        let line =
            found.iter().find(|line| line.contains(&format!(" {key} for "))).unwrap_or_else(|| panic!("{found:?}"));
        assert!(line.contains(values) && line.ends_with(&format!("for example for {witness}")), "{line}");
    }
}

#[test]
fn a_change_of_signals_is_a_difference() {
    let difference =
        compare("User-agent: *\nContent-Signal: search=yes\n", "User-agent: *\nContent-Signal: search=no\n");
    assert_eq!(difference.outcome(), Outcome::Differs);
    assert!(difference.changes.is_empty());
    let change = &difference.signals[0];
    assert_eq!((change.record, change.key.as_str()), (SignalRecord::ContentSignal, "search"));
    assert!(change.crawlers.contains(&"*".to_owned()) && change.crawlers.contains(&"Googlebot".to_owned()));
    let [old, new] = [change.old.unwrap(), change.new.unwrap()];
    assert_eq!((old.granted, old.line, new.granted, new.line), (true, 2, false, 2));
}

/// Some paths are ambiguous without an origin, such as `//host`.
fn url(path: &str) -> String {
    format!("https://site.example{path}")
}

/// The result agrees with the engine for all short paths.
#[test]
fn paths_say_the_same() {
    let mut paths = vec!["/".to_owned()];
    for length in 1..5 {
        let longer: Vec<String> = paths
            .iter()
            .filter(|path| path.len() == length)
            .flat_map(|path| ["/", "a", "z"].map(|octet| format!("{path}{octet}")))
            .collect();
        paths.extend(longer);
    }
    let path = prop::sample::select(vec!["", "/ ", "/a ", "/a* ", "/*a$ ", "/a/ ", "/*/ "]);
    let value = prop::sample::select(vec!["k=n", "k=y", "j=n", "k=no", "k=yes", "k=yes, k=no"]);
    let name = prop::sample::select(vec!["Content-Signal", "Content-Usage"]);
    let record = (name, path, value).prop_map(|(name, path, value)| format!("{name}: {path}{value}\n"));
    let file = prop::collection::vec(record, 0..5).prop_map(|records| format!("User-agent: *\n{}", records.concat()));
    let config = Config { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    proptest!(config, |(old in file.clone(), new in file)| {
        for dialect in [Dialect::STANDARD, Dialect::GOOGLE] {
            let files = [&old, &new].map(|text| Robots::parse_with(text, &dialect));
            let only = [Crawler::ANY];
            let difference = Comparison::new(&files[0], &files[1]).only(&only).run();
            prop_assert!(difference.is_complete());
            let signal = |file: &Robots, path: &str| file.content_signals(&Crawler::ANY, url(path)).of("k").map(|signal| signal.granted);
            let usage = |file: &Robots, path: &str| match file.content_usage(&Crawler::ANY, url(path)).preference("k").preference {
                Preference::Allow => Some(true),
                Preference::Disallow => Some(false),
                _ => None,
            };
            for record in [SignalRecord::ContentSignal, SignalRecord::ContentUsage] {
                let value = |file: &Robots, path: &str| if record == SignalRecord::ContentSignal { signal(file, path) } else { usage(file, path) };
                let found: Vec<_> = difference.signals.iter().filter(|it| it.record == record && it.key == "k").collect();
                for change in &found {
                    let witness = std::str::from_utf8(&change.witness).unwrap();
                    prop_assert_eq!(value(&files[0], witness), change.old.map(|value| value.granted));
                    prop_assert_eq!(value(&files[1], witness), change.new.map(|value| value.granted));
                }
                for path in &paths {
                    let values = [0, 1].map(|file| value(&files[file], path));
                    let is_named = found.iter().any(|it| [it.old, it.new].map(|it| it.map(|it| it.granted)) == values);
                    prop_assert!(values[0] == values[1] || is_named, "{path}: {values:?}\n{old}\n{new}");
                }
            }
        }
    });
}
