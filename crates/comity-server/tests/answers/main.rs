//! Answers of the service over real sockets, about real sites on loopback.

mod batch;
mod described;
mod documents;
mod egress;
mod generate;
mod openapi;
mod page;
mod schemas;
mod secrets;
mod service;
mod sitemaps;
mod suite;
