//! The edit distance by which misspelled names, fields and crawlers are found, for suggestions that do not differ from
//! those of the engine.

/// Words of more bytes are not compared, so the distance takes constant time and memory.
const MAX_BYTES: usize = 40;

/// Returns the edit distance of two words: the number of bytes to add, drop, change or swap with their neighbor that turn
/// one into the other (optimal string alignment), ASCII case folded. Returns `None` if it is more than `max`, or if a word
/// has more than 40 bytes.
///
/// ```
/// use comity::spelling::edit_distance;
///
/// assert_eq!(edit_distance(b"disalow", b"Disallow", 2), Some(1));
/// assert_eq!(edit_distance(b"GTPBot", b"GPTBot", 1), Some(1));
/// assert_eq!(edit_distance(b"allow", b"disallow", 2), None);
/// ```
#[must_use]
pub fn edit_distance(a: &[u8], b: &[u8], max: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > max || a.len() > MAX_BYTES || b.len() > MAX_BYTES {
        return None;
    }
    let mut before = [0_usize; MAX_BYTES + 1];
    let mut last: [usize; MAX_BYTES + 1] = core::array::from_fn(|i| i);
    for (i, x) in a.iter().enumerate() {
        let mut row = [0_usize; MAX_BYTES + 1];
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
        if lowest > max {
            return None;
        }
        before = last;
        last = row;
    }
    Some(last[b.len()]).filter(|steps| *steps <= max)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn misspellings_are_counted() {
        for (a, b, steps) in [
            ("disallow", "DISALLOW", Some(0)),
            ("disalow", "disallow", Some(1)),
            ("dsiallow", "disallow", Some(1)),
            ("disalllow", "disallow", Some(1)),
            ("dislallow", "disallow", Some(1)),
            ("allow", "disallow", None),
            ("", "ab", Some(2)),
        ] {
            assert_eq!(edit_distance(a.as_bytes(), b.as_bytes(), 2), steps, "{a} {b}");
        }
    }
}
