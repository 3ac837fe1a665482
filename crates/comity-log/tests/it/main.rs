//! Any lines: nothing panics, and no line is lost. The fuzz targets check the same with their own inputs.

use comity_log::LogFormat;
use proptest::prelude::*;

#[path = "../../../../fuzz/fuzz_targets/log/mod.rs"]
mod log;

/// Lines from which inputs are made, each the first of a log in its format.
const LINES: [(LogFormat, &str); 5] = [
    (LogFormat::Combined, "192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /a?b HTTP/1.1\" 200 5 \"-\" \"Bot/1\"\n"),
    (
        LogFormat::Json,
        "{\"ts\":1.5,\"request\":{\"client_ip\":\"::1\",\"uri\":\"/\\u0041\",\"headers\":{\"User-Agent\":[\"Bot\"]}},\"status\":200}\n",
    ),
    (LogFormat::W3c, "#Fields: date time c-ip cs-uri-stem cs(User-Agent) sc-status\n"),
    (LogFormat::W3c, "#Fields: date\ttime\tx-edge-location\tc-ip\tcs-uri-stem\tcs(User-Agent)\n"),
    (
        LogFormat::Alb,
        "https 2026-11-01T09:30:00.1Z app/a 192.0.2.1:2 10.0.0.1:80 0 0 0 200 200 0 5 \"GET https://a:443/ HTTP/1.1\" \"Bot/1\" x\n",
    ),
];

/// Parts of lines, and what is special in them.
fn parts() -> impl Strategy<Value = Vec<u8>> {
    let line = (0..LINES.len(), 0..200_usize, 0..200_usize).prop_map(|(line, from, length)| {
        let line = LINES[line].1.as_bytes();
        let from = from.min(line.len());
        line[from..(from + length).min(line.len())].to_vec()
    });
    let special = prop::sample::select(vec![
        "\n", "\r\n", "\"", "\\", "\\x", "\\xFF", "[", "]", " ", "\t", "-", "{", "}", "\\u00", "#Fields:", "+0100",
        "%25", "::",
    ]);
    let part = prop_oneof![
        4 => line,
        3 => special.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => (65_000..66_000_usize).prop_map(|length| vec![b'x'; length]),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_line_is_lost(format in 0..LINES.len(), input in parts()) {
        let (format, start) = LINES[format];
        log::read(format, start.as_bytes(), &input, |line, _| assert!(!line.is_empty()));
    }
}
