//! The choices, as groups to write and verdicts to check.

use std::collections::BTreeMap;

use super::{Result, bail};
use comity::{AiUse, Crawlers, Escaped, Governed, Profile};
use comity_meaning::SignalRecord;
use url::Url;

use super::GenerateChoices;
use super::choices::Choice;
use super::paths::{Delay, PathRule};

pub(super) struct Plan {
    pub(super) block_all: bool,
    /// The crawlers that are blocked by name, with the comment of their group.
    pub(super) blocked: Vec<Blocked>,
    /// The crawlers that are named because they have rules of their own, or because only they may fetch.
    pub(super) open: Vec<String>,
    /// Known crawlers that do not obey `*`, but must obey the choices for all crawlers. The group of `*` names them.
    pub(super) unbound: Vec<String>,
    /// Paths that are disallowed.
    pub(super) protected: Vec<PathRule>,
    /// Paths that are allowed, as exceptions.
    pub(super) allowed: Vec<PathRule>,
    pub(super) delays: Vec<Delay>,
    pub(super) preferences: Option<Preferences>,
    pub(super) sitemaps: Vec<String>,
    /// The use for AI that must remain allowed.
    pub(super) kept: Option<AiUse>,
    /// Descriptions of crawlers, by token, if each line is to be explained.
    pub(super) described: Option<BTreeMap<String, String>>,
}

/// Tokens that are blocked for one reason.
#[derive(Clone)]
pub(super) struct Blocked {
    pub(super) comment: &'static str,
    /// True if they are blocked for their purpose, not by name.
    pub(super) is_ai: bool,
    pub(super) tokens: Vec<String>,
}

/// The preferences for the use of content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Preferences {
    pub(super) train: bool,
    pub(super) search: bool,
}

impl Preferences {
    /// Returns the uses, with the names that each record has for them, and the values that are stated.
    pub(super) fn uses(self) -> [(SignalRecord, &'static str, bool); 4] {
        [
            (SignalRecord::ContentSignal, "search", self.search),
            (SignalRecord::ContentSignal, "ai-train", self.train),
            (SignalRecord::ContentUsage, "search", self.search),
            (SignalRecord::ContentUsage, "train-ai", self.train),
        ]
    }
}

impl Plan {
    pub(super) fn new(choices: &GenerateChoices, table: &Crawlers) -> Result<Self> {
        for token in choices.block.iter().chain(&choices.allow) {
            check_token(token)?;
        }
        if let Some(both) = choices.block.iter().find(|token| contains(&choices.allow, token)) {
            let both = Escaped(both.as_bytes());
            bail!(|name| "{} {both} and {} {both} contradict each other", name(Choice::Block), name(Choice::Allow));
        }
        let ungoverned = |token: &&String| table.find(token).is_some_and(|profile| profile.governed == Governed::No);
        if let Some(token) = choices.block.iter().find(ungoverned) {
            bail!(
                |name| "{} {}: its operator says that it does not obey robots.txt, so no rule can block it",
                name(Choice::Block),
                Escaped(token.as_bytes())
            );
        }
        let parse = |choice: Choice, typed: &[String]| {
            typed.iter().map(|typed| PathRule::parse(choice, typed)).collect::<Result<Vec<_>>>()
        };
        let protected: Vec<PathRule> = parse(Choice::Protect, &choices.protect)?;
        let allowed: Vec<PathRule> = parse(Choice::AllowPath, &choices.allow_path)?;
        if let Some(both) = allowed.iter().find(|allowed| protected.contains(allowed)) {
            let both = Escaped(both.path.as_bytes());
            bail!(
                |name| "{} {both} and {} {both} contradict each other",
                name(Choice::Protect),
                name(Choice::AllowPath)
            );
        }
        let delays = choices.crawl_delay.iter().map(|typed| Delay::parse(typed)).collect::<Result<Vec<_>>>()?;
        let mut blocked = Vec::new();
        let by_name: Vec<String> = unique(choices.block.iter().cloned());
        let listed = |purposes: &[AiUse]| {
            let is_meant = |profile: &&Profile| {
                is_listed(profile) && profile.ai_use().is_some_and(|purpose| purposes.contains(&purpose))
            };
            let tokens = table.iter().filter(is_meant).map(|profile| profile.token.to_string());
            let is_new = |token: &String| !contains(&by_name, token) && !contains(&choices.allow, token);
            unique(tokens.filter(is_new))
        };
        if !by_name.is_empty() {
            blocked.push(Blocked { comment: "Not welcome", is_ai: false, tokens: by_name.clone() });
        }
        if choices.block_ai {
            let comment = "AI: training, search, and fetches on request of a user";
            blocked.push(Blocked {
                comment,
                is_ai: true,
                tokens: listed(&[AiUse::Training, AiUse::Search, AiUse::UserTriggered]),
            });
        } else if choices.block_ai_training {
            let comment = "AI training. AI search is not named here, so it stays allowed";
            blocked.push(Blocked { comment, is_ai: true, tokens: listed(&[AiUse::Training]) });
        }
        let is_blocked = |token: &str| blocked.iter().any(|group| contains(&group.tokens, token));
        let of_rules = protected.iter().chain(&allowed).filter_map(|rule| rule.token.clone());
        let with_own: Vec<String> = unique(of_rules.chain(delays.iter().filter_map(|delay| delay.token.clone())));
        for token in choices.block.iter().chain(&choices.allow).chain(&with_own) {
            if let Some(misnomer) = table.misnomer(token) {
                bail!("{misnomer}: a group for `{}` would bind no crawler", Escaped(token.as_bytes()));
            }
        }
        for token in &with_own {
            if is_blocked(token) || choices.block_all && !contains(&choices.allow, token) {
                bail!(
                    "{} is blocked completely, so a choice for it alone has no effect: remove one of them",
                    Escaped(token.as_bytes())
                );
            }
        }
        // A crawler that is only allowed needs a group only if it would be blocked otherwise.
        let needs_group = choices.allow.iter().filter(|_| choices.block_all).cloned();
        let preferences = choices.preferences.then_some(Preferences {
            train: !(choices.block_all || choices.block_ai || choices.block_ai_training),
            search: !choices.block_all,
        });
        for sitemap in &choices.sitemap {
            check_sitemap(sitemap)?;
        }
        let mut plan = Self {
            block_all: choices.block_all,
            open: unique(needs_group.chain(with_own)),
            unbound: Vec::new(),
            blocked,
            protected,
            allowed,
            delays,
            preferences,
            sitemaps: choices.sitemap.clone(),
            kept: (choices.block_ai_training && !choices.block_ai && !choices.block_all).then_some(AiUse::Search),
            described: choices.explain.then(|| described(table)),
        };
        if plan.block_all || plan.for_all().next().is_some() {
            let is_unbound =
                |profile: &&Profile| !profile.obeys_star && profile.governed != Governed::No && !plan.is_named(profile);
            plan.unbound = unique(table.iter().filter(is_unbound).map(|profile| profile.token.to_string()));
        }
        Ok(plan)
    }

