//! The client against real servers on loopback, with a clock that is set by hand: what the policy table says, and what
//! must not happen whatever a server does.

mod case;
mod cells;
mod faults;
mod flights;
mod forgery;
#[path = "../loopback/mod.rs"]
mod loopback;
mod proxies;
mod stage;
mod times;
mod variations;
mod via;

/// What a good site says here. All that counts is at the end, so that half of it allows too much.
const ROBOTS: &str = "User-agent: *\nAllow: /public/\nDisallow: /private/\n";

/// Who asks.
const BOT: &comity::Crawler<'_> = &comity::Crawler::ANY;
