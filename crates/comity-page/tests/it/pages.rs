//! Runs the cases of `testdata/page/`, from the bytes of HTML and the lines of a header to the permissions.

#![cfg(feature = "serde")]

use crate::cases::{complaints_about, complaints_about_answers, complaints_about_evidence, crawler};
use comity::{Crawler, Robots};
use comity_page::{Page, TagKind, Tags, TdmRules, read_page};
use comity_testdata::pages::{PageCase, pages};

fn page(case: &PageCase, also: &[&str]) -> Page<'static> {
    let mut page = Page::new();
    for (line, header) in (1..).zip(&case.headers) {
        let (name, value) = header.split_once(':').unwrap();
        page.header_at(name, value.trim().as_bytes(), line);
    }
    if let Some(html) = &case.html {
        assert!(!read_page(html.as_bytes(), &mut page, also).unwrap().is_cut);
    }
    let escaped = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;");
    for (name, content) in &case.metas {
        let html = format!("<meta\nname=\"{}\" content=\"{}\">", escaped(name), escaped(content));
        assert!(!read_page(html.as_bytes(), &mut page, also).unwrap().is_cut);
    }
    if let Some(json) = &case.tdmrep {
        let rules: TdmRules = serde_json::from_str(json).unwrap();
        rules.rule_for("https://example.com/page").into_iter().for_each(|rule| page.tdm_rule(rule));
    }
    page
}

