//! Fetches robots.txt files as a good crawler does, and remembers them.

pub mod store;
