//! Compares the descriptions of changes with an independent model: a naive matcher and a naive choice of the rule that
//! decides, for all short paths over a small alphabet, and for paths at the edges of the rules of real files.
//!
//! No text is read. A description is a set of URLs: those that match the rule and one of the rules that narrow it, and
//! no exception, unless a rule of that exception matches, too.

use crate::edits;
use crate::shared;
use crate::small;

use std::cell::Cell;
use std::collections::BTreeSet;

use comity::dialect::Precedence;
use comity::{Crawler, Crawlers, Dialect, Robots, RuleKind};
use comity_meaning::{Change, ChangeRule, Comparison, Direction};
use edits::Edit;
use proptest::prelude::*;
use small::{file, paths, rules};

/// Returns true if a pattern in normal form matches a path.
fn matches(pattern: &[u8], path: &[u8], wildcards: bool) -> bool {
    if !wildcards {
        return path.starts_with(pattern);
    }
    match pattern {
        [] => true,
        b"$" => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| matches(rest, &path[at..], true)),
        [octet, rest @ ..] => path.first() == Some(octet) && matches(rest, &path[1..], true),
    }
}

/// The rules of one file for one crawler.
struct Model {
    /// Each rule: true if it allows, and its pattern.
    rules: Vec<(bool, Vec<u8>)>,
    dialect: Dialect,
}

impl Model {
    fn of(robots: &Robots, crawler: &Crawler<'_>) -> Self {
        let rules = robots.groups_for(crawler).flat_map(|group| group.rules().collect::<Vec<_>>());
        let rules = rules.map(|rule| (rule.kind() == RuleKind::Allow, rule.pattern().to_vec()));
        Self { rules: rules.collect(), dialect: *robots.dialect() }
    }

    /// Returns true if the path may be fetched.
    fn allows(&self, path: &[u8]) -> bool {
        if self.dialect.robots_txt_allowed && path == b"/robots.txt" {
            return true;
        }
        let wildcards = self.dialect.wildcards;
        let is_first = self.dialect.precedence == Precedence::FirstMatch;
        // The octets of the pattern and the answer of the rule that decides.
        let mut best: Option<(usize, bool)> = None;
        for (allows, pattern) in &self.rules {
            if pattern.is_empty() && (*allows || !is_first) {
                continue;
            }
            let mut found = Vec::new();
            if matches(pattern, path, wildcards) {
                // An empty `Disallow` allows.
                found.push((pattern.len(), *allows || pattern.is_empty()));
            }
            let page = pattern.iter().rposition(|octet| *octet == b'/').filter(|at| {
                self.dialect.allow_index_allows_directory && *allows && pattern[*at..].starts_with(b"/index.htm")
            });
            if let Some(at) = page
                && matches(&[&pattern[..=at], b"$"].concat(), path, wildcards)
            {
                found.push((at + 2, true));
            }
            if is_first && let Some((_, answer)) = found.first() {
                return *answer;
            }
            best = best.into_iter().chain(found).max();
        }
        best.is_none_or(|(_, allows)| allows)
    }
}

/// Returns true if the path is in the set that a change describes, without its exceptions if `whole` is true.
fn describes(change: &Change, path: &[u8], dialect: &Dialect, whole: bool) -> bool {
    let is_in = |rule: &ChangeRule| matches(&rule.pattern, path, dialect.wildcards);
    let narrowed = &change.narrowed_by;
    let is_excepted =
        |except: &comity_meaning::ChangeException| is_in(&except.rule) && !except.unless.iter().any(is_in);
    is_in(&change.rule)
        && (narrowed.is_empty() || narrowed.iter().any(is_in))
        && (whole || !change.except.iter().any(is_excepted))
}

fn sentences(changes: &[&Change]) -> String {
    changes.iter().map(|change| format!("\n  {change}")).collect()
}

