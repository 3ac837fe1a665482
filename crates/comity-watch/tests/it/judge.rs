//! Each kind of alert.

use comity_fetch::store::ContentHash;
use comity_watch::AlertKind::{
    Allowed, Alternates, Back, Blocked, Cut, Drift, Gone, Leftover, Moved, NotText, Records, Text, Undecided,
    Unreachable,
};

use crate::history::Answer::{File, Moved as Elsewhere, Status};
use crate::history::{Watched, kinds, minute};

const OPEN: &str = "User-agent: *\nDisallow: /cart\n";
const COMMENTED: &str = "# our shop\nUser-agent: *\nDisallow: /cart\n";
const SHOP: &str = "User-agent: *\nDisallow: /cart\nDisallow: /shop/\nAllow: /shop/help/\n";
const CLOSED: &str = "User-agent: *\nDisallow: /\n";
const HTML: &str = "<!doctype html><title>Oops</title>\n";
const DAY: u64 = 24 * 60;

#[test]
fn a_change_names_crawlers_lines_and_urls() {
    let mut site = Watched::new();
    site.known = ["/shop/hats", "/shop/help/", "/cart/1"].map(|path| format!("https://shop.example{path}")).to_vec();
    assert_eq!(site.sees(0, &File(OPEN)), [], "the first look is a baseline");
    let alerts = site.sees(60, &File(SHOP));
    assert_eq!(kinds(&alerts), [Blocked]);
    let alert = &alerts[0];
    assert!(alert.title.starts_with("newly blocked, for every crawler"), "{}", alert.title);
    assert_eq!(alert.text[0], "   3 | Disallow: /shop/");
    assert!(alert.text[1].contains("/shop/help/ (line 4)"), "{:?}", alert.text);
    assert!(alert.text[1].contains("such as https://shop.example/shop/hats; 1 of 3 listed URLs"), "{:?}", alert.text);
    assert_eq!(alert.since, "2027-01-15T09:00:00Z");
    assert_eq!(alert.not_before.as_deref(), Some("2027-01-15T08:00:00Z"));
    assert_eq!(alert.diff.as_ref().unwrap()["changes"][0]["rule"]["line"], 3);
    assert_eq!(kinds(&site.sees(120, &File("User-agent: *\nDisallow: /shop/\n"))), [Blocked, Allowed]);
}

#[test]
fn another_text_with_the_same_meaning_is_kept_apart() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    assert_eq!(kinds(&site.sees(60, &File(COMMENTED))), [Text]);
    assert_eq!(site.sees(120, &File(COMMENTED)), []);
}

#[test]
fn records_other_than_rules_are_reported() {
    for (line, words) in [
        ("Sitemap: https://shop.example/s.xml", ["changed sitemaps", "Added sitemap: https://shop.example/s.xml."]),
        ("License: https://shop.example/l.xml", ["changed licenses", "Added license: https://shop.example/l.xml."]),
    ] {
        let mut site = Watched::new();
        site.sees(0, &File(OPEN));
        let text: &'static str = format!("{OPEN}\n{line}\n").leak();
        let alerts = site.sees(60, &File(text));
        assert_eq!(kinds(&alerts), [Records], "{line}");
        assert_eq!(alerts[0].title, words[0]);
        assert!(alerts[0].text.contains(&words[1].to_owned()), "{:?}", alerts[0].text);
    }
    for line in ["Crawl-delay: 10", "Content-Signal: ai-train=no"] {
        let mut site = Watched::new();
        site.sees(0, &File(OPEN));
        let text: &'static str = format!("{OPEN}{line}\n").leak();
        assert_eq!(kinds(&site.sees(60, &File(text))), [Records], "{line}");
    }
}

#[test]
fn a_blocked_site_comes_first() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    let alerts = site.sees(60, &File(CLOSED));
    assert_eq!(kinds(&alerts), [Leftover, Blocked]);
    assert_eq!(alerts[0].text, ["line 2: the whole site is blocked for every crawler"]);
    // Even if it is found with the first look; and by a file that no lint finds.
    assert_eq!(kinds(&Watched::new().sees(0, &File(CLOSED))), [Leftover]);
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    assert_eq!(
        kinds(&site.sees(60, &File("User-agent: *\nDisallow: /$\nDisallow: /*\nAllow: /robots.txt\n"))),
        [Leftover, Blocked]
    );
}

