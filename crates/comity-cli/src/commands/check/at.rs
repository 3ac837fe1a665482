//! `comity check --at`: decides by what was in force at an earlier time, from the history. Sends no request.

use std::io::Write;

use anyhow::Result;
use comity::{Answer, Crawlers, Escaped, Origin};
use comity_fetch::store::{Archive, Version};
use comity_fetch::{Access, Policy, SiteRobots, Time};
use comity_policy::{Effect, Fallback, Rung};
use comity_report::{Answered, Check, CheckRow, Explain, Question, VersionFacts, deciding_line, stamp};
use serde::Serialize;

use crate::args::{self, TableFormat};
use crate::input::{crawlers, live, question};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

/// The knowledge about a site at a time: one state, which was seen before and after the time, or two, of which the time is
/// between; or the reason why nothing is known.
type Known = Result<Vec<State>, String>;

/// A state of a site's file.
struct State {
    version: Version,
    /// The file or the access in force; `None` if the policy's decision is not known.
    site: Option<SiteRobots>,
}

/// An answer, and the fetches between which it is known.
#[derive(Serialize)]
struct AnswerAt<'a> {
    at: String,
    versions: Vec<VersionFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    #[serde(flatten)]
    row: Option<CheckRow<'a>>,
}

pub(super) fn run(args: &args::Check, at: Time, table: Option<&Crawlers>, agents: &[String]) -> Result<Outcome> {
    let questions = question::live(&args.url, &args.lists, args.origin.as_deref(), args.raw)?;
    let check = Check::new(&args.dialect.dialect, crawlers::typed(agents, table)?, questions);
    let store = live::open_existing(&args.keeping.cache)?;
    let runtime = live::runtime()?;
    let (mut outcome, mut rows) = (Outcome::Yes, Vec::new());
    let mut out = anstream::stdout().lock();
    for question in &check.questions().list {
        let site = question.on_site(check.questions().site.as_ref()).and_then(|url| Origin::of(&url).ok());
        let known = match site {
            Some(site) => runtime.block_on(known(live::archive(&*store)?, &site, at, &check, &args.live.policy))?,
            None => Err("it is not a URL of a site".to_owned()),
        };
        let answers = Answers { at, question, check: &check, known: &known };
        outcome = outcome.max(answers.outcome());
        match args.format.format {
            _ if args.quiet => {}
            TableFormat::Human => answers.print(&mut out)?,
            _ => rows.extend(answers.rows().into_iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?),
        }
    }
    if args.format.format != TableFormat::Human && !args.quiet {
        json::print(&rows)?;
    }
    Ok(outcome)
}

/// Finds out what was in force at a time.
async fn known(archive: &dyn Archive, site: &Origin, at: Time, check: &Check, policy: &Policy) -> Result<Known> {
    let versions = archive.versions(site).await?;
    let Some(after) = versions.iter().rposition(|version| version.last_seen >= at) else {
        return Ok(Err(match versions.first() {
            Some(last) => format!("{site} was last fetched before, at {}", stamp(last.last_seen)),
            None => format!("nothing is stored about {site}"),
        }));
    };
    let state = async |index: usize| state(archive, site, &versions, index, at, check, policy).await;
    if versions[after].first_seen <= at {
        return Ok(Ok(vec![state(after).await?]));
    }
    if after + 1 == versions.len() {
        return Ok(Err(format!("{site} was first fetched later, at {}", stamp(versions[after].first_seen))));
    }
    Ok(Ok(vec![state(after + 1).await?, state(after).await?]))
}

/// Returns what is in force while a version is seen.
async fn state(
    archive: &dyn Archive,
    site: &Origin,
    versions: &[Version],
    index: usize,
    at: Time,
    check: &Check,
    policy: &Policy,
) -> Result<State> {
    let version = versions[index].clone();
    let file = async |version: &Version| match &version.copy {
        Some(copy) => {
            let body = archive.body(copy.hash).await?;
            Ok::<_, anyhow::Error>(body.map(|body| SiteRobots::given(site, body, check.dialect())))
        }
        None => Ok(None),
    };
    let found = match policy.effect(version.event) {
        Effect::Rules => file(&version).await?,
        Effect::Absent => Some(SiteRobots::without_file(site, Access::AllowAll)),
        Effect::Denied => Some(SiteRobots::without_file(site, Access::DisallowAll)),
        _ => {
            // The outage began with the first of the failures in a row.
            let is_failure = |version: &&Version| policy.effect(version.event) == Effect::Unreachable;
            let outage = versions[index..].iter().take_while(is_failure).count();
            let since = at.since(versions[index + outage.saturating_sub(1)].first_seen);
            // If the history begins with the outage, there may have been a copy before.
            let before = versions.get(index + outage);
            match (fallback(policy, &version, since), before) {
                (Some(Fallback::CopyElseDisallow | Fallback::CopyElseAllow), Some(before)) if before.copy.is_some() => {
                    file(before).await?
                }
                (Some(Fallback::CopyElseAllow), Some(_)) | (Some(Fallback::Allow), _) => {
                    Some(SiteRobots::without_file(site, Access::AllowAll))
                }
                (Some(Fallback::CopyElseDisallow), Some(_)) | (Some(Fallback::Disallow), _) => {
                    Some(SiteRobots::without_file(site, Access::DisallowAll))
                }
                _ => None,
            }
        }
    };
    Ok(State { version, site: found })
}

