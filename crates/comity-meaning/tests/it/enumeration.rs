//! Compares random pairs of files over a small alphabet with an enumeration of all short paths.

use crate::small;

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, Side, dead_rules};
use proptest::prelude::*;
use proptest::test_runner::Config;
use small::{ask, file, paths, pattern, rules};

/// The maximum length of the enumerated paths.
const MAX_PATH: usize = 6;

fn compare(old: &str, new: &str, dialect: &Dialect, paths: &[String]) -> Result<(), TestCaseError> {
    let [old_file, new_file] = [old, new].map(|text| Robots::parse_with(text, dialect));
    let difference = Comparison::new(&old_file, &new_file).run();
    prop_assert_ne!(difference.outcome(), Outcome::Undecided);
    for change in &difference.changes {
        let [was, is] = [&old_file, &new_file].map(|file| ask(file, &change.witness).is_allowed());
        prop_assert_ne!(was, is, "{} is no witness: {}", change.witness.escape_ascii(), change);
        prop_assert_eq!(is, change.direction == Direction::Allowed);
    }
    for path in paths {
        let [was, is] = [&old_file, &new_file].map(|file| ask(file, path.as_bytes()));
        if was.is_allowed() == is.is_allowed() {
            continue;
        }
        let direction = if is.is_allowed() { Direction::Allowed } else { Direction::Blocked };
        let is_named = difference.changes.iter().any(|change| {
            let line = if change.rule.side == Side::Old { was.line() } else { is.line() };
            change.direction == direction && change.rule.line == line
        });
        prop_assert!(
            is_named,
            "{path} differs in {}: {was}, then {is}; found {:?}\n{old}\n{new}",
            dialect.name,
            difference.changes
        );
    }
    Ok(())
}

/// A claim about a file holds exactly if it holds for every path.
fn claim(text: &str, claimed: &str, except: &str, dialect: &Dialect, paths: &[String]) -> Result<(), TestCaseError> {
    let file = Robots::parse_with(text, dialect);
    let matching = |pattern: &str| Robots::parse_with(format!("User-agent: *\nDisallow: {pattern}\n"), dialect);
    let [claimed_by, except_by] = [claimed, except].map(matching);
    for allowed in [true, false] {
        let claim =
            if allowed { Claim::all_allowed(claimed.as_bytes()) } else { Claim::none_allowed(claimed.as_bytes()) };
        let Ok(held) = claim.except(except.as_bytes()).only(&[Crawler::ANY]).check(&file) else { return Ok(()) };
        let is_covered = |path: &[u8]| {
            let is_exempt = dialect.robots_txt_allowed && path == b"/robots.txt";
            ask(&claimed_by, path).is_disallowed() && !ask(&except_by, path).is_disallowed() && !is_exempt
        };
        let broken = paths
            .iter()
            .find(|path| is_covered(path.as_bytes()) && ask(&file, path.as_bytes()).is_allowed() != allowed);
        match (held, broken) {
            (Held::Yes, None) => {}
            (Held::No(found), _) => {
                prop_assert!(is_covered(&found.path), "{:?} is not claimed: {claimed}, not {except}", found);
                prop_assert_ne!(ask(&file, &found.path).is_allowed(), allowed, "{:?}\n{}", found, text);
            }
            (held, broken) => prop_assert!(false, "{claimed}: {held:?}, but {broken:?} in {}\n{text}", dialect.name),
        }
    }
    Ok(())
}

/// A rule is dead exactly if the file without it has the same meaning.
fn dead(text: &str, rules: usize, dialect: &Dialect, paths: &[String]) -> Result<(), TestCaseError> {
    let file = Robots::parse_with(text, dialect);
    let found = dead_rules(&file, &Crawlers::builtin(), Budget::default());
    prop_assert!(found.is_complete);
    let acting: Vec<u32> = file.groups().flat_map(|group| group.rules()).map(|rule| rule.line()).collect();
    for line in 2..rules as u32 + 2 {
        // A comment keeps the numbers of the other lines.
        let without =
            |(index, old): (usize, &str)| if index as u32 + 1 == line { "#\n".into() } else { format!("{old}\n") };
        let without: String = text.lines().enumerate().map(without).collect();
        let without = Robots::parse_with(without, dialect);
        let differs =
            |path: &&String| ask(&file, path.as_bytes()).is_allowed() != ask(&without, path.as_bytes()).is_allowed();
        let witness = paths.iter().find(differs);
        let is_dead = found.rules.iter().any(|rule| rule.line == line);
        prop_assert!(!is_dead || witness.is_none(), "line {line} matters for {witness:?} in {}\n{text}", dialect.name);
        let same = Comparison::new(&file, &without).run().outcome() == Outcome::Same;
        // The only rule of a group also separates it from the next group. Here, there is no next group.
        if rules > 1 && acting.contains(&line) && !text.lines().nth(line as usize - 1).unwrap().ends_with(": ") {
            prop_assert_eq!(is_dead, same, "line {} in {}\n{}", line, dialect.name, text);
        }
    }
    Ok(())
}

