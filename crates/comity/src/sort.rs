//! Sorting that is compiled once. The standard library's sort is compiled again for each type and each order, with about
//! five kilobytes of code. Only the matcher, where its speed matters, uses that one.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Sorts as `[T]::sort` does. Equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts as `[T]::sort_by_key` does. Equal items keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts as `[T]::sort_by` does. Equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort_indices(&mut order, &|one, other| compare(&items[one], &items[other]));
    // Each cycle of the permutation is a series of swaps. An index that points to itself is done.
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = core::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[inline(never)]
fn sort_indices(order: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    order.sort_unstable_by(|one, other| compare(*one, *other).then(one.cmp(other)));
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(keys in prop::collection::vec(0..20_u8, 0..60)) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            super::sort_by_key(&mut items, |(key, _)| *key);
            prop_assert_eq!(&items, &expected);
            expected.sort_by(|one, other| other.cmp(one));
            super::sort_by(&mut items, |one, other| other.cmp(one));
            prop_assert_eq!(&items, &expected);
            expected.sort_unstable();
            super::sort(&mut items);
            prop_assert_eq!(items, expected);
        }
    }
}
