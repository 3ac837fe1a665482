//! The choices of a comparison: an end at the first difference, rules whose URLs are excluded, and a caller that ends it.

use std::cell::Cell;

use comity::{Crawler, Crawlers, Dialect, Governed, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, dead_rules, dead_rules_while};

fn file(rules: &str) -> Robots {
    Robots::parse(format!("User-agent: *\n{rules}"))
}

fn has_letter(pattern: &[u8]) -> bool {
    pattern.iter().any(u8::is_ascii_alphanumeric)
}

#[test]
fn the_first_difference_is_sufficient() {
    let [old, new] = [file("Disallow: /a\nDisallow: /b\n"), file("Disallow: /c\n")];
    let first = Comparison::new(&old, &new).until_first().run();
    assert_eq!((first.outcome(), first.changes.len()), (Outcome::Differs, 1));
    assert_eq!(Comparison::new(&old, &new).run().changes.len(), 3);
    assert_eq!(Comparison::new(&old, &old).until_first().run().outcome(), Outcome::Same);
}

#[test]
fn urls_of_excluded_rules_are_not_compared() {
    // Each case: the old rules, the new ones, and the path that is newly blocked and that no rule with a letter matches.
    let cases = [
        ("Disallow: /a\n", "Disallow: /\n", Some("/")),
        ("Disallow: /a\n", "Disallow: /a\nDisallow: /b\n", None),
        ("Disallow: /\nAllow: /a\n", "Disallow: /\n", None),
        ("Disallow: /a\n", "Disallow: /*&\n", Some("/&")),
        ("Disallow: /*?\n", "Disallow: /*?\nDisallow: /?\n", None),
        ("Allow: /$\nDisallow: /\n", "Disallow: /\n", Some("/")),
        ("Allow: /*/\nDisallow: /\nDisallow: /a\n", "Disallow: /\n", Some("//")),
    ];
    for (old, new, witness) in cases {
        let [before, after] = [file(old), file(new)];
        let found = Comparison::new(&before, &after).except_rules(has_letter).run();
        let blocked = found.changes.iter().find(|change| change.direction == Direction::Blocked);
        let path = blocked.map(|change| String::from_utf8_lossy(&change.witness).into_owned());
        assert_eq!(path.as_deref(), witness, "{old} {new}");
        assert!(found.is_complete());
    }
}

/// An `Allow` of an index page is a rule for its directory as well, whose pattern has no letter.
#[test]
fn directories_of_index_pages_are_not_excluded_with_the_pages() {
    let [old, new] = ["Allow: /index.html\nDisallow: /\n", "Disallow: /\n"]
        .map(|rules| Robots::parse_with(format!("User-agent: *\n{rules}"), &Dialect::GOOGLE));
    let found = Comparison::new(&old, &new).except_rules(has_letter).run();
    assert_eq!(found.changes.iter().map(|change| &change.witness).collect::<Vec<_>>(), [b"/"]);
}

#[test]
fn the_caller_ends_the_work() {
    let rules: String = (0..4_000).map(|n| format!("Disallow: /{n}/*x\nAllow: /{n}/*y\n")).collect();
    let [old, new] = [file(&rules), file(&rules.replace("*x", "*z"))];
    let table = Crawlers::builtin();
    for calls in [1, 3] {
        let left = Cell::new(calls);
        let keep_going = || {
            left.set(left.get() - 1);
            left.get() > 0
        };
        let found = Comparison::new(&old, &new).verdicts_only().keep_going(&keep_going).run();
        assert!(!found.is_complete() && left.get() == 0);
        left.set(calls);
        let dead = dead_rules_while(&old, &table, Budget::default(), &keep_going);
        assert!(!dead.is_complete && left.get() == 0);
        left.set(calls);
        let claim = Claim::all_allowed(b"/").except(b"/*x");
        assert_eq!(claim.check_while(&old, &keep_going), Ok(Held::Undecided));
        assert_eq!(left.get(), 0, "who said no is not asked again");
    }
    assert!(dead_rules(&file("Disallow: /a\n"), &table, Budget::default()).is_complete);
}

/// Nothing is claimed if the exceptions leave out all URLs.
#[test]
fn claims_about_no_url_are_refused() {
    let robots = file("Disallow: /private/\n");
    for (pattern, except, is_refused) in [
        ("/private/", "/", true),
        ("/private/", "/priv", true),
        ("/private/", "/private/*", true),
        ("/private/", "/private/$", false),
        ("/private/", "/private/x", false),
        ("/*.pdf$", "/*.pdf", true),
        ("/*.pdf", "/*.pdf$", false),
        ("*/a", "/*/a", false),
        ("*/a", "*/a", true),
        ("/robots.txt$", "/x", true),
        ("/robots.txt", "/x", false),
    ] {
        for claim in [Claim::none_allowed(pattern.as_bytes()), Claim::all_allowed(pattern.as_bytes())] {
            let checked = claim.except(except.as_bytes()).check(&robots);
            assert_eq!(checked.is_err(), is_refused, "{pattern}, but not {except}: {checked:?}");
            assert!(checked.err().is_none_or(|error| error.is_excepted()), "{pattern}");
        }
    }
}

/// Nothing is claimed, and nothing is the same, if no crawler was examined.
#[test]
fn choices_without_a_crawler_have_no_outcome() {
    let open = Robots::parse(b"User-agent: *\nAllow: /\n");
    let closed = Robots::parse(b"User-agent: *\nDisallow: /\n");
    let table = Crawlers::builtin();
    let ungoverned: Vec<Crawler<'_>> =
        table.iter().filter(|row| row.governed == Governed::No).map(Crawler::from).collect();
    assert!(!ungoverned.is_empty());
    for crawlers in [&[][..], &ungoverned] {
        for claim in [Claim::none_allowed(b"/"), Claim::all_allowed(b"/")] {
            assert_eq!(claim.only(crawlers).check(&open), Ok(Held::NoCrawler));
        }
        assert_eq!(Comparison::new(&open, &closed).only(crawlers).run().outcome(), Outcome::NoCrawler);
    }
    // No known crawler is parsed in this dialect, and an unknown one counts as one of the standard dialect.
    let old = Robots::parse_with(b"User-agent: *\nDisallow: /\n", &Dialect::NOROBOTS_1996);
    assert_eq!(Claim::all_allowed(b"/").own_dialect_only().check(&old), Ok(Held::NoCrawler));
}
