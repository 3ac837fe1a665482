//! The names that most lints use.

pub(crate) use comity::{Content, Field, Line, Profile, Purpose, Rule, RuleKind};

pub(crate) use crate::blocking::matches_everything;
pub(crate) use crate::diagnostic::Diagnostics;
pub(crate) use crate::file::File;
pub(crate) use crate::fix::Edit;
pub(crate) use crate::group::{AgentOf, GroupOf, allows_all, closes, disallows, names_of};
pub(crate) use crate::lint::{Severity, lint};
pub(crate) use crate::text::{is_in, shown};
pub(crate) use crate::words::{self, is_listed};