/// Returns the step of a policy after a time without the file; `None` if it depends on what the history does not contain.
fn fallback(policy: &Policy, version: &Version, since: std::time::Duration) -> Option<Fallback> {
    // The last rung needs a number of days with failures, which the history does not have.
    let [few, many] = [0, u32::MAX].map(|days| policy.fallback(version.event, Rung::after(since, days, policy)));
    (few == many).then_some(many)
}

/// The answers to a question at a time.
struct Answers<'a> {
    at: Time,
    question: &'a Question,
    check: &'a Check,
    known: &'a Known,
}

impl<'a> Answers<'a> {
    fn states(&self) -> &'a [State] {
        self.known.as_deref().unwrap_or_default()
    }

    /// Returns the answer for each crawler, or why there is none. The answers of both states must be the same.
    fn each(&self) -> Vec<Result<Answered<'a>, String>> {
        let crawlers = self.check.crawlers().len();
        let states = match self.known {
            Ok(states) => states,
            Err(reason) => return vec![Err(reason.clone()); crawlers],
        };
        let mut found = Vec::new();
        for state in states {
            let Some(site) = &state.site else {
                let reason =
                    "the file that decides is not stored any more, or the policy depends on more than is stored";
                return vec![Err(reason.to_owned()); crawlers];
            };
            found.push(self.check.answers_to(self.question, Ok(site)).collect::<Vec<_>>());
        }
        let compare = |index: usize| {
            let first = found[0][index];
            let agree = found.iter().all(|answers| answers[index].answer() == first.answer());
            if agree { Ok(first) } else { Err("the files on both sides of the gap answer differently".to_owned()) }
        };
        (0..crawlers).map(compare).collect()
    }

    fn outcome(&self) -> Outcome {
        let outcome = |answer: &Result<Answered<'a>, String>| match answer {
            Ok(answer) => Outcome::of(answer.answer()),
            Err(_) => Outcome::Trouble,
        };
        self.each().iter().map(outcome).max().unwrap_or(Outcome::Trouble)
    }

    fn rows(&self) -> Vec<AnswerAt<'a>> {
        let versions = || self.states().iter().map(|state| VersionFacts::of(&state.version)).collect();
        let row = |answer: Result<Answered<'a>, String>| {
            let (row, unknown) = match answer {
                Ok(answer) => (Some(answer.row(Explain::Not)), None),
                Err(reason) => (None, Some(reason)),
            };
            AnswerAt { at: stamp(self.at), versions: versions(), unknown, row }
        };
        self.each().into_iter().map(row).collect()
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let (url, at) = (Escaped(self.question.typed.as_bytes()), stamp(self.at));
        for (answer, crawler) in self.each().into_iter().zip(self.check.crawlers()) {
            let name = if crawler.token() == "*" {
                "A crawler that is not named".to_owned()
            } else {
                Escaped(crawler.token().as_bytes()).to_string()
            };
            match &answer {
                Ok(found) => {
                    let (style, word, verb) = match found.answer() {
                        Some(Answer::Allowed) => (style::ALLOWED, "Yes.", "could fetch"),
                        Some(Answer::Disallowed) => (style::DISALLOWED, "No.", "could not fetch"),
                        _ => (style::NO_VERDICT, "No verdict.", "has no rule for"),
                    };
                    writeln!(out, "{} {name} {verb} {url} at {at}.", paint(style.bold(), word))?;
                    let text = found.site.ok().zip(found.outcome()).and_then(|(site, outcome)| {
                        Some((found.verdict()?.line()?, deciding_line(site, &outcome)?.into_owned()))
                    });
                    if let Some((line, text)) = text {
                        writeln!(out, "\n{line:>6} | {text}\n")?;
                    }
                }
                Err(reason) => {
                    let word = paint(style::NO_VERDICT.bold(), "No verdict.");
                    writeln!(out, "{word} What {name} could do with {url} at {at} is not known: {reason}.")?;
                }
            }
            for state in self.states() {
                writeln!(out, "{}", seen(&state.version))?;
            }
        }
        Ok(())
    }
}

/// Describes when a version was seen.
fn seen(version: &Version) -> String {
    let VersionFacts { first_seen, last_seen, event, hash, .. } = VersionFacts::of(version);
    let what = match hash {
        Some(hash) => format!("The file {}", &hash[..12]),
        None => format!("The site {event}, and that"),
    };
    format!("{what} was seen from {first_seen} to {last_seen}.")
}
