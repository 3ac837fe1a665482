//! Any bytes as a log in the combined format.

#![no_main]

use comity_log::LogFormat;
use libfuzzer_sys::fuzz_target;

mod log;

const LINE: &[u8] = b"192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"Bot/1\"\n";

fuzz_target!(|input: &[u8]| {
    log::read(LogFormat::Combined, LINE, input, |line, entry| {
        // Each text is a part of the line.
        let texts = [&entry.address, &entry.host, &entry.method, &entry.target, &entry.agent];
        for text in texts.into_iter().flatten() {
            assert!(line.windows(text.raw().len().max(1)).any(|part| part == text.raw()));
        }
        assert!(entry.status.is_some());
    });
});
