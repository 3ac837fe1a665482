//! Decides when to fetch a robots.txt and what the result means: rules, everything allowed, or everything disallowed,
//! and for how long.
//!
//! A [`Site`] is a state machine without sockets, clock or async: it returns the requests to send, takes the responses
//! and the current time, and tells which access applies meanwhile. Any HTTP client can drive it; `comity-fetch` is one
//! that does.
//!
//! A [`Policy`] defines the meaning of each result as data. The table below has a column for each preset. Errors never
//! become permission by accident: where a policy turns a failure into "allowed", [`Ruling::is_allowed_by_failure`]
//! returns true.
//!
#![doc = include_str!("../docs/policies.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

// Runs the example of the README with the doc tests.
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
pub use record::{Attempt, FailedDays, GoodCopy, Hop, StoredRecord};
pub use ruling::{Access, Ruling};
pub use site::{Action, BODY_LIMIT, Input, Request, Site, Validators};
pub use time::Time;
