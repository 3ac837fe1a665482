//! `comity prove`: proves claims about a robots.txt, for all URLs.

use std::io::{self, Write};

use anyhow::{Result, bail};
use comity::{Crawlers, Dialect, Escaped, Origin, Robots};
use comity_meaning::Budget;
use comity_report::{
    ClaimKind, ClaimText, CrawlerQuery, Proof, ProofCounterexample, ProofOutcome, ProofScope, ProvenClaim, Question,
    looks_like,
};

use crate::args::{self, Format};
use crate::commands::diff;
use crate::input::{crawlers, file, live, source};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(crate) fn run(args: &args::Prove) -> Result<Outcome> {
    let table = crawlers::of_proofs(&args.naming)?;
    let agents = diff::agents(&args.agent, &args.naming, &table)?;
    let (name, body) = source::read(&args.file, &args.fetching)?;
    // It has no rules, so every claim that all is allowed would hold.
    if let Some(kind) = looks_like(&Robots::parse(&body), &body) {
        bail!("{name} is {kind}, expected a robots.txt: nothing was proven");
    }
    file::warn_of_kind(&name, &body);
    crawlers::warn_of_misspelled(&agents, Some(&table), &[&body]);
    let scope = ProofScope::new(&table).dialects(&args.dialect).agents(&agents).budget(Budget::of_steps(args.budget));
    let claim = |claim, matching: &String| ClaimText::new(claim, matching, args.except.clone());
    let all = args.all_allowed.iter().map(|pattern| claim(ClaimKind::AllAllowed, pattern));
    let none = args.none_allowed.iter().map(|pattern| claim(ClaimKind::NoneAllowed, pattern));
    let proof = Proof::new(&body, &all.chain(none).collect::<Vec<_>>(), &scope)?;
    match args.format {
        Format::Json => json::print(&proof)?,
        Format::Human => human(&proof, &body, &table, args, &mut anstream::stdout().lock())?,
    }
    Ok(match proof.outcome {
        ProofOutcome::Held => Outcome::Yes,
        ProofOutcome::Refuted => Outcome::No,
        _ => Outcome::Trouble,
    })
}

fn human(proof: &Proof, body: &[u8], table: &Crawlers, args: &args::Prove, out: &mut impl Write) -> io::Result<()> {
    for claim in &proof.claims {
        match (&claim.counterexample, claim.outcome) {
            (Some(found), _) => {
                let only = if found.sent { "" } else { ", but only for URLs that no browser or crawler sends" };
                writeln!(out, "{}{only}: {}", paint(style::DISALLOWED, "False"), refuted(claim, found, args))?;
                writeln!(out, "  {}", sentence(claim, found))?;
                if let Some(command) = command(claim, found, body, table, args) {
                    writeln!(out, "  {command}")?;
                }
            }
            (None, ProofOutcome::Held) => {
                writeln!(out, "{}: {}", paint(style::ALLOWED, "True"), claimed(claim, args))?;
            }
            (None, _) => {
                writeln!(out, "{}: {}", paint(style::NO_VERDICT, "Undecided"), claimed(claim, args))?;
                writeln!(
                    out,
                    "  The budget of {} steps did not suffice. To continue, use a greater --budget, unless the patterns use every \
                     character that a proof could.",
                    proof.budget
                )?;
            }
        }
    }
    writeln!(out, "\nFor all URLs, in {}.", proof.dialects.join(", "))
}

fn claimed(claim: &ProvenClaim, args: &args::Prove) -> String {
    let urls = format!("URL that matches {}{}", shown(&claim.matching), exceptions(claim));
    let names: Vec<String> = args.agent.iter().map(|agent| named(agent)).collect();
    let whom = names.join(" and ");
    match (claim.claim == ClaimKind::AllAllowed, names.is_empty()) {
        (true, true) => format!("every crawler may fetch every {urls}."),
        (true, false) => format!("{whom} may fetch every {urls}."),
        (false, true) => format!("no crawler may fetch a {urls}."),
        (false, false) => format!("{whom} may fetch no {urls}."),
    }
}

fn named(crawler: &str) -> String {
    if crawler == "*" { "a crawler that the file does not name".to_owned() } else { shown(crawler) }
}

