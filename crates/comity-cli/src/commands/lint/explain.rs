//! `comity lint --explain`: lists the lints, or explains one of them.

use std::io::Write;

use anyhow::{Result, bail};
use comity_lint::{ALL, Linter};

use crate::args::LintFormat;
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(super) fn run(name: &str, format: LintFormat) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    match (name, format) {
        ("", LintFormat::Json) => json::print(&ALL)?,
        ("", LintFormat::Human) => {
            for lint in ALL {
                let opt_in = if lint.opt_in { " (only when selected)" } else { "" };
                writeln!(out, "{} {:<27} {:<8} {}{opt_in}", lint.code, lint.name, lint.severity, lint.summary())?;
            }
            writeln!(out, "\n`comity lint --explain CODE` explains one.")?;
        }
        (name, LintFormat::Json) => json::print(Linter::find(name)?)?,
        (name, LintFormat::Human) => {
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
        _ => bail!("--explain prints text, or JSON with --format json"),
    }
    Ok(Outcome::Yes)
}
