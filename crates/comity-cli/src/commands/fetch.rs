//! `comity fetch`: fetches a site's robots.txt, and shows each step.

use std::io::{BufWriter, Write};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use comity::url::without_userinfo;
use comity::{Escaped, Origin, Robots};
use comity_fetch::{Access, Client, Exchange, SiteRobots};
use comity_report::{FetchLog, looks_like, shorten};

use crate::args::{self, Format};
use crate::input::live;
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::waiting::Waiting;
use crate::render::words::undeclared;
use crate::render::{body, json, provenance};

pub(crate) fn run(args: &args::fetch::Fetch) -> Result<Outcome> {
    if args.body && args.url.len() > 1 {
        bail!("--body prints one file, found {} URLs", args.url.len());
    }
    let origins: Vec<Origin> =
        args.url.iter().map(|url| Origin::of(url).map_err(|e| anyhow!(e))).collect::<Result<_>>()?;
    let runtime = live::runtime()?;
    let _inside = runtime.enter();
    let client = live::client(&args.live, &args.keeping, &args.dialect.dialect, origins.iter())?.build()?;
    let outcome = runtime.block_on(print(&client, args));
    runtime.shutdown_timeout(Duration::from_secs(1));
    outcome
}

async fn print(client: &Client, args: &args::fetch::Fetch) -> Result<Outcome> {
    let mut outcome = Outcome::Yes;
    let mut logs = Vec::new();
    for (nth, url) in args.url.iter().enumerate() {
        let site = {
            let _line = Waiting::for_site(&without_userinfo(url));
            client.fetch(url).await?
        };
        if site.attempt().is_none_or(|last| !matches!(last_outcome(&site), Outcome::Yes) || last.hops.is_empty()) {
            outcome = Outcome::No;
        }
        match args.format.format {
            Format::Json => logs.push(FetchLog::of(&site, args.body)),
            Format::Human if args.body => print_body(&site)?,
            Format::Human => {
                let mut out = BufWriter::new(anstream::stdout().lock());
                if nth > 0 {
                    writeln!(out)?;
                }
                print_log(&mut out, &site)?;
                out.flush()?;
            }
        }
    }
    if args.format.format == Format::Json {
        json::print(&logs)?;
    }
    Ok(outcome)
}

/// Returns `Yes` if the site has answered, with a file or with a status that means that there is none.
fn last_outcome(site: &SiteRobots) -> Outcome {
    let ruling = site.ruling();
    if ruling.rung.is_none() && ruling.access != Access::DisallowAll { Outcome::Yes } else { Outcome::No }
}

fn print_body(site: &SiteRobots) -> Result<()> {
    let ruling = site.ruling();
    let (Access::Rules, None, Some(copy)) = (ruling.access, ruling.rung, site.copy()) else {
        bail!("there is no file to print: {} {}", site.origin().robots_url(), ruling.event);
    };
    if copy.body.is_empty() {
        // Commands take an empty pipe for the sign of a fetch that failed.
        return body::print(format!("# {} is empty\n", Escaped(copy.url.as_bytes())).as_bytes());
    }
    body::print(&copy.body)
}

/// The header fields that help to explain an unexpected result.
const SHOWN_FIELDS: [&str; 12] = [
    "location",
    "content-type",
    "content-encoding",
    "content-length",
    "cache-control",
    "age",
    "expires",
    "date",
    "etag",
    "last-modified",
    "retry-after",
    "server",
];

fn print_log(out: &mut impl Write, site: &SiteRobots) -> Result<()> {
    let robots_txt = site.origin().robots_url();
    writeln!(out, "{}", paint(style::STRONG, &robots_txt))?;
    for (nth, step) in site.exchanges().iter().enumerate() {
        print_step(out, nth + 1, step)?;
    }
    writeln!(out)?;
    let ruling = site.ruling();
    let (style, word) = match ruling.access {
        Access::Rules => (style::ALLOWED, "Rules"),
        Access::AllowAll => (style::ALLOWED, "Everything is allowed"),
        _ => (style::DISALLOWED, "Everything is disallowed"),
    };
    writeln!(out, "{}", paint(style.bold(), format!("{word}.")))?;
    if let (Access::Rules, Some(copy)) = (ruling.access, site.copy()) {
        writeln!(out, "{}", contents(copy.body.len(), copy.is_cut(), site.robots()))?;
        match looks_like(site.robots(), &copy.body) {
            Some(kind) if site.robots().groups().len() > 0 => {
                let kind = undeclared(kind);
                writeln!(out, "It looks like {kind}, not like a robots.txt; its lines that are rules apply anyway.")?;
            }
            Some(kind) => {
                writeln!(out, "It looks like {}, not like a robots.txt, and has no rules.", undeclared(kind))?;
            }
            None => {}
        }
    }
    for line in provenance::sentences(site) {
        writeln!(out, "{line}")?;
    }
    if ruling.access == Access::Rules && ruling.rung.is_none() {
        writeln!(out, "Policy {}: {}.", ruling.policy, ruling.row.source())?;
    }
    Ok(())
}

fn print_step(out: &mut impl Write, nth: usize, step: &Exchange) -> Result<()> {
    let what = if step.is_probe { " (a probe)" } else { "" };
    writeln!(out, "\n{nth}  {}{what}", Escaped(step.url.as_bytes()))?;
    let mut facts = Vec::new();
    facts.extend(step.status.map(|status| paint(style::STRONG, status)));
    facts.extend(step.protocol.map(|protocol| protocol.to_string()));
    facts.extend(step.peer.map(|peer| format!("from {peer}")));
    facts.push(format!("{} ms", step.head_took.as_millis()));
    if step.bytes > 0 {
        facts.push(format!("{} bytes in {} ms", step.bytes, step.body_took.as_millis()));
    }
    writeln!(out, "   {}", facts.join(", "))?;
    for (name, value) in
        step.fields.iter().filter(|(name, _)| SHOWN_FIELDS.contains(&name.to_ascii_lowercase().as_str()))
    {
        /// The maximum number of characters that are shown of a value. A hostile one may fill the screen.
        const MAX_VALUE_CHARS: usize = 200;
        let value = shorten(value, MAX_VALUE_CHARS);
        let field = format!("{}: {}", Escaped(name.as_bytes()), Escaped(value.as_bytes()));
        writeln!(out, "   {}", paint(style::FAINT, field))?;
    }
    if let Some((_, detail)) = &step.problem {
        writeln!(out, "   {}", paint(style::ERROR, Escaped(detail.as_bytes())))?;
    }
    Ok(())
}

fn contents(bytes: usize, is_cut: bool, robots: &Robots) -> String {
    let groups = robots.groups().len();
    let rules: usize = robots.groups().map(|group| group.rules().len()).sum();
    let cut = if is_cut { ", of which the first 512,000 are read" } else { "" };
    format!("{bytes} bytes{cut}: groups {groups}, rules {rules}, sitemaps {}.", robots.sitemaps().count())
}
