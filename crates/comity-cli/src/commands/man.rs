//! `comity man`: prints the manual page, or that of a command.

use std::io::{self, Write};

use anyhow::{Result, bail};
use clap::CommandFactory;

use crate::args::{self, Arguments};
use crate::outcome::Outcome;

pub(crate) fn run(args: &args::Man) -> Result<Outcome> {
    let mut command = Arguments::command();
    command.build();
    if let Some(name) = &args.command {
        let Some(found) = command.find_subcommand(name) else {
            bail!("comity has no command `{}`; `comity --help` lists them", comity::Escaped(name.as_bytes()));
        };
        command = found.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    io::stdout().write_all(&page)?;
    Ok(Outcome::Yes)
}