/// Checks the changes of one crawler for these paths. Returns the number of descriptions with nested exceptions.
fn check<'p>(
    changes: &[&Change],
    [old, new]: &[Model; 2],
    paths: impl Iterator<Item = &'p [u8]>,
) -> Result<usize, TestCaseError> {
    let dialect = &old.dialect;
    let differs = |path: &[u8]| {
        let answers = [old.allows(path), new.allows(path)];
        let direction = if answers[1] { Direction::Allowed } else { Direction::Blocked };
        (answers[0] != answers[1]).then_some(direction)
    };
    for change in changes {
        let example = &change.witness;
        prop_assert_eq!(differs(example), Some(change.direction), "wrong example: {}", change);
        prop_assert!(describes(change, example, dialect, false), "the example is not described: {change}");
    }
    for path in paths {
        let direction = differs(path);
        let shown = path.escape_ascii();
        let same_way = || changes.iter().filter(|change| Some(change.direction) == direction);
        if direction.is_some() {
            let is_covered = same_way().any(|change| describes(change, path, dialect, false));
            prop_assert!(is_covered, "{shown} changes {direction:?}, and is not described: {}", sentences(changes));
            for change in same_way() {
                let is_denied = describes(change, path, dialect, true) && !describes(change, path, dialect, false);
                prop_assert!(!is_denied, "{shown} changes, and is denied: {change}");
            }
        }
        // The file itself is always allowed, which descriptions do not say.
        for change in changes.iter().filter(|change| change.is_exact && path != b"/robots.txt") {
            let is_described = describes(change, path, dialect, false);
            prop_assert!(!is_described || direction == Some(change.direction), "{shown} does not change: {change}");
        }
    }
    Ok(changes.iter().filter(|change| change.except.iter().any(|except| !except.unless.is_empty())).count())
}

fn compare(old: &str, new: &str, dialect: &Dialect, paths: &[String]) -> Result<[usize; 3], TestCaseError> {
    let files = [old, new].map(|text| Robots::parse_with(text, dialect));
    let difference = Comparison::new(&files[0], &files[1]).only(&[Crawler::ANY]).run();
    prop_assert!(difference.is_complete());
    let changes: Vec<&Change> = difference.changes.iter().collect();
    let models = files.each_ref().map(|file| Model::of(file, &Crawler::ANY));
    let nested = check(&changes, &models, paths.iter().map(String::as_bytes))
        .map_err(|error| TestCaseError::fail(format!("{error}\nin {}\n{old}\n{new}", dialect.name)))?;
    Ok([changes.len(), changes.iter().filter(|change| change.is_exact).count(), nested])
}

#[test]
fn descriptions_are_what_the_model_says() {
    let paths = paths(6);
    let counts = Cell::new([0; 3]);
    let config = small::config(small::cases("COMITY_MEANING_CASES", 400));
    let edit = (any::<bool>(), any::<prop::sample::Index>(), small::pattern());
    proptest!(config, |(old in rules(), other in rules(), (is_edit, place, pattern) in edit)| {
        // Half of the pairs differ in one rule.
        let mut new = if is_edit { old.clone() } else { other };
        if is_edit {
            new.insert(place.index(old.len() + 1), (pattern.len() % 2 == 0, pattern));
        }
        for dialect in Dialect::ALL {
            for [old, new] in [[&old, &new], [&new, &old]] {
                let found = compare(&file(old), &file(new), dialect, &paths)?;
                counts.set([0, 1, 2].map(|at: usize| counts.get()[at] + found[at]));
            }
        }
    });
    let [changes, exact, nested] = counts.get();
    println!("{changes} changes, {exact} of them exact, {nested} with nested exceptions");
    assert!(exact * 100 > changes * 98 && nested > 50, "{changes} changes, {exact} exact, {nested} nested");
}

/// Each case: the old rules, the new ones, a path that is newly blocked, the sentence of its change, and true if it is
/// exact.
#[test]
fn exceptions_have_exceptions() {
    let wiki = "Disallow: /w/\nAllow: /w/load.php\n";
    let many =
        |number: usize| (0..number).fold("Disallow: /w/\n".to_owned(), |rules, n| rules + &format!("Allow: /w/{n}$\n"));
    let (many, too_many) = (many(16), many(17));
    for (old, new, path, sentence, exact) in [
        (
            wiki,
            "Disallow: /\n",
            "/w/load.php",
            "URLs that match / (line 2), but not /w/ (old line 2) unless they match /w/load.php (old line 3), such as /",
            true,
        ),
        (
            "Disallow: /\nAllow: /b*ba\n",
            "Disallow: /*aa*a\n",
            "/baaba",
            "URLs that match /*aa*a (line 2) and /b*ba (old line 3), such as /baaba",
            true,
        ),
        // Some are counted, and with too many, nothing is excepted.
        (
            &many,
            "Disallow: /\n",
            "/w/15",
            "URLs that match / (line 2), but not /w/ (old line 2) unless they match /w/0$ (old line 3) or /w/1$ (old line 4) \
             or /w/2$ (old line 5) or /w/3$ (old line 6) or /w/4$ (old line 7) or 11 more, such as /",
            true,
        ),
        (&too_many, "Disallow: /\n", "/w/16", "some of the URLs that match / (line 2), such as /", false),
        // Only some of the URLs of /w/load.php change, where a third rule decides.
        (
            wiki,
            "Disallow: /\nAllow: /w/load.php\nDisallow: /w/load.php5\n",
            "/w/load.php5",
            "some of the URLs that match / (line 2), but not /w/ (old line 2) unless they match /w/load.php (old line 3), and \
             not /w/load.php (line 3) unless they match /w/load.php5 (line 4), such as /",
            false,
        ),
    ] {
        let texts = [old, new].map(|rules| format!("User-agent: *\n{rules}"));
        let found = compare(&texts[0], &texts[1], &Dialect::STANDARD, &[path.to_owned(), "/".to_owned()]);
        found.unwrap_or_else(|error| panic!("{error}"));
        let files = texts.map(Robots::parse);
        let difference = Comparison::new(&files[0], &files[1]).only(&[Crawler::ANY]).run();
        let change = &difference.changes[0];
        assert_eq!(change.to_string(), format!("newly blocked for *: {sentence}"));
        assert_eq!(change.is_exact, exact, "{change}");
    }
}

