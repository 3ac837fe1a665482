#![doc = include_str!("../README.md")]

mod agents;
mod diagnostic;
mod distance;
mod evidence;
mod file;
mod fix;
mod ignore;
mod lint;
mod linter;
mod lints;
mod shadows;
mod stop;
mod verdicts;

pub use diagnostic::Diagnostic;
pub use evidence::{Evidence, LostSitemap, Page, Resource, Seen, Served, Variant};
pub use fix::{Edit, Fix, Fixes, Mended, Safety};
pub use lint::{Lint, Severity};
pub use linter::{Linter, Report, UnknownLint};
pub use lints::ALL;
pub use stop::Stopped;
pub use verdicts::{Change, Changes};
