//! Properties that hold for all files, all crawlers and all URLs.

use std::io::Write as _;

use crate::naive::{Asker, File, Outcome, walk};
use comity::crawlers::TABLE;
use comity::{Crawler, Dialect, Governed, LINE_LIMIT, Profile, Purpose, Robots, Rules, SIZE_LIMIT};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn config(cases: u32) -> ProptestConfig {
    // What fails is fixed and gets a test of its own; seeds of an earlier generator would say nothing.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

// What files are made of. Few words, so that they meet often.

const AGENT_FIELDS: &[&str] = &["user-agent", "USER-AGENT", "useragent", "User Agent", "user-agents", "user_agent"];
#[rustfmt::skip] // a word per line says no more
const RULE_FIELDS: &[&str] = &[
    "allow", "ALLOW", "disallow", "DisAllow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "disalllow",
    "alow", "allowed", "Disallowed", "disallow all",
];
#[rustfmt::skip] // a word per line says no more
const OTHER_FIELDS: &[&str] = &[
    "sitemap", "site-map", "sitemap_index", "crawl-delay", "host", "noindex", "clean-param", "x",
    "DisallowAITraining",
];
const OTHER_VALUES: &[&str] = &["", "1", "2.5", "-1", "0.000000000001", "99999999999999999999", "http://h/s#x", "/a b"];
#[rustfmt::skip] // a word per line says no more
const AGENTS: &[&str] = &[
    "*", "* x", "*\x0Bx", "*x", "**", "", "Foo", "foo", "FOO", "FooBar", "Foo Bar", "Foo/2.1", "Foo\x0B/2", "Foo.",
    "Foo..", "Foo.Bar", "Foo-Bar", "Foo_Bar", "oo", "Foo*", "1", "1bot", "MJ12bot", "MJ", "/x", "Fóo", "a:b",
    "Googlebot", "Googlebot-Image", "Yandex", "YandexImages", "YandexDirect", "bingbot", "Applebot", "AdsBot-Google",
    "GPTBot", "Sogou web spider", "Sogou", "Google-Safety",
];
#[rustfmt::skip] // a word per line says no more
const PIECES: &[&str] = &[
    "/", "a", "b", "A", "*", "$", "%", "%2", "%2F", "%2f", "%61", "%7e", "~", "%24", "%2a", "%2A", "%zz", "é",
    "%C3%a9", ".", "..", "/.", "/..", "%2e", "\\", "\t", "-", "?", ";", ":", " ", "=", "//", "://", "#", "\0", "/index.htm", "/index.html", "/robots.txt",
    "robots%2Etxt", "\x01", "\x7F",
];
#[rustfmt::skip] // a word per line says no more
const URL_STARTS: &[&str] = &[
    "", "/", "http://h", "http://h/", "//", "http:/", "h", "http://h?u", "a;", "a#", "://", "/#", "\\", "HTTP:\\h",
    "a://h/", "a:", "file:///", "http://@", "http://u@:1", " http://h/",
];
const SPACES: &[&str] = &["", " ", "\t", "  ", "\x0B", "\x0C", " \x0B", "\x0C\t", "\u{A0}"];
const LINE_ENDS: &[&str] = &["\n", "\r", "\r\n", "\n\r", "\r\r\n", "\n\n"];
const MARKS: &[&[u8]] = &[b"\xEF", b"\xEF\xBB", b"\xEF\xBB\xBF", b"\xEF\xBB\xBF\xEF\xBB\xBF", b"\xEF\x11", b"\xFF\xFE"];

/// A line's parts, mostly the usual ones.
fn mostly(usual: &'static str, odd: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop_oneof![20 => Just(usual), 1 => select(odd)]
}

fn pieces(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![3 => select(&["/", "a", "b", "*"][..]), 2 => select(PIECES)];
    vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// Patterns mostly start with a slash, or nothing would ever match.
fn pattern() -> impl Strategy<Value = String> {
    (mostly("/", &["", "*", "%2F"]), pieces(5)).prop_map(|(start, rest)| start.to_owned() + &rest)
}

fn rule_value() -> impl Strategy<Value = String> {
    prop_oneof![8 => pattern(), 1 => Just(String::new())]
}

fn url() -> impl Strategy<Value = Vec<u8>> {
    let usual = (mostly("/", URL_STARTS), pieces(6)).prop_map(|(start, rest)| (start.to_owned() + &rest).into_bytes());
    prop_oneof![20 => usual, 1 => vec(any::<u8>(), 0..12), 1 => Just(b"/robots.txt".to_vec())]
}

fn agent() -> impl Strategy<Value = String> {
    prop_oneof![2 => Just("*"), 2 => Just("Foo"), 3 => select(AGENTS)].prop_map(str::to_owned)
}

fn asker() -> impl Strategy<Value = Asker<'static>> {
    let profile = (select(AGENTS), vec(select(AGENTS), 0..20), any::<bool>(), 0..5_usize).prop_map(
        |(token, fallback, obeys_star, governed)| {
            use Governed::{ControlToken, MayBypass, No, Unstated, Yes};
            let mut profile = Profile::new(token, "", Purpose::Other).with_fallback(fallback);
            profile.obeys_star = obeys_star;
            profile.governed = [Yes, MayBypass, No, ControlToken, Unstated][governed];
            profile
        },
    );
    prop_oneof![
        6 => agent().prop_map(|token| Asker::Token(token.into_bytes())),
        1 => vec(any::<u8>(), 0..4).prop_map(Asker::Token),
        2 => vec(select(AGENTS), 0..4).prop_map(Asker::Merged),
        1 => vec(select(AGENTS), 16..20).prop_map(Asker::Merged),
        3 => select(TABLE).prop_map(|profile| Asker::Profile(Box::new(profile))),
        1 => profile.prop_map(|profile| Asker::Profile(Box::new(profile))),
    ]
}

/// A line without its end.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let record = |field: BoxedStrategy<&'static str>, value: BoxedStrategy<String>| {
        let colon = mostly(":", &[" ", "\t", "", "::", "\x0B:", " \x0B", " \t "]);
        let tail = mostly("", &[" ", "#", " # c", "\0", "\0x#", "\t\x0B"]);
        let space = || mostly("", SPACES);
        (space(), field, space(), colon, mostly(" ", SPACES), value, tail).prop_map(
            |(before, field, gap, colon, after, value, tail)| {
                [before, field, gap, colon, after, &value, tail].concat().into_bytes()
            },
        )
    };
    let agents = record(mostly("User-agent", AGENT_FIELDS).boxed(), agent().boxed());
    let rule_fields = prop_oneof![4 => Just("Allow"), 4 => Just("Disallow"), 1 => select(RULE_FIELDS)];
    let rules = record(rule_fields.boxed(), rule_value().boxed());
    let other_values = prop_oneof![select(OTHER_VALUES).prop_map(str::to_owned), pieces(4)];
    let others = record(select(OTHER_FIELDS).boxed(), other_values.boxed());
    let blanks = select(&["", " ", "\t\x0B", "# c", " #User-agent: *", "\0", ":", ": x"][..]);
    prop_oneof![
        30 => agents,
        80 => rules,
        8 => others,
        4 => blanks.prop_map(|blank| blank.as_bytes().to_vec()),
        2 => vec(any::<u8>(), 0..12),
    ]
}

