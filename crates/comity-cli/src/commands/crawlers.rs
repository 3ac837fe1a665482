//! `comity crawlers`: prints the crawler table, or the facts about one crawler.

mod ranges;

use std::io::Write;

use anyhow::{Result, bail};
use comity::crawlers::DelaySupport;
use comity::{Crawlers, Escaped, Governed, Profile, Use, user_agent};
use comity_report::similar;

use crate::args::{self, Format};
use crate::input::crawlers;
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(crate) fn run(args: &args::Crawlers) -> Result<Outcome> {
    let table = crawlers::table(args.own.as_deref())?;
    if let Some(folder) = &args.fetch_ranges {
        return ranges::fetch(folder, &table, &args.live);
    }
    if let Some(header) = &args.header {
        return claimed(header, &table, args.format.format);
    }
    match (&args.name, args.format.format) {
        (None, Format::Json) => json::print(&table)?,
        (None, Format::Human) => print_table(&mut anstream::stdout().lock(), table.iter())?,
        (Some(name), format) => {
            if user_agent::is_header(name, &table) {
                return claimed(name, &table, format);
            }
            let Some(profile) = table.find(name) else {
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

/// Prints the crawler that a `User-Agent` header claims to be. Returns "no" for a header of a browser or of a crawler that
/// is not known.
fn claimed(header: &str, table: &Crawlers, format: Format) -> Result<Outcome> {
    let candidates = user_agent::candidates(header, table);
    let profile = candidates.iter().find_map(|name| table.find(name));
    if format == Format::Json {
        json::print(&serde_json::json!({ "header": header, "candidates": candidates, "crawler": profile }))?;
        return Ok(if profile.is_some() { Outcome::Yes } else { Outcome::No });
    }
    let mut out = anstream::stdout().lock();
    let Some(profile) = profile else {
        match candidates.first() {
            Some(name) => writeln!(
                out,
                "Not a known crawler. The header names `{name}`: if that is a crawler, a group for this name applies to it; see \
                 comity check --agent {name}"
            )?,
            None => writeln!(out, "No crawler: the header has no name of one.")?,
        }
        return Ok(Outcome::No);
    };
    let is_verifiable = match profile.governed {
        Governed::ControlToken => "No request is from it: its operator uses the name in robots.txt files only.",
        _ if profile.verification.is_empty() => "No way is known to verify that: anybody can send this header.",
        _ => "Anybody can send this header: see `verify` below.",
    };
    let token = Escaped(profile.token.as_bytes());
    writeln!(out, "The header contains the product token `{token}`. {is_verifiable}\n")?;
    print_card(&mut out, profile)?;
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

/// Returns the uses, each with its source if that is not the crawler's documentation.
fn uses(profile: &Profile) -> String {
    let uses = profile.uses();
    let text = |(used, source): (Use, &str)| match source {
        "" => used.label().to_owned(),
        _ if source == profile.docs => used.label().to_owned(),
        _ => format!("{} (https://{source})", used.label()),
    };
    let texts: Vec<String> = uses.iter().map(text).collect();
    if texts.is_empty() { "none of search, agents and training".to_owned() } else { texts.join(", ") }
}

fn print_card(out: &mut impl Write, profile: &Profile) -> Result<()> {
    let mut rows: Vec<(&str, String)> = vec![
        ("operator", profile.operator.to_string()),
        ("purpose", profile.purpose.label().to_owned()),
        ("uses", uses(profile)),
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
    let verification = &profile.verification;
    let ranges = verification.ranges.iter().map(|url| format!("the operator lists its addresses at https://{url}"));
    let hosts = (!verification.hosts.is_empty()).then(|| {
        let names = verification.hosts.join(" or ");
        format!("the DNS name of its address is below {names}, and has this address")
    });
    for (nth, way) in ranges.chain(hosts).enumerate() {
        rows.push((if nth == 0 { "verify" } else { "" }, way));
    }
    if !verification.is_empty() {
        let reported = if verification.confirmed { "" } else { "reported to be " };
        rows.push(("", format!("({reported}stated at https://{})", verification.source)));
    }
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
