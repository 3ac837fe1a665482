//! Tests of the watcher: judgments, deliveries, and many sites with a simulated clock.

mod deliver;
mod history;
mod judge;
mod kill;
mod model;
mod watcher;
