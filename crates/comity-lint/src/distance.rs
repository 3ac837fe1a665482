//! How far one word is from another: what a misspelling is.

/// The number of letters to add, drop, change or swap with their neighbours that make one word of the other, case
/// folded; none if it is more than `most`.
pub(crate) fn within(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    /// Longer words are no words that anybody misspells.
    const LONGEST: usize = 40;
    if a.len().abs_diff(b.len()) > most || a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let mut before = [0_usize; LONGEST + 1];
    let mut last: [usize; LONGEST + 1] = std::array::from_fn(|i| i);
    for (i, x) in a.iter().enumerate() {
        let mut row = [0_usize; LONGEST + 1];
        row[0] = i + 1;
        let mut lowest = row[0];
        for (j, y) in b.iter().enumerate() {
            let change = usize::from(!x.eq_ignore_ascii_case(y));
            let mut steps = (last[j] + change).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x.eq_ignore_ascii_case(&b[j - 1]) && a[i - 1].eq_ignore_ascii_case(y) {
                steps = steps.min(before[j - 1] + 1);
            }
            row[j + 1] = steps;
            lowest = lowest.min(steps);
        }
        if lowest > most {
            return None;
        }
        before = last;
        last = row;
    }
    Some(last[b.len()]).filter(|steps| *steps <= most)
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn counts_what_a_finger_does_wrong() {
        for (a, b, steps) in [
            ("disallow", "DISALLOW", Some(0)),
            ("disalow", "disallow", Some(1)),
            ("dsiallow", "disallow", Some(1)),
            ("disalllow", "disallow", Some(1)),
            ("dislallow", "disallow", Some(1)),
            ("allow", "disallow", None),
            ("", "ab", Some(2)),
        ] {
            assert_eq!(within(a.as_bytes(), b.as_bytes(), 2), steps, "{a} {b}");
        }
    }
}