fn config() -> Config {
    small::config(small::cases("COMITY_MEANING_CASES", 300))
}

#[test]
fn no_difference_is_missed_or_invented() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(old in rules(), new in rules())| {
        for dialect in Dialect::ALL {
            compare(&file(&old), &file(&new), dialect, &paths)?;
        }
    });
}

#[test]
fn one_changed_rule_is_no_different() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(common in rules(), old in rules(), gone in any::<prop::sample::Index>())| {
        let mut long = common.clone();
        long.extend(old);
        let mut short = long.clone();
        if !short.is_empty() {
            short.remove(gone.index(short.len()));
        }
        for dialect in Dialect::ALL {
            compare(&file(&long), &file(&short), dialect, &paths)?;
            compare(&file(&short), &file(&long), dialect, &paths)?;
        }
    });
}

#[test]
fn claims_are_what_paths_say() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(rules in rules(), claimed in pattern(), except in pattern())| {
        for dialect in Dialect::ALL {
            claim(&file(&rules), &claimed, &except, dialect, &paths)?;
        }
    });
}

#[test]
fn dead_rules_change_nothing() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(rules in rules())| {
        for dialect in Dialect::ALL {
            dead(&file(&rules), rules.len(), dialect, &paths)?;
        }
    });
}

#[test]
fn two_dialects_are_compared() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(rules in rules(), other in rules(), is_same in any::<bool>())| {
        let [text, other] = [file(&rules), file(if is_same { &rules } else { &other })];
        for dialects in [
            [Dialect::STANDARD, Dialect::GOOGLE],
            [Dialect::GOOGLE_PARSER, Dialect::STANDARD],
            [Dialect::GOOGLE, Dialect::YANDEX],
            [Dialect::STANDARD, Dialect::NOROBOTS_1996],
        ] {
            let old = Robots::parse_with(&text, &dialects[0]);
            let new = Robots::parse_with(&other, &dialects[1]);
            let difference = Comparison::new(&old, &new).run();
            let directions = |direction| difference.changes.iter().any(|change| change.direction == direction);
            for path in &paths {
                let [was, is] = [&old, &new].map(|file| ask(file, path.as_bytes()).is_allowed());
                let direction = if is { Direction::Allowed } else { Direction::Blocked };
                prop_assert!(was == is || directions(direction), "{path} in {}:\n{text}\n{other}", dialects[1].name);
            }
        }
    });
}

#[test]
fn under_a_pattern_only_its_paths_count() {
    let paths = paths(MAX_PATH);
    proptest!(config(), |(old in rules(), new in rules(), under in pattern(), except in pattern())| {
        let [covering, left_out] =
            [&under, &except].map(|pattern| Robots::parse(format!("User-agent: *\nDisallow: {pattern}\n")));
        let [old, new] = [old, new].map(|rules| Robots::parse(file(&rules)));
        let comparison = Comparison::new(&old, &new).under(under.as_bytes());
        let Ok(comparison) = comparison.and_then(|comparison| comparison.except(except.as_bytes())) else {
            return Ok(());
        };
        let difference = comparison.run();
        prop_assert!(difference.is_complete());
        let is_covered = |path: &[u8]| {
            ask(&covering, path).is_disallowed() && !ask(&left_out, path).is_disallowed() || path == b"/robots.txt"
        };
        for change in &difference.changes {
            let [was, is] = [&old, &new].map(|file| ask(file, &change.witness).is_allowed());
            prop_assert!(was != is && is_covered(&change.witness), "{change} under {under}");
        }
        let differs = paths.iter().map(String::as_bytes).find(|path| {
            is_covered(path) && ask(&old, path).is_allowed() != ask(&new, path).is_allowed()
        });
        prop_assert!(differs.is_none() || difference.outcome() == Outcome::Differs, "{differs:?} under {under}");
    });
}

#[test]
fn chosen_crawlers_alone_are_compared() {
    let [old, new] = ["/a", "/b"].map(|path| Robots::parse(format!("User-agent: foo\nDisallow: {path}\n")));
    let run = |crawlers: &[comity::Crawler<'_>]| Comparison::new(&old, &new).only(crawlers).run();
    let difference = run(&[comity::Crawler::ANY, comity::Crawler::known("Googlebot").unwrap()]);
    assert_eq!((difference.outcome(), difference.crawlers), (Outcome::Same, vec!["*".into(), "Googlebot".into()]));
    let difference = run(&[comity::Crawler::token("Foo").unwrap()]);
    assert_eq!((difference.outcome(), &*difference.changes[0].crawlers), (Outcome::Differs, &["Foo".into()][..]));
    let claim = Claim::none_allowed(b"/a");
    assert_eq!(claim.clone().only(&[comity::Crawler::token("foo").unwrap()]).check(&old), Ok(Held::Yes));
    assert!(matches!(claim.only(&[comity::Crawler::ANY]).check(&old), Ok(Held::No(_))));
}
