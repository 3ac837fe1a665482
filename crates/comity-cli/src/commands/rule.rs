//! `comity rule`: lists the lints, and describes each of them.

use std::io::Write;

use anyhow::Result;
use comity_lint::{ALL, Linter};

use crate::args::{self, Format};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(crate) fn run(args: &args::Rule) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    match (&args.name, args.format.format) {
        (None, Format::Json) => json::print(&ALL)?,
        (None, Format::Human) => {
            for lint in ALL {
                let opt_in = if lint.opt_in { " (only when selected)" } else { "" };
                writeln!(out, "{} {:<27} {:<8} {}{opt_in}", lint.code, lint.name, lint.severity, lint.summary())?;
            }
            writeln!(out, "\n`comity rule CODE` explains one.")?;
        }
        (Some(name), Format::Json) => json::print(Linter::find(name)?)?,
        (Some(name), Format::Human) => {
            let page = Linter::find(name)?.page();
            let mut in_example = false;
            for line in page.lines() {
                if line.starts_with("```") {
                    in_example = !in_example;
                } else if in_example {
                    writeln!(out, "    {line}")?;
                } else if line.starts_with('#') {
                    writeln!(out, "{}", paint(style::STRONG, line.trim_start_matches('#').trim()))?;
                } else {
                    writeln!(out, "{line}")?;
                }
            }
        }
    }
    Ok(Outcome::Yes)
}