#[test]
fn a_file_of_a_staging_site_is_a_leftover() {
    let mut site = Watched::new();
    site.staging = vec![ContentHash::of(SHOP.as_bytes())];
    site.sees(0, &File(OPEN));
    let alerts = site.sees(60, &File(SHOP));
    assert_eq!(kinds(&alerts), [Leftover, Blocked]);
    assert_eq!(alerts[0].title, "serves the file of a staging site");
}

#[test]
fn an_outage_is_reported_after_three_attempts_and_half_an_hour() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    for at in [60, 62, 70] {
        assert_eq!(site.sees(at, &Status(503)), [], "{at}");
    }
    let alerts = site.sees(90, &Status(503));
    assert_eq!(kinds(&alerts), [Unreachable]);
    assert_eq!(alerts[0].title, "unreachable: answered 503, 4 times");
    assert!(alerts[0].text.iter().any(|line| line.starts_with("Policy google: ")), "{:?}", alerts[0].text);
    assert_eq!(site.sees(120, &Status(500)), []);
    let alerts = site.sees(180, &File(OPEN));
    assert_eq!(kinds(&alerts), [Back]);
    assert_eq!(site.sees(240, &File(OPEN)), []);
    // A short one is not reported, and neither is its end.
    for at in [300, 310, 320] {
        assert_eq!(site.sees(at, &Status(503)), []);
    }
    assert_eq!(site.sees(325, &File(OPEN)), []);
}

#[test]
fn a_file_that_is_gone_or_html_is_reported_once() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    let alerts = site.sees(60, &Status(404));
    assert_eq!(kinds(&alerts), [Gone]);
    assert!(
        alerts[0].text.iter().any(|line| line.starts_with("Newly allowed, for every crawler")),
        "{:?}",
        alerts[0].text
    );
    assert_eq!(site.sees(120, &Status(404)), []);
    assert_eq!(site.sees(180, &Status(410)), []);
    assert_eq!(kinds(&site.sees(240, &File(SHOP))), [Blocked]);
    assert_eq!(kinds(&site.sees(300, &File(HTML))), [NotText]);
    assert_eq!(kinds(&site.sees(360, &File(SHOP))), [Alternates]);
    let mut site = Watched::new();
    let alerts = site.sees(0, &File(HTML));
    assert_eq!(kinds(&alerts), [NotText], "the first look reports what is wrong now");
    assert_eq!(alerts[0].title, "serves an HTML page instead of a robots.txt");
    assert_eq!(site.sees(60, &File(HTML)), []);
}

#[test]
fn a_page_that_becomes_a_file_with_the_same_meaning_changed_in_text() {
    let page: &str = "<!doctype html>\nUser-agent: *\nDisallow: /cart\n";
    let mut site = Watched::new();
    site.sees(0, &File(page));
    assert_eq!(kinds(&site.sees(60, &File("User-agent: *\nDisallow: /cart\n"))), [Text]);
    // A comment of HTML makes no page.
    assert_eq!(kinds(&site.sees(120, &File("<!-- r -->\nUser-agent: *\nDisallow: /cart\n"))), [Text]);
    assert_eq!(kinds(&site.sees(180, &File("<p>\nUser-agent: *\nDisallow: /cart\n"))), [NotText]);
}

#[test]
fn a_file_from_another_site_is_reported_once() {
    let there = "https://cdn.example/robots.txt";
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    let alerts = site.sees(60, &Elsewhere(there, OPEN));
    assert_eq!(kinds(&alerts), [Moved], "the same file from another site");
    assert_eq!(alerts[0].title, "redirects its robots.txt to https://cdn.example/robots.txt");
    assert_eq!(site.sees(120, &Elsewhere(there, OPEN)), []);
    assert_eq!(kinds(&site.sees(180, &Elsewhere(there, SHOP))), [Blocked]);
    assert_eq!(site.sees(240, &File(SHOP)), []);
    let again = "https://www.shop.example/robots.txt";
    assert_eq!(kinds(&site.sees(300, &Elsewhere(again, OPEN))), [Moved, Alternates]);
    // A site that was always so is not news.
    let mut site = Watched::new();
    site.sees(0, &Elsewhere(there, OPEN));
    assert_eq!(site.sees(60, &Elsewhere(there, OPEN)), []);
}

#[test]
fn a_file_that_is_cut_is_reported() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    let long: &'static str = format!("{OPEN}{}", "# filler\n".repeat(60_000)).leak();
    let alerts = site.sees(60, &File(long));
    // Yandex allows everything then.
    assert_eq!(kinds(&alerts), [Allowed, Cut]);
    assert!(alerts[0].title.contains("Yandex"), "{}", alerts[0].title);
    assert!(alerts[1].text[0].contains("512000 bytes"), "{:?}", alerts[1].text);
    let first = Watched::new().sees(0, &File(long));
    assert_eq!(kinds(&first), [Cut]);
    assert_eq!(first[0].text, alerts[1].text);
}