    /// Returns the tokens that have a group other than that of `*`.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.blocked.iter().flat_map(|group| &group.tokens).chain(&self.open).map(String::as_str)
    }

    /// Returns true if a crawler follows such a group: one that names the crawler or one of its fallback tokens.
    fn is_named(&self, profile: &Profile) -> bool {
        let fallback = profile.fallback.iter().map(AsRef::as_ref);
        let mut tokens = std::iter::once(profile.token.as_ref()).chain(fallback);
        tokens.any(|token| self.named().any(|named| named.eq_ignore_ascii_case(token)))
    }

    /// Returns the disallowed paths for all crawlers.
    pub(super) fn for_all(&self) -> impl Iterator<Item = &PathRule> {
        self.protected.iter().filter(|protected| protected.token.is_none())
    }

    /// Returns the delay for a crawler, or for all if it has none of its own.
    pub(super) fn delay_for(&self, token: &str) -> Option<&Delay> {
        let is_own = |delay: &&Delay| delay.token.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(token));
        let for_all = || self.delays.iter().find(|delay| delay.token.is_none());
        self.delays.iter().find(is_own).or_else(for_all)
    }
}

fn described(table: &Crawlers) -> BTreeMap<String, String> {
    let describe = |profile: &Profile| format!("{}: {}, {}", profile.token, profile.operator, profile.purpose.label());
    table.iter().map(|profile| (profile.token.to_ascii_lowercase(), describe(profile))).collect()
}

/// Returns true if the groups should name a crawler of the table: not if it is retired, nor if its operator states that
/// it does not obey robots.txt.
pub(super) fn is_listed(profile: &Profile) -> bool {
    let is_word = profile.token.bytes().all(|byte| byte.is_ascii_graphic());
    !profile.retired && profile.governed != Governed::No && is_word
}

pub(super) fn contains(tokens: &[String], token: &str) -> bool {
    tokens.iter().any(|known| known.eq_ignore_ascii_case(token))
}

/// Returns each token once.
pub(super) fn unique(tokens: impl Iterator<Item = String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for token in tokens {
        if !contains(&unique, &token) {
            unique.push(token);
        }
    }
    unique
}

pub(super) fn check_token(token: &str) -> Result<()> {
    let is_token =
        !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !is_token {
        bail!(
            "expected a product token such as Googlebot, of letters, digits, `-`, `_` and `.`, found `{}`",
            Escaped(token.as_bytes())
        );
    }
    Ok(())
}

fn check_sitemap(url: &str) -> Result<()> {
    let shown = Escaped(url.as_bytes());
    let is_url = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_url || url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') {
        bail!(
            |name| "{} {shown}: expected an absolute URL without a fragment, such as https://example.com/sitemap.xml",
            name(Choice::Sitemap)
        );
    }
    Ok(())
}
