//! `comity serve` under clients that mean harm, under more than it can carry, and for a long time.
//!
//! It runs as a process of its own, so that its memory and its files can be looked at: as Linux shows them.

#![cfg(target_os = "linux")]

mod client;
mod fairness;
mod files;
mod hostile;
mod http2;
mod invalid;
mod memory;
mod overload;
mod prober;
mod service;
mod soak;
mod stranger;
