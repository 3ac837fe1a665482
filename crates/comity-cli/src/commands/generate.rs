//! `comity generate`: writes a robots.txt from choices, and proves it by reading it back.

use std::io::Write;

use anyhow::{Error, Result, anyhow};
use comity::Escaped;
use comity_report::{GenerateChoices, GenerateError, Generated, generate, generate_headers, similar};

use crate::args::{self, Format};
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::diff::Shown;
use crate::render::{body, json};

pub(crate) fn run(args: &args::Generate) -> Result<Outcome> {
    let table = crawlers::table(args.crawlers.as_deref())?;
    let choices = choices(args);
    let about_one = args.protect.iter().chain(&args.allow_path).chain(&args.crawl_delay);
    let tokens = about_one.filter_map(|typed| Some(typed.split_once(':')?.0)).filter(|token| !token.contains('/'));
    for name in args.block.iter().chain(&args.allow).map(String::as_str).chain(tokens) {
        // A crawler that is not known may be meant, so this is no error.
        if table.find(name).is_none()
            && let Some(meant) = similar(name, &table)
        {
            let name = Escaped(name.as_bytes());
            writeln!(anstream::stderr().lock(), "`{name}` is not a known crawler; did you mean {meant}?")?;
        }
    }
    let found = if let Some(server) = args.headers {
        generate_headers(&choices, server, &table)
    } else {
        let old = args.from.as_deref().map(file::read).transpose()?;
        generate(old.as_deref(), &choices, &table, &|| true)
    };
    let found = found.map_err(with_options)?;
    match args.format.format {
        Format::Human => print(&found)?,
        Format::Json => json::print(&found)?,
    }
    Ok(Outcome::Yes)
}

/// Returns an error that names the command's option, such as `--allow-path`, in place of the field.
fn with_options(error: GenerateError) -> Error {
    match error.field() {
        Some(field) => anyhow!("--{} {}", field.replace('_', "-"), error.message()),
        None => error.into(),
    }
}

/// Prints the file, and on standard error what it changes, for all URLs and all crawlers.
fn print(found: &Generated) -> Result<()> {
    body::print(found.text.as_bytes())?;
    if let Some(diff) = &found.changes {
        let shown = Shown { diff, chosen: false, all: false, full: false, same_lines: true };
        shown.human(&mut anstream::stderr().lock())?;
    }
    Ok(())
}

fn choices(args: &args::Generate) -> GenerateChoices {
    GenerateChoices {
        block_all: args.block_all,
        block_ai_training: args.block_ai_training,
        block_ai: args.block_ai,
        block: args.block.clone(),
        allow: args.allow.clone(),
        protect: args.protect.clone(),
        allow_path: args.allow_path.clone(),
        crawl_delay: args.crawl_delay.clone(),
        preset: args.preset,
        explain: args.explain,
        preferences: args.preferences,
        sitemap: args.sitemap.clone(),
    }
}
