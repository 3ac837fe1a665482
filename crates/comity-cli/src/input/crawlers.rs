//! The crawlers given as arguments, and the table that their names are looked up in.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use comity::{Crawlers, Robots};
use comity_report::CrawlerQuery;

use crate::args::Naming;
use crate::input::file;
use crate::render::words::hint;

/// Returns the crawler that was given as an argument.
pub(crate) fn one(name: &str, table: Option<&Crawlers>) -> Result<CrawlerQuery> {
    CrawlerQuery::typed(name, table).map_err(|error| anyhow!(error.in_options()))
}

/// Returns the crawlers that were given as arguments, each once.
pub(crate) fn typed(names: &[String], table: Option<&Crawlers>) -> Result<Vec<CrawlerQuery>> {
    comity_report::crawler_queries(names, table).map_err(|error| anyhow!(error.in_options()))
}

/// Warns of each crawler that is probably misspelled, as neither the table nor one of the files has it: its answers are
/// those of a crawler that nobody has. None is with `--literal`.
pub(crate) fn warn_of_misspelled(askers: &[CrawlerQuery], table: Option<&Crawlers>, files: &[&[u8]]) {
    let files: Vec<Robots> = files.iter().map(Robots::parse).collect();
    for asker in askers {
        let is_seen = files.iter().any(|robots| robots.check(&asker.as_crawler(), "/").names_crawler());
        if let Some(hint) = hint(asker, table, is_seen) {
            eprintln!("warning: {hint}");
        }
    }
}

/// Returns the table of known crawlers; `None` if tokens are taken literally.
pub(crate) fn known(naming: &Naming) -> Result<Option<Crawlers>> {
    if naming.literal { Ok(None) } else { table(naming.crawlers.as_deref()).map(Some) }
}

/// Returns the table for questions about all URLs. It is empty if tokens are taken literally, so that none is looked up
/// later.
pub(crate) fn of_proofs(naming: &Naming) -> Result<Crawlers> {
    Ok(known(naming)?.unwrap_or_else(|| std::iter::empty().collect()))
}

/// Returns the builtin crawler table, extended with the user's rows.
pub(crate) fn table(own: Option<&Path>) -> Result<Crawlers> {
    let mut table = Crawlers::builtin();
    if let Some(path) = own {
        if file::is_stdin(path) {
            bail!("--crawlers can't be standard input: name a file");
        }
        let text = String::from_utf8(file::read(path)?)
            .with_context(|| format!("{}: expected TOML or JSON, found bytes that are not UTF-8", file::name(path)))?;
        // A release has its table as JSON, for other programs.
        let is_json = text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[[");
        let own: Result<Crawlers> = if is_json {
            serde_json::from_str(&text).map_err(Into::into)
        } else {
            toml::from_str(&text).map_err(Into::into)
        };
        let own = own.with_context(|| {
            format!(
                "{}: expected [[crawler]] tables, or the same in JSON, as in `comity crawlers --help`",
                file::name(path)
            )
        })?;
        for field in own.ignored_fields() {
            eprintln!("warning: {}: unknown field {field}: ignored", file::name(path));
        }
        table.extend(own);
    }
    Ok(table)
}
