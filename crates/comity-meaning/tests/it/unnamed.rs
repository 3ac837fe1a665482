//! Crawlers that no file names: `*`, and names that fall back to a token of the dialect or contain a token of a file.

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Claim, Comparison, Direction, Held, Outcome};

fn is_allowed(file: &Robots, name: &str) -> bool {
    let table = Crawlers::builtin();
    let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
    file.check(&crawler, "https://site.example/").is_allowed()
}

#[test]
fn claims_hold_for_crawlers_that_fall_back() {
    let parse = |text: &str| Robots::parse_with(text, &Dialect::YANDEX);
    let file = parse("User-agent: Yandex\nDisallow: /\n");
    assert!(!is_allowed(&file, "foo"));
    let Ok(Held::No(found)) = Claim::all_allowed(b"/").only(&[Crawler::ANY]).check(&file) else { panic!() };
    assert_eq!((found.crawler.as_str(), found.line), ("unnamed", Some(2)));
    assert!(!is_allowed(&file, &found.crawler));
    // `*` includes the crawlers of the table that the file does not name, which do not fall back.
    let Ok(Held::No(found)) = Claim::none_allowed(b"/").only(&[Crawler::ANY]).check(&file) else { panic!() };
    assert_eq!(found.crawler, "*");
    assert_eq!(
        Claim::all_allowed(b"/").only(&[Crawler::ANY]).check(&parse("User-agent: foo\nDisallow: /\n")),
        Ok(Held::Yes)
    );
    // A file may name every name that could be made up.
    let names: String = (b'!'..=b'~').map(|octet| format!("User-agent: {}\n", char::from(octet))).collect();
    let file = parse(&format!("User-agent: Unnamed\n{names}Disallow: /x\n"));
    let held = Claim::all_allowed(b"/y").only(&[Crawler::ANY]).check(&file).unwrap();
    assert!(matches!(held, Held::Undecided | Held::Yes), "{held:?}");
}

#[test]
fn comparisons_hold_for_crawlers_that_fall_back() {
    let texts = ["User-agent: Yandex\nDisallow: /\n", "User-agent: Yandex\nDisallow:\n"];
    let [old, new] = texts.map(|text| Robots::parse_with(text, &Dialect::YANDEX));
    let found = Comparison::new(&old, &new).only(&[Crawler::ANY]).run();
    assert_eq!(found.outcome(), Outcome::Differs);
    assert_eq!(found.changes.iter().map(|change| &*change.crawlers).collect::<Vec<_>>(), [["unnamed"]]);
    // The other dialect has no fallback.
    let new = Robots::parse(texts[1]);
    let found = Comparison::new(&old, &new).only(&[Crawler::ANY]).run();
    assert_eq!(found.changes.iter().map(|change| &*change.crawlers).collect::<Vec<_>>(), [["unnamed"]]);
    // One class has one name.
    let found = Comparison::new(&old, &old).only(&[Crawler::ANY, Crawler::literal(b"foo")]).run();
    assert_eq!(found.crawlers, ["*", "unnamed", "foo"]);
    let open = Robots::parse_with("User-agent: *\nDisallow: /x\n", &Dialect::YANDEX);
    assert_eq!(Comparison::new(&open, &open).only(&[Crawler::ANY]).run().crawlers, ["*"]);
}

/// A known crawler may ignore `*`, which a crawler whose name contains its token does not.
#[test]
fn names_that_contain_the_token_of_a_known_crawler_are_other_crawlers() {
    for (token, other) in [("AdsBot-Google", "MyAdsBot-Google"), ("Myx", "MyMyx"), ("AdsBot-Google", "AdsBot-Google/")]
    {
        // A token that the other name would contain as well.
        let third = if other.ends_with('/') { "User-agent: myads\nDisallow: /z\n\n" } else { "" };
        let any = "User-agent: *\nDisallow: /\n";
        let [old, new] = [format!("{third}User-agent: {token}\nDisallow: /x\n\n{any}"), format!("{third}{any}")]
            .map(|text| Robots::parse_with(text, &Dialect::NOROBOTS_1996));
        let found = Comparison::new(&old, &new).run();
        let is_known = Crawlers::builtin().find(token).is_some();
        let blocked = found.changes.iter().find(|change| change.direction == Direction::Blocked).unwrap();
        assert_eq!(blocked.crawlers.contains(&other.to_owned()), is_known, "{blocked}");
        assert_eq!(blocked.crawlers.contains(&token.to_owned()), !is_known, "{blocked}");
        for change in &found.changes {
            for name in change.crawlers.iter() {
                let url = String::from_utf8([b"https://site.example", &*change.witness].concat()).unwrap();
                let crawlers = Crawlers::builtin();
                let crawler = crawlers.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
                let [was, is] = [&old, &new].map(|file| file.check(&crawler, &url).is_allowed());
                assert!(was != is && is == (change.direction == Direction::Allowed), "{name}: {change}");
            }
        }
    }
}
