//! Any layout, nulls, slices and empty batches: the answers are those of the engine, row by row.

use std::sync::Arc;

use crate::layouts::{Answer, LAYOUTS, answers, column};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int64Array, NullArray, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use comity::{Answer as Verdict, Crawler, Crawlers, Robots};
use comity_arrow::{CrawlerColumn, Kernel, RobotsColumn, Table, TableBuilder, UrlForm};
use proptest::prelude::*;
use proptest::sample::select;

const BODIES: [&[u8]; 6] = [
    b"",
    b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    b"User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.gif$\n",
    b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow:\n",
    b"\xFF\xFE<html>",
    b"User-agent: *\nDisallow: /caf\xE9\n",
];
const URLS: [&[u8]; 9] =
    [b"/", b"/a", b"/a/b", b"/a/../a/b", b"/x.gif", b"/robots.txt", b"https://site.example/a", b"no url", b"/caf\xE9"];
const CRAWLERS: [&[u8]; 7] =
    [b"ExampleBot", b"Googlebot-Image", b"googlebot", b"*", b"AdsBot-Google", b"Mozilla/5.0 (X11)", b"\0Crawler"];

fn value(values: &'static [&'static [u8]]) -> impl Strategy<Value = Option<&'static [u8]>> {
    prop_oneof![1 => Just(None), 6 => select(values).prop_map(Some)]
}

type Row = (Option<&'static [u8]>, Option<&'static [u8]>, Option<&'static [u8]>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((value(&BODIES), value(&URLS), value(&CRAWLERS)), 0..40)
}

/// Returns the answer of the engine to a row.
fn expected((body, url, crawler): Row, form: UrlForm) -> Answer {
    let none = |reason: &str| (None, None, reason.to_owned());
    let (Some(url), Some(name)) = (url, crawler) else { return none("missing-input") };
    let table = Crawlers::builtin();
    let name = std::str::from_utf8(name).unwrap();
    let crawler = match table.find(name) {
        Some(profile) => Crawler::from(profile),
        None if name == "*" => Crawler::ANY,
        None => match Crawler::token(name) {
            Ok(crawler) => crawler,
            Err(_) => return none("invalid-crawler"),
        },
    };
    let Some(body) = body else { return none("missing-input") };
    let robots = Robots::parse(body);
    let verdict = match form {
        UrlForm::Unchanged => robots.check_bytes(&crawler, url),
        _ => match std::str::from_utf8(url) {
            Ok("/a/../a/b") => robots.check(&crawler, "/a/b"),
            Ok("no url") | Err(_) => return none("invalid-url"),
            Ok(url) => robots.check(&crawler, url),
        },
    };
    let allowed = match verdict.answer() {
        Verdict::Allowed => Some(true),
        Verdict::Disallowed => Some(false),
        _ => None,
    };
    (allowed, verdict.line(), verdict.reason().name().to_owned())
}

proptest! {
    #[test]
    fn bodies_in_any_layout(
        rows in rows(),
        layout in prop::array::uniform3(select(&LAYOUTS)),
        form in select(&[UrlForm::AsSent, UrlForm::Unchanged]),
        memory in select(&[0, 20_000, 1 << 20]),
        cut in any::<prop::sample::Index>(),
    ) {
        let part = |part: fn(&Row) -> Option<&'static [u8]>| rows.iter().map(part).collect::<Vec<_>>();
        let bodies = column(layout[0], &part(|row| row.0));
        let urls = column(layout[1], &part(|row| row.1));
        let crawlers = column(layout[2], &part(|row| row.2));
        let mut kernel = Kernel::new().with_url_form(form).with_memory(memory);
        let expected: Vec<_> = rows.iter().map(|row| expected(*row, form)).collect();
        let cut = if rows.is_empty() { 0 } else { cut.index(rows.len()) };
        // The whole batch, its parts as slices, and the whole batch from the cache.
        for (start, len) in [(0, rows.len()), (0, cut), (cut, rows.len() - cut), (0, rows.len())] {
            let (bodies, urls, crawlers) =
                (bodies.slice(start, len), urls.slice(start, len), crawlers.slice(start, len));
            let found = kernel
                .check(&RobotsColumn::Bodies(&bodies), &urls, &CrawlerColumn::Names(&crawlers))
                .unwrap();
            prop_assert_eq!(answers(&found), &expected[start..start + len]);
        }
        prop_assert!(kernel.memory() <= memory);
    }

    #[test]
    fn keys_in_any_layout(
        rows in rows(),
        layout in prop::array::uniform4(select(&LAYOUTS)),
        form in select(&[UrlForm::AsSent, UrlForm::Unchanged]),
        memory in select(&[0, 20_000, 1 << 20]),
    ) {
        let keys: Vec<Vec<u8>> = (0..BODIES.len()).map(|body| format!("{body}").into_bytes()).collect();
        let all_keys: Vec<_> = keys.iter().map(|key| Some(&**key)).collect();
        let table = Table::new(&column(layout[0], &all_keys), &column(layout[1], &BODIES.map(Some))).unwrap();
        let key = |row: &Row| row.0.map(|body| &*keys[BODIES.iter().position(|other| *other == body).unwrap()]);
        let row_keys = column(layout[2], &rows.iter().map(key).collect::<Vec<_>>());
        let urls = column(layout[3], &rows.iter().map(|row| row.1).collect::<Vec<_>>());
        let crawlers = column(layout[0], &rows.iter().map(|row| row.2).collect::<Vec<_>>());
        let mut kernel = Kernel::new().with_url_form(form).with_memory(memory);
        for _ in 0..2 {
            let found = kernel
                .check(&RobotsColumn::Keys(&table, &row_keys), &urls, &CrawlerColumn::Names(&crawlers))
                .unwrap();
            let expected: Vec<_> = rows.iter().map(|row| expected(*row, form)).collect();
            prop_assert_eq!(answers(&found), expected);
        }
    }
}

