//! Checks that memory does not grow with the size of a page's tags. It is one test, so that no other test in its
//! process allocates memory.

use std::io::Read;

use comity_page::Tags;

/// Returns the peak memory of this process, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// A reader that repeats a piece, without storing all of it.
struct Repeated<'a>(&'a [u8], usize);

impl Read for Repeated<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let Self(piece, at) = self;
        let len = into.len().min(piece.len() - *at);
        into[..len].copy_from_slice(&piece[*at..*at + len]);
        *at = (*at + len) % piece.len();
        Ok(len)
    }
}

#[test]
fn memory_does_not_grow_with_a_tag() {
    const BYTES: u64 = 8 * 1024 * 1024;
    const MAX_KIB: u64 = 2 * 1024;
    let Some(before) = peak() else {
        println!("SKIPPED: this system does not tell how much memory a process has had");
        return;
    };
    for (start, piece) in [
        ("<meta ", "a=\"b\" "),
        ("<meta ", "name=\"b\" content='c' href=d "),
        ("<meta content=\"", "x, &amp;"),
        ("<", "x"),
        ("<a ", "x"),
        ("<!--", "-"),
        ("<script>", "<!--<script "),
        ("<title>", "</titl"),
        ("", "<div data-nosnippet><p>x&y"),
    ] {
        let piece = piece.repeat(4_096);
        let html = start.as_bytes().chain(Repeated(piece.as_bytes(), 0));
        let mut tags = Tags::with_limit(html, BYTES);
        assert!(tags.by_ref().all(|tag| tag.is_ok()));
        assert!(tags.is_cut());
    }
    let grown = peak().unwrap_or_default() - before;
    assert!(grown <= MAX_KIB, "{grown} KiB for pages of {BYTES} bytes");
}
