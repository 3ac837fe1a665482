//! `comity check`: answers whether a crawler may fetch a URL.

mod file;
mod live;
mod rows;
mod table;
mod words;

use anyhow::Result;

use crate::args;
use crate::outcome::Outcome;

pub(crate) fn run(args: &args::Check) -> Result<Outcome> {
    if args.robots.is_some() { file::run(args) } else { live::run(args) }
}
