//! Connections: their state, the watch over them, and their bytes.

pub(crate) mod frames;
pub(crate) mod set;
mod state;
pub(crate) mod stream;
pub(crate) mod tls;
mod watch;

pub(crate) use state::{AwaitingBody, Connection, Parts, Phase, Request};
pub(crate) use watch::{Clock, Order};
