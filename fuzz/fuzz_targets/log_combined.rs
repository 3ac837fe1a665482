//! Any bytes as a log in the combined format.

#![no_main]

use comity_log::LogFormat;
use libfuzzer_sys::fuzz_target;

mod log;

const LINE: &[u8] = b"192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"Bot/1\"\n";

fuzz_target!(|input: &[u8]| {
    log::read(LogFormat::Combined, LINE, input, |line, entry| {
        // Each text is a part of the line, apart from the escapes of the log.
        let escaped = [&entry.target, &entry.agent].into_iter().filter(|_| !line.contains(&b'\\'));
        for text in escaped.chain([&entry.address, &entry.host, &entry.method]).flatten() {
            assert!(line.windows(text.len().max(1)).any(|part| part == &**text));
        }
        assert!(entry.status.is_some());
    });
});
