//! `comity prove`: proves claims about a robots.txt, for all URLs.

use std::io::{self, Write};

use anyhow::{Result, bail};
use comity::Escaped;
use comity_meaning::Budget;
use comity_report::{
    ClaimKind, ClaimText, Proof, ProofCounterexample, ProofOutcome, ProofScope, ProvenClaim, looks_like_html,
};

use crate::args::{self, Format};
use crate::commands::diff;
use crate::input::{crawlers, file, source};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

pub(crate) fn run(args: &args::Prove) -> Result<Outcome> {
    let table = crawlers::of_proofs(&args.naming)?;
    let agents = diff::agents(&args.agent, &args.naming, &table)?;
    let (name, body) = source::read(&args.file, &args.fetching)?;
    // It has no rules, so every claim that all is allowed would hold.
    if looks_like_html(&body) {
        bail!("{name} is an HTML page, expected a robots.txt: nothing was proven");
    }
    let scope = ProofScope::new(&table).dialects(&args.dialect).agents(&agents).budget(Budget::of_steps(args.budget));
    let claim = |claim, matching: &String| ClaimText::new(claim, matching, args.except.clone());
    let all = args.all_allowed.iter().map(|pattern| claim(ClaimKind::AllAllowed, pattern));
    let none = args.none_allowed.iter().map(|pattern| claim(ClaimKind::NoneAllowed, pattern));
    let proof = Proof::new(&body, &all.chain(none).collect::<Vec<_>>(), &scope)?;
    match args.format {
        Format::Json => json::print(&proof)?,
        Format::Human => human(&proof, args, &mut anstream::stdout().lock())?,
    }
    Ok(match proof.outcome {
        ProofOutcome::Held => Outcome::Yes,
        ProofOutcome::Broken => Outcome::No,
        _ => Outcome::Trouble,
    })
}

fn human(proof: &Proof, args: &args::Prove, out: &mut impl Write) -> io::Result<()> {
    for claim in &proof.claims {
        match (&claim.counterexample, claim.outcome) {
            (Some(found), _) => {
                writeln!(out, "{}: {}", paint(style::DISALLOWED, "Broken"), claimed(claim, args))?;
                writeln!(out, "  {}", sentence(claim, found))?;
                writeln!(out, "  {}", command(found, args))?;
            }
            (None, ProofOutcome::Held) => {
                writeln!(out, "{}: {}", paint(style::ALLOWED, "Held"), claimed(claim, args))?;
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
    let ProvenClaim { claim, matching, except, .. } = claim;
    let all = if *claim == ClaimKind::AllAllowed { "all" } else { "none" };
    let except: Vec<String> = except.iter().map(|pattern| shown(pattern)).collect();
    let except = if except.is_empty() { String::new() } else { format!(", but not {},", except.join(" or ")) };
    let whom = if args.agent.is_empty() {
        "every crawler".to_owned()
    } else {
        args.agent.iter().map(|agent| shown(agent)).collect::<Vec<_>>().join(", ")
    };
    format!("{all} of what matches {}{except} may be fetched, by {whom}.", shown(matching))
}

fn sentence(claim: &ProvenClaim, found: &ProofCounterexample) -> String {
    let may = if claim.claim == ClaimKind::AllAllowed { "may not" } else { "may" };
    let whom = match found.crawler.as_str() {
        "*" => "A crawler that the file does not name".to_owned(),
        name => shown(name),
    };
    let why = if found.line == 0 { "no rule matches".to_owned() } else { format!("line {}", found.line) };
    format!("{whom} {may} fetch {}: {why}, in {}.", shown(&found.path), found.dialect)
}

/// Returns the command that shows a counterexample.
fn command(found: &ProofCounterexample, args: &args::Prove) -> String {
    // A path alone could be read as the address of another host.
    let url =
        if found.path.starts_with("//") { format!("https://site.example{}", found.path) } else { found.path.clone() };
    let words = [("--robots", file::name(&args.file)), ("--agent", found.crawler.clone())];
    let words = words.into_iter().flat_map(|(option, value)| [option.to_owned(), quoted(&value)]);
    let dialect = ["--dialect".to_owned(), found.dialect.to_owned(), quoted(&url)];
    let words: Vec<String> = words.chain(dialect).collect();
    format!("comity check {}", words.join(" "))
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
