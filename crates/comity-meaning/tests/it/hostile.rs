//! Hostile files: the budget bounds the work, and an undecided comparison is never "same".

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Held, Outcome, dead_rules};

/// Returns a file of rules with many stars each, which have exponentially many overlays.
fn stars(kind: &str, seed: u32, rules: u32) -> String {
    let mut text = String::from("User-agent: *\n");
    let mut state = seed;
    for _ in 0..rules {
        let mut pattern = String::from("/");
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            pattern += ["*a", "*b", "*ab", "*ba"][(state >> 30) as usize];
        }
        text += &format!("{kind}: {pattern}\n");
    }
    text
}

#[test]
fn many_stars_are_decided_or_not_within_the_budget() {
    let old = Robots::parse(stars("Disallow", 1, 500));
    let new =
        Robots::parse(format!("{}{}", stars("Disallow", 1, 500), &stars("Allow", 2, 500)["User-agent: *\n".len()..]));
    for steps in [0, 1_000, 200_000] {
        let budget = Budget::of_steps(steps);
        let difference = Comparison::new(&old, &new).budget(budget).run();
        assert!(difference.steps <= steps);
        assert!(!difference.is_complete());
        assert_ne!(difference.outcome(), Outcome::Same);
        assert!(!dead_rules(&new, &Crawlers::builtin(), budget).is_complete);
        let held = Claim::all_allowed(b"/zz*zz").only(&[Crawler::ANY]).budget(budget).check(&new).unwrap();
        assert_ne!(held, Held::Yes);
    }
}

#[test]
fn many_names_are_bounded_where_names_contain_names() {
    let names =
        |prefix: &str| (0..4_000).map(|n| format!("User-agent: {prefix}{n}\nDisallow: /{n}\n\n")).collect::<String>();
    let [old, new] = [names("a"), names("b")].map(|text| Robots::parse_with(text, &Dialect::NOROBOTS_1996));
    let difference = Comparison::new(&old, &new).run();
    assert!(!difference.is_complete());
    assert_ne!(difference.outcome(), Outcome::Same);
}

#[test]
fn without_an_unused_octet_nothing_is_decided() {
    // This pattern contains every octet that could replace a star.
    let all: String = (b'!'..=b'~').filter(|octet| !b"#*$%".contains(octet)).map(char::from).collect();
    let old = Robots::parse(format!("User-agent: *\nDisallow: /{all}\n"));
    let new = Robots::parse(format!("User-agent: *\nDisallow: /{all}\nDisallow: /*x\n"));
    let difference = Comparison::new(&old, &new).run();
    assert_eq!(difference.outcome(), Outcome::Undecided);
    assert!(difference.unfinished.contains(&"*".to_owned()));
}

#[test]
fn patterns_of_claims_are_checked() {
    let robots = Robots::parse("");
    for pattern in ["", "private", "/a\nAllow: /", "/a # b", " /a", "$"] {
        let error = Claim::all_allowed(pattern.as_bytes()).check(&robots).unwrap_err();
        assert!(error.to_string().starts_with("expected a path pattern such as /private/"), "{error}");
    }
}

/// A group may have a name that no crawler has. A change shows the name as written, so that its witness can be checked.
#[test]
fn names_of_changes_lead_back_to_their_groups() {
    let old = "User-agent: *cDisallow: /a/\nAllow: /a:\nDisallow: /*b$\n";
    let [old, new] = [old, "Allow: /*b\n"].map(|body| Robots::parse_with(body, &Dialect::BING));
    let table = Crawlers::builtin();
    let difference = Comparison::new(&old, &new).crawlers(&table).run();
    assert_eq!(difference.changes.len(), 1);
    for change in &difference.changes {
        for name in change.crawlers.iter() {
            let [was, is] =
                [&old, &new].map(|file| file.check_bytes(&Crawler::literal(name), &change.witness).is_allowed());
            assert!(!was && is, "{name}: {change}");
        }
    }
}
