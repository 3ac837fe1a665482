//! Mutants of files: where the engine, asked about all short paths, finds another answer after an edit, the comparison
//! finds a difference, and each of its witnesses is real.

use crate::sampled;
use crate::small;

use std::collections::{BTreeMap, BTreeSet};

use crate::edits::{Edit, edited};
use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Comparison, Direction, Outcome};
use proptest::prelude::*;
use small::{ask_as, lines, paths, rules};

/// The length of the longest path that is enumerated.
const MAX_PATH: usize = 5;

const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

fn crawler(name: &str) -> Crawler<'_> {
    if name == "*" { Crawler::ANY } else { Crawler::literal(name) }
}

fn direction(is_allowed: bool) -> Direction {
    if is_allowed { Direction::Allowed } else { Direction::Blocked }
}

/// Returns the crawlers and directions for which the answers of two files differ for a short path.
fn enumerated(files: &[Robots; 2], urls: &[Vec<u8>]) -> BTreeSet<(&'static str, Direction)> {
    let mut found = BTreeSet::new();
    for name in ["*", "foo"] {
        let rules = files.each_ref().map(|file| file.rules_for(&crawler(name)));
        for url in urls {
            let [was, is] = rules.each_ref().map(|rules| rules.check_bytes(url).is_allowed());
            if was != is {
                found.insert((name, direction(is)));
            }
        }
    }
    found
}

#[test]
fn edits_that_change_answers_are_found() {
    let urls: Vec<Vec<u8>> = paths(MAX_PATH).iter().map(|path| format!("https://site.example{path}").into()).collect();
    let seen = std::cell::RefCell::new(BTreeMap::<Edit, [u32; 2]>::new());
    let cases = small::cases("COMITY_MEANING_CASES", 300);
    let table = Crawlers::builtin();
    proptest!(small::config(cases), |(any in rules(), foo in rules(), numbers in any::<[u16; 2]>())| {
        let old_body = format!("User-agent: *\n{}\nUser-agent: foo\n{}", lines(&any), lines(&foo));
        for (edit, dialect) in Edit::ALL.into_iter().flat_map(|edit| DIALECTS.iter().map(move |dialect| (edit, dialect))) {
            let Some(new_body) = edited(old_body.as_bytes(), dialect, edit, numbers.map(usize::from)) else { continue };
            let files = [old_body.as_bytes(), &new_body].map(|body| Robots::parse_with(body, dialect));
            let difference = Comparison::new(&files[0], &files[1]).run();
            prop_assert!(difference.is_complete());
            for change in &difference.changes {
                for name in change.crawlers.iter() {
                    let known = table.find(name).map_or_else(|| crawler(name), Crawler::from);
                    let [was, is] = files.each_ref().map(|file| ask_as(file, &known, &change.witness).is_allowed());
                    prop_assert!(was != is && direction(is) == change.direction, "{name}: {change}");
                }
            }
            let expected = enumerated(&files, &urls);
            for (name, direction) in &expected {
                let is_found = difference.changes.iter().any(|change| {
                    change.direction == *direction && change.crawlers.iter().any(|crawler| crawler == name)
                });
                prop_assert!(is_found, "{edit:?} in {}: {name} {direction:?}\n{old_body}", dialect.name);
            }
            seen.borrow_mut().entry(edit).or_default()[usize::from(difference.outcome() == Outcome::Differs)] += 1;
        }
    });
    // Every edit changes answers in some files and does nothing in others.
    for edit in Edit::ALL {
        let [same, differ] = seen.borrow().get(&edit).copied().unwrap_or_default();
        assert!(same > cases / 20 && differ > cases / 20, "{edit:?}: {same} same, {differ} differ");
    }
}

