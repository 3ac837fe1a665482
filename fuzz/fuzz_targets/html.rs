//! Any page: nothing panics, lines only grow, and it makes no difference how the bytes arrive.

#![no_main]

use std::io::Read;

use comity_page::Tags;
use libfuzzer_sys::fuzz_target;

/// Hands over three octets at a time.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = 3.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fuzz_target!(|html: &[u8]| {
    let whole: Vec<_> = Tags::new(html).map(Result::unwrap).collect();
    let drops: Vec<_> = Tags::new(Drip(html)).map(Result::unwrap).collect();
    assert_eq!(whole, drops);
    assert!(whole.is_sorted_by_key(|tag| tag.line));
    for limit in [0, 1, html.len() as u64 / 2] {
        assert!(Tags::with_limit(html, limit).all(|tag| tag.is_ok()));
    }
});
