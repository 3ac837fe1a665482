#![doc = include_str!("../docs/book.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod budget;
mod change;
mod claim;
mod classes;
mod compare;
mod dead;
mod describe;
mod difference;
mod gathered;
mod literal;
mod memory;
mod minimize;
mod overlay;
mod pair;
mod pattern;
mod ranked;
mod regroup;
mod selected;
mod sent;
mod signals;
mod spelling;

pub use budget::Budget;
pub use change::{Change, ChangeException, ChangeRule, Direction, Side};
pub use claim::{Claim, Counterexample, Held, PatternError};
pub use compare::Comparison;
pub use dead::{DeadRule, DeadRules, dead_rules, dead_rules_while};
pub use difference::{Difference, Outcome};
pub use minimize::{Minimized, minimize};
pub use signals::{SignalChange, SignalRecord, SignalValue};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
