//! Any header: nothing panics, and the tokens are in it, bounded in number, and found once.

#![no_main]

use comity::Crawlers;
use comity::user_agent::{candidates, is_header};
use libfuzzer_sys::fuzz_target;

/// The documented limits.
const MAX_CANDIDATES: usize = 16;
const READ: usize = 8 * 1024;

fuzz_target!(|header: &str| {
    let table = Crawlers::builtin();
    let found = candidates(header, &table);
    assert!(found.len() <= MAX_CANDIDATES);
    for (i, token) in found.iter().enumerate() {
        let at = token.as_ptr().addr() - header.as_ptr().addr();
        assert_eq!(header.get(at..at + token.len()), Some(*token));
        assert!(!token.is_empty() && at + token.len() <= READ);
        assert!(!found[..i].iter().any(|earlier| earlier.eq_ignore_ascii_case(token)), "{token} is found twice");
        assert!(!is_header(token, &table), "{token} is found, and is a header itself");
    }
    let _ = is_header(header, &table);
});