#[test]
fn pages_have_the_expected_rules() {
    let (mut count, mut complaints) = (0, Vec::new());
    for (theme, case) in pages() {
        let robots = Robots::parse(case.robots.as_deref().unwrap_or_default());
        let evidence = complaints_about_evidence(&page(&case, &[]), &case);
        complaints.extend(evidence.iter().map(|what| format!("{theme}.toml: {}: found {what}", case.name)));
        for ask in &case.asks {
            let also: Vec<&str> = ask.agent.iter().map(String::as_str).collect();
            let page = page(&case, &also);
            let mut found = complaints_about(&page.rules_for(&crawler(ask)), ask);
            found.extend(complaints_about_answers(&robots, &page, ask));
            complaints.extend(found.iter().map(|what| format!("{theme}.toml: {}: {ask:?}: found {what}", case.name)));
            count += 1;
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 190, "the cases have shrunk to {count}");
}

#[test]
fn there_are_fifty_combinations() {
    let combinations = pages().into_iter().filter(|(theme, _)| *theme == "combinations").count();
    assert!(combinations >= 50, "{combinations}");
}

fn tags(html: &str) -> Vec<(u32, TagKind)> {
    Tags::new(html.as_bytes()).map(|tag| tag.map(|tag| (tag.line, tag.kind)).unwrap()).collect()
}

fn metas(html: &str) -> Vec<String> {
    let content = |kind| match kind {
        TagKind::Meta { content, .. } => Some(String::from_utf8(content).unwrap()),
        _ => None,
    };
    tags(html).into_iter().filter_map(|(_, kind)| content(kind)).collect()
}

#[test]
fn tags_are_what_a_browser_sees() {
    for (html, expected) in [
        // These look like tags, but are none.
        ("<!-- <meta name=robots content=a> --><meta name=robots content=b>", &["b"][..]),
        ("<script>'<meta name=robots content=a>'</script><meta name=robots content=b>", &["b"]),
        ("<script><!-- <script></script> <meta name=robots content=a> --></script>", &[]),
        ("<title><meta name=robots content=a></title>", &[]),
        ("<TITLE><meta name=robots content=a></TITLE><meta name=robots content=b>", &["b"]),
        ("<textarea><meta name=robots content=a></textarea >", &[]),
        ("<style>/*<meta name=robots content=a>*/</style><meta name=robots content=b>", &["b"]),
        ("<noframes><meta name=robots content=a></noframes><iframe><meta name=robots content=a></iframe>", &[]),
        ("<p title='<meta name=robots content=a>'>", &[]),
        ("<!doctype html><?php <meta name=robots content=a> ?>", &[]),
        ("</meta name=robots content=a>", &[]),
        // These do not look like tags, but are.
        ("<MeTa NAME=robots CONTENT=a>", &["a"]),
        ("<meta content=a name=robots/>", &["a"]),
        ("<meta/name='robots'/content='a'>", &["a"]),
        ("<meta name=robots content='&#x6e;oindex&comma;a'>", &["noindex,a"]),
        ("<meta name=robots\ncontent\n=\n\"a\nb\">", &["a\nb"]),
        ("<noscript><meta name=robots content=a></noscript>", &["a"]),
        ("<body><div><meta name=robots content=a>", &["a"]),
        ("<meta name=robots content=a content=b>", &["a"]),
        ("<svg><script/><style/></svg><title/><textarea /><plaintext/><meta name=robots content=a>", &["a"]),
        ("<script src=/></script><meta name=robots content=a>", &["a"]),
        ("<meta name=robots content=a", &[]),
        ("<meta name=robots>", &[""]),
        ("<meta content=a>", &[]),
        ("<meta property=robots content=a>", &[]),
        ("text < 3 <meta name=robots content=a>", &["a"]),
        ("\u{0}<meta name=robots content=\u{0}a>", &["\u{FFFD}a"]),
    ] {
        assert_eq!(metas(html), expected, "{html}");
    }
}

#[test]
fn lines_are_where_tags_start() {
    let html = "<html>\n<head>\r\n<meta\n name=robots\n content=a>\n<p data-nosnippet>\n<span\ndata-nosnippet>x\n\
                <a href=/x rel='ugc nofollow'>\n<link rel=license href=/l>";
    let found: Vec<u32> = tags(html).iter().map(|(line, _)| *line).collect();
    assert_eq!(found, [3, 7, 9, 10]);
}

#[test]
fn page_reports_nosnippet_nofollow_and_licenses() {
    let mut page = Page::new();
    let html = "<div data-nosnippet=false></div>\n<a rel=nofollow href=x><link rel='license stylesheet' href=/l.xml>\
                <meta name=description content=noindex><meta name=acme content=noindex>";
    let found = read_page(html.as_bytes(), &mut page, &["ACME"]).unwrap();
    assert_eq!((found.metas, found.nosnippet, found.nofollow_links), (1, vec![1], 1));
    let licenses: Vec<_> = page.licenses().iter().map(|license| (license.line, license.url.as_str())).collect();
    assert_eq!(licenses, [(Some(2), "/l.xml")]);
    assert!(!found.is_cut);
    assert_eq!(page.rules_for(&Crawler::token("acme").unwrap()).to_string(), "noindex");
}

#[test]
fn exceeded_limits_are_reported() {
    let html = format!("{}<meta name=robots content=noindex>", " ".repeat(1_000));
    let mut tags = Tags::with_limit(html.as_bytes(), 1_010);
    assert!(tags.next().is_none() && tags.is_cut());
    let mut tags = Tags::with_limit(html.as_bytes(), html.len() as u64);
    assert!(tags.next().is_some() && tags.next().is_none() && !tags.is_cut());

    let html = format!("<meta name=robots content=\"{}noindex\">", ",".repeat(70_000));
    let mut page = Page::new();
    assert!(read_page(html.as_bytes(), &mut page, &[]).unwrap().is_cut);
}

#[test]
fn page_that_ends_in_text_is_cut() {
    for (html, is_cut) in [
        ("<title>a<meta name=robots content=noindex>", true),
        ("<script>a</scrip", true),
        ("<script><!--<script></script>", true),
        // An unquoted value contains the slash.
        ("<style x=/><meta name=robots content=noindex>", true),
        ("<style / ><meta name=robots content=noindex>", true),
        ("<svg><style/></svg>", false),
        ("<script/>'<!--'</script><meta name=robots content=noindex>", true),
        // Elsewhere than in SVG and XHTML, the script ends within the comment, and the meta tag is outside.
        ("<script/>'<!--'</script><meta name=robots content=noindex><!-- a -->", true),
        ("<style/><a title='</style><meta name=robots content=noindex>'>", true),
        ("<style/><script>'</STYLE><meta name=robots content=noindex>'</script>", true),
        ("<script/><!-- a --><script>b</script><a title='</script>'>", false),
        ("<script/>b</script><!-- </script> -->", false),
        ("<script>a</script>", false),
        ("<p", false),
        ("<!-- a", false),
    ] {
        assert_eq!(read_page(html.as_bytes(), &mut Page::new(), &[]).unwrap().is_cut, is_cut, "{html}");
    }
}

#[test]
fn content_before_a_cut_is_read() {
    // The text is cut within a word, at any position.
    for separator in [", ", " ", "; ", ","] {
        for shift in 0..10 {
            let content =
                format!("{}nofollow{separator}{}", "x,".repeat(shift), format!("noindex{separator}").repeat(20_000));
            let html = format!("<meta name=robots content=\"{content}\">");
            let mut page = Page::new();
            assert!(read_page(html.as_bytes(), &mut page, &[]).unwrap().is_cut);
            let rules = page.rules_for(&Crawler::ANY);
            assert_eq!(rules.to_string(), "noindex, nofollow", "{separator:?} {shift}");
            assert_eq!(rules.ignored.len(), shift, "{separator:?} {shift}");
        }
    }
    let mut page = Page::new();
    let html = format!("<link rel=license href=/{}>", "x".repeat(100_000));
    assert!(read_page(html.as_bytes(), &mut page, &[]).unwrap().is_cut);
}

#[test]
fn very_many_rules_are_cut_and_that_is_told() {
    let tag = format!("<meta name=robots content=\"{}\">", "a,".repeat(10_000));
    let mut page = Page::new();
    let found = read_page(tag.repeat(100).as_bytes(), &mut page, &[]).unwrap();
    assert!(found.is_cut && found.metas < 100 && page.statements().len() < 200_000);
}

#[test]
fn utf_16_is_read() {
    let html = "<meta name=robots content=noindex>";
    let bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain(html.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let mut page = Page::new();
    assert!(!read_page(bytes.as_slice(), &mut page, &[]).unwrap().is_cut);
    assert_eq!(page.rules_for(&Crawler::ANY).to_string(), "noindex");
}

#[test]
fn page_reports_styles_and_scripts() {
    let html = "<base href=/a/><base href=/b/>\n<link rel='Preload StyleSheet' href=' s.css '>\
                <link rel='alternate stylesheet' href=t.css><link rel=icon href=i.png><link rel=stylesheet>\
                <script src=x.js></script><script>'<script src=y.js>'</script><noscript><script src=//z/z.js></noscript>\
                <!-- <script src=w.js></script> --><img src=p.png>";
    let found = read_page(html.as_bytes(), &mut Page::new(), &[]).unwrap();
    assert_eq!(found.styles, ["s.css"]);
    assert_eq!(found.scripts, ["x.js", "//z/z.js"]);
    assert_eq!(found.base.as_deref(), Some("/a/"));
    let many = read_page("<script src=a></script>".repeat(2_000).as_bytes(), &mut Page::new(), &[]).unwrap();
    assert_eq!(many.scripts.len(), 1_000);
}