/// Returns paths at the edges of a pattern.
fn edges(pattern: &[u8], paths: &mut BTreeSet<Vec<u8>>) {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    for star in [&b""[..], b"x", b"/x/y"] {
        let filled = body.split(|octet| *octet == b'*').collect::<Vec<_>>().join(star);
        let path = if filled.starts_with(b"/") { filled } else { [b"/", filled.as_slice()].concat() };
        paths.extend([&b""[..], b"x", b"/x.html", b"?q=1"].map(|tail| [path.as_slice(), tail].concat()));
    }
}

/// Checks the changes of all crawlers, each for paths at the edges of its rules.
fn compare_real(old: &[u8], new: &[u8], dialect: &Dialect) -> Result<[usize; 3], TestCaseError> {
    let table = Crawlers::builtin();
    let files = [old, new].map(|text| Robots::parse_with(text, dialect));
    let difference = Comparison::new(&files[0], &files[1]).crawlers(&table).run();
    prop_assert!(difference.is_complete());
    let mut asked = BTreeSet::new();
    let mut nested = 0;
    let names = difference.changes.iter().filter_map(|change| change.crawlers.first());
    for name in names.collect::<BTreeSet<_>>() {
        let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
        let groups =
            files.each_ref().map(|file| file.groups_for(&crawler).map(|group| group.index()).collect::<Vec<_>>());
        if !asked.insert(groups) {
            continue;
        }
        let of_crawler = difference.changes.iter().filter(|change| change.crawlers.contains(name));
        let changes: Vec<&Change> = of_crawler.collect();
        let models = files.each_ref().map(|file| Model::of(file, &crawler));
        let mut paths = BTreeSet::new();
        for (_, pattern) in models.iter().flat_map(|model| &model.rules) {
            edges(pattern, &mut paths);
        }
        nested += check(&changes, &models, paths.iter().map(Vec::as_slice))
            .map_err(|error| TestCaseError::fail(format!("{error}\nfor {name} in {}", dialect.name)))?;
    }
    let changes = &difference.changes;
    Ok([changes.len(), changes.iter().filter(|change| change.is_exact).count(), nested])
}

#[test]
fn edits_of_real_files_are_described() {
    let Some(folder) = shared::path("corpus") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut counts = [0; 3];
    // In a debug build, all of them would take minutes.
    let step = small::cases("COMITY_MEANING_CORPUS_STEP", 12) as usize;
    for (number, path) in files.iter().enumerate().step_by(step) {
        let body = std::fs::read(path).unwrap();
        if body.len() > 12_000 {
            continue;
        }
        let dialect = if number % 2 == 0 { Dialect::STANDARD } else { Dialect::GOOGLE };
        let edit = Edit::ALL[number / step % Edit::ALL.len()];
        // A crawler that obeyed the rules for all gets a group that closes the site, whose exceptions end.
        let closed = [body.as_slice(), b"\n\nUser-agent: MJ12bot\nDisallow: /\n"].concat();
        let edited = edits::edited(&body, &dialect, edit, [number, number / 7]);
        for new in edited.into_iter().chain([closed]) {
            let found = compare_real(&body, &new, &dialect);
            let found = found.unwrap_or_else(|error| panic!("{}, {edit:?}: {error}", path.display()));
            counts = [0, 1, 2].map(|at: usize| counts[at] + found[at]);
        }
    }
    let [changes, exact, nested] = counts;
    println!("{changes} changes, {exact} of them exact, {nested} with nested exceptions");
    assert!(changes > 100 && exact * 100 > changes * 98 && nested > 3, "{counts:?}");
}
