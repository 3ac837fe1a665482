//! What `serde` writes is whole, in formats that count fields too.
#![cfg(feature = "serde")]

use comity::{Crawler, Profile, Robots};

#[test]
fn verdicts_and_explanations_survive_formats_that_count() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /a\nAllow: /a$\n");
    let written = (robots.check(Crawler::ANY, "/a"), robots.explain(Crawler::ANY, "/ab"), 7_u8);
    let mut bytes = Vec::new();
    ciborium::into_writer(&written, &mut bytes).unwrap();
    let (verdict, explanation, seven): (ciborium::Value, ciborium::Value, u8) =
        ciborium::from_reader(bytes.as_slice()).unwrap();
    assert_eq!(verdict.as_map().unwrap().len(), 9);
    assert_eq!(explanation.as_map().unwrap().len(), 7);
    assert_eq!(seven, 7);
}

#[test]
fn crawlers_of_ones_own_may_not_be_misspelt() {
    let good = r#"{"token": "a", "operator": "b", "purpose": "search", "obeys_star": false, "fallback": ["c"]}"#;
    let profile: Profile = serde_json::from_str(good).unwrap();
    assert!(!profile.obeys_star);
    assert_eq!(serde_json::from_str::<Profile>(&good.replace("obeys_star", "obeys-star")).unwrap(), profile);
    assert_eq!(profile.chain().collect::<Vec<_>>(), ["a", "c"]);
    for wrong in [good.replace("obeys_star", "obeysStar"), good.replace("fallback", "fallbacks")] {
        assert!(serde_json::from_str::<Profile>(&wrong).unwrap_err().to_string().contains("unknown field"));
    }
}
