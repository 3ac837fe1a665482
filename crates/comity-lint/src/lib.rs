#![doc = include_str!("../README.md")]

mod agents;
mod apply;
mod blocking;
mod budget;
mod diagnostic;
mod evidence;
mod file;
mod fix;
mod group;
mod ignore;
mod lint;
mod linter;
mod lints;
mod managed;
mod prelude;
mod proof;
mod readers;
mod readings;
mod recognize;
mod shadows;
mod stated;
mod stop;
mod text;
mod words;

pub use diagnostic::Diagnostic;
pub use evidence::{Evidence, KnownPage, LostSitemap, Resource, Seen, Served, Variant};
pub use fix::{Edit, Fix, FixedFile, Fixes, LeftOut, LeftOutReason, Safety};
pub use lint::{Lint, Severity};
pub use linter::{Linter, Report, UnknownLint};
pub use lints::ALL;
pub use managed::{ManagedPart, managed_parts};
pub use proof::{VerdictChange, VerdictChanges};
pub use readers::{Reader, UnknownReader};
pub use readings::CHECKED_DIALECTS;
pub use recognize::content::other_content;
pub use stop::Stopped;
