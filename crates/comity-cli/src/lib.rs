//! The code of the `comity` command. It is a library since cargo compiles a library beside the crates that it uses, and a
//! program only after them, which took 8 of 83 seconds of a first build.

mod args;
mod commands;
mod input;
mod outcome;
mod render;
#[cfg(test)]
mod schema;

use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use args::Arguments;
use clap::ColorChoice;
use outcome::Outcome;
use render::error::{self, is_broken_pipe};
use render::style;

/// The exit code if the reader of the output closes the pipe: that of other programs, which SIGPIPE ends. It is neither
/// an answer nor an error, and there is no message.
const BROKEN_PIPE: u8 = 128 + 13;

/// Runs the command with the arguments of the process, and returns its exit code. Only the program calls it: the crate
/// has no other API.
pub fn run() -> ExitCode {
    // Without a handler, exceeding the file size limit ends the process before it can print an error.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let words: Vec<_> = std::env::args_os().collect();
    let arguments = match Arguments::read(&words) {
        Ok(arguments) => arguments,
        // Error messages quote the arguments, so they are escaped; the help text is our own.
        Err(error) if error.use_stderr() => {
            eprintln!("{}", style::safe(&error.to_string()));
            return ExitCode::from(Outcome::Trouble as u8);
        }
        Err(help) => help.exit(),
    };
    match arguments.color {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
    if arguments.empty_ok {
        input::file::accept_empty_input();
    }
    let outcome = match commands::run(arguments.command) {
        Ok(outcome) => outcome,
        Err(error) => {
            if is_broken_pipe(&error) {
                return ExitCode::from(BROKEN_PIPE);
            }
            error::print(&error);
            Outcome::Trouble
        }
    };
    ExitCode::from(outcome as u8)
}
