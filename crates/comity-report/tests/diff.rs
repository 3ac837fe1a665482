//! Changes and claims about paths that no client sends, and the URLs of an index page's directory.

use comity::{Crawlers, Dialect};
use comity_report::{ClaimKind, ClaimText, CrawlerQuery, Diff, Proof, ProofOutcome, ProofScope, Question};

/// The paths that no client sends are those that a URL parser changes.
#[test]
fn unsent_paths_are_those_that_a_url_parser_changes() {
    let table = Crawlers::builtin();
    let agents = [CrawlerQuery::new("*", Some(&table))];
    let dialects = [Dialect::STANDARD];
    let scope = ProofScope::new(&table).agents(&agents).dialects(&dialects);
    // In a path and in a query, and alone in a segment.
    let octets = (b' '..=b'~').filter(|octet| !b"#*$%?".contains(octet)).map(char::from);
    let one = octets.flat_map(|c| [format!("/a{c}b"), format!("/{c}/"), format!("/?a{c}b"), format!("/a/{c}?{c}c")]);
    let dots =
        ["/.", "/..", "/...", "/a/./", "/a/../b", "/.a/", "/a./", "/..a", "/?/../", "/a?..", "/.?a", "/..?a", "//./a"];
    let mut counts = [0, 0];
    for path in one.chain(dots.map(str::to_owned)) {
        let url = format!("https://site.example{path}");
        let sent = Question::new(&url, false).unwrap().sent.unwrap();
        let is_sent = sent == url;
        let old = format!("User-agent: *\nDisallow: {path}$\n");
        let diff = Diff::new(old.as_bytes(), b"", &scope);
        let [change] = diff.changes.as_slice() else { panic!("{path}: {:?}", diff.changes) };
        // Clients do not agree on these two characters. No client is said not to send what one may send.
        let is_open = path.contains(['^', '\'']);
        assert!(if is_open { change.sent } else { change.sent == is_sent }, "{path}: sent as {sent}, {change:?}");
        counts[usize::from(is_sent)] += 1;
    }
    assert!(counts[0] > 30 && counts[1] > 200, "{counts:?}");
}

/// In one dialect, no client sends the path; in the other one, `/a%20b` is the same path.
#[test]
fn a_counterexample_that_is_sent_comes_from_any_dialect() {
    let table = Crawlers::builtin();
    let agents = [CrawlerQuery::new("*", Some(&table))];
    let claims = [ClaimText::new(ClaimKind::AllAllowed, "/", Vec::new())];
    let found = |dialects: &[Dialect]| {
        let scope = ProofScope::new(&table).agents(&agents).dialects(dialects);
        let proof = Proof::new(b"User-agent: *\nDisallow: /a b\n", &claims, &scope).unwrap();
        assert_eq!(proof.outcome, ProofOutcome::Refuted);
        let found = proof.claims[0].counterexample.clone().unwrap();
        (found.dialect, found.sent)
    };
    assert_eq!(found(&[Dialect::STANDARD]), ("standard", false));
    assert_eq!(found(&[Dialect::STANDARD, Dialect::NOROBOTS_1996]), ("norobots-1996", true));
}

/// Google allows the directory of an index page together with the page. They are two changes, each with its own URLs.
#[test]
fn urls_of_an_index_page_are_counted_apart() {
    let table = Crawlers::builtin();
    let agents = [CrawlerQuery::new("*", Some(&table))];
    let dialects = [Dialect::GOOGLE];
    let scope = ProofScope::new(&table).agents(&agents).dialects(&dialects);
    let [old, new] = ["", "Allow: /a/index.html\n"].map(|rule| format!("User-agent: *\nDisallow: /\n{rule}"));
    let mut diff = Diff::new(old.as_bytes(), new.as_bytes(), &scope);
    let urls = ["/a/", "/a/index.html", "/a/index.html?b=/", "/b"].map(str::to_owned);
    diff.count(old.as_bytes(), new.as_bytes(), &urls, &scope);
    let counts = diff.changes.iter().map(|change| {
        (change.rule.pattern.as_str(), change.witness.as_str(), change.listed.as_ref().map_or(0, |listed| listed.count))
    });
    let expected = [("/a/$", "/a/", 1), ("/a/index.html", "/a/index.html", 2)];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}
