//! When to fetch a robots.txt, and what a result means: rules, everything allowed, everything disallowed, and for how
//! long.
//!
//! A [`Site`] is a state machine without sockets, clock or async: it says what to send and what to read, is told what
//! came and when, and knows what counts meanwhile. Any HTTP client can drive it; `comity-fetch` is one that does.
//!
//! What each result means is a [`Policy`]: data, one preset a column of the table below. Errors are never permission by
//! accident: where a policy turns a failure into "allowed", [`Ruling::is_allowed_by_failure`] says so.
//!
#![doc = include_str!("../docs/policies.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

// The README's example is run with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod attempt;
mod event;
mod head;
mod policy;
mod record;
mod ruling;
mod site;
mod time;

pub use event::{Event, Failure};
pub use head::Head;
pub use policy::{Effect, Fallback, Ladder, Policy, Row, Rung};
pub use record::{Attempt, FailedDays, GoodCopy, Hop, Record};
pub use ruling::{Access, Ruling};
pub use site::{Action, Input, LIMIT, Request, Site, Validators};
pub use time::Time;
