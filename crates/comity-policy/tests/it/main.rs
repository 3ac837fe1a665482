//! The tests of comity-policy that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod arbitrary;
mod docs;
mod naive;
mod names;
mod properties;
mod script;
mod scripts;
mod walk;
