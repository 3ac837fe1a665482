//! Tests of `comity serve` with hostile clients, with overload, and over a long time.
//!
//! The service runs as a process of its own, so that its memory and open files can be measured in `/proc` on Linux.

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
