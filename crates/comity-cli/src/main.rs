//! The `comity` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    comity_cli::run()
}
