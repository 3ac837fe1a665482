//! Any bytes as a log of an AWS load balancer.

#![no_main]

use comity_log::LogFormat;
use libfuzzer_sys::fuzz_target;

mod log;

const LINE: &[u8] = b"https 2026-11-01T09:30:00.1Z app/a 192.0.2.1:2 10.0.0.1:80 0 0 0 200 200 0 5 \"GET https://a:443/ HTTP/1.1\" \"Bot/1\" x\n";

fuzz_target!(|input: &[u8]| {
    log::read(LogFormat::Alb, LINE, input, |line, _| assert!(line.contains(&b'"')));
});
