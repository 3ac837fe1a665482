//! Properties that hold for any bytes.

use comity::Crawler;
use comity_page::{Limits, Page, Sitemap, Tags, read_page};
use proptest::prelude::*;
use proptest::sample::select;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Pieces that often interact.
fn markup(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const HTML: &[&str] = &[
    "<meta ",
    "name=robots ",
    "name='googlebot' ",
    "content=",
    "\"noindex, nofollow\"",
    "max-snippet:5",
    ">",
    "/>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<noscript>",
    "<p data-nosnippet",
    "\n",
    "\r\n",
    " ",
    "&#110;",
    "\"",
    "'",
    "=",
    "<",
    "</",
    "rel=nofollow",
    "<a ",
    "unavailable_after: Fri, 25 Jun 2010",
];
const XML: &[&str] = &[
    "<urlset>",
    "</urlset>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<sitemapindex>",
    "<sitemap>",
    "</sitemap>",
    "<rss>",
    "<channel>",
    "<item>",
    "</item>",
    "<link>",
    "</link>",
    "<feed>",
    "<entry>",
    "</entry>",
    "<link href='x'/>",
    "&amp;",
    "&#65;",
    "&x;",
    "&",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml?>",
    "<!DOCTYPE",
    ">",
    "https://a.example/",
    "\n",
];

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn html_is_read(html in markup(HTML), limit in 0_u64..2_000) {
        let mut tags = Tags::with_limit(html.as_slice(), limit);
        let lines = html.split(|byte| *byte == b'\n').count() as u32;
        let mut last = 1;
        for tag in &mut tags {
            let tag = tag.unwrap();
            prop_assert!((last..=lines).contains(&tag.line));
            last = tag.line;
        }
        prop_assert!(tags.next().is_none());
        // A page that ends in a script or a title is cut, too.
        let contains = |name: &[u8]| html.windows(name.len()).any(|piece| piece.eq_ignore_ascii_case(name));
        prop_assert!(!tags.is_cut() || html.len() as u64 > limit || contains(b"<script") || contains(b"<title"));

        let mut page = Page::new();
        let _ = read_page(html.as_slice(), &mut page, &[]).unwrap();
        let rules = page.rules_for(&Crawler::known("Googlebot").unwrap());
        prop_assert!(rules.applied.len() + rules.others.len() + rules.ignored.len() >= page.statements().len());
    }

    #[test]
    fn html_in_pieces_is_the_same(html in markup(HTML), step in 1_usize..7) {
        struct Drip<'a>(&'a [u8], usize);
        impl std::io::Read for Drip<'_> {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                let count = self.1.min(into.len()).min(self.0.len());
                into[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let whole: Vec<_> = Tags::new(html.as_slice()).map(Result::unwrap).collect();
        let pieces: Vec<_> = Tags::new(Drip(&html, step)).map(Result::unwrap).collect();
        prop_assert_eq!(whole, pieces);
    }

    #[test]
    fn sitemaps_are_read_or_refused(xml in markup(XML), entries in 0_u32..5, bytes in 0_u64..2_000) {
        let mut limits = Limits::default();
        (limits.bytes, limits.entries) = (bytes, entries);
        if let Ok(sitemap) = Sitemap::read_with(xml.as_slice(), limits) {
            let found: Vec<_> = sitemap.collect();
            let good = found.iter().take_while(|entry| entry.is_ok()).count();
            prop_assert!(good <= entries as usize && found.len() <= good + 1);
            for error in found.iter().filter_map(|entry| entry.as_ref().err()) {
                prop_assert!(!error.is_io(), "{error}");
                prop_assert!(error.to_string().chars().all(|c| !c.is_control()));
            }
        }
    }
}
