//! `comity completions`: prints a completion script for a shell.

use std::io::{self, Write};

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{self, Arguments};
use crate::outcome::Outcome;

pub(crate) fn run(args: &args::Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "comity", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Yes)
}
