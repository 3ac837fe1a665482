//! Bodies around the size limit: what is kept of one gives the answer of all of it, in each encoding.

use comity::{Crawler, Dialect, READ_LIMIT, Robots, SIZE_LIMIT};

type Encode = fn(&str) -> Vec<u8>;

const ENCODINGS: [(&str, Encode); 3] = [
    ("UTF-8", |text| text.as_bytes().to_vec()),
    ("UTF-16LE", |text| "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()),
    ("UTF-16BE", |text| "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()),
];

/// A body whose line `Disallow: /xyz` ends at a byte offset: there its line end is, and after that another rule.
fn body(encode: Encode, end: usize, line_end: &str) -> Vec<u8> {
    let (start, rule) = ("User-agent: a\nDisallow: /first\n#", "\nDisallow: /xyz");
    let unit = encode("x").len() - encode("").len();
    let fill = (end - encode(&[start, rule].concat()).len()) / unit;
    let body = encode(&[start, &"x".repeat(fill), rule, line_end, "Disallow: /last\n"].concat());
    let whole = &body[..end];
    assert!(whole.ends_with(&encode(rule)[encode("").len()..]), "the rule does not end at {end}");
    body
}

/// Asks in all ways; true is allowed.
fn is_allowed(body: &[u8], dialect: &Dialect, url: &str) -> bool {
    let robots = Robots::parse_with(body, dialect);
    let crawler = Crawler::token("a").unwrap();
    let verdict = robots.check(&crawler, url);
    assert_eq!(robots.rules_for(&crawler).check(url), verdict);
    assert_eq!(dialect.decide(body, &crawler, url), verdict);
    verdict.is_allowed()
}

#[test]
fn kept_part_gives_the_answers_of_the_whole() {
    for (encoding, encode) in ENCODINGS {
        let unit = encode("x").len() - encode("").len();
        for units in -3_isize..=3 {
            let end = SIZE_LIMIT.wrapping_add_signed(units * unit.cast_signed());
            for line_end in ["\n", "\r", "\r\n"] {
                let body = body(encode, end, line_end);
                for dialect in Dialect::ALL {
                    if *dialect == Dialect::GOOGLE_PARSER {
                        continue; // it has no limit, so it needs all of a file
                    }
                    for url in ["/first", "/xyz", "/last"] {
                        let kept = is_allowed(&body[..READ_LIMIT], dialect, url);
                        let at = format!("{encoding}, {dialect}, {url}, {units} units from the limit, {line_end:?}");
                        assert_eq!(kept, is_allowed(&body, dialect, url), "{at}");
                        // Of the rule at the limit it is known whether it is whole.
                        if *dialect == Dialect::STANDARD {
                            assert_eq!(kept, url == "/last" || (url == "/xyz" && units > 0), "{at}");
                        }
                    }
                }
            }
        }
    }
}

/// The other half of a cut unit is unknown, so the line before it is unfinished in either byte order.
#[test]
fn half_a_unit_is_no_line_end() {
    for (encoding, encode) in &ENCODINGS[1..] {
        let body = body(*encode, SIZE_LIMIT, "\n");
        let answers = |len: usize| ["/first", "/xyz"].map(|url| is_allowed(&body[..len], &Dialect::STANDARD, url));
        assert_eq!(answers(SIZE_LIMIT), [false, false], "{encoding}: the file ends there");
        assert_eq!(answers(SIZE_LIMIT + 1), [false, true], "{encoding}");
        assert_eq!(answers(SIZE_LIMIT + 2), [false, false], "{encoding}");
    }
}