/// A line near a limit, with what may be cut there.
fn long_line(fill: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let start = select(&["Allow:/", "Allow:/", "Disallow:/", "Disallow:/", "User-agent:"][..]);
    let len = prop_oneof![4 => LINE_LIMIT - 6..LINE_LIMIT + 1, 1 => 1_024..1_036_usize];
    let ends = &["$", "%", "%2F", "%61", "%6", " ", "#aaaaaaaa", "\0aaaaaaaa", "a", "é", "*", "%%", "aaaaaaaa"][..];
    let rest = vec(select(ends), 0..4).prop_map(|ends| ends.concat());
    (start, len, rest).prop_map(move |(start, len, rest)| {
        let mut line = start.as_bytes().to_vec();
        line.extend(fill.bytes().cycle().take(len - line.len()));
        line.extend_from_slice(rest.as_bytes());
        line
    })
}

/// A dialect that takes each choice from any of the named ones.
fn mixed_dialect() -> impl Strategy<Value = Dialect> {
    vec(select(Dialect::ALL), 19).prop_map(|from| {
        let mut dialect = Dialect::STANDARD;
        dialect.name = "mixed";
        dialect.field_names = from[0].field_names;
        dialect.missing_colon = from[1].missing_colon;
        dialect.product_token = from[2].product_token;
        dialect.fallback_token = from[3].fallback_token;
        dialect.star_with_text = from[4].star_with_text;
        dialect.merge_groups = from[5].merge_groups;
        dialect.blank_line_ends_group = from[6].blank_line_ends_group;
        dialect.wildcards = from[7].wildcards;
        dialect.escapes = from[8].escapes;
        dialect.precedence = from[9].precedence;
        dialect.robots_txt_allowed = from[10].robots_txt_allowed;
        dialect.allow_index_allows_directory = from[11].allow_index_allows_directory;
        dialect.url_path = from[12].url_path;
        dialect.byte_order_mark = from[13].byte_order_mark;
        dialect.cut_allow_ignored = from[14].cut_allow_ignored;
        dialect.max_rule_len = from[15].max_rule_len.map(|_| 4);
        dialect.max_rules = from[16].max_rules.map(|_| 8);
        dialect.size_limit = from[17].size_limit;
        dialect.crawl_delay = from[18].crawl_delay;
        dialect
    })
}

