//! Verdicts as numbers.

use comity::Verdict;

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
    use comity::{Answer, Basis, DelaySupport, Dialect, Governed, Purpose, Reason};

    use super::*;

    #[test]
    fn numbers_fit_into_their_bits() {
        assert!(Answer::ALL.iter().enumerate().all(|(at, answer)| at == *answer as usize && at < 4));
        assert!(Reason::ALL.iter().enumerate().all(|(at, reason)| at == *reason as usize && at < 16));
        assert!(Basis::ALL.iter().enumerate().all(|(at, basis)| at == *basis as usize && at < 8));
    }

    #[test]
    fn the_package_has_the_names_in_the_order_of_their_numbers() {
        let verdict = include_str!("../package/verdict.ts");
        let crawler = include_str!("../package/crawler.ts");
        let file = include_str!("../package/file.ts");
        assert_eq!(names(verdict, "ANSWERS"), Answer::ALL.iter().map(|answer| answer.name()).collect::<Vec<_>>());
        assert_eq!(names(verdict, "REASONS"), Reason::ALL.iter().map(|reason| reason.name()).collect::<Vec<_>>());
        assert_eq!(names(verdict, "BASES"), Basis::ALL.iter().map(|basis| basis.name()).collect::<Vec<_>>());
        assert_eq!(names(file, "DIALECTS"), Dialect::ALL.iter().map(|dialect| dialect.name).collect::<Vec<_>>());
        assert_eq!(names(crawler, "PURPOSES"), Purpose::ALL.iter().map(|purpose| purpose.name()).collect::<Vec<_>>());
        assert_eq!(
            names(crawler, "GOVERNED"),
            Governed::ALL.iter().map(|governed| governed.name()).collect::<Vec<_>>()
        );
        assert_eq!(
            names(crawler, "CRAWL_DELAYS"),
            DelaySupport::ALL.iter().map(|support| support.name()).collect::<Vec<_>>()
        );
    }

    /// Returns the texts in an array of TypeScript.
    fn names<'a>(typescript: &'a str, constant: &str) -> Vec<&'a str> {
        let (_, array) = typescript.split_once(&format!("const {constant} = [")).expect(constant);
        let (array, _) = array.split_once("] as const;").expect(constant);
        array.split('"').skip(1).step_by(2).collect()
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
