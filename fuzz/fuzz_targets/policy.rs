//! Any responses, any other inputs, at any time: nothing panics, an attempt ends and stays within its limits, and
//! rulings agree with the naive table of the tests.
//!
//! The input is a byte that names the preset (`0` to `5`; other bytes continue the cycle), a byte for the options (bit 0:
//! probes, bit 1: conditional requests), the rest of that line, which is the seed, and one step on each line:
//!
//! | line | step |
//! |---|---|
//! | empty | polls the state machine |
//! | `200`, tab, `Name: value`, tab, … | a head by HTTP |
//! | `f550` | a head by FTP |
//! | `b123` | this many bytes of a body; `e` is its end |
//! | `!0` to `!9` | a failure |
//! | `y`, `n` | the site's pages answer, or do not |
//! | `+60`, `-60`, `d` | this many seconds later or earlier; the time at which the next attempt is due |
//! | `r`, `p0` to `p5` | refresh; continue with another preset |

#![no_main]

use std::time::Duration;

use comity::Origin;
use comity_policy::{Failure, Head, Policy, StoredRecord};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/comity-policy/tests/it/naive/mod.rs"]
mod naive;
#[path = "../../crates/comity-policy/tests/it/walk/mod.rs"]
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
/// The maximum number of bytes in a step. More are never read, and cost time.
const MAX_STEP_BYTES: usize = 600_000;

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
        b'b' => Step::Bytes((number(rest) as usize).min(MAX_STEP_BYTES)),
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

/// Returns the digits of a line as a number. It may wrap around.
fn number(text: &[u8]) -> u64 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}
