//! Sitemaps in all formats, and sitemaps that are rejected.

use std::error::Error as _;
use std::io::{self, Read, Write};

use comity_page::{Entry, EntryKind, Format, Limits, Problem, Sitemap, SitemapError, Walk};
use flate2::Compression;
use flate2::write::GzEncoder;

fn read(bytes: &[u8]) -> Result<(Format, Vec<Entry>), SitemapError> {
    let sitemap = Sitemap::read(bytes)?;
    let format = sitemap.format();
    Ok((format, sitemap.collect::<Result<_, _>>()?))
}

fn locations(bytes: &[u8]) -> Vec<String> {
    read(bytes).unwrap().1.into_iter().map(|entry| entry.location).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const URLSET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc>
      https://example.com/a?b=1&amp;c=%C3%A9&#38;d
    </loc>
    <lastmod>2026-01-31</lastmod><changefreq>daily</changefreq><priority>0.5</priority>
    <image:image><image:loc>https://cdn.example.com/a.png</image:loc></image:image>
  </url>
  <!-- <url><loc>https://example.com/no</loc></url> -->
  <url><loc><![CDATA[https://example.com/x?a&b]]></loc></url>
  <url><loc/></url>
</urlset>
"#;

#[test]
fn urlset() {
    let (format, entries) = read(URLSET.as_bytes()).unwrap();
    assert_eq!((format, entries.len()), (Format::UrlSet, 3));
    assert_eq!(entries[0].location, "https://example.com/a?b=1&c=%C3%A9&d");
    assert_eq!(entries[0].modified.as_deref(), Some("2026-01-31"));
    assert_eq!((entries[0].kind, entries[0].line, entries[0].problem()), (EntryKind::Page, 9, None));
    assert_eq!(entries[1].location, "https://example.com/x?a&b");
    assert_eq!((entries[1].line, entries[2].problem()), (11, Some(Problem::Empty)));
}

#[test]
fn index() {
    let xml =
        "<sitemapindex><sitemap><loc>https://example.com/1.xml.gz</loc><lastmod>x</lastmod></sitemap></sitemapindex>";
    let (format, entries) = read(xml.as_bytes()).unwrap();
    assert_eq!((format, entries[0].kind), (Format::Index, EntryKind::Sitemap));
    assert_eq!(entries[0].location, "https://example.com/1.xml.gz");
}

#[test]
fn prefixed_names() {
    let xml = "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>https://a.example/</sm:loc><loc>no</loc></sm:url></sm:urlset>";
    assert_eq!(locations(xml.as_bytes()), ["https://a.example/"]);
}

#[test]
fn text() {
    let bytes = "\u{FEFF}https://example.com/a\r\n\n  https://example.com/é \nrelative\n".as_bytes();
    let (format, entries) = read(bytes).unwrap();
    assert_eq!(format, Format::Text);
    let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.location.as_str())).collect();
    assert_eq!(found, [(1, "https://example.com/a"), (3, "https://example.com/é"), (4, "relative")]);
    assert_eq!(entries[2].problem(), Some(Problem::NotAbsolute));
}

#[test]
fn files_of_pages_are_read_if_they_are_wanted() {
    let sitemap = "<urlset xmlns:image='i' xmlns:video='v' xmlns:xhtml='x'><url><loc>https://example.com/1</loc>
        <image:image><image:loc> https://example.com/a.png </image:loc><image:title>A</image:title></image:image>
        <video:video><video:thumbnail_loc>https://example.com/t.png</video:thumbnail_loc>
        <video:content_loc>https://example.com/v.mp4</video:content_loc><video:title>B</video:title></video:video>
        <xhtml:link rel='alternate' hreflang='de' href='https://example.com/de'/><xhtml:link rel='amphtml' href='no'/>
        </url><url><image:image><image:loc/></image:image><loc>https://example.com/2</loc></url></urlset>";
    let mut limits = Limits::default();
    limits.entries = 2;
    let with_files = Sitemap::read_with(sitemap.as_bytes(), limits).unwrap().with_files();
    let found: Vec<_> = with_files.map(|entry| entry.map(|entry| (entry.kind, entry.location)).unwrap()).collect();
    let found: Vec<_> = found.iter().map(|(kind, location)| (*kind, location.as_str())).collect();
    let expected = [
        (EntryKind::Page, "https://example.com/1"),
        (EntryKind::Image, "https://example.com/a.png"),
        (EntryKind::Video, "https://example.com/t.png"),
        (EntryKind::Video, "https://example.com/v.mp4"),
        (EntryKind::Alternate, "https://example.com/de"),
        (EntryKind::Page, "https://example.com/2"),
        (EntryKind::Image, ""),
    ];
    assert_eq!(found, expected);
    assert_eq!(locations(sitemap.as_bytes()), ["https://example.com/1", "https://example.com/2"]);
}

#[test]
fn rss_and_atom() {
    let rss = "<rss version='2.0' xmlns:atom='a'><channel><link>https://example.com/home</link><atom:link href='no'/>
        <item><title>A &amp; B</title><link>https://example.com/1</link><atom:link>no</atom:link><pubDate>Fri</pubDate></item>
        <item><guid>https://example.com/2</guid><link>https://example.com/2</link></item></channel></rss>";
    assert_eq!(locations(rss.as_bytes()), ["https://example.com/1", "https://example.com/2"]);

    let rdf = "<rdf:RDF xmlns:rdf='r'><channel/><item><link>https://example.com/1</link></item></rdf:RDF>";
    assert_eq!(locations(rdf.as_bytes()), ["https://example.com/1"]);

    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://example.com/'/><entry>
        <link rel='edit' href='https://example.com/edit'/><link rel='alternate' href='https://example.com/1?a=1&amp;b'/>
        <updated>2026-01-31T00:00:00Z</updated></entry><entry><link href='https://example.com/2'/></entry></feed>";
    let (format, entries) = read(atom.as_bytes()).unwrap();
    assert_eq!(format, Format::Atom);
    assert_eq!(entries[0].location, "https://example.com/1?a=1&b");
    assert_eq!(entries[0].modified.as_deref(), Some("2026-01-31T00:00:00Z"));
    assert_eq!(entries[1].location, "https://example.com/2");
}

/// `xml:base` of the feed, the entry and the link: RFC 4287 §2.
#[test]
fn links_of_atom_are_relative_to_their_base() {
    let atom = "<feed xml:base='https://example.com/blog/'><entry><link href='1'/></entry>
        <entry xml:base='2026/'><link href='../2'/></entry><entry><link xml:base='/other/' href='?a=3'/></entry>
        <entry><link href='https://example.org/4'/></entry></feed>";
    let expected = [
        "https://example.com/blog/1",
        "https://example.com/blog/2",
        "https://example.com/other/?a=3",
        "https://example.org/4",
    ];
    assert_eq!(locations(atom.as_bytes()), expected);
    let relative = "<feed xml:base='/blog/'><entry><link href='1'/></entry></feed>";
    let (_, entries) = read(relative.as_bytes()).unwrap();
    assert_eq!((entries[0].location.as_str(), entries[0].problem()), ("1", Some(Problem::NotAbsolute)));
}

#[test]
fn entries_of_rss_without_a_link_have_their_permanent_address() {
    let rss = "<rss><channel><item><guid>https://example.com/1</guid></item>
        <item><guid isPermaLink='false'>https://example.com/no</guid></item>
        <item><guid isPermaLink='true'>https://example.com/no</guid><link>https://example.com/3</link></item>
        <item><link> </link><guid>https://example.com/4</guid></item><item><guid>tag:5</guid></item></channel></rss>";
    let (_, entries) = read(rss.as_bytes()).unwrap();
    let found: Vec<_> = entries.iter().map(|entry| (entry.location.as_str(), entry.problem())).collect();
    let expected = [
        ("https://example.com/1", None),
        ("", Some(Problem::Empty)),
        ("https://example.com/3", None),
        ("https://example.com/4", None),
        ("tag:5", Some(Problem::NotAbsolute)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn other_encodings_are_named() {
    for (declared, bytes, problem) in [
        ("encoding=\"iso-8859-1\"", &b"caf\xE9"[..], "declared as iso-8859-1"),
        ("encoding='windows-1252'", b"\x80", "declared as windows-1252"),
        ("encoding='Shift_JIS'", b"\x83\x65", "declared as Shift_JIS"),
        ("", b"caf\xE9", "expected UTF-8, as sitemaps must be (sitemaps.org), found other bytes"),
    ] {
        let start = format!("<?xml version='1.0' {declared}?>\n<urlset><url><loc>https://a.example/");
        let error = read(&[start.as_bytes(), bytes, b"</loc></url></urlset>"].concat()).unwrap_err();
        assert!(error.is_malformed() && error.to_string().contains(problem), "{error}");
        // Nothing is lost if all of it is ASCII.
        assert_eq!(locations(format!("{start}</loc></url></urlset>").as_bytes()), ["https://a.example/"]);
    }
}

#[test]
fn gzip_and_utf_16_are_found_out() {
    let plain = locations(URLSET.as_bytes());
    assert_eq!(locations(&gzip(URLSET.as_bytes())), plain);
    // Two members, one after the other, are one file.
    let (start, end) = URLSET.as_bytes().split_at(300);
    assert_eq!(locations(&[gzip(start), gzip(end)].concat()), plain);
    assert_eq!(locations(&gzip(b"https://example.com/a\n")), ["https://example.com/a"]);
    // Zeros after a member are padding, also before another member. Other bytes are not.
    let zeros = vec![0; 100_000];
    assert_eq!(locations(&[&gzip(URLSET.as_bytes()), &zeros[..]].concat()), plain);
    assert_eq!(locations(&[&gzip(URLSET.as_bytes()), &zeros[..1]].concat()), plain);
    assert_eq!(locations(&[&gzip(start)[..], &zeros[..512], &gzip(end)].concat()), plain);
    for junk in [&b"junk"[..], b"\0\0junk", b"\x1F", b"\x1F\x8B\x08", b"\n"] {
        assert!(read(&[&gzip(URLSET.as_bytes()), junk].concat()).unwrap_err().is_io(), "{}", junk.escape_ascii());
    }
    let utf16: Vec<u8> = [0xFE, 0xFF].into_iter().chain(URLSET.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    assert_eq!(locations(&utf16), plain);
    assert!(read(&gzip(b"abc")[..10]).unwrap_err().is_io());
    // A sitemap that is compressed twice is rejected.
    assert!(read(&gzip(&gzip(URLSET.as_bytes()))).unwrap_err().is_not_a_sitemap());
}

#[test]
fn sloppy_ampersands_are_taken_as_they_are() {
    assert_eq!(
        locations(b"<urlset><url><loc>https://a.example/?a=1&b=2</loc></url></urlset>"),
        ["https://a.example/?a=1&b=2"]
    );
}

#[test]
fn hostile_xml_is_refused() {
    let laughs = "<!DOCTYPE urlset [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><urlset><url><loc>&b;</loc></url></urlset>";
    let file = "<?xml version='1.0'?><!DOCTYPE x SYSTEM 'file:///etc/passwd'><urlset/>";
    let late = "<urlset><url/><!DOCTYPE x><url/></urlset>";
    let entity = "<urlset><url><loc>https://a.example/&xxe;</loc></url></urlset>";
    let deep = "<urlset>".to_owned() + &"<a>".repeat(1_000_000);
    let long = "<urlset><url><loc>".to_owned() + &"a".repeat(1_000_000) + "</loc></url></urlset>";
    let attribute = "<urlset x='".to_owned() + &"a".repeat(1_000_000);
    let comment = "<urlset><!--".to_owned() + &"a".repeat(1_000_000);
    for (hostile, word) in [
        (laughs, "document type"),
        (file, "document type"),
        (late, "document type"),
        (entity, "entity `&xxe;`"),
        (deep.as_str(), "nested"),
        (&long, "too long"),
        (&attribute, "too long"),
        (&comment, "too long"),
    ] {
        let error = read(hostile.as_bytes()).unwrap_err();
        assert!(error.is_refused() && error.to_string().contains(word), "{word}: {error}");
    }
    let line = b"https://a.example/".iter().chain(std::iter::repeat_n(&b'a', 1_000_000));
    assert!(read(&line.copied().collect::<Vec<u8>>()).unwrap_err().is_refused());
}

#[test]
fn bombs_are_cut_off() {
    // 20 KB unpack to 20 MB, but only 1 MB is allowed.
    let mut limits = Limits::default();
    limits.bytes = 1_000_000;
    for start in ["<urlset><url/>", "https://a.example/"] {
        let bomb = gzip(&[start.as_bytes(), &b"\n".repeat(20_000_000)].concat());
        assert!(bomb.len() < 100_000);
        let mut sitemap = Sitemap::read_with(bomb.as_slice(), limits).unwrap();
        assert!(sitemap.next().unwrap().is_ok());
        let error = sitemap.next().unwrap().unwrap_err();
        assert!(error.is_refused() || error.is_over_limit(), "{error}");
    }
}

#[test]
fn limits() {
    let entry = "<url><loc>https://a.example/</loc></url>";
    let xml = |count: usize| format!("<urlset>{}</urlset>", entry.repeat(count));
    assert_eq!(locations(xml(50_000).as_bytes()).len(), 50_000);
    let mut sitemap = Sitemap::read(io::Cursor::new(xml(50_001))).unwrap();
    assert!(sitemap.by_ref().take(50_000).all(|entry| entry.is_ok()));
    assert!(sitemap.next().unwrap().unwrap_err().is_over_limit());
    assert!(sitemap.next().is_none());

    let mut limits = Limits::default();
    (limits.bytes, limits.entries) = (30, 1);
    let mut sitemap = Sitemap::read_with(&b"https://a.example/\nhttps://a.example/2\n"[..], limits).unwrap();
    assert!(sitemap.next().unwrap().is_ok());
    assert!(sitemap.next().unwrap().unwrap_err().is_over_limit());

    let long = format!("https://a.example/{}", "é".repeat(2_048));
    let (_, entries) = read(format!("<urlset><url><loc>{long}</loc></url></urlset>").as_bytes()).unwrap();
    assert_eq!(entries[0].problem(), Some(Problem::TooLong));
}

#[test]
fn locations_are_not_joined() {
    for (locations, problem) in [
        ("<loc>https://a.example/a</loc><loc>https://a.example/b</loc>", Some(Problem::Several)),
        ("<loc>https://a.example/a</loc><loc>/b</loc>", Some(Problem::Several)),
        ("<loc>https://a.example/a\n/b</loc>", Some(Problem::LineEnd)),
        ("<loc> </loc><loc>\n https://a.example/a\n</loc>", None),
    ] {
        let xml = format!("<urlset><url>{locations}</url><url><loc>https://a.example/c</loc></url></urlset>");
        let (_, entries) = read(xml.as_bytes()).unwrap();
        let found: Vec<_> = entries.iter().map(comity_page::Entry::problem).collect();
        assert_eq!(found, [problem, None], "{locations}");
    }
}

#[test]
fn error_names_what_is_no_sitemap() {
    for (bytes, word) in [
        (&b"<!DOCTYPE html><html><body>Not found</body></html>"[..], "an HTML page"),
        (b"<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><html>", "an HTML page"),
        (b"<html><body>Not found</body></html>", "HTML page"),
        (b"<opml/>", "<opml>"),
        (b"\x89PNG\r\n\x1a\n\xFF\0", "not text"),
        (b"<urlset><url>", "middle"),
        (b"<urlset></url>", "expected XML"),
        (b"<!-- nothing -->", "no element"),
        (b"<urlset><url><loc>\xFF</loc></url></urlset>", "expected UTF-8"),
        (b"", "an empty file"),
        (b"\xEF\xBB\xBF \r\n", "an empty file"),
    ] {
        let error = read(bytes).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}

#[test]
fn sitemap_without_an_understood_entry_is_an_error() {
    let url = "<url><loc>https://a.example/</loc></url>";
    for (xml, problem) in [
        (
            format!("<urlset>\n<urlset>{url}</urlset></urlset>"),
            "line 2: expected <url> directly in <urlset>, found <urlset>",
        ),
        (
            format!("<sm:urlset xmlns:sm='x'>{url}</sm:urlset>"),
            "expected <sm:url> directly in <sm:urlset>, found <url>",
        ),
        (url.replace("url>", "URL>").replace("loc>", "LOC>"), "expected <url> directly in <urlset>, found <URL>"),
        ("<loc>https://a.example/</loc>".to_owned(), "found <loc>"),
        (url.replace("url>", "sitemap>"), "expected <url> directly in <urlset>, found <sitemap>"),
        (url.replace("url>", "page>"), "found <page>"),
        ("<image:image><image:loc>https://a.example/</image:loc></image:image>".to_owned(), "found <image:image>"),
        ("https://a.example/".to_owned(), "found text"),
        ("<![CDATA[https://a.example/]]>".to_owned(), "found text"),
        (format!("<sitemapindex>{url}</sitemapindex>"), "expected <sitemap> directly in <sitemapindex>, found <url>"),
        (format!("<sitemapindex><sitemaps>{url}</sitemaps></sitemapindex>"), "found <sitemaps>"),
        (
            "<rss><channel><items><item><link>https://a.example/</link></item></items></channel></rss>".to_owned(),
            "expected <item>",
        ),
        ("<rss><channel><entry><link href='https://a.example/'/></entry></channel></rss>".to_owned(), "found <entry>"),
        ("<feed><item><link>https://a.example/</link></item></feed>".to_owned(), "expected <entry> directly in <feed>"),
    ] {
        let has_root = ["<urlset", "<sm:", "<sitemapindex", "<rss", "<feed"].iter().any(|root| xml.starts_with(root));
        let xml = if has_root { xml } else { format!("<urlset>{xml}</urlset>") };
        let error = read(xml.as_bytes()).unwrap_err();
        assert!(error.is_not_a_sitemap() && error.to_string().contains(problem), "{problem}: {error}");
    }
    let long = format!("<urlset><{}/></urlset>", "a".repeat(100_000));
    assert!(read(long.as_bytes()).unwrap_err().to_string().len() < 300);
    // A file without any entry is a sitemap. So is a feed, which has other elements.
    for empty in [
        "<urlset/>",
        "<urlset>\n<!-- none -->\n</urlset>",
        "<sitemapindex></sitemapindex>",
        "<feed><title>A</title><link href='https://a.example/'/></feed>",
        "<rss><channel><link>https://a.example/</link><image><url>https://a.example/a.png</url></image></channel></rss>",
    ] {
        assert_eq!(read(empty.as_bytes()).unwrap().1, [], "{empty}");
    }
}

#[test]
fn misplaced_entries_are_shown_beside_others() {
    let xml = "<urlset><url><loc>https://a.example/1</loc></url>\n<sitemap><loc>https://a.example/2</loc></sitemap>
        <URL><x:LOC>https://a.example/3</x:LOC><loc>no</loc></URL><loc>https://a.example/4</loc></urlset>";
    let (_, entries) = read(xml.as_bytes()).unwrap();
    let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.location.as_str(), entry.problem())).collect();
    let misplaced = Some(Problem::Misplaced);
    let expected = [(1, "1", None), (2, "2", misplaced), (3, "3", misplaced), (3, "4", misplaced)];
    assert_eq!(found.len(), expected.len());
    for (found, (line, path, problem)) in found.into_iter().zip(expected) {
        assert_eq!(found, (line, format!("https://a.example/{path}").as_str(), problem));
    }
}

#[test]
fn malformed_xml_has_the_error_of_the_parser_as_its_source() {
    for (bytes, has_source) in
        [(&b"<urlset></url>"[..], true), (b"<urlset><loc>&#x;</loc></urlset>", true), (b"<urlset><url>", false)]
    {
        let error = read(bytes).unwrap_err();
        assert!(error.is_malformed(), "{error}");
        let source = error.source().map(ToString::to_string);
        assert_eq!(source.is_some(), has_source, "{error}");
        assert!(error.to_string().ends_with(&source.unwrap_or_default()), "{error}");
    }
}

#[test]
fn errors_of_the_reader_are_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("cable cut"))
        }
    }
    let chained = b"<urlset><url>".chain(Broken);
    let error = Sitemap::read(chained).unwrap().next().unwrap().unwrap_err();
    assert!(error.is_io() && error.to_string().contains("cable cut"), "{error}");
}

#[test]
fn walks_end() {
    let mut walk = Walk::new(["a", "b", "a"]).with_depth(2).with_limit(5);
    let mut order = Vec::new();
    while let Some(step) = walk.next_step() {
        // An index that lists itself, and another one at each level.
        walk.add(&step, &step.url);
        walk.add(&step, &format!("{}+", step.url));
        order.push((step.url, step.depth));
    }
    let expected = [("a", 0), ("b", 0), ("a+", 1), ("b+", 1), ("a++", 2)];
    assert_eq!(order, expected.map(|(url, depth)| (url.to_owned(), depth)));
    assert_eq!(walk.left_out(), 2); // `b++` is one too many, `a+++` is too deep
}
