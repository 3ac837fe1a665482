//! Any bytes as a log in the W3C extended format, after columns of IIS or of CloudFront.

#![no_main]

use comity_log::LogFormat;
use libfuzzer_sys::fuzz_target;

mod log;

const IIS: &[u8] = b"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\n";
const CLOUDFRONT: &[u8] = b"#Fields: date time x-edge-location c-ip cs-uri-stem cs(User-Agent) sc-status\n";

fuzz_target!(|input: &[u8]| {
    for start in [IIS, CLOUDFRONT] {
        log::read(LogFormat::W3c, start, input, |line, _| assert!(!line.starts_with(b"#")));
    }
});
