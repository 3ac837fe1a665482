//! Any page: its tags are those that html5gum finds, in any chunks, and large tags need no large stack.
//!
//! An input that starts with the byte 1 describes a large page: each two bytes after it are a piece of markup and
//! the number of its repetitions. All other inputs are pages.

#![no_main]

#[path = "../../crates/comity-page/tests/it/reference/mod.rs"]
mod reference;

use std::thread;

use comity_page::Tags;
use libfuzzer_sys::fuzz_target;
use reference::{Drip, expected, found};

/// Far less than html5gum needs for a page of [`MAX_PAGE`] bytes, and enough for instrumented code.
const STACK: usize = 192 * 1024;
const MAX_PAGE: usize = 64 * 1024;

const PIECES: [&str; 40] = [
    "<meta ",
    "<a ",
    "<link ",
    "<p ",
    "</a ",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "<",
    "</",
    ">",
    "/",
    "a=\"b\" ",
    "a='b' ",
    "a=b ",
    "a ",
    "name=robots ",
    "content=noindex ",
    "rel=nofollow ",
    "href=\"",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "\r\n",
    "&",
    "&amp;",
    "&#",
    "1",
    "x",
    "-",
];

/// Repeats pieces up to [`MAX_PAGE`] bytes.
fn large_page(description: &[u8]) -> Vec<u8> {
    let mut html = Vec::new();
    for [piece, count] in description.as_chunks::<2>().0 {
        let piece = PIECES[usize::from(*piece) % PIECES.len()].as_bytes();
        // Up to 127 times, or a power of two up to 65,536.
        let count = if *count < 128 { usize::from(*count) } else { 1 << (count % 17) };
        html.extend(piece.repeat(count.min((MAX_PAGE - html.len()) / piece.len())));
    }
    html
}

fn read(html: &[u8]) {
    let whole: Vec<_> = Tags::new(html).map(Result::unwrap).collect();
    let drops: Vec<_> = Tags::new(Drip(html, 3)).map(Result::unwrap).collect();
    assert_eq!(whole, drops);
    assert!(whole.is_sorted_by_key(|tag| tag.line));
    for limit in [0, 1, html.len() as u64 / 2] {
        assert!(Tags::with_limit(html, limit).all(|tag| tag.is_ok()));
    }
}

fuzz_target!(|input: &[u8]| {
    if let [1, description @ ..] = input {
        let html = large_page(description);
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || read(&html));
            thread.unwrap().join().unwrap();
        });
        return;
    }
    read(input);
    // A byte order mark of UTF-16 determines how the whole page is read.
    if !input.starts_with(b"\xFF\xFE") && !input.starts_with(b"\xFE\xFF") {
        assert_eq!(found(input, usize::MAX), expected(input));
    }
});
