//! `comity crawlers`: prints the crawler table, or the facts about one crawler.

use std::io::Write;

use anyhow::{Result, bail};
use comity::crawlers::DelaySupport;
use comity::{Crawlers, Escaped, Governed, Profile, user_agent};
use comity_report::similar;

use crate::args::{self, Format};
use crate::input::crawlers;
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(crate) fn run(args: &args::Crawlers) -> Result<Outcome> {
    let table = crawlers::table(args.own.as_deref())?;
    match (&args.name, args.format.format) {
        (None, Format::Json) => json::print(&table.iter().collect::<Vec<_>>())?,
        (None, Format::Human) => print_table(&mut anstream::stdout().lock(), table.iter())?,
        (Some(name), format) => {
            let candidates = user_agent::candidates(name, &table);
            let Some(profile) = std::iter::once(name.as_str()).chain(candidates).find_map(|name| table.find(name))
            else {
                bail!("`{}` is not a known crawler{}", Escaped(name.as_bytes()), near(name, &table));
            };
            match format {
                Format::Json => json::print(profile)?,
                Format::Human => print_card(&mut anstream::stdout().lock(), profile)?,
            }
        }
    }
    Ok(Outcome::Yes)
}

/// Returns a hint with the known name that this one misspells, or with those that contain it or are contained in it.
fn near(name: &str, table: &Crawlers) -> String {
    if let Some(meant) = similar(name, table) {
        return format!("; did you mean {meant}?");
    }
    let name = name.to_ascii_lowercase();
    let similar: Vec<&str> = table
        .iter()
        .map(|profile| profile.token.as_ref())
        .filter(|token| {
            let token = token.to_ascii_lowercase();
            name.len() > 2 && (token.contains(&name) || name.contains(&token))
        })
        .take(5)
        .collect();
    if similar.is_empty() {
        "; `comity crawlers` lists them all".to_owned()
    } else {
        format!("; did you mean {}?", similar.join(", "))
    }
}

fn print_table<'a>(out: &mut impl Write, table: impl Iterator<Item = &'a Profile>) -> Result<()> {
    let profiles: Vec<&Profile> = table.collect();
    let width = |text: fn(&Profile) -> usize| profiles.iter().map(|profile| text(profile)).max().unwrap_or(0) + 2;
    let (token, operator) = (width(|p| p.token.len()), width(|p| p.operator.len()));
    let header = format!("{:<token$}{:<operator$}{:<16}{:<26}obeys", "token", "operator", "purpose", "falls back to");
    writeln!(out, "{}", paint(style::STRONG, header))?;
    for profile in &profiles {
        let mut fallback = profile.fallback.join(", ");
        if profile.obeys_star {
            fallback += if fallback.is_empty() { "*" } else { ", *" };
        }
        let governed = governed(profile);
        let retired = if profile.retired { ", retired" } else { "" };
        let row = format!(
            "{:<token$}{:<operator$}{:<16}{fallback:<25} {governed}{retired}",
            profile.token,
            profile.operator,
            profile.purpose.label()
        );
        writeln!(out, "{}", Escaped(row.as_bytes()))?;
    }
    writeln!(out, "\n{} crawlers. `comity crawlers NAME` shows one.", profiles.len())?;
    Ok(())
}

fn governed(profile: &Profile) -> &'static str {
    match profile.governed {
        Governed::Yes => "yes",
        Governed::MayBypass => "may bypass",
        Governed::No => "no",
        Governed::ControlToken => "control token",
        _ => "not stated",
    }
}

fn print_card(out: &mut impl Write, profile: &Profile) -> Result<()> {
    let mut rows: Vec<(&str, String)> = vec![
        ("operator", profile.operator.to_string()),
        ("purpose", profile.purpose.label().to_owned()),
        ("token", format!("User-agent: {}", profile.token)),
    ];
    let mut chain: Vec<&str> = profile.chain().collect();
    if profile.obeys_star {
        chain.push("*");
    }
    rows.push(("groups", format!("{}  (the first one that the file has)", chain.join(", then "))));
    if !profile.obeys_star && profile.governed != Governed::No {
        rows.push(("", "It ignores the groups of *: a rule for it needs a group that names it.".to_owned()));
    }
    rows.push((
        "obeys",
        match profile.governed {
            Governed::Yes => "yes".to_owned(),
            Governed::MayBypass => "its operator says that it may ignore robots.txt".to_owned(),
            Governed::No => "no".to_owned(),
            Governed::ControlToken => "it makes no requests; its group controls the use of pages".to_owned(),
            _ => "its operator does not say".to_owned(),
        },
    ));
    rows.push((
        "delay",
        match profile.crawl_delay {
            DelaySupport::Obeyed => "obeys Crawl-delay".to_owned(),
            DelaySupport::Ignored => "ignores Crawl-delay".to_owned(),
            _ => "not documented".to_owned(),
        },
    ));
    rows.push(("dialect", profile.dialect.name.to_owned()));
    if profile.retired {
        rows.push(("retired", "yes: rules for it have no effect".to_owned()));
    }
    if !profile.note.is_empty() {
        rows.push(("note", profile.note.to_string()));
    }
    let docs = if profile.docs.is_empty() { "none known".to_owned() } else { format!("https://{}", profile.docs) };
    rows.push(("docs", docs));
    rows.push((
        "confirmed",
        if profile.confirmed {
            "read in its operator's documentation".to_owned()
        } else {
            "no: reported, or inferred".to_owned()
        },
    ));
    if !profile.checked.is_empty() {
        rows.push(("checked", profile.checked.to_string()));
    }
    writeln!(out, "{}", paint(style::STRONG, Escaped(profile.token.as_bytes())))?;
    for (label, text) in rows {
        writeln!(out, "  {label:<10} {}", Escaped(text.as_bytes()))?;
    }
    Ok(())
}
