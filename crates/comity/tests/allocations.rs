//! A question to compiled rules allocates nothing, as documented, and parsing little but what it keeps.

use allocation_counter::measure;
use comity::{Crawler, Dialect, Robots, Rules};

const BODY: &str = "User-agent: *
Disallow: /private/
Disallow: /*.gif$
Disallow: /a*b*c
Allow: /private/*/public
Allow: /dir/index.html
Disallow: /caf\u{e9}%2F~%7e$
Disallow:
";

/// Paths, whole URLs, and paths that must be rewritten, some of them as long as fits.
fn urls() -> Vec<Vec<u8>> {
    let mut urls: Vec<Vec<u8>> = [
        "",
        "/",
        "/robots.txt",
        "/private/x",
        "/private/x/public",
        "/x.gif",
        "/a-b-c",
        "/dir/",
        "https://h.example/a?b#c",
        "h?q",
        "/caf%c3%a9%2f%7E~$",
        "/caf\u{e9}/%",
        "/*/$",
        "/%41%zz",
        "/.well-known/x",
        "/%2/.a/%2E.b/..c/...",
        "//h.example/private",
        "mailto:a@h.example",
    ]
    .map(|url| url.as_bytes().to_vec())
    .into();
    urls.push(format!("/%7E{}", "a".repeat(8_190)).into_bytes());
    urls.push(format!("/{}", "\u{e9}".repeat(1_365)).into_bytes());
    urls.push(format!("/private/{}.gif", "%2f*$".repeat(900)).into_bytes());
    urls.push([b'/', 0xFF].repeat(2_048));
    urls.extend((0..100).map(|i| format!("/dir/{i}%2E{i}/a%20b.gif").into_bytes()));
    urls
}

fn ask_all(rules: &Rules, urls: &[Vec<u8>]) -> usize {
    urls.iter().filter(|url| rules.check_bytes(url).is_allowed()).count()
}

#[test]
fn questions_allocate_nothing() {
    let urls = urls();
    for dialect in Dialect::ALL {
        let robots = Robots::parse_with(BODY, dialect);
        let rules = robots.rules_for(&Crawler::token("mybot").unwrap());
        let mut allowed = 0;
        let rounds = 1_000_usize.div_ceil(urls.len());
        let info = measure(|| allowed = (0..rounds).map(|_| ask_all(&rules, &urls)).sum());
        assert_eq!((info.count_total, info.count_current), (0, 0), "{dialect}");
        assert!((1..rounds * urls.len()).contains(&allowed), "{dialect}: {allowed} allowed");
    }
}

#[test]
fn only_longer_ones_do() {
    let rules = Robots::parse(BODY).rules_for(&Crawler::token("mybot").unwrap());
    let allocations = |octets: usize| {
        let url = format!("/%7E{}", "a".repeat(octets - 2));
        measure(|| assert!(rules.check(&url).is_allowed())).count_total
    };
    assert_eq!(allocations(8_192), 0);
    assert!(allocations(8_193) > 0);
}

#[test]
fn parsing_allocates_what_it_keeps() {
    // The document, its texts, and one array each of agents, groups, rules and records.
    const ARRAYS: u64 = 6;
    let file = |groups: usize| {
        let group =
            |i| format!("User-agent: bot-{i}\nDisallow: /{i}/private/\nAllow: /{i}/caf\u{e9}\nCrawl-delay: {i}\n");
        (0..groups).map(group).collect::<String>() + "Sitemap: https://h.example/sitemap.xml\n"
    };
    for (groups, most) in [(1, ARRAYS), (8, ARRAYS), (1_000, 2 * ARRAYS)] {
        let body = file(groups);
        let mut robots = None;
        let info = measure(|| robots = Some(Robots::parse(&body)));
        assert!(info.count_total <= most, "{groups} groups: {} allocations", info.count_total);
        assert_eq!(Ok(info.bytes_current), robots.unwrap().memory().try_into(), "{groups} groups");
    }
}
