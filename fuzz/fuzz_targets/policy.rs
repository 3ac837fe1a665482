//! Any answers, any other inputs, at any time: nothing panics, an attempt ends and stays within its bounds, and what
//! counts is what the naive table of the tests says.
//!
//! The input is a byte that names the preset (`0` to `5`; other bytes count on from there and around), one for the
//! options (bit 0: probes, bit 1: conditional requests), the rest of that line, which is the seed, and a step a line:
//!
//! | line | what is done |
//! |---|---|
//! | empty | the machine is asked what to do |
//! | `200`, tab, `Name: value`, tab, … | a head by HTTP |
//! | `f550` | a head by FTP |
//! | `b123` | so many bytes of a body; `e` is its end |
//! | `!0` to `!9` | a failure |
//! | `y`, `n` | whether the site's pages answer |
//! | `+60`, `-60`, `d` | so many seconds later or earlier; when the next attempt is due |
//! | `r`, `p0` to `p5` | refresh; go on under another preset |

#![no_main]

use std::time::Duration;

use comity::Origin;
use comity_policy::{Failure, Head, Policy, StoredRecord};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/comity-policy/tests/naive/mod.rs"]
mod naive;
#[path = "../../crates/comity-policy/tests/walk/mod.rs"]
mod walk;

use walk::{ORIGIN, START, Step, Walk};

const FAILURES: [Failure; 10] = [
    Failure::Dns,
    Failure::Refused,
    Failure::Connect,
    Failure::Tls,
    Failure::Timeout,
    Failure::Reset,
    Failure::Truncated,
    Failure::InvalidResponse,
    Failure::Encoding,
    Failure::Other,
];
/// Bytes beyond what is read make no difference, and cost time.
const MOST: usize = 600_000;

fuzz_target!(|input: &[u8]| {
    let mut lines = input.split(|byte| *byte == b'\n');
    let Some([which, options, seed @ ..]) = lines.next() else { return };
    let policy = preset(*which);
    let record = StoredRecord::new(&Origin::of(ORIGIN).expect("an origin"));
    let steps: Vec<Step> = lines.filter_map(step).collect();
    let mut walk = Walk::new(record, policy, (number(seed), options & 1 == 1, options & 2 == 2));
    walk.go(&steps);
});

fn preset(which: u8) -> Policy {
    Policy::ALL[usize::from(which.wrapping_sub(b'0')) % Policy::ALL.len()]
}

fn step(line: &[u8]) -> Option<Step> {
    let Some((first, rest)) = line.split_first() else { return Some(Step::Poll) };
    Some(match first {
        b'0'..=b'9' => {
            let mut fields = line.split(|byte| *byte == b'\t');
            let head = Head::http(number(fields.next()?) as u16);
            let head = fields.fold(head, |head, field| {
                let colon = field.iter().position(|byte| *byte == b':').unwrap_or(field.len());
                let name = String::from_utf8_lossy(&field[..colon]);
                head.with(&name, field.get(colon + 1..).unwrap_or_default().trim_ascii_start())
            });
            let _ = (head.lifetime(START), head.retry_after(START));
            Step::Head(head)
        }
        b'f' => Step::Head(Head::ftp(number(rest) as u16)),
        b'b' => Step::Bytes((number(rest) as usize).min(MOST)),
        b'e' => Step::End,
        b'!' => Step::Fail(FAILURES[number(rest) as usize % FAILURES.len()]),
        b'y' => Step::Answers(true),
        b'n' => Step::Answers(false),
        b'+' => Step::Later(Duration::from_secs(number(rest))),
        b'-' => Step::Earlier(Duration::from_secs(number(rest))),
        b'd' => Step::Due,
        b'r' => Step::Refresh,
        b'p' => Step::Resume(preset(*rest.first()?)),
        _ => return None,
    })
}

/// The digits of a line as a number, around its end if need be.
fn number(text: &[u8]) -> u64 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}