/// A file as people and machines write them, well or badly.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let lines = vec((line(), mostly("\n", LINE_ENDS)), 0..20);
    let mark = prop_oneof![20 => Just(&b""[..]), 1 => select(MARKS)];
    let opening = || agent().prop_map(|agent| (format!("User-agent: {agent}").into_bytes(), "\n"));
    let first = prop_oneof![1 => Just(None), 3 => opening().prop_map(Some)];
    // Real files repeat themselves for one crawler after the other, more or less.
    let again = prop_oneof![4 => Just(None), 1 => (opening(), any::<Index>()).prop_map(Some)];
    let bytes = (mark, first, lines, again).prop_map(|(mark, first, lines, again)| {
        let mut all: Vec<_> = first.into_iter().chain(lines.clone()).collect();
        if let Some((opening, at)) = again {
            all.push(opening);
            all.extend(lines);
            all.insert(at.index(all.len() + 1), (b"#".to_vec(), "\n"));
        }
        all.into_iter().fold(mark.to_vec(), |body, (line, end)| [&body, &line, end.as_bytes()].concat())
    });
    // A file may also end without a line end, be cut anywhere, or be written in UTF-16.
    (bytes, any::<Index>(), 0..40_u8).prop_map(|(mut body, at, how)| {
        match how {
            0..4 if !body.is_empty() => body.truncate(at.index(body.len())),
            4 => body = utf16_le(&body),
            5 => body = utf16_be(&body),
            6 => {
                body = utf16_le(&body);
                body.truncate(at.index(body.len()));
            }
            _ => {}
        }
        body
    })
}

fn utf8(body: &[u8]) -> Vec<u8> {
    body.to_vec()
}

fn utf8_with_mark(body: &[u8]) -> Vec<u8> {
    [b"\xEF\xBB\xBF", body].concat()
}

