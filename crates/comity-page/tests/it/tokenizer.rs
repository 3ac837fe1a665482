//! Checks that tags are found as the HTML Standard requires, by comparison with html5gum.

use crate::reference::{expected, found};
use proptest::prelude::*;
use proptest::sample::select;

fn assert_same(html: &[u8]) {
    let expected = expected(html);
    for step in [1, 2, 3, usize::MAX] {
        assert_eq!(found(html, step), expected, "{step} bytes at a time of {:?}", String::from_utf8_lossy(html));
    }
}

/// Combines up to four pieces in every order, before a tag that may be found.
#[test]
fn short_pages_are_read_as_html5gum_reads_them() {
    const META: &str = "<meta name=r content=c>";
    for pieces in [
        ["<!", "-", "-", "!", ">", "<"].as_slice(),
        &["<!doctype ", "PUBLIC ", "\"", ">", "'"],
        &["<![CDATA[", "]", ">", "]]>"],
        &["<?", "</", "a", ">", "<"],
        &["<script>", "<!--", "-", "<script ", "</script>", "<script/", "</script", ">", "-->"],
        &["<title>", "</title", "</", "title", " ", "/", ">", "</titles>"],
        &["<plaintext>", "</plaintext>", "<style>", "</STYLE\n"],
        &["<base href", "=", "\"", "'", "a", ">", " ", "/", "<", "&amp"],
    ] {
        for len in 1..=4_u32 {
            for number in 0..pieces.len().pow(len) {
                let chosen = (0..len).map(|place| pieces[number / pieces.len().pow(place) % pieces.len()]);
                let html = chosen.chain([META]).collect::<String>();
                assert_eq!(found(html.as_bytes(), usize::MAX), expected(html.as_bytes()), "{html}");
            }
        }
    }
}

#[test]
fn names_that_are_nearly_known_are_not() {
    assert_same(b"<metal name=r><met name=r><meta names=r><meta nam=r><meta na\0me=r><m\xC3\xA9ta name=r>");
    assert_same(b"<meta data-nosnippets><div data-nosnippets><div data-nosnippe><div data-nosnippet->");
    assert_same(b"<img src=a><IMG SRC='b&amp;c' alt=x><image src=d><img alt=e></img src=f>");
    assert_same(b"<scripts src=x><script-- src=y><SCRIPT SRC=z></SCRIPTS><base href=a></Script ><base href=b>");
    assert_same("<\u{130}eta name=r><meta name=r\u{212A}>".as_bytes());
}

#[test]
fn unfinished_tag_is_no_tag() {
    let html =
        b"<meta name='robots' content=\"a&amp;b\" x=y / z><!-- a --!><script src=q><!-- <script></script> --></script>";
    for end in 0..html.len() {
        assert_same(&html[..end]);
    }
}

const PIECES: &[&str] = &[
    "<meta ",
    "<META\n",
    "<base ",
    "<a ",
    "<area/",
    "<link ",
    "<span ",
    "<div\t",
    "<p ",
    "</",
    "</a ",
    "<script",
    "<script>",
    "<script/>",
    "</script>",
    "</script ",
    "<title>",
    "</title>",
    "<style>",
    "</style",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "<plaintext>",
    "<svg>",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "-",
    "--",
    "name=",
    "name ",
    "content=",
    "href=",
    "src=",
    "rel=",
    "rel='nofollow license'",
    "rel=stylesheet ",
    "rel=\"alternate stylesheet\"",
    "type=",
    "property=",
    "http-equiv=",
    "itemprop=",
    "names=",
    "contents=",
    "value=",
    "robots=",
    "data-nosnippet",
    "NAME=",
    "x=",
    "=",
    "==",
    "\"",
    "'",
    "`",
    ">",
    "/>",
    "/",
    "<",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\x0C",
    " ",
    "\0",
    "é",
    "\u{FEFF}",
    "robots",
    "noindex,",
    "a",
    "&",
    "&amp;",
    "&amp",
    "&#110;",
    "&#x6e",
    "&copy",
    "&notit;",
    "&nvlt;",
    "&#0;",
    "&#128;",
    ";",
    "#",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn any_page_is_read_as_html5gum_reads_it(
        pieces in proptest::collection::vec(
            prop_oneof![
                12 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
                1 => proptest::collection::vec(any::<u8>(), 0..4),
            ],
            0..40,
        ),
        step in 1_usize..9,
    ) {
        // A byte order mark of UTF-16 at the start determines the encoding of the whole page.
        let html = [b"<p>".as_slice(), &pieces.concat()].concat();
        let expected = expected(&html);
        prop_assert_eq!(found(&html, usize::MAX), expected.clone());
        prop_assert_eq!(found(&html, step), expected);
    }
}
