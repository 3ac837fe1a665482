//! The choices, as what becomes of each crawler.

use std::collections::BTreeMap;

use comity::{Crawler, Crawlers, Escaped, Governed, Profile, Use};
use comity_meaning::SignalRecord;
use url::Url;

use super::paths::{Delay, PathRule};
use super::{GenerateChoices, Result, bail};

pub(super) struct Plan {
    pub(super) block_all: bool,
    /// The crawlers that are blocked by name, with the comment of their group.
    pub(super) blocked: Vec<Blocked>,
    /// The crawlers that are named because they have rules of their own, or because another choice would block them.
    pub(super) open: Vec<String>,
    /// Those of them that another choice would block.
    pub(super) exempt: Vec<String>,
    /// Known crawlers that do not obey `*`, but must obey the choices for all crawlers. The group of `*` names them.
    pub(super) unbound: Vec<String>,
    /// Paths that are disallowed.
    pub(super) protected: Vec<PathRule>,
    /// Paths that are allowed, as exceptions.
    pub(super) allowed: Vec<PathRule>,
    pub(super) delays: Vec<Delay>,
    pub(super) preferences: Option<Preferences>,
    pub(super) sitemaps: Vec<String>,
    /// True if crawlers for AI search must remain allowed.
    keeps_ai_search: bool,
    /// Descriptions of crawlers, by token, if each line is to be explained.
    pub(super) described: Option<BTreeMap<String, String>>,
}

/// Tokens that are blocked for one reason.
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

/// The choices for one crawler.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Chosen<'p> {
    /// True if it may fetch what no path is about.
    pub(super) is_open: bool,
    pub(super) protected: Vec<&'p PathRule>,
    pub(super) allowed: Vec<&'p PathRule>,
}

impl Plan {
    pub(super) fn new(choices: &GenerateChoices, table: &Crawlers) -> Result<Self> {
        let GenerateChoices { block_all, block_ai, block_ai_training, block, allow, .. } = choices;
        let (block_all, block_ai, block_ai_training) = (*block_all, *block_ai, *block_ai_training);
        let parse = |field, typed: &[String]| -> Result<Vec<_>> {
            typed.iter().map(|typed| PathRule::parse(field, typed)).collect()
        };
        let protected = parse("protect", &choices.protect)?;
        let allowed = parse("allow_path", &choices.allow_path)?;
        let delays = choices.crawl_delay.iter().map(|typed| Delay::parse(typed)).collect::<Result<Vec<_>>>()?;
        if let Some(both) = allowed.iter().find(|rule| protected.contains(rule)) {
            bail!(["protect", &both.path], "it is also an exception: remove one of the two");
        }
        if let Some(rule) = protected.iter().find(|rule| rule.path.trim_end_matches(['*', '$']) == "/robots.txt") {
            bail!(["protect", &rule.path], "no rule can block the robots.txt itself: leave it out");
        }
        for url in &choices.sitemap {
            check_sitemap(url)?;
        }
        let tokens = protected.iter().chain(&allowed).map(|rule| &rule.token);
        let with_own = unique(tokens.chain(delays.iter().map(|delay| &delay.token)).flatten().cloned());
        for token in block.iter().chain(allow).chain(&with_own) {
            check_token(token)?;
            if let Some(misnomer) = table.misnomer(token) {
                bail!("{misnomer}: a group for `{}` would bind no crawler", Escaped(token.as_bytes()));
            }
        }
        for token in block {
            if contains(allow, token) {
                bail!(["block", token], "it is also allowed: remove one of the two");
            }
            if table.find(token).is_some_and(|profile| profile.governed == Governed::No) {
                bail!(["block", token], "its operator says that it does not obey robots.txt, so no rule can block it");
            }
        }
        let for_ai = |is_used: fn(&Profile) -> bool| {
            let is_meant = |profile: &&Profile| is_listed(profile) && profile.is_for_ai() && is_used(profile);
            let tokens = table.iter().filter(is_meant).map(|profile| profile.token.to_string());
            unique(tokens.filter(|token| !contains(block, token) && !contains(allow, token)))
        };
        let mut blocked = vec![Blocked { comment: "Not welcome", is_ai: false, tokens: unique(block.iter().cloned()) }];
        if block_ai {
            let tokens = for_ai(|_| true);
            let comment = "AI: training, search, and fetches on request of a user";
            blocked.push(Blocked { comment, is_ai: true, tokens });
        } else if block_ai_training {
            let comment = "AI training. AI search is not named here, so it stays allowed";
            blocked.push(Blocked { comment, is_ai: true, tokens: for_ai(is_for_training) });
        }
        // A crawler that is only allowed needs a group only if it would be blocked otherwise, or its fallback is.
        let is_blocked = |token: &str| blocked.iter().any(|group| contains(&group.tokens, token));
        let falls_back = |token: &&String| {
            table.find(token).is_some_and(|profile| profile.fallback.iter().any(|token| is_blocked(token)))
        };
        let exempt = unique(allow.iter().filter(|token| block_all || falls_back(token)).cloned());
        let described = |profile: &Profile| {
            let words = format!("{}: {}, {}", profile.token, profile.operator, profile.purpose.label());
            (profile.token.to_ascii_lowercase(), words)
        };
        let mut plan = Self {
            block_all,
            open: unique(exempt.iter().chain(&with_own).cloned()),
            exempt,
            unbound: Vec::new(),
            blocked,
            protected,
            allowed,
            delays,
            preferences: choices
                .preferences
                .then_some(Preferences { train: !(block_all || block_ai || block_ai_training), search: !block_all }),
            sitemaps: choices.sitemap.clone(),
            keeps_ai_search: block_ai_training && !block_ai && !block_all,
            described: choices.explain.then(|| table.iter().map(described).collect()),
        };
        if let Some(token) = with_own.iter().find(|token| plan.blocks(token) || block_all && !contains(allow, token)) {
            let token = Escaped(token.as_bytes());
            bail!("{token} is blocked completely, so a choice for it alone has no effect: remove one of them");
        }
        if block_all || plan.for_all().next().is_some() {
            let is_named = |token: &[u8]| plan.named().any(|named| named.as_bytes().eq_ignore_ascii_case(token));
            let is_unbound = |profile: &&Profile| {
                // No crawler obeys a group for a retired name.
                let is_bound = profile.obeys_star || profile.governed == Governed::No || profile.retired;
                !is_bound && !Crawler::from(*profile).tokens().any(&is_named)
            };
            plan.unbound = unique(table.iter().filter(is_unbound).map(|profile| profile.token.to_string()));
        }
        Ok(plan)
    }

