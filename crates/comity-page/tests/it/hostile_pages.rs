//! Pages that are made to exhaust the parser. They are parsed with a small stack, and everything in them is found.

use std::thread;

use comity_page::{Page, TagKind, Tags, read_page};

/// A tenth of the usual stack size of a thread.
const STACK: usize = 256 * 1024;

/// A reader that returns a fixed number of bytes at a time.
struct Drip<'a>(&'a [u8], usize);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// Parses a page with a small stack, in pieces of each of these sizes. Returns the contents of its meta tags, and true
/// if something was cut.
fn metas(html: &str, steps: &[usize]) -> (Vec<String>, bool) {
    let read = |step| {
        let mut tags = Tags::new(Drip(html.as_bytes(), step));
        let content = |kind| match kind {
            TagKind::Meta { content, .. } => Some(String::from_utf8_lossy(&content).into_owned()),
            _ => None,
        };
        let found: Vec<String> = tags.by_ref().filter_map(|tag| content(tag.unwrap().kind)).collect();
        (found, tags.is_cut())
    };
    thread::scope(|scope| {
        let run = || {
            let all: Vec<_> = steps.iter().map(|step| read(*step)).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the size of pieces makes a difference");
            all.into_iter().next().unwrap()
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        thread.unwrap().join().unwrap()
    })
}

const ALL_STEPS: &[usize] = &[1, 16 * 1024, usize::MAX];
const NOINDEX: &str = "<meta name=robots content=noindex>";

#[test]
fn a_tag_may_have_any_number_of_attributes() {
    let unique = || (0..60_000).map(|number| format!("a{number}=\"b\" ")).collect::<String>();
    for attributes in [
        "a=\"b\" ".repeat(60_000),
        "a='b' ".repeat(60_000),
        "a=b ".repeat(60_000),
        "a ".repeat(60_000),
        "a=\"b\"".repeat(60_000),
        "a=\"&amp;\"\n".repeat(60_000),
        "a=\"b\"/".repeat(60_000),
        "name=\"robots\" content=\"noindex\" ".repeat(20_000),
        unique(),
    ] {
        for element in ["meta", "p", "script"] {
            // The same in an end tag. The tag after it is found.
            let html = format!("<{element} {attributes}></{element} {attributes}>{NOINDEX}");
            let (found, is_cut) = metas(&html, &[usize::MAX]);
            assert_eq!(found.last().map(String::as_str), Some("noindex"), "{element} {attributes:.40}");
            assert!(!is_cut);
        }
        let html = format!("<meta {attributes} name=robots content=noindex>");
        assert_eq!(metas(&html, ALL_STEPS), (vec!["noindex".to_owned()], false), "{attributes:.40}");
    }
}

#[test]
fn a_page_of_one_tag_is_read() {
    let html = format!("<meta {}name=robots content=noindex>", "a=\"b\" ".repeat(2_000_000));
    assert_eq!(metas(&html, &[usize::MAX]), (vec!["noindex".to_owned()], false));
}

#[test]
fn names_and_values_may_be_long() {
    const LEN: usize = 256 * 1024;
    let long = "x".repeat(LEN);
    for (start, is_cut) in [
        (format!("<{long}>"), false),
        (format!("<{long} {long}={long} '{long}'=\"{long}\">"), false),
        (format!("<a {long}=\"{long}\" href='{}'>", &long[..1_000]), false),
        (format!("<img src=\"{long}\">"), false),
        (format!("<a href=\"{long}\">"), true),
        (format!("<!--{long}-->"), false),
        (format!("<!{long}>"), false),
        (format!("<!DOCTYPE html PUBLIC \"{long}\">"), false),
        (format!("<![CDATA[{long}]]>"), false),
        (format!("<?{long}>"), false),
        (format!("</{long}>"), false),
        (format!("<title>{long}</title>"), false),
        (format!("<script>{long}<!--{long}<script>{long}</script>{long}</script>"), false),
        (format!("&{long};"), false),
    ] {
        assert_eq!(metas(&format!("{start}{NOINDEX}"), ALL_STEPS), (vec!["noindex".to_owned()], is_cut), "{start:.20}");
    }
}

#[test]
fn repeated_beginnings_are_read() {
    for piece in ["<", "</", "<!", "<!-", "<a ", "<a/", "<a=", "&", "&#", "-", "<?>", "\0", "<svg>", "<div>", "\n"] {
        let html = format!("{}>{NOINDEX}", piece.repeat(50_000));
        assert_eq!(metas(&html, ALL_STEPS), (vec!["noindex".to_owned()], false), "{piece:?}");
    }
    for element in ["title", "textarea", "style", "script", "xmp", "iframe", "noembed", "noframes"] {
        for piece in
            ["<", "</", "</x", "<!", "-", "--", "<!--", "-->", "<!-->", "&", "<script", "<scrip ", "</titl", "</ti "]
        {
            // An escaped script ends after the comment in it.
            let html = format!("<{element}>{}--></{element}>{NOINDEX}", piece.repeat(20_000));
            assert_eq!(metas(&html, &[usize::MAX]), (vec!["noindex".to_owned()], false), "{element} {piece:?}");
        }
    }
}

#[test]
fn all_attributes_of_a_page_are_bounded_together() {
    let names = ["name", "content", "rel", "href", "src", "type", "data-nosnippet"];
    let tag = names.map(|name| format!("{name}=\"{}\"", "x ".repeat(100_000))).join(" ");
    let mut page = Page::new();
    let found = read_page(format!("<link {tag}><meta {tag}>{NOINDEX}").as_bytes(), &mut page, &[]).unwrap();
    assert!(found.is_cut);
    assert_eq!(page.rules_for(&comity::Crawler::ANY).to_string(), "noindex");
}

#[test]
fn the_number_of_empty_tags_is_bounded() {
    let mut page = Page::new();
    let html = "<link rel=license><meta name=robots>".repeat(50_000);
    let found = read_page(html.as_bytes(), &mut page, &[]).unwrap();
    assert!(found.is_cut);
    assert!(found.metas < 20_000 && page.licenses().len() < 20_000, "{} {}", found.metas, page.licenses().len());
}
