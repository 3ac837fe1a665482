//! Nothing: what the start of any Rust program costs.

fn main() {}