/// States the contrary of a claim that does not hold.
fn refuted(claim: &ProvenClaim, found: &ProofCounterexample, args: &args::Prove) -> String {
    let whom = match found.crawler.as_str() {
        _ if args.agent.is_empty() => "some crawler".to_owned(),
        // The example may have a name: that of a crawler that falls back to a group.
        _ if args.agent.iter().all(|agent| agent == "*") => named("*"),
        name => named(name),
    };
    format!("{whom} {} a URL that matches {}{}.", may_fetch(claim), shown(&claim.matching), exceptions(claim))
}

fn exceptions(claim: &ProvenClaim) -> String {
    let except: Vec<String> = claim.except.iter().map(|pattern| shown(pattern)).collect();
    if except.is_empty() { String::new() } else { format!(" but not {}", except.join(" or ")) }
}

/// Says what a counterexample shows, which is the contrary of the claim.
fn may_fetch(claim: &ProvenClaim) -> &'static str {
    if claim.claim == ClaimKind::AllAllowed { "may not fetch" } else { "may fetch" }
}

fn sentence(claim: &ProvenClaim, found: &ProofCounterexample) -> String {
    let whom = match found.crawler.as_str() {
        "*" => "A crawler that the file does not name".to_owned(),
        name => shown(name),
    };
    let why = found.line.map_or_else(|| "no rule matches".to_owned(), |line| format!("line {line}"));
    let sent = Question::new(&found.path, false).ok().and_then(|question| question.sent).filter(|_| !found.sent);
    let sent = sent.map_or_else(String::new, |sent| format!(" Clients send {} instead.", shown(&sent)));
    format!("{whom} {} {}: {why}, in {}.{sent}", may_fetch(claim), shown(&found.path), found.dialect)
}

/// Returns the command that shows a counterexample, if one does: a dialect may normalize what no client sends.
fn command(
    claim: &ProvenClaim,
    found: &ProofCounterexample,
    body: &[u8],
    table: &Crawlers,
    args: &args::Prove,
) -> Option<String> {
    // A path alone could be read as the address of another host.
    let url =
        if found.path.starts_with("//") { format!("https://site.example{}", found.path) } else { found.path.clone() };
    let revision = source::revision(&args.file);
    let dialect = Dialect::named(found.dialect)?;
    let question = Question::new(&url, !found.sent).ok()?;
    let crawler = CrawlerQuery::new(&found.crawler, Some(table));
    let verdict = Robots::parse_with(body, &dialect).check(&crawler.as_crawler(), question.asked_in(&dialect));
    if verdict.is_allowed() == (claim.claim == ClaimKind::AllAllowed) {
        return None;
    }
    let mut words = Vec::new();
    let site = args.file.to_str().filter(|_| live::is_url(&args.file)).and_then(|url| Origin::of(url).ok());
    if site.is_none() {
        // `check` opens no revision, so git writes it.
        let is_piped = revision.is_some() || file::is_stdin(&args.file);
        let file = if is_piped { "-".to_owned() } else { quoted(&file::name(&args.file)) };
        words.extend(["--robots".to_owned(), file]);
    }
    let url = site.map_or(url, |site| format!("{site}{}", found.path));
    if let Some(own) = &args.naming.crawlers {
        words.extend(["--crawlers".to_owned(), quoted(&own.to_string_lossy())]);
    }
    words.extend(["--agent".to_owned(), quoted(&found.crawler)]);
    // A file may name what is no name of a crawler.
    if args.naming.literal || CrawlerQuery::typed(&found.crawler, Some(table)).is_err() {
        words.push("--literal".to_owned());
    }
    words.extend(["--dialect".to_owned(), found.dialect.to_owned()]);
    if !found.sent {
        words.push("--raw".to_owned());
    }
    words.push(quoted(&url));
    let source = revision.map_or_else(String::new, |object| format!("git cat-file blob {} | ", quoted(object)));
    Some(format!("{source}comity check {}", words.join(" ")))
}

/// Quotes a word for a shell, if that is necessary.
fn quoted(word: &str) -> String {
    let is_plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'-' | b'_' | b':' | b'=' | b',' | b'+');
    let word = shown(word);
    if !word.is_empty() && word.bytes().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}
