//! Any sitemap: nothing panics, limits are respected, and only an error ends it early.

#![no_main]

use comity_page::{Limits, Sitemap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Decompressed data may be a thousand times as long; a part of it is enough.
    let mut limits = Limits::default();
    (limits.bytes, limits.entries) = (1 << 20, 1_000);
    let Ok(mut sitemap) = Sitemap::read_with(bytes, limits) else { return };
    let mut entries = 0;
    for entry in &mut sitemap {
        match entry {
            Ok(entry) => {
                entries += 1;
                assert!(entry.location.len() <= 300_000 && entry.location.trim() == entry.location);
                let _ = entry.problem();
            }
            Err(error) => assert!(!error.to_string().chars().any(char::is_control), "{error}"),
        }
    }
    assert!(entries <= 1_000 && sitemap.next().is_none());
});