/// Edits of files that the sampled comparison calls unchanged: the file before, the line that is edited, and its new text.
const MISSED_BY_SAMPLES: [(&str, u32, &str); 8] = [
    // An end is added: `/pm/x.jsx` is no longer allowed.
    ("Disallow: /pm/\nAllow: /*.js\n", 3, "Allow: /*.js$"),
    // An end is removed: `/admin/export/all` is allowed now.
    ("Disallow: /admin/\nAllow: /*/export$\n", 3, "Allow: /*/export"),
    // A star more: `/a/bx` is blocked now.
    ("Disallow: /*/x\n", 2, "Disallow: /*/*x"),
    // A star more in the pattern of the other kind: `/a/x.gxif/x` is allowed now.
    ("Allow: /*/x.gif\nDisallow: /*/x$\n", 2, "Allow: /*/x.g*if"),
    // A star less: `/print/?view=` is no longer allowed.
    ("Disallow: *print/\nAllow: /*?view=\n", 3, "Allow: /?view="),
    // A rule less: `/-.js` is no longer allowed.
    ("Disallow: *-\nAllow: /*.js$\n", 3, "#"),
    // Another letter: `/--?q=` is no longer allowed.
    ("Disallow: *-*-\nAllow: /*?q=$\n", 3, "Allow: /*?p=$"),
    // The pattern of another rule: `/shop/x` is no longer allowed.
    ("Disallow: *shop/\nAllow: /**/x$\nAllow: /*print*page\n", 3, "Allow: /*print*page"),
];

#[test]
fn edits_that_samples_miss_are_found() {
    for (rules, edited, text) in MISSED_BY_SAMPLES {
        let old = format!("User-agent: *\n{rules}");
        let line = |(number, line): (u32, _)| if number + 1 == edited { text } else { line };
        let new: Vec<&str> = (0..).zip(old.lines()).map(line).collect();
        let [old, new] = [old.clone(), new.join("\n")].map(Robots::parse);
        assert_eq!(sampled::difference(&old, &new, &Crawlers::builtin()), None, "the sampled comparison finds {text}");
        let difference = Comparison::new(&old, &new).run();
        assert_eq!(difference.outcome(), Outcome::Differs, "{text}");
        for change in &difference.changes {
            let [was, is] = [&old, &new].map(|file| ask_as(file, &Crawler::ANY, &change.witness).is_allowed());
            assert!(was != is && direction(is) == change.direction, "{change}");
        }
    }
}

/// The exact comparison finds all that the sampled one finds.
#[test]
fn edits_that_samples_find_are_found() {
    let part = prop::sample::select(vec!["pm/", "shop", "/", "*", "*", ".js", ".gif", "?q=", "print", "-", "*/x"]);
    let end = prop::sample::select(vec!["", "", "$", "*"]);
    let start = prop::sample::select(vec!["/", "/", "*", "/*"]);
    let pattern = (start, prop::collection::vec(part, 1..4), end)
        .prop_map(|(start, parts, end)| format!("{start}{}{end}", parts.concat()));
    let rules = prop::collection::vec((any::<bool>(), pattern), 1..5);
    let edit = prop::sample::select(Edit::ALL.to_vec());
    let table = Crawlers::builtin();
    let missed = std::cell::Cell::new(0);
    let cases = 10 * small::cases("COMITY_MEANING_CASES", 300);
    proptest!(small::config(cases), |(rules in rules, edit in edit, numbers in any::<[u16; 2]>())| {
        let old = small::file(&rules);
        let Some(new) = edited(old.as_bytes(), &Dialect::STANDARD, edit, numbers.map(usize::from)) else { return Ok(()) };
        let [old_file, new_file] = [old.as_bytes(), &new].map(Robots::parse);
        let difference = Comparison::new(&old_file, &new_file).run();
        match sampled::difference(&old_file, &new_file, &table) {
            Some(path) => prop_assert!(difference.outcome() == Outcome::Differs, "{}\n{old}", path.escape_ascii()),
            None if difference.outcome() == Outcome::Differs => missed.set(missed.get() + 1),
            None => prop_assert!(difference.outcome() == Outcome::Same),
        }
    });
    assert!(missed.get() > cases / 200, "samples missed {missed:?} of {cases}");
}
