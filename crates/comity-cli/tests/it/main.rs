//! The tests of comity-cli that need no program of their own.
//!
//! They are one program, since each program is linked with all dependencies: about a second and 25 MB each.

mod action;
mod asking;
mod batch_lines;
mod cmd;
mod corpus;
mod documents;
mod empty_input;
mod fields;
mod gitlab;
mod help;
mod hostile_pages;
mod lint;
mod live;
mod local;
mod lsp;
mod million;
mod places;
mod sarif;
mod secrets;
mod serve;
mod server_logs;
mod servers;
mod service;
mod starters;
mod store;
mod suite;
mod terminal;
mod watch;
mod watch_guide;