#[test]
fn two_tables_are_not_confused() {
    let keys = StringArray::from(vec!["key"]);
    let table = |body: &str| Table::new(&keys, &StringArray::from(vec![body])).unwrap();
    let (closed, open) = (table("User-agent: *\nDisallow: /\n"), table(""));
    let urls = StringArray::from(vec!["/a"]);
    let mut kernel = Kernel::new();
    for (table, allowed) in [(&closed, false), (&open, true), (&closed, false)] {
        let robots = RobotsColumn::Keys(table, &keys);
        let found = answers(&kernel.check(&robots, &urls, &CrawlerColumn::One(Crawler::ANY)).unwrap());
        assert_eq!(found[0].0, Some(allowed));
    }
}

#[test]
fn a_url_of_another_site_has_no_verdict() {
    let table = Table::new(
        &StringArray::from(vec!["https://A.example:443/", "https://xn--mller-kva.example"]),
        &StringArray::from(vec!["", ""]),
    )
    .unwrap();
    let keys = StringArray::from(vec![
        "https://a.example",
        "https://A.example/",
        "https://a.example",
        "https://a.example",
        "https://müller.example",
        "https://b.example",
    ]);
    let urls = StringArray::from(vec![
        "https://a.example/b",
        "https://a.example/b",
        "https://b.example/b",
        "http://a.example/b",
        "https://müller.example/b",
        "https://b.example/b",
    ]);
    let ask = |robots| answers(&Kernel::new().check(&robots, &urls, &CrawlerColumn::One(Crawler::ANY)).unwrap());
    let by_url: Vec<_> = ask(RobotsColumn::Origins(&table)).into_iter().map(|(_, _, reason)| reason).collect();
    assert_eq!(by_url, ["no-group", "no-group", "unknown-key", "unknown-key", "no-group", "unknown-key"]);
    let found = ask(RobotsColumn::Keys(&table, &keys));
    let reasons: Vec<_> = found.iter().map(|(allowed, _, reason)| (*allowed, &**reason)).collect();
    let expected = [
        (Some(true), "no-group"),
        (Some(true), "no-group"),
        (None, "out-of-scope"),
        (None, "out-of-scope"),
        (Some(true), "no-group"),
        (None, "unknown-key"),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn a_crawler_that_does_not_obey_has_no_verdict() {
    let table = Crawlers::builtin();
    let free = table.iter().find(|profile| profile.governed == comity::Governed::No).expect("the table has one");
    let urls = StringArray::from(vec!["/a"]);
    let robots = RobotsColumn::One(b"User-agent: *\nDisallow: /\n");
    let found = Kernel::new().check(&robots, &urls, &CrawlerColumn::One(Crawler::from(free))).unwrap();
    assert_eq!(answers(&found), [(None, None, "not-governed".to_owned())]);
}

#[test]
fn columns_that_do_not_fit_are_errors() {
    let (numbers, urls) = (Int64Array::from(vec![1]), StringArray::from(vec!["/a"]));
    let one = CrawlerColumn::One(Crawler::ANY);
    let error = |robots: &RobotsColumn<'_>, urls: &dyn Array, crawlers: &CrawlerColumn<'_>| {
        Kernel::new().check(robots, urls, crawlers).unwrap_err().to_string()
    };
    assert_eq!(
        error(&RobotsColumn::One(b""), &numbers, &one),
        "expected the column of urls as strings or binary data, or as a dictionary of them, found Int64: cast it to a \
         string type"
    );
    let two = StringArray::from(vec!["", ""]);
    assert_eq!(
        error(&RobotsColumn::Bodies(&two), &urls, &one),
        "expected columns of the same length, found 1 urls and 2 robots: pass columns of the same rows"
    );
    let robots = RobotsColumn::One(b"");
    assert!(error(&robots, &urls, &CrawlerColumn::Names(&two)).contains("found 1 urls and 2 crawlers"));
    assert!(error(&robots, &urls, &CrawlerColumn::Names(&numbers)).contains("crawlers as strings"));
}

#[test]
fn one_bad_url_of_a_million() {
    const ROWS: usize = 1_000_000;
    let urls: StringArray = (0..ROWS).map(|row| Some(if row == 777_777 { "http://[" } else { "/a" })).collect();
    let robots = RobotsColumn::One(b"User-agent: *\nDisallow: /\n");
    let found = answers(&Kernel::new().check(&robots, &urls, &CrawlerColumn::One(Crawler::ANY)).unwrap());
    for (row, (allowed, line, reason)) in found.iter().enumerate() {
        let expected = if row == 777_777 { (None, None, "invalid-url") } else { (Some(false), Some(2), "rule") };
        assert_eq!((*allowed, *line, &**reason), expected, "row {row}");
    }
}

#[test]
fn bodies_are_those_of_their_hashes() {
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let octets: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&EMPTY[2 * at..2 * at + 2], 16).unwrap()).collect();
    let add = |hash: &[u8], body: &str| {
        let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
        let result = builder.add_hashed_bodies(&BinaryArray::from(vec![hash]), &StringArray::from(vec![body]));
        result.map_err(|error| error.to_string())
    };
    let upper = EMPTY.to_ascii_uppercase();
    for hash in [&octets[..], EMPTY.as_bytes(), upper.as_bytes()] {
        assert_eq!(add(hash, ""), Ok(()));
        let error = add(hash, "x").unwrap_err();
        assert!(error.contains(&format!("SHA-256 {EMPTY}, as its row states, found one with 2d711642")), "{error}");
    }
    // Names of other kinds, also those of other hashes, can't be checked.
    for name in
        ["", "7", "d41d8cd98f00b204e9800998ecf8427e", &format!("blake3:{EMPTY}"), &EMPTY[1..], &EMPTY.replace('e', "g")]
    {
        assert_eq!(add(name.as_bytes(), "x"), Ok(()), "{name}");
    }
}

