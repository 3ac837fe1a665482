//! The `comity` command.

mod ai;
mod args;
mod asker;
mod batch;
mod cache;
mod check;
mod conformance;
mod crawlers;
mod diff;
mod fetch;
mod generate;
mod history;
mod input;
mod inspect;
mod json;
mod lint;
mod live;
mod lsp;
mod matrix;
mod page;
mod question;
mod rule;
mod serve;
mod sitemap;
mod sitemaps;
mod style;
mod test;

use std::io::{self, Write};
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use anyhow::{Result, bail};
use args::{Arguments, Colour, Command};
use clap::CommandFactory;
use comity::{Answer, Verdict};

/// What a command found, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Yes; nothing to complain about.
    Yes = 0,
    /// No; something to complain about.
    No = 1,
    /// There is no answer.
    Trouble = 2,
}

impl Outcome {
    /// Trouble if there is a question without a verdict; else no if anything is disallowed.
    fn and(self, verdict: &Verdict) -> Self {
        self.and_answer(verdict.answer())
    }

    fn and_answer(self, answer: Answer) -> Self {
        match (self, answer) {
            (outcome, Answer::Allowed) => outcome,
            (Self::Trouble, _) => Self::Trouble,
            (_, Answer::Disallowed) => Self::No,
            _ => Self::Trouble,
        }
    }
}

fn main() -> ExitCode {
    // Without a handler, writing beyond the limit on the size of files ends the process before it can say so.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let words: Vec<_> = std::env::args_os().collect();
    let arguments = match Arguments::read(&words) {
        Ok(arguments) => arguments,
        // Messages about what was typed quote it; help is our own text.
        Err(error) if error.use_stderr() => {
            eprintln!("{}", style::safe(&error.to_string()));
            return ExitCode::from(Outcome::Trouble as u8);
        }
        Err(help) => help.exit(),
    };
    match arguments.color {
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
    let outcome = match run(arguments.command) {
        Ok(outcome) => outcome,
        Err(error) => {
            // Who closed the pipe has seen enough; but it was no answer.
            if !is_broken_pipe(&error) {
                let message = style::safe(&told(&error));
                let _ = writeln!(anstream::stderr(), "{} {message}", style::paint(style::ERROR, "error:"));
            }
            Outcome::Trouble
        }
    };
    ExitCode::from(outcome as u8)
}

fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Fetch(args) => fetch::run(&args),
        Command::Cache(args) => cache::run(&args),
        Command::History(args) => history::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Crawlers(args) => crawlers::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Ai(args) => ai::run(&args),
        Command::Sitemaps(args) => sitemaps::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Rule(args) => rule::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Arguments::command(), "comity", &mut script);
            io::stdout().write_all(&script)?;
            Ok(Outcome::Yes)
        }
        Command::Man(args) => print_manual(args.command.as_deref()),
    }
}

fn print_manual(name: Option<&str>) -> Result<Outcome> {
    let mut command = Arguments::command();
    command.build();
    if let Some(name) = name {
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

/// An error and its causes, in one sentence. Many errors quote their cause already.
fn told(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}
