//! The names that several lints use.

pub(crate) use comity::{Content, Field, Line, Profile, Purpose, Rule, RuleEffect, RuleKind};

pub(crate) use crate::blocking::matches_everything;
pub(crate) use crate::diagnostic::Diagnostics;
pub(crate) use crate::evidence::{self, KnownPage};
pub(crate) use crate::file::File;
pub(crate) use crate::fix::Edit;
pub(crate) use crate::group::{AgentOf, GroupOf, allows_all, closes, disallows, names_of};
pub(crate) use crate::lint::{Severity, lint};
pub(crate) use crate::recognize::host::is_url;
pub(crate) use crate::text::{also, is_in, numbered, shown};
pub(crate) use crate::words::{self, is_listed};
