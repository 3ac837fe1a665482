//! Checks that each directive, each row of Content-Usage (U), each row of the grammar of page rules (H), and each page
//! rule has a case.

use comity_testdata::{pages, records};

/// The features of a robots.txt, and the case that covers each.
const RECORDS: &[(&str, &str)] = &[
    ("Sitemap", "sitemap"),
    ("Crawl-delay", "crawl-delay"),
    ("Request-rate", "request-rate"),
    ("Visit-time", "visit-time"),
    ("Robot-version, Comment", "records-that-are-text"),
    ("Clean-param", "clean-param"),
    ("Host", "host"),
    ("Noindex, Nofollow, Noarchive", "records-that-are-text"),
    ("Content-Signal", "content-signal"),
    ("Content-Signal of a group", "per-group"),
    ("Content-Usage", "content-usage"),
    ("License", "license"),
    ("LLM-Policy", "records-that-are-text"),
    ("DisallowAITraining, AllowAITraining", "records-that-are-text"),
    ("User-agent-family", "a-family-field-is-no-user-agent"),
    ("purpose tokens", "a-purpose-token-is-a-token"),
    ("ACAP-*", "records-that-are-text"),
    ("Domain, Revisit-after", "records-that-are-text"),
    ("no record opens or closes a group", "no-record-opens-or-closes-a-group"),
    ("U1", "U1-a-record-of-a-group"),
    ("U2", "U2-paths"),
    ("U3", "U3-longest-match-of-its-own"),
    ("U4", "U4-nothing-is-preferred-of-what-may-not-be-fetched"),
    ("U5", "U5-order-means-nothing"),
    ("U6", "U6-the-most-restrictive-of-one-path"),
    ("U7", "U7-a-group-of-its-own-inherits-nothing"),
    ("U8", "U8-types-and-labels"),
    ("U10", "U10-the-last-that-fits"),
    ("U11", "U11-the-draft's-example"),
];

/// The features of a page, and the case that covers each.
const PAGES: &[(&str, &str)] = &[
    ("U9", "content-usage-in-the-header"),
    ("License in a header", "a-license-in-the-header"),
    ("License in HTML", "a-license-in-the-html"),
    ("TDMRep in a header", "mining-reserved-in-the-header"),
    ("TDMRep in HTML", "mining-reserved-in-the-html"),
    ("tdmrep.json", "mining-the-most-specific-location"),
    ("TDMRep in order", "mining-html-before-header-before-file"),
    ("H1", "H1-an-agent-scopes-what-follows"),
    ("H1, joined lines", "H1-until-the-next-agent"),
    ("H2", "H2-rules-with-values-are-no-agents"),
    ("H3", "H3-rfc-850"),
    ("H4", "H4-the-sum-of-the-negatives"),
    ("H5", "H5-the-least-counts"),
    ("H6", "H6-what-google-obeys"),
    ("H6, in the body", "36-in-the-body"),
    ("H7", "a-noindex-that-can-never-be-seen"),
    ("H7, ads", "H7-ads-crawlers-need-their-own-name"),
    ("all, index, follow", "all-index-follow"),
    ("noindex", "noindex"),
    ("nofollow", "nofollow"),
    ("none", "none"),
    ("nosnippet", "nosnippet"),
    ("nosnippet and answers", "nosnippet-and-answers"),
    ("max-snippet", "max-snippet"),
    ("max-image-preview", "max-image-preview"),
    ("max-video-preview", "max-video-preview"),
    ("notranslate", "notranslate"),
    ("noimageindex", "noimageindex"),
    ("unavailable_after", "unavailable-after"),
    ("indexifembedded", "indexifembedded"),
    ("noarchive", "noarchive"),
    ("noarchive by engine", "noarchive-for-each"),
    ("nocache", "nocache"),
    ("nositelinkssearchbox, noodp, noydir", "gone-with-what-they-were-about"),
    ("noai, noimageai", "noai-noimageai"),
    ("data-nosnippet", "data-nosnippet"),
    ("nopagereadaloud", "nopagereadaloud"),
    ("rel=nofollow", "rel-nofollow"),
    ("Robots-Tag", "tokens-with-rules-as-parameters"),
];

#[test]
fn every_row_has_a_case() {
    let files: Vec<String> = records::files().into_iter().map(|(_, file)| file.name).collect();
    let pages: Vec<String> = pages::pages().into_iter().map(|(_, page)| page.name).collect();
    let lost = |rows: &[(&'static str, &'static str)], names: &[String]| -> Vec<_> {
        rows.iter().filter(|(_, case)| !names.iter().any(|name| name == case)).copied().collect()
    };
    assert_eq!(lost(RECORDS, &files), []);
    assert_eq!(lost(PAGES, &pages), []);
}
