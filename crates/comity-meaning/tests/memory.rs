//! The memory of a comparison is bounded, whatever the files contain.

mod hostile_pairs;

use allocation_counter::measure;
use comity::{Dialect, Robots};
use comity_meaning::Comparison;
use hostile_pairs::FILE_OCTETS;

/// The maximum peak of a comparison: four times the two files, and 16 MiB.
const MAX_OCTETS: u64 = 4 * 2 * FILE_OCTETS as u64 + (16 << 20);

#[test]
fn hostile_pairs_take_a_bounded_amount_of_memory() {
    let mut greatest = 0;
    for dialect in [Dialect::GOOGLE, Dialect::NOROBOTS_1996] {
        for (name, pair) in hostile_pairs::pairs() {
            let [old, new] = pair.map(|body| Robots::parse_with(body, &dialect));
            let taken = measure(|| drop(Comparison::new(&old, &new).run()));
            println!("{:>10} octets: {name}, {}", taken.bytes_max, dialect.name);
            assert!(taken.bytes_max <= MAX_OCTETS, "{} octets: {name}, {}", taken.bytes_max, dialect.name);
            greatest = greatest.max(taken.bytes_max);
        }
    }
    // The files would take much more if nothing was counted.
    assert!(greatest > MAX_OCTETS / 2, "{greatest}");
}