#[test]
fn rules_without_a_body_are_an_error() {
    for (hash, shown) in [(None, "null"), (Some("2"), "2")] {
        let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
        builder.add_hashed_bodies(&StringArray::from(vec!["1"]), &StringArray::from(vec![""])).unwrap();
        let (origins, outcomes) = (StringArray::from(vec!["https://a.example"]), StringArray::from(vec!["rules"]));
        let added = builder.add_sites(&origins, &outcomes, &StringArray::from(vec![hash]), None);
        let error = added.unwrap_err().to_string();
        assert!(error.contains(&format!("found none with the hash {shown} of https://a.example")), "{error}");
    }
}

#[test]
fn a_key_with_two_bodies_is_an_error() {
    let table = |second: &str, body: &str| {
        let keys = StringArray::from(vec!["https://a.example", second]);
        let bodies = StringArray::from(vec!["User-agent: *\nDisallow: /\n", body]);
        let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
        let [first, last] = [0, 1].map(|row| (keys.slice(row, 1), bodies.slice(row, 1)));
        let in_two_calls = builder.add_bodies(&first.0, &first.1).and_then(|()| builder.add_bodies(&last.0, &last.1));
        let found = [in_two_calls.map(|()| builder.build()), Table::new(&keys, &bodies)];
        found.map(|table| table.map(|table| table.len()).map_err(|error| error.to_string()))
    };
    for key in ["https://a.example", "https://A.example:443/"] {
        for found in table(key, "") {
            assert!(found.unwrap_err().starts_with(&format!("expected one body for each key, found two for {key}")));
        }
        assert_eq!(table(key, "User-agent: *\nDisallow: /\n"), [Ok(1), Ok(1)]);
    }
}

