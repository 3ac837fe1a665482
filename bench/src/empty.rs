//! An empty program, which measures the cost of starting any Rust program.

fn main() {}
