//! Documents of `serde` are complete, also in formats that count fields.
#![cfg(feature = "serde")]

use comity::{Crawler, Crawlers, Profile, Purpose, Robots};

#[test]
fn verdicts_and_explanations_survive_formats_that_count() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /a\nAllow: /a$\n");
    let written = (robots.check(&Crawler::ANY, "/a"), robots.explain(&Crawler::ANY, "/ab"), 7_u8);
    let mut bytes = Vec::new();
    ciborium::into_writer(&written, &mut bytes).unwrap();
    let (verdict, explanation, seven): (ciborium::Value, ciborium::Value, u8) =
        ciborium::from_reader(bytes.as_slice()).unwrap();
    assert_eq!(verdict.as_map().unwrap().len(), 9);
    assert_eq!(explanation.as_map().unwrap().len(), 7);
    assert_eq!(seven, 7);
}

#[test]
fn crawlers_of_ones_own_may_not_be_misspelled() {
    let good = r#"{"token": "a", "operator": "b", "purpose": "search", "obeys_star": false, "fallback": ["c"]}"#;
    let profile: Profile = serde_json::from_str(good).unwrap();
    assert!(!profile.obeys_star);
    assert_eq!(serde_json::from_str::<Profile>(&good.replace("obeys_star", "obeys-star")).unwrap(), profile);
    assert_eq!(profile.chain().collect::<Vec<_>>(), ["a", "c"]);
    for wrong in [good.replace("obeys_star", "obeysStar"), good.replace("fallback", "fallbacks")] {
        assert!(serde_json::from_str::<Profile>(&wrong).unwrap_err().to_string().contains("unknown field"));
    }
}

#[test]
fn tables_of_crawlers_have_a_version() {
    let read = |text: &str| serde_json::from_str::<Crawlers>(text).map_err(|error| error.to_string());
    let row = r#"{"token": "a", "operator": "b", "purpose": "search", "obeys_star": false}"#;
    let newer = row.replace("\"operator\"", "\"hat\": {\"color\": [1]}, \"operator\"");
    let mut profile = Profile::new("a", "b", Purpose::Search);
    profile.obeys_star = false;
    let expected: Crawlers = [profile].into_iter().collect();
    for text in [
        format!(r"[{row}]"),
        format!(r#"{{"crawler": [{row}]}}"#),
        format!(r#"{{"version": "1.0", "crawler": [{row}]}}"#),
        format!(r#"{{"crawler": [{row}], "version": 1}}"#),
        format!(r#"{{"crawler": [{}]}}"#, row.replace("obeys_star", "obeys-star")),
        format!(r#"{{"version": "1.7", "crawler": [{row}]}}"#),
        format!(r#"{{"crawler": [{newer}], "source": "x", "version": "1.7"}}"#),
    ] {
        let table = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(table.iter().eq(expected.iter()), "{text}");
    }
    for (text, ignored) in [
        (format!("[{newer}, {newer}]"), vec!["`hat` of the crawler `a`"]),
        (
            format!(r#"{{"version": "1.0", "crawler": [{newer}], "license": "x"}}"#),
            vec!["`license`", "`hat` of the crawler `a`"],
        ),
        (
            format!("[{}]", row.replace("\"obeys_star\"", "\"uses\": {\"browse\": \"x\"}, \"obeys_star\"")),
            vec!["`uses.browse` of the crawler `a`"],
        ),
        (r#"{"version": "1.7", "crawler": [], "crawlers": []}"#.to_owned(), vec!["`crawlers`"]),
    ] {
        assert_eq!(read(&text).unwrap().ignored_fields(), ignored, "{text}");
    }
    for (text, message) in [
        (
            format!("[{}]", row.replace("obeys_star", "obeysStars")),
            "unknown field `obeysStars` of the crawler `a`, did you mean `obeys_star`?",
        ),
        (
            format!("[{}]", row.replace("\"obeys_star\"", "\"uses\": {\"trainig\": \"x\"}, \"obeys_star\"")),
            "unknown field `uses.trainig` of the crawler `a`, did you mean `training`?",
        ),
        (
            format!("[{}]", row.replace("\"obeys_star\"", "\"ai\": \"training\", \"obeys_star\"")),
            "`ai` of the crawler `a` is `uses` now",
        ),
        (
            format!(r#"{{"version": "1.0", "crawlers": [{row}], "crawler": []}}"#),
            "unknown field `crawlers`, did you mean `crawler`?",
        ),
        (format!(r#"{{"version": "2.0", "crawler": [{row}]}}"#), "of version 1, found version 2.0"),
        (r#"{"version": "2.0"}"#.to_owned(), "of version 1, found version 2.0"),
        (r#"{"version": "1.0"}"#.to_owned(), "missing field `crawler`"),
        (r#"{"version": "one", "crawler": []}"#.to_owned(), "a version as text"),
        (r#"{"version": -1, "crawler": []}"#.to_owned(), "a version as text"),
        (r#"{"crawler": [], "crawler": []}"#.to_owned(), "duplicate field `crawler`"),
        (r#"{"crawler": [{"token": "a", "token": "b"}]}"#.to_owned(), "duplicate field `token`"),
        (r#"{"crawler": [{"token": "a"}]}"#.to_owned(), "missing field `operator`"),
        ("7".to_owned(), "a table of crawlers"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
    }
    let builtin = Crawlers::builtin();
    let written = serde_json::to_value(&builtin).unwrap();
    assert_eq!(written["version"], "1.0");
    assert_eq!(serde_json::from_value::<Crawlers>(written).unwrap(), builtin);
}

#[test]
fn tables_of_crawlers_are_collections() {
    let mut table: Crawlers = Crawlers::builtin().into_iter().take(2).collect();
    let known: Vec<Profile> = table.iter().cloned().collect();
    table.extend([Profile::new("New", "x", Purpose::Other), Profile::new("NEW", "y", Purpose::Other)]);
    assert_eq!(table.iter().len(), 3);
    assert_eq!(table.find("new").unwrap().operator, "y");
    assert!(known.iter().all(|profile| table.find(&profile.token) == Some(profile)));
    assert!((&table).into_iter().eq(table.iter()));
}