fn utf16_le(body: &[u8]) -> Vec<u8> {
    format!("\u{FEFF}{}", String::from_utf8_lossy(body)).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn utf16_be(body: &[u8]) -> Vec<u8> {
    utf16_le(body).chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect()
}

/// Asks in every way there is.
fn check_ways(robots: &Robots, body: &[u8], asker: &Asker<'_>, urls: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let (crawler, dialect) = (asker.crawler(), robots.dialect());
    let rules = robots.rules_for(&crawler);
    prop_assert_eq!(rules.crawl_delay(), robots.crawl_delay(&crawler));
    prop_assert_eq!(rules.dialect(), dialect);
    for url in urls {
        let verdict = robots.check_bytes(&crawler, url);
        let question = || format!("{dialect}, {asker:?}, {}", url.escape_ascii());
        prop_assert_eq!(rules.check_bytes(url), verdict, "compiled: {}", question());
        prop_assert_eq!(dialect.decide_bytes(body, &crawler, url), verdict, "while reading: {}", question());

        let why = robots.explain_bytes(&crawler, url);
        prop_assert_eq!(why.verdict, verdict, "explained: {}", question());
        let deciding = why.deciding().map(|rule| (rule.line, rule.kind, rule.priority));
        prop_assert_eq!(deciding.map(|(line, ..)| line), verdict.line());
        prop_assert_eq!(
            deciding.map(|(_, kind, priority)| (kind, priority)),
            verdict.rule_kind().zip(verdict.priority())
        );
        if let (Some(first), Some(second)) = (why.deciding(), why.runner_up()) {
            let claim = why.why_it_wins();
            prop_assert!(!claim.contains("longer") || first.priority > second.priority, "{}", claim);
        }
        let text = why.to_string();
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
    Ok(())
}

/// Asks in every way there is, and the naive implementation.
fn check_agreement(
    body: &[u8],
    dialect: &Dialect,
    askers: &[Asker<'_>],
    urls: &[Vec<u8>],
) -> Result<(), TestCaseError> {
    let robots = Robots::parse_with(body, dialect);
    prop_assert_eq!(robots.dialect(), dialect);
    walk(&robots, body);
    let file = File::read(dialect.name, body);
    for asker in askers {
        check_ways(&robots, body, asker, urls)?;
        for url in urls {
            let (engine, naive) = (Outcome::from(robots.check_bytes(&asker.crawler(), url)), file.ask(asker, url));
            prop_assert_eq!(engine, naive, "{}, {:?}, {}", dialect, asker, url.escape_ascii());
        }
    }
    Ok(())
}

fn check_all_dialects(body: &[u8], askers: &[Asker<'_>], urls: &[Vec<u8>]) -> Result<(), TestCaseError> {
    Dialect::ALL.iter().try_for_each(|dialect| check_agreement(body, dialect, askers, urls))
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn any_bytes_are_a_file(body in vec(any::<u8>(), 0..600), asker in asker(), url in vec(any::<u8>(), 0..40)) {
        check_all_dialects(&body, &[asker], &[url])?;
    }
}

proptest! {
    #![proptest_config(config(5_000))]

    #[test]
    fn all_ways_agree(body in body(), askers in vec(asker(), 1..5), urls in vec(url(), 1..5)) {
        check_all_dialects(&body, &askers, &urls)?;
    }

    #[test]
    fn all_ways_agree_in_any_dialect(
        dialect in mixed_dialect(),
        body in body(),
        asker in asker(),
        urls in vec(url(), 1..5),
    ) {
        let robots = Robots::parse_with(&body, &dialect);
        walk(&robots, &body);
        check_ways(&robots, &body, &asker, &urls)?;
    }
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn all_ways_agree_on_long_lines(
        (fill, lines) in select(&["a", "é", "%", "*a", " "][..])
            .prop_flat_map(|fill| (Just(fill), vec(long_line(fill), 1..3))),
        len in 0..17_000_usize,
        end in select(LINE_ENDS),
        asker in asker(),
    ) {
        let mut body = b"User-agent: *\nDisallow: /a\n".to_vec();
        let mut urls = vec![b"/b".to_vec()];
        for line in lines {
            body.extend_from_slice(&line);
            body.extend_from_slice(end.as_bytes());
            // What is kept of the pattern, and a little less.
            let kept = &line[..line.len().min(LINE_LIMIT)];
            let value = kept.iter().position(|byte| *byte == b'/').map_or(&[][..], |start| &kept[start..]);
            urls.extend((0..4).map(|less| value[..value.len().saturating_sub(less)].to_vec()));
        }
        body.extend_from_slice(b"Disallow: /b");
        urls.extend([1, 100].map(|part| format!("/{}", fill.repeat(len / part)).into_bytes()));
        if fill == "*a" {
            // Where the pattern is all stars, trying everything takes its time.
            for url in &mut urls {
                url.truncate(20);
            }
        }
        check_all_dialects(&body, &[Asker::Token(b"Foo".to_vec()), asker], &urls)?;
    }

    #[test]
    fn all_ways_agree_on_long_urls(
        lines in vec(line(), 0..10),
        url in url(),
        fill in pieces(4),
        len in 0..20_000_usize,
    ) {
        let mut body = b"User-agent: *\nDisallow: *a\n".to_vec();
        for line in lines {
            body.extend_from_slice(&line);
            body.push(b'\n');
        }
        let url = [&url, fill.repeat(len / fill.len().max(1)).as_bytes()].concat();
        check_all_dialects(&body, &[Asker::Token(b"Foo".to_vec())], &[url])?;
    }

    #[test]
    fn all_ways_agree_on_many_rules(
        before in 2_040..2_050_usize,
        groups in 1..4_usize,
        lines in vec(line(), 0..10),
        mut urls in vec(url(), 1..4),
        item in 0..600_usize,
    ) {
        urls.push(format!("/{}-{}-{item}item/{item}", item % 50, item % 7).into_bytes());
        let mut body = Vec::new();
        for i in 0..before {
            if i % (before / groups) == 0 {
                body.extend_from_slice(b"User-agent: *\n");
            }
            match i % 4 {
                0 => body.extend_from_slice(b"Allow: /x*y\n"),
                // Many of a stem: some of them are in a URL, and of these some match.
                1 => writeln!(body, "Disallow: /*{}-{}*{i}", i % 50, i % 7).unwrap(),
                2 => writeln!(body, "Allow: *item/{}$", i / 4).unwrap(),
                _ => body.extend_from_slice(b"Disallow: /x/y\n"),
            }
        }
        for line in lines {
            body.extend_from_slice(&line);
            body.push(b'\n');
        }
        check_all_dialects(&body, &[Asker::Token(b"Foo".to_vec())], &urls)?;
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn all_ways_agree_on_large_files(
        fill in select(&["# filler\n", "\n", "x", "\r\n", "Sitemap: é\r"][..]),
        last in select(&["\nAllow: /ab\r\nDisallow: /abĊc\r", "\nDisallow: /ab\rAllow: /ab\n\rAllow: /č"][..]),
        at in any::<Index>(),
        encode in select(&[utf8, utf8_with_mark, utf16_le, utf16_be][..]),
    ) {
        // The limit falls beside a line end, or what might be taken for one.
        let is_close = |at: &usize| last[..*at].ends_with(is_like_line_end) || last[*at..].starts_with(is_like_line_end);
        let places: Vec<usize> = last.char_indices().map(|(at, _)| at).filter(is_close).collect();
        let whole = &last[..places[at.index(places.len())]];
        let start = "User-agent: *\nDisallow: /a\n";
        let len = |text: &str| encode(text.as_bytes()).len();
        let (fill_len, pad_len) = (len(fill) - len(""), len("x") - len(""));
        let room = SIZE_LIMIT - len(&format!("{start}{whole}"));
        let pad = "x".repeat(room % fill_len / pad_len);
        let text = [start, &fill.repeat(room / fill_len), &pad, last].concat();
        prop_assert_eq!(len(&text) - len(last), SIZE_LIMIT - len(whole));
        let urls = ["/a", "/ab", "/abĊc", "/č", "/b"].map(|url| url.as_bytes().to_vec());
        check_all_dialects(&encode(text.as_bytes()), &[Asker::Token(b"Foo".to_vec())], &urls)?;
    }
}

/// A line end, or a character that ends in the byte of one in UTF-16.
fn is_like_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | 'Ċ' | 'č')
}

/// The lines of a group: user-agent lines, then rules, at least one of each.
type Group = (Vec<String>, Vec<String>);

fn group() -> impl Strategy<Value = Group> {
    let agents = vec(agent().prop_map(|agent| format!("User-agent: {agent}")), 1..3);
    let rules = (select(&["Allow", "Disallow"][..]), rule_value()).prop_map(|(kind, value)| format!("{kind}: {value}"));
    (agents, vec(rules, 1..6))
}

/// Groups, and the same in another order: the groups, their user-agent lines and their rules.
fn shuffled_groups() -> impl Strategy<Value = (Vec<Group>, Vec<Group>)> {
    vec(group(), 1..6).prop_flat_map(|groups| (Just(groups.clone()), Just(groups).prop_shuffle())).prop_flat_map(
        |(groups, shuffled)| {
            let shuffle = |(agents, rules)| (Just(agents).prop_shuffle(), Just(rules).prop_shuffle());
            (Just(groups), shuffled.into_iter().map(shuffle).collect::<Vec<_>>())
        },
    )
}

/// The first match decides in none of them, nothing is counted, and blank lines mean nothing.
const ORDER_IS_NOTHING: [Dialect; 4] = [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING];

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn order_is_nothing(
        (groups, shuffled) in shuffled_groups(),
        askers in vec(asker(), 1..5),
        urls in vec(url(), 1..6),
    ) {
        let write = |groups: &[Group]| {
            let lines = groups.iter().flat_map(|(agents, rules)| agents.iter().chain(rules));
            lines.fold(String::new(), |body, line| body + line + "\n")
        };
        let (body, other) = (write(&groups), write(&shuffled));
        for dialect in ORDER_IS_NOTHING {
            let (robots, other) = (Robots::parse_with(&body, &dialect), Robots::parse_with(&other, &dialect));
            for (asker, url) in askers.iter().flat_map(|asker| urls.iter().map(move |url| (asker, url))) {
                let (a, b) = (robots.check_bytes(&asker.crawler(), url), other.check_bytes(&asker.crawler(), url));
                // The line moves, and with it which of two equal rules is named; nothing else does.
                prop_assert_eq!(
                    (a.answer(), a.reason(), a.basis(), a.rule_kind(), a.priority()),
                    (b.answer(), b.reason(), b.basis(), b.rule_kind(), b.priority()),
                    "{}", dialect
                );
            }
        }
    }

    #[test]
    fn comments_and_blank_lines_are_nothing(
        lines in vec(line(), 0..20),
        end in select(&["\n", "\r", "\r\n"][..]),
        added in select(&["", " \t", "#", "# User-agent: *", "\x0C# Disallow: /", "\0Allow: /"][..]),
        at in any::<Index>(),
        askers in vec(asker(), 1..5),
        urls in vec(url(), 1..5),
    ) {
        // Only line ends of one kind: CR, a blank line, LF would be a CR and a CRLF.
        let lines: Vec<Vec<u8>> =
            lines.into_iter().map(|line| line.into_iter().filter(|byte| !b"\r\n".contains(byte)).collect()).collect();
        let at = at.index(lines.len() + 1);
        // A byte order mark is one only at the start.
        prop_assume!(at > 0 || !lines.first().is_some_and(|line| matches!(line.first(), Some(0xEF | 0xFE | 0xFF))));
        let mut more = lines.clone();
        more.insert(at, added.as_bytes().to_vec());
        let (body, more) = (lines.join(end.as_bytes()), more.join(end.as_bytes()));
        for dialect in ORDER_IS_NOTHING {
            let (robots, more) = (Robots::parse_with(&body, &dialect), Robots::parse_with(&more, &dialect));
            for (asker, url) in askers.iter().flat_map(|asker| urls.iter().map(move |url| (asker, url))) {
                let (a, b) = (robots.check_bytes(&asker.crawler(), url), more.check_bytes(&asker.crawler(), url));
                let line = a.line().map(|line| line + u32::from(line as usize > at));
                prop_assert_eq!(
                    (a.answer(), a.reason(), a.basis(), a.rule_kind(), a.priority(), line),
                    (b.answer(), b.reason(), b.basis(), b.rule_kind(), b.priority(), b.line()),
                    "{}", dialect
                );
            }
        }
    }

    #[test]
    fn unreserved_octets_are_their_escapes(
        rules in vec((select(&["Allow", "Disallow"][..]), pattern()), 1..8),
        url in pieces(8).prop_map(|url| format!("/{url}")),
        choices in vec(any::<(bool, bool)>(), 64),
    ) {
        let write = |escape: bool| {
            rules.iter().fold("User-agent: *\n".to_owned(), |body, (kind, value)| {
                let value = if escape { escape_unreserved(value, &choices) } else { value.clone() };
                format!("{body}{kind}: {value}\n")
            })
        };
        // Tabs and line ends are removed from URLs before anything else, so `%2<tab>b` is the escape `%2b`, of which no octet
        // may be escaped.
        let escaped_url = escape_unreserved(&url.replace(['\t', '\r', '\n'], ""), &choices);
        let bare = Robots::parse(write(false));
        let escaped = Robots::parse(write(true));
        let foo = Crawler::token("Foo").unwrap();
        let verdict = bare.check(&foo, &url);
        prop_assert_eq!(verdict, bare.check(&foo, &escaped_url), "{} as {}", url, escaped_url);
        prop_assert_eq!(verdict, escaped.check(&foo, &url));
        prop_assert_eq!(verdict, escaped.check(&foo, &escaped_url));
        prop_assert_eq!(verdict, escaped.rules_for(&foo).check(&escaped_url));
    }
}

/// Escapes the unreserved bytes that are chosen, with upper-case or lower-case digits. Escapes stay as they are.
fn escape_unreserved(text: &str, choices: &[(bool, bool)]) -> String {
    let is_escape = |text: &str| {
        text.starts_with('%') && text.get(1..3).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let mut out = String::new();
    let mut rest = text;
    let mut choices = choices.iter().cycle();
    while let Some(c) = rest.chars().next() {
        let len = if is_escape(rest) { 3 } else { c.len_utf8() };
        let (escape, upper) = choices.next().unwrap();
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '~' if *escape => {
                out += &if *upper { format!("%{:02X}", c as u32) } else { format!("%{:02x}", c as u32) };
            }
            _ => out += &rest[..len],
        }
        rest = &rest[len..];
    }
    out
}

#[test]
fn can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    is_shared::<Robots>();
    is_shared::<Rules>();
}

/// A stored rule has few bits for the distance to the rule before it.
#[test]
fn rules_may_be_far_apart() {
    for gap in [1, 2, 0x3FFD, 0x3FFE, 0x3FFF, 0x4000, 0x4001, 0xFFFF, 0x1_0000] {
        let pause = "\n".repeat(gap - 1);
        let group = |agent| {
            format!(
                "User-agent: {agent}\nDisallow: /a\n{pause}Allow: /a/%7eb\n{pause}Disallow: /\u{e9}\n{pause}Allow: /d\n"
            )
        };
        let body = group("Foo") + &group("Bar");
        let robots = Robots::parse(&body);
        for (group, start) in robots.groups().zip([2, 3 * gap + 4]) {
            let rules: Vec<_> =
                group.rules().map(|rule| (rule.line() as usize, rule.value(), rule.pattern())).collect();
            let expected: [(usize, &[u8], &[u8]); 4] = [
                (start, b"/a", b"/a"),
                (start + gap, b"/a/%7eb", b"/a/~b"),
                (start + 2 * gap, "/\u{e9}".as_bytes(), b"/%C3%A9"),
                (start + 3 * gap, b"/d", b"/d"),
            ];
            assert_eq!(rules, expected, "{gap} lines apart");
        }
        let askers = ["Foo", "Bar", "Nobody"].map(|token| Asker::Token(token.into()));
        let urls = ["/a", "/a/~b", "/%C3%A9", "/d", "/e"].map(|url| url.as_bytes().to_vec());
        check_all_dialects(body.as_bytes(), &askers, &urls).unwrap();
    }
}
