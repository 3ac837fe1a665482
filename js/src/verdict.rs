//! Verdicts as numbers.

use comity::{Answer, Basis, Dialect, Reason, Verdict};

use crate::buffers::set_output;
use crate::export;
use crate::parts::Writer;

export! {
    /// Writes the names of answers, reasons, bases and dialects, each list in the order of its numbers.
    fn names() {
        let mut output = Writer::default();
        output.list(Answer::ALL.iter().map(|answer| answer.name()));
        output.list(Reason::ALL.iter().map(|reason| reason.name()));
        output.list(Basis::ALL.iter().map(|basis| basis.name()));
        output.list(Dialect::ALL.iter().map(|dialect| dialect.name));
        set_output(output);
    }
}

/// Returns a verdict as a whole number that a float represents exactly. From the lowest bit: two bits for the answer plus
/// one, so that zero never allows anything; four for the reason, three for the basis, one each for "advisory" and "names
/// the crawler"; then the line.
pub(crate) fn packed(verdict: Verdict) -> f64 {
    let bits = (verdict.answer() as u32 + 1) & 3
        | (verdict.reason() as u32) << 2
        | (verdict.basis() as u32) << 6
        | u32::from(verdict.is_advisory()) << 9
        | u32::from(verdict.names_crawler()) << 10;
    f64::from(verdict.line().unwrap_or(0)) * 2048.0 + f64::from(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        assert!(Answer::ALL.iter().enumerate().all(|(at, answer)| at == *answer as usize && at < 4));
        assert!(Reason::ALL.iter().enumerate().all(|(at, reason)| at == *reason as usize && at < 16));
        assert!(Basis::ALL.iter().enumerate().all(|(at, basis)| at == *basis as usize && at < 8));
    }

    #[test]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and positive")]
    fn a_line_is_beside_the_bits() {
        let robots = comity::Robots::parse("\n\nUser-agent: *\nDisallow: /\n");
        let number = packed(robots.check(&comity::Crawler::ANY, "/x")) as u64;
        assert_eq!(number >> 11, 4);
        assert_eq!(number & 3, Answer::Disallowed as u64 + 1);
    }
}
