//! Files of 512,000 bytes in which everything can be fixed, or seems to be fixable. They are the most work for lints
//! and fixes.

use std::fmt::Write as _;

const MAX_FILE_BYTES: usize = 512_000;

type Generator = fn() -> String;

/// The files with their names.
pub(crate) const FILES: [(&str, Generator); 18] = [
    ("missp2", || lines("User-agent: *\n", |i| format!("Disalow: /{i}"))),
    ("missp", || lines("User-agent: *\n", |i| format!("Disalllow: /{i}"))),
    ("hide", hide),
    ("copies", || lines("User-agent: *\nDisallow: /a\n", |i| format!("User-agent: b{i}\nDisallow: /a"))),
    ("partial", partial),
    ("ignorec", || lines("User-agent: *\n", |i| format!("Disallow: /{i} # comity: ignore[L{i}]"))),
    ("redun", || lines("User-agent: *\n", |i| format!("Disallow: /{i:b}"))),
    ("rules_inc", || lines("User-agent: *\n", |i| format!("Disallow: /{}", i + 1))),
    ("noslash", || lines("User-agent: *\n", |i| format!("Disallow: p{i}"))),
    ("unreach", || lines("User-agent: *\n", |i| format!("Allow: /{i}\nDisallow: /{i}*"))),
    ("stars", || lines("User-agent: *\n", |i| format!("Disallow: /*a*{i}**b"))),
    ("groups", || lines("", |i| format!("User-agent: b{i}\nDisallow: /{i}\nDisallow: /{i}/a"))),
    ("closing", || lines("User-agent: *\n", |i| format!("Disallow: /{i} /* */"))),
    ("dup", || lines("User-agent: *\n", |_| "Disallow: /".to_owned())),
    ("joined", || lines("", |i| format!("User-agent: a\nUser-agent: b\nDisallow: /{i}"))),
    ("apart", || lines("", |i| format!("User-agent: *\n\nUser-agent: bot{i}\nDisallow: /{i}"))),
    ("list", || format!("User-agent: {}\nDisallow: /", "a,".repeat(MAX_FILE_BYTES / 2 - 20))),
    ("http", || lines("User-agent: *\n", |i| format!("Sitemap: http://www.shop.example/{i}"))),
];

/// Returns groups that hide 2,000 rules of `*`.
fn hide() -> String {
    let mut start = String::from("User-agent: *\n");
    for i in 0..2_000 {
        let _ = writeln!(start, "Disallow: /s{i}");
    }
    lines(&start, |i| format!("User-agent: b{i}\nDisallow: /{i}"))
}

/// Returns groups of all known crawlers that repeat the first of many rules of `*`.
fn partial() -> String {
    let mut start = String::from("User-agent: *\n");
    for i in 0..200 {
        let _ = writeln!(start, "Disallow: /s{i}/*/x{i}*");
    }
    for row in &comity::Crawlers::builtin() {
        let _ = writeln!(start, "User-agent: {}\nDisallow: /s0/*/x0*\nAllow: /{}", row.token, row.token);
    }
    lines(&start, |i| format!("Disallow: /{i}"))
}

/// Returns a text that consists of a start, and of lines until the size limit is reached.
fn lines(start: &str, line: impl Fn(usize) -> String) -> String {
    let mut text = String::from(start);
    for i in 0.. {
        let line = line(i);
        if text.len() + line.len() + 1 > MAX_FILE_BYTES {
            break;
        }
        text += &line;
        text.push('\n');
    }
    text
}
