//! The tests of comity-meaning that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod algebra;
mod by_automaton;
mod choices;
mod corpus;
mod described;
mod edits;
mod enumeration;
mod equal_groups;
mod hostile;
mod minimize;
mod model;
mod mutants;
mod naive_model;
mod norobots;
mod pairs;
mod recorded;
mod sampled;
mod sent;
mod shared;
mod signals;
mod small;
mod spellings;
mod unnamed;
