//! What the service answers, over real sockets, about real sites on loopback.

mod batch;
mod documents;
mod service;
mod suite;
