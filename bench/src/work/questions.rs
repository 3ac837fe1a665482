//! URLs for questions. Half of them are derived from the rules of the file, and the rest from the rules of other sites
//! and from paths that every site gets requests for. On real files, most of them match no rule, like most real URLs.

use std::rc::Rc;

use super::random::Random;
use super::{Body, SITE};

const COMMON: [&str; 12] = [
    "/",
    "/index.html",
    "/robots.txt",
    "/favicon.ico",
    "/sitemap.xml",
    "/search?q=shoes",
    "/about",
    "/news/2026/11/21/a-headline-of-some-length",
    "/products/1234567",
    "/wp-content/uploads/2026/11/photo-1024x768.jpg",
    "/api/v2/items?page=2&sort=price&order=asc",
    "/category/shoes/women?size=38&colour=red",
];

/// Returns `count` URLs for a file. `seed` makes them different for each file.
pub(super) fn urls(body: &Body, others: &[Rc<Body>], seed: usize, count: usize) -> Vec<String> {
    let mut random = Random::new(0x75_726C + seed as u64);
    let own = patterns(body);
    let mut foreign: Vec<&str> = Vec::new();
    for _ in 0..8 {
        foreign.extend(patterns(&others[random.below(others.len())]).into_iter().take(200));
    }
    let url = |_| {
        let path = match random.below(4) {
            0 | 1 if !own.is_empty() => expand(random.pick(&own), &mut random),
            2 if !foreign.is_empty() => expand(random.pick(&foreign), &mut random),
            _ => random.pick(&COMMON).to_owned(),
        };
        format!("{SITE}{path}")
    };
    (0..count).map(url).collect()
}

/// Returns the values of rules. Scanning the lines is sufficient for this purpose.
fn patterns(body: &Body) -> Vec<&str> {
    let values = body.text.lines().filter_map(|line| {
        let (field, value) = line.split_once(':')?;
        let field = field.trim();
        let rule = field.eq_ignore_ascii_case("disallow") || field.eq_ignore_ascii_case("allow");
        rule.then(|| value.split('#').next().unwrap_or_default().trim())
    });
    values.filter(|value| value.starts_with(['/', '*']) && value.len() <= 200).collect()
}

/// Returns a path for a pattern. The path matches, unless the random end prevents it.
fn expand(pattern: &str, random: &mut Random) -> String {
    let tail = ["", "", "/", "index.html", "?id=7", "x", "/a/b/c.html"];
    let mut path = String::new();
    for octet in pattern.strip_suffix('$').unwrap_or(pattern).bytes() {
        match octet {
            b'*' if path.is_empty() => path.push('/'),
            b'*' => path += &format!("{:x}", random.below(1 << 20)),
            b'!' | b'#'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' | b'~' if octet != b'#' => {
                path.push(octet.into());
            }
            _ => path.push('-'),
        }
    }
    path + random.pick(&tail)
}
