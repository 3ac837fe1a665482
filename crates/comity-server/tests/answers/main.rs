//! Answers of the service over real sockets, about real sites on loopback.

mod batch;
mod described;
mod documents;
mod service;
mod suite;
