//! Paths that no browser or crawler sends are marked.

use comity::{Dialect, Robots};
use comity_meaning::{Claim, Comparison, Held};

/// Each case: the rule that is removed, the example of the change, and true if a client may send such a path.
const CASES: [(&str, &str, bool); 24] = [
    ("/a%20b", "/a%20b", true),
    ("/a b", "/a b", false),
    ("/a\"b", "/a\"b", false),
    ("/a<b>", "/a<b>", false),
    ("/{id}", "/{id}", false),
    ("/a`b", "/a`b", false),
    ("/a\\b", "/a\\b", false),
    ("/a/./b", "/a/./b", false),
    ("/a/../b", "/a/../b", false),
    ("/a/.$", "/a/.", false),
    ("/a/..?b", "/a/..?b", false),
    ("/a/.", "/a/.x", true),
    ("/a/...", "/a/...", true),
    ("/.well-known/", "/.well-known/", true),
    ("/a|b^c", "/a|b^c", true),
    // A query is sent as it is, but for a space.
    ("/a?b={id}", "/a?b={id}", true),
    ("/a?b=/./c", "/a?b=/./c", true),
    ("/a?b c", "/a?b c", false),
    // What a star matches may be the start of a query.
    ("/*{id}", "/?{id}", true),
    ("/*/./", "/?/./", true),
    ("/.*{id}", "/.x?{id}", true),
    ("/%2e/%2E", "/./.", false),
    ("/* b", "/ b", false),
    ("/{id}*b", "/{id}b", false),
];

#[test]
fn changes_of_unsent_paths_are_told_apart() {
    let new = Robots::parse("User-agent: *\nAllow: /\n");
    for (pattern, witness, is_sent) in CASES {
        let old = Robots::parse(format!("User-agent: *\nDisallow: {pattern}\n"));
        let difference = Comparison::new(&old, &new).run();
        let [change] = &difference.changes[..] else { panic!("{pattern}: {:?}", difference.changes) };
        assert_eq!((&change.witness[..], change.is_sent), (witness.as_bytes(), is_sent), "{pattern}");
        assert_eq!(change.to_string().ends_with("(no browser or crawler sends such a URL)"), !is_sent, "{change}");
    }
}

#[test]
fn counterexamples_are_sent_if_possible() {
    for (pattern, path, is_sent) in CASES {
        let file = format!("User-agent: *\nDisallow: {pattern}\n");
        let Held::No(found) = Claim::all_allowed(b"/").check(&Robots::parse(&file)).unwrap() else {
            panic!("{pattern}")
        };
        assert_eq!((found.path.as_slice(), found.is_sent), (path.as_bytes(), is_sent), "{pattern}");
        // A later rule blocks a path that is sent.
        let file = Robots::parse(file + "Disallow: /other\n");
        let Held::No(found) = Claim::all_allowed(b"/").check(&file).unwrap() else { panic!("{pattern}") };
        assert!(found.is_sent, "{pattern}: {found:?}");
    }
}

/// One change may contain paths of both kinds. Its example is one that is sent.
#[test]
fn examples_are_sent_if_possible() {
    let blocked = "User-agent: *\nDisallow: /a b\nDisallow: /abcdefg\n";
    let [old, new] = ["", "Allow: /a********\n"].map(|rule| Robots::parse(format!("{blocked}{rule}")));
    let difference = Comparison::new(&old, &new).run();
    let [change] = &difference.changes[..] else { panic!("{:?}", difference.changes) };
    assert_eq!((&change.witness[..], change.is_sent), (&b"/abcdefg"[..], true));
}

/// A space is sent as an escape, which this dialect decodes.
#[test]
fn decoded_paths_are_sent() {
    let dialect = &Dialect::NOROBOTS_1996;
    for (pattern, is_sent) in [("/a%20b", true), ("/a b", true), ("/a/./b", false)] {
        let old = Robots::parse_with(format!("User-agent: *\nDisallow: {pattern}\n"), dialect);
        let new = Robots::parse_with("", dialect);
        let difference = Comparison::new(&old, &new).run();
        assert!(difference.changes.iter().all(|change| change.is_sent == is_sent), "{:?}", difference.changes);
        assert!(!difference.changes.is_empty(), "{pattern}");
    }
}