    /// Returns the tokens that have a group other than that of `*`.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.blocked.iter().flat_map(|group| &group.tokens).chain(&self.open).map(String::as_str)
    }

    /// Returns true if a group blocks a token by name.
    pub(super) fn blocks(&self, token: &str) -> bool {
        self.blocked.iter().any(|group| contains(&group.tokens, token))
    }

    /// Returns the paths that the group of `*` disallows.
    pub(super) fn for_all(&self) -> impl Iterator<Item = &PathRule> {
        self.protected.iter().filter(|rule| !self.block_all && rule.token.is_none())
    }

    /// Returns true if the group of `*` has rules about paths.
    pub(super) fn has_general_paths(&self) -> bool {
        self.allowed.iter().chain(self.for_all()).any(|rule| rule.token.is_none())
    }

    /// Returns the delay for a crawler, or for all if it has none of its own.
    pub(super) fn delay_for(&self, token: &str) -> Option<&Delay> {
        let is_own = |delay: &&Delay| delay.token.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(token));
        let for_all = || self.delays.iter().find(|delay| delay.token.is_none());
        self.delays.iter().find(is_own).or_else(for_all)
    }

    /// Returns the choices for a crawler: those for the first of its tokens that is named, or else those for all crawlers.
    /// The file that the choices are added to may name it, too.
    pub(super) fn chosen_for(&self, crawler: &Crawler<'_>, is_named: impl Fn(&[u8]) -> bool) -> Chosen<'_> {
        let is_for_search = |profile: &Profile| {
            profile.is_for_ai() && profile.uses().source(Use::Search).is_some() && !is_for_training(profile)
        };
        let is_kept = self.keeps_ai_search && crawler.profile().is_some_and(is_for_search);
        for token in crawler.tokens() {
            let name = std::str::from_utf8(token).unwrap_or_default();
            // A group that blocks crawlers for their purpose must not also block crawlers with another purpose.
            let mut groups = self.blocked.iter().filter(|group| !(is_kept && group.is_ai));
            if groups.any(|group| contains(&group.tokens, name)) {
                return Chosen::default();
            }
            if contains(&self.open, name) {
                return Chosen {
                    is_open: true,
                    protected: self.protected.iter().filter(|rule| rule.is_for(name)).collect(),
                    allowed: self.allowed.iter().filter(|rule| rule.is_for(name)).collect(),
                };
            }
            if is_named(token) {
                break;
            }
        }
        let allowed = self.allowed.iter().filter(|rule| rule.token.is_none()).collect();
        Chosen { is_open: !self.block_all, protected: self.for_all().collect(), allowed }
    }
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
fn unique(tokens: impl Iterator<Item = String>) -> Vec<String> {
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
    let is_url = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_url || url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') {
        bail!(["sitemap", url], "expected an absolute URL without a fragment, such as https://example.com/sitemap.xml");
    }
    Ok(())
}

fn is_for_training(profile: &Profile) -> bool {
    profile.uses().source(Use::Training).is_some()
}
