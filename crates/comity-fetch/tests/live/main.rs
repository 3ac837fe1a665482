//! The client with real servers on loopback and a clock that is set by hand: the policy table, and guarantees that hold
//! whatever a server does.

mod case;
mod cells;
mod faults;
mod forgery;
#[path = "../loopback/mod.rs"]
mod loopback;
mod proxies;
mod shared_fetches;
mod stage;
mod times;
mod variations;
mod via;

/// The robots.txt of a good site. Its important rules are at the end, so that half of it allows too much.
const ROBOTS: &str = "User-agent: *\nAllow: /public/\nDisallow: /private/\n";

/// The crawler of the questions.
const BOT: &comity::Crawler<'_> = &comity::Crawler::ANY;
