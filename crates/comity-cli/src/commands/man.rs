//! `comity man`: prints the manual page, or that of a command, or writes all of them to a folder.

use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use clap::CommandFactory;

use crate::args::{self, Arguments};
use crate::input::file;
use crate::outcome::Outcome;

pub(crate) fn run(args: &args::Man) -> Result<Outcome> {
    if let Some(folder) = &args.all {
        let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
        written.with_context(|| format!("the pages could not be written to {}", file::name(folder)))?;
        return Ok(Outcome::Yes);
    }
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
