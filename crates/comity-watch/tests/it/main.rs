//! Tests of the watcher: judgments, deliveries, and many sites with a simulated clock.

mod deadly;
mod deliver;
mod edits;
mod history;
mod judge;
mod kill;
mod model;
mod replay;
mod watcher;