#[test]
fn back_and_forth_is_one_alert_until_a_calm_day() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    assert_eq!(kinds(&site.sees(60, &File(SHOP))), [Blocked]);
    let alerts = site.sees(120, &File(OPEN));
    assert_eq!(kinds(&alerts), [Alternates]);
    assert!(alerts[0].text.iter().any(|line| line.starts_with("Newly allowed")), "{:?}", alerts[0].text);
    for at in 3..30 {
        assert_eq!(site.sees(at * 60, &File(if at % 2 == 0 { OPEN } else { SHOP })), [], "{at}");
    }
    // A new file is news in any case.
    assert_eq!(
        kinds(&site.sees(30 * 60, &File("User-agent: *\nDisallow: /new\nDisallow: /cart\n"))),
        [Blocked, Allowed]
    );
    assert_eq!(site.sees(30 * 60 + DAY + 61, &File("User-agent: *\nDisallow: /new\nDisallow: /cart\n")), []);
    assert_eq!(kinds(&site.sees(30 * 60 + DAY + 120, &File(OPEN))), [Alternates]);
    // Versions from long ago are new again.
    let mut site = Watched::new();
    for (at, body) in [(0, OPEN), (60, SHOP)] {
        site.sees(at, &File(body));
    }
    site.sees(91 * DAY, &File(SHOP));
    assert_eq!(kinds(&site.sees(91 * DAY + 60, &File(OPEN))), [Allowed]);
}

#[test]
fn a_text_that_is_no_longer_stored_is_not_called_the_same() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    site.bodies.clear();
    let alerts = site.sees(60, &File(SHOP));
    assert_eq!(kinds(&alerts), [Undecided]);
    assert_eq!(alerts[0].text, ["The bytes of one of the two files are not stored any more."]);
}

#[test]
fn a_proof_that_ended_early_says_so() {
    let mut site = Watched::new();
    let old: &'static str = (0..300).map(|n| format!("Disallow: /{n}*a*b\n")).collect::<String>().leak();
    let old: &'static str = format!("User-agent: *\n{old}").leak();
    site.judge.budget = comity_meaning::Budget::of_steps(1000);
    site.sees(0, &File(old));
    let alerts = site.sees(60, &File(old.replace("*b", "*c").leak()));
    assert!(kinds(&alerts).contains(&Undecided), "{alerts:?}");
    assert!(alerts.last().unwrap().text[0].contains("1000 steps"), "{alerts:?}");
}

#[test]
fn drift_is_a_difference_in_meaning() {
    let mut site = Watched::new();
    site.expected = Some(OPEN);
    assert_eq!(site.sees(0, &File(COMMENTED)), []);
    let alerts = site.sees(60, &File(SHOP));
    assert_eq!(kinds(&alerts), [Blocked, Drift]);
    assert_eq!(alerts[1].title, "differs in meaning from public/robots.txt");
    assert_eq!(site.sees(120, &File(SHOP)), []);
    // The repository follows.
    site.expected = Some(SHOP);
    assert_eq!(site.judged(minute(130)), []);
    assert!(!site.state.open.contains_key(&Drift));
    // A difference that was there before the first look is reported as well.
    let managed: &'static str = format!(
        "# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare Managed Content\n{OPEN}"
    )
    .leak();
    let mut site = Watched::new();
    site.expected = Some(OPEN);
    let alerts = site.sees(0, &File(managed));
    assert_eq!(kinds(&alerts), [Drift]);
    let text = ["Lines 1 to 4 were added by Cloudflare.", "Without them, the file has the expected meaning."];
    assert_eq!(alerts[0].text[..2], text);
}

#[test]
fn versions_that_others_fetched_are_judged_later() {
    let mut site = Watched::new();
    site.sees(0, &File(OPEN));
    for (at, body) in [(10, SHOP), (20, CLOSED), (30, COMMENTED)] {
        site.look(minute(at), &File(body));
    }
    let alerts = site.judged(minute(1000));
    assert_eq!(kinds(&alerts), [Leftover, Blocked, Blocked, Allowed]);
    let since: Vec<&str> = alerts.iter().map(|alert| alert.since.as_str()).collect();
    assert_eq!(since[0], since[2], "both are about the same version");
    assert_eq!(since[1], "2027-01-15T08:10:00Z");
}
