//! `comity health`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;

use super::live::duration;

const HELP: &str = "\
Examples:
  comity health
      Ask the service on this machine
  comity health 10.0.0.7:9309 --timeout 1s
      Ask another one

It requests /readyz, which needs no token, by HTTP. A service that serves https only is not asked: its connection ends \
without an answer.

Exit codes: 0 the service accepts requests, 1 it does not accept any now, 2 it did not answer";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Health {
    /// The address of the service
    #[arg(value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9309")]
    pub(crate) address: SocketAddr,

    /// The timeout of connecting, and of each wait for the answer
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) timeout: Duration,
}
