//! Claims about a file, proven for all URLs.

use comity::{Dialect, Governed, Robots};
use comity_meaning::{Claim, Counterexample, Held, PatternError};
use serde::{Deserialize, Serialize};

use crate::crawler_query::CrawlerQuery;
use crate::scope::ProofScope;

/// The result of claims about a robots.txt, proven for all URLs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Proof {
    /// The worst result: false, then undecided, then held.
    pub outcome: ProofOutcome,
    /// The dialects in which the claims were checked.
    pub dialects: Vec<&'static str>,
    /// True if each crawler was checked only in the dialect of its operator.
    pub is_by_operator: bool,
    /// The claims, in the order in which they were made.
    pub claims: Vec<ProvenClaim>,
    /// The maximum number of steps for each claim in each dialect.
    pub budget: u64,
}

/// The result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProofOutcome {
    /// The claim holds for all URLs and all crawlers that it is about.
    Held,
    /// No counterexample was found, but the budget was too small to exclude one.
    Undecided,
    /// The claim does not hold.
    Refuted,
}

/// A claim about all URLs that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClaimText {
    /// The claim: all of the URLs may be fetched, or none of them.
    pub claim: ClaimKind,
    /// The pattern of the URLs, as in a rule.
    pub matching: String,
    /// The patterns of URLs that are left out.
    #[serde(default)]
    pub except: Vec<String>,
}

/// A kind of claim about URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimKind {
    /// All of them may be fetched.
    AllAllowed,
    /// None of them may be fetched.
    NoneAllowed,
}

/// A claim and its result.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProvenClaim {
    /// The claim: all of the URLs may be fetched, or none of them.
    pub claim: ClaimKind,
    /// The pattern of the URLs, as in a rule.
    pub matching: String,
    /// The patterns of URLs that are left out.
    pub except: Vec<String>,
    /// The result of the claim.
    pub outcome: ProofOutcome,
    /// A crawler and a URL for which the claim does not hold, if it is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<ProofCounterexample>,
}

/// A crawler and a URL for which a claim does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProofCounterexample {
    /// The crawler. `*` means every crawler that the file does not name.
    pub crawler: String,
    /// The dialect.
    pub dialect: &'static str,
    /// The path.
    pub path: String,
    /// The line that decides, from 1; null if the URL is allowed because no rule matches.
    pub line: Option<u32>,
    /// False if no browser or crawler sends this path, such as one with a raw space, and the claim holds for all paths
    /// that are sent.
    pub sent: bool,
}

impl ClaimText {
    /// Returns a claim about the URLs that match `matching`, except those that match a pattern in `except`.
    pub fn new(claim: ClaimKind, matching: impl Into<String>, except: Vec<String>) -> Self {
        Self { claim, matching: matching.into(), except }
    }
}

impl Proof {
    /// Checks claims about a file.
    ///
    /// # Errors
    ///
    /// If a pattern matches no URL, or if the exceptions leave out all URLs of a claim.
    pub fn new(body: &[u8], claims: &[ClaimText], scope: &ProofScope<'_>) -> Result<Self, PatternError> {
        let dialects = scope.used_dialects();
        let files: Vec<Robots> = dialects.iter().map(|dialect| Robots::parse_with(body, dialect)).collect();
        let claims = claims.iter().map(|text| ProvenClaim::new(text, &files, scope));
        let claims = claims.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            outcome: claims.iter().map(|claim| claim.outcome).max().unwrap_or(ProofOutcome::Held),
            dialects: dialects.iter().map(|dialect| dialect.name).collect(),
            is_by_operator: scope.is_by_operator(),
            claims,
            budget: scope.budget.steps(),
        })
    }
}

impl ProvenClaim {
    fn new(text: &ClaimText, files: &[Robots], scope: &ProofScope<'_>) -> Result<Self, PatternError> {
        let ClaimText { claim, matching, except } = text.clone();
        let mut proven = Self { claim, matching, except, outcome: ProofOutcome::Held, counterexample: None };
        let pattern = text.matching.as_bytes();
        let agents = scope.engine_crawlers();
        for file in files {
            if !scope.goes_on() {
                proven.outcome = ProofOutcome::Undecided;
                break;
            }
            let claim = match text.claim {
                ClaimKind::AllAllowed => Claim::all_allowed(pattern),
                ClaimKind::NoneAllowed => Claim::none_allowed(pattern),
            };
            let claim = text.except.iter().fold(claim, |claim, pattern| claim.except(pattern.as_bytes()));
            let claim = claim.budget(scope.budget).crawlers(scope.crawlers);
            let claim = if scope.is_by_operator() { claim.own_dialect_only() } else { claim };
            let claim = if agents.is_empty() { claim } else { claim.only(&agents) };
            let held = claim.check_while(file, scope.watch())?;
            match held {
                // In each dialect, only the crawlers of that dialect are checked.
                Held::Yes | Held::NoCrawler => {}
                Held::No(found) => {
                    let is_sent = found.is_sent;
                    if is_sent || proven.counterexample.is_none() {
                        proven.counterexample = Some(ProofCounterexample::new(&found, file.dialect()));
                    }
                    // Another dialect may have a counterexample that is sent.
                    if is_sent {
                        proven.outcome = ProofOutcome::Refuted;
                        return Ok(proven);
                    }
                }
                _ => proven.outcome = ProofOutcome::Undecided,
            }
        }
        if proven.outcome == ProofOutcome::Undecided {
            // There may be one, so that the one found says too little.
            proven.counterexample = None;
        } else if proven.counterexample.is_some() {
            proven.outcome = ProofOutcome::Refuted;
        }
        Ok(proven)
    }
}

impl ProofCounterexample {
    fn new(found: &Counterexample, dialect: &Dialect) -> Self {
        Self {
            crawler: found.crawler.clone(),
            dialect: dialect.name,
            path: String::from_utf8_lossy(&found.path).into_owned(),
            line: found.line,
            sent: found.is_sent,
        }
    }
}

/// Returns the tokens of the crawlers that do not obey robots.txt, about which no claim can be made.
pub fn ungoverned(agents: &[CrawlerQuery]) -> impl Iterator<Item = &str> {
    let ungoverned = agents.iter().filter(|agent| agent.as_crawler().governed() == Governed::No);
    ungoverned.map(CrawlerQuery::token)
}
