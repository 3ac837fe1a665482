//! The pairs of files that are compared.

use comity::{Dialect, Robots};
use comity_lint::{Evidence, Linter, Safety};

use super::edits::{Edit, edited};
use crate::work::Random;

/// Two files: before and after a change.
pub(crate) type Pair = [Vec<u8>; 2];

/// Returns a file and the same without its middle rule, if the groups stay.
pub(crate) fn one_removed(body: &[u8], dialect: &Dialect) -> Option<Pair> {
    let robots = Robots::parse_with(body, dialect);
    let rules = robots.groups().flat_map(|group| group.rules()).count();
    let new = edited(body, dialect, Edit::Drop, [rules / 2, 0])?;
    let is_kept = Robots::parse_with(&new, dialect).groups().count() == robots.groups().count();
    is_kept.then(|| [body.to_vec(), new])
}

/// Returns a file and the same after its safe fixes, if it has any.
pub(crate) fn fixed(body: &[u8], linter: &Linter) -> Option<Pair> {
    let fixed = linter.fix(body, &Evidence::default(), Safety::Safe);
    (fixed.applied > 0).then(|| [body.to_vec(), fixed.body])
}

/// Returns a file and the same after one to three random edits of a rule, each alone.
pub(crate) fn edits(body: &[u8], dialect: &Dialect, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let edit = Edit::ALL[random.below(Edit::ALL.len())];
        let numbers = [(); 2].map(|()| random.below(1 << 20));
        pairs.extend(edited(body, dialect, edit, numbers).map(|new| [body.to_vec(), new]));
    }
    pairs
}