#[test]
fn times_of_any_unit_are_compared() {
    let (origin, hash) = (StringArray::from(vec!["https://a.example"]), StringArray::from(vec![None::<&str>]));
    // In the order of their times, each later than the one before.
    let times: [(&str, ArrayRef); 5] = [
        ("allow-all", Arc::new(NullArray::new(1))),
        ("disallow-all", Arc::new(TimestampSecondArray::from(vec![-1]))),
        ("allow-all", Arc::new(TimestampMillisecondArray::from(vec![999]))),
        ("disallow-all", Arc::new(TimestampMicrosecondArray::from(vec![1_000_000]).with_timezone("UTC"))),
        ("allow-all", Arc::new(TimestampNanosecondArray::from(vec![1_000_000_001]))),
    ];
    for end in 1..=times.len() {
        for is_reversed in [false, true] {
            let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
            let mut rows: Vec<_> = times[..end].iter().collect();
            if is_reversed {
                rows.reverse();
            }
            for (outcome, time) in rows {
                builder.add_sites(&origin, &StringArray::from(vec![*outcome]), &hash, Some(time)).unwrap();
            }
            let (table, url) = (builder.build(), StringArray::from(vec!["https://a.example/"]));
            let robots = RobotsColumn::Origins(&table);
            let found = answers(&Kernel::new().check(&robots, &url, &CrawlerColumn::One(Crawler::ANY)).unwrap());
            assert_eq!(found[0].2, times[end - 1].0, "{end} {is_reversed}");
        }
    }
    let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
    let text = StringArray::from(vec!["2026-01-31"]);
    let error = builder.add_sites(&origin, &StringArray::from(vec!["allow-all"]), &hash, Some(&text)).unwrap_err();
    assert!(error.to_string().starts_with("expected the column of fetched as timestamps"), "{error}");
    assert_eq!(Err(error), TableBuilder::check_time_type("fetched", &text.data_type().clone()));
}

#[test]
fn sites_have_the_outcome_of_their_fetch() {
    let mut builder = TableBuilder::new(comity::Dialect::STANDARD);
    let hashes = StringArray::from(vec!["1"]);
    builder.add_hashed_bodies(&hashes, &StringArray::from(vec!["User-agent: *\nDisallow: /a\n"])).unwrap();
    let origins =
        StringArray::from(vec!["https://a.example", "https://b.example", "https://c.example", "https://d.example"]);
    let outcomes = StringArray::from(vec!["rules", "allow-all", "disallow-all", "redirect"]);
    let hashes = StringArray::from(vec![Some("1"), None, None, None]);
    builder.add_sites(&origins, &outcomes, &hashes, Some(&Int64Array::from(vec![10; 4]))).unwrap();
    // An older fetch of the first site, a newer one of the fourth, and one that has no outcome here.
    let again = StringArray::from(vec!["https://a.example", "https://d.example", "https://e.example"]);
    let outcomes = StringArray::from(vec!["allow-all", "rules", "redirect"]);
    let hashes = StringArray::from(vec![None, Some("1"), Some("1")]);
    builder.add_sites(&again, &outcomes, &hashes, Some(&Int64Array::from(vec![9, 11, 11]))).unwrap();
    let table = builder.build();
    let keys: Vec<_> = "abcde".chars().map(|site| format!("https://{site}.example")).collect();
    let keys = StringArray::from(keys);
    let ask = |path: &str, crawler| {
        let urls = StringArray::from(vec![path; 5]);
        answers(&Kernel::new().check(&RobotsColumn::Keys(&table, &keys), &urls, &CrawlerColumn::One(crawler)).unwrap())
    };
    let allowed: Vec<_> = ask("/a", Crawler::ANY).into_iter().map(|answer| (answer.0, answer.2)).collect();
    let expected = [
        (Some(false), "rule"),
        (Some(true), "allow-all"),
        (Some(false), "disallow-all"),
        (Some(false), "rule"),
        (None, "no-answer"),
    ];
    assert_eq!(allowed, expected.map(|(allowed, reason)| (allowed, reason.to_owned())));
    // The robots.txt itself may always be fetched, and no access governs a crawler that does not obey.
    assert_eq!(ask("/robots.txt", Crawler::ANY)[2].0, Some(true));
    let table = Crawlers::builtin();
    let free = table.iter().find(|profile| profile.governed == comity::Governed::No).expect("the table has one");
    assert!(ask("/a", Crawler::from(free)).iter().all(|answer| answer.0.is_none()));
}
