//! The commands. Each is a module whose `run` takes the command's arguments and returns its outcome.

mod ai;
mod audit;
mod batch;
mod cache;
mod check;
#[cfg(feature = "parquet")]
mod columns;
mod completions;
mod crawlers;
mod diff;
mod fetch;
mod generate;
mod health;
mod history;
mod inspect;
mod lint;
mod lsp;
mod man;
mod matrix;
mod minimize;
mod page;
mod prove;
mod report;
mod serve;
mod sitemaps;
mod test;
#[cfg(feature = "parquet")]
mod warc;
mod watch;

use std::io::Write;

use anyhow::Result;

use crate::args::Command;
use crate::outcome::Outcome;

pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Fetch(args) => fetch::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Cache(args) => cache::run(&args),
        Command::History(args) => history::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Minimize(args) => minimize::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Batch(args) => batch::run(&args),
        #[cfg(feature = "parquet")]
        Command::Warc(args) => warc::run(&args),
        Command::Crawlers(args) => crawlers::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Ai(args) => ai::run(&args),
        Command::Sitemaps(args) => sitemaps::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Health(args) => health::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Version => version(),
    }
}

fn version() -> Result<Outcome> {
    writeln!(std::io::stdout(), "comity {}", env!("CARGO_PKG_VERSION"))?;
    Ok(Outcome::Yes)
}
