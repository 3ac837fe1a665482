//! Spellings of a URL: escapes that only normalization makes, and dialects that compare different spellings.

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, dead_rules};

fn parse(rules: &str, dialect: &Dialect) -> Robots {
    Robots::parse_with(format!("User-agent: *\n{rules}"), dialect)
}

fn is_allowed(file: &Robots, path: &[u8]) -> bool {
    file.check_bytes(&Crawler::ANY, &[b"https://site.example", path].concat()).is_allowed()
}

/// Patterns whose normal form is not its own normal form, each with a URL that it matches.
const UNSTABLE: [(&str, &str, Dialect); 6] = [
    ("/%a%41", "/%a%41", Dialect::STANDARD),
    ("/%a%41", "/%%61%41x", Dialect::BING),
    ("/%%34%31", "/%%341", Dialect::YANDEX),
    ("/%a%41*%%341", "/%a%41/%%34%31", Dialect::STANDARD),
    ("/%2541", "/%2541", Dialect::NOROBOTS_1996),
    ("/%252f", "/%252fx", Dialect::NOROBOTS_1996),
];

#[test]
fn normal_forms_are_not_normalized_again() {
    for (pattern, url, dialect) in &UNSTABLE {
        let open = parse("Allow: /\n", dialect);
        let closed = parse(&format!("Disallow: {pattern}\n"), dialect);
        assert!(!is_allowed(&closed, url.as_bytes()) && is_allowed(&open, url.as_bytes()), "{url}");

        let found = Comparison::new(&closed, &open).run();
        assert_eq!(found.outcome(), Outcome::Differs, "{pattern} in {}", dialect.name);
        let change = &found.changes[0];
        assert_eq!(change.direction, Direction::Allowed);
        assert!(!is_allowed(&closed, &change.witness), "{change}");

        let claim = Claim::none_allowed(pattern.as_bytes()).only(&[Crawler::ANY]);
        assert_eq!(claim.check(&closed), Ok(Held::Yes), "{pattern} in {}", dialect.name);
        assert!(matches!(claim.check(&open), Ok(Held::No(found)) if !is_allowed(&closed, &found.path)), "{pattern}");

        let ajar = parse(&format!("Allow: {pattern}\nDisallow: /\n"), dialect);
        let Ok(Held::No(found)) = Claim::none_allowed(b"/").only(&[Crawler::ANY]).check(&ajar) else {
            panic!("{pattern}")
        };
        assert!(is_allowed(&ajar, &found.path), "{pattern}: {}", found.path.escape_ascii());
        let dead = dead_rules(&ajar, &Crawlers::builtin(), Budget::default());
        assert!(dead.rules.is_empty(), "{pattern} in {}", dialect.name);
    }
}

/// Rules for which two dialects give different answers, each with a URL in the spelling that browsers send.
const DIFFERENT: [(&str, &str, [Dialect; 2]); 13] = [
    ("Disallow: /%24\n", "/$", [Dialect::STANDARD, Dialect::GOOGLE]),
    ("Disallow: /%24\n", "/$", [Dialect::GOOGLE_PARSER, Dialect::BING]),
    ("Disallow: /%2a\n", "/*", [Dialect::YANDEX, Dialect::GOOGLE]),
    ("Disallow: /a$b\n", "/a%24b", [Dialect::STANDARD, Dialect::GOOGLE]),
    // In normal form, these are parts of `%24` and `%2A`.
    ("Disallow: /*4\n", "/$", [Dialect::STANDARD, Dialect::GOOGLE]),
    ("Disallow: /*Ab\n", "/*b", [Dialect::GOOGLE, Dialect::STANDARD]),
    ("Disallow: /a%\n", "/a$", [Dialect::STANDARD, Dialect::GOOGLE]),
    ("Disallow: /a%2\n", "/a*", [Dialect::STANDARD, Dialect::GOOGLE]),
    ("Disallow: /*2*4$\n", "/$", [Dialect::STANDARD, Dialect::GOOGLE]),
    (
        "Disallow: /$a/a\nAllow: /b$$\nAllow: *$a\nDisallow: /$a\n",
        "/%24a/a",
        [Dialect::GOOGLE_PARSER, Dialect::STANDARD],
    ),
    // The dialect of 1996 decodes what the others keep apart, and compares no query.
    ("Disallow: /a?b\n", "/a?b", [Dialect::NOROBOTS_1996, Dialect::STANDARD]),
    ("Disallow: /a=b\n", "/a%3Db", [Dialect::STANDARD, Dialect::NOROBOTS_1996]),
    ("Disallow: /a%25z\n", "/a%z", [Dialect::BING, Dialect::NOROBOTS_1996]),
];

#[test]
fn dialects_are_compared_for_each_spelling() {
    for (rules, url, dialects) in &DIFFERENT {
        let files = dialects.each_ref().map(|dialect| parse(rules, dialect));
        let names = dialects.each_ref().map(|dialect| dialect.name);
        let [was, is] = files.each_ref().map(|file| is_allowed(file, url.as_bytes()));
        assert_ne!(was, is, "{rules} {url} in {names:?}");
        for [old, new] in [[&files[0], &files[1]], [&files[1], &files[0]]] {
            let found = Comparison::new(old, new).run();
            assert_eq!(found.outcome(), Outcome::Differs, "{rules} in {names:?}");
            for change in &found.changes {
                let [was, is] = [old, new].map(|file| is_allowed(file, &change.witness));
                assert!(was != is && is == (change.direction == Direction::Allowed), "{change} in {names:?}");
            }
        }
    }
}

#[test]
fn dialects_that_agree_on_each_spelling_are_the_same() {
    for (rules, dialects) in [
        ("Disallow: /a%3Fb\n", [Dialect::NOROBOTS_1996, Dialect::GOOGLE]),
        ("Disallow: /*a%2Fb$\n", [Dialect::STANDARD, Dialect::GOOGLE_PARSER]),
        ("Disallow: /*2$\nDisallow: /*.4*\nAllow: /*A%7e\nAllow: /*A~\n", [Dialect::BING, Dialect::YANDEX]),
        ("Disallow: /caf%c3%a9\nAllow: /caf\u{e9}/4$\n", [Dialect::GOOGLE, Dialect::YANDEX]),
    ] {
        let files = dialects.each_ref().map(|dialect| parse(rules, dialect));
        let found = Comparison::new(&files[0], &files[1]).only(&[Crawler::literal(b"foo")]).run();
        assert_eq!(found.outcome(), Outcome::Same, "{rules}: {:?}", found.changes);
    }
}

/// Patterns with more spellings than are compared, or whose last bytes may be a part of an escape.
#[test]
fn patterns_with_too_many_spellings_are_undecided() {
    let many = format!("Disallow: /*{}\n", "$".repeat(20));
    for (rules, url, dialects) in [
        ("Disallow: /a%\n", "/a%3D", [Dialect::GOOGLE, Dialect::NOROBOTS_1996]),
        ("Disallow: /=========\n", "/%3D========", [Dialect::STANDARD, Dialect::NOROBOTS_1996]),
        (&many, "/$$$$$$$$$$$$$$$$$$$%24", [Dialect::GOOGLE, Dialect::STANDARD]),
    ] {
        let files = dialects.each_ref().map(|dialect| parse(rules, dialect));
        let [was, is] = files.each_ref().map(|file| is_allowed(file, url.as_bytes()));
        let found = Comparison::new(&files[0], &files[1]).run();
        assert!(was != is && found.outcome() != Outcome::Same && !found.is_complete(), "{rules}");
    }
}
