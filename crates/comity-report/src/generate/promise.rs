//! The verdicts that the choices promise, and the check that a file gives them.

use std::fmt;

use super::{Result, bail};
use comity::url::unambiguous_path;
use comity::{Crawler, Crawlers, Dialect, Escaped, Governed, Profile, Robots};

use super::paths::PathRule;
use super::plan::{Plan, contains};

/// A token that represents the crawlers that the table does not contain.
const UNNAMED: &str = "a-crawler-nobody-has-heard-of";

/// A verdict that the written file must give.
pub(super) struct Promise {
    /// The crawler's profile; `None` if the table does not contain it.
    profile: Option<Profile>,
    token: String,
    path: String,
    is_allowed: bool,
    /// The dialects in which the verdict must hold.
    dialects: Vec<Dialect>,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_allowed { "may" } else { "may not" };
        write!(f, "{} {word} fetch {}", Escaped(self.token.as_bytes()), Escaped(self.path.as_bytes()))
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

impl Chosen<'_> {
    /// Returns true if the choices allow a path. The longest rule decides; of two equally long ones, the one that
    /// allows.
    fn allows(&self, path: &str) -> bool {
        let longest =
            |rules: &[&PathRule]| rules.iter().filter(|rule| rule.covers(path)).map(|rule| rule.path.len()).max();
        match (longest(&self.protected), longest(&self.allowed)) {
            (None, None) => self.is_open,
            (protected, allowed) => allowed >= protected,
        }
    }

    /// Returns the paths that a rule must decide: its samples, without those that a longer rule decides. Of two equally
    /// long rules, the one that allows decides.
    fn samples(&self, rule: &PathRule, is_allowed: bool) -> impl Iterator<Item = String> {
        let (others, min) =
            if is_allowed { (&self.protected, rule.path.len() + 1) } else { (&self.allowed, rule.path.len()) };
        let is_exception =
            move |path: &String| others.iter().any(|other| other.path.len() >= min && other.covers(path));
        rule.samples().into_iter().filter(move |path| !is_exception(path))
    }
}

impl Plan {
    /// Returns every verdict that the choices promise: for each crawler that is named or known, and for one that is
    /// neither.
    pub(super) fn promises(&self, table: &Crawlers) -> Vec<Promise> {
        const PAGES: [&str; 3] = ["/", "/a-page", "/a/folder/page.html?q=1"];
        let mut promises = Vec::new();
        let mut promise = |profile: Option<&Profile>, token: &str| {
            let dialects = self.dialects_of(profile, token, table);
            let chosen = self.chosen_for(profile, token);
            let mut add = |path: String, is_allowed| {
                let (profile, dialects) = (profile.cloned(), dialects.clone());
                promises.push(Promise { profile, token: token.to_owned(), path, is_allowed, dialects });
            };
            for (rules, is_allowed) in [(&chosen.protected, false), (&chosen.allowed, true)] {
                for path in rules.iter().flat_map(|rule| chosen.samples(rule, is_allowed)) {
                    add(path, is_allowed);
                }
            }
            for path in chosen.allowed.iter().flat_map(|rule| rule.directories_of_index()) {
                let is_allowed = chosen.allows(&path);
                add(path, is_allowed);
            }
            for page in PAGES {
                if !chosen.protected.iter().chain(&chosen.allowed).any(|rule| rule.covers(page)) {
                    add(page.to_owned(), chosen.is_open);
                }
            }
        };
        promise(None, UNNAMED);
        for token in self.named().filter(|token| table.find(token).is_none()) {
            promise(None, token);
        }
        // No rule affects crawlers whose operators state that they do not obey robots.txt.
        for profile in table.iter().filter(|profile| profile.governed != Governed::No) {
            promise(Some(profile), &profile.token);
        }
        promises
    }

    /// Returns the dialects that a crawler's verdicts must hold in: its operator's dialect, or for a crawler without a
    /// profile those of all operators.
    fn dialects_of(&self, profile: Option<&Profile>, token: &str, table: &Crawlers) -> Vec<Dialect> {
        if let Some(profile) = profile {
            return vec![profile.dialect];
        }
        // Google's parser truncates other tokens, and they are not Google's.
        let is_word = token.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'));
        if !is_word {
            return vec![Dialect::STANDARD];
        }
        let mut dialects: Vec<Dialect> = Vec::new();
        for dialect in table.iter().map(|profile| profile.dialect) {
            // If a group names the fallback token of a dialect, only the operator's own crawlers follow it.
            let is_family =
                |token: &str| dialect.fallback_token.is_some_and(|family| family.eq_ignore_ascii_case(token));
            if !dialects.contains(&dialect) && !self.named().any(is_family) {
                dialects.push(dialect);
            }
        }
        dialects
    }

    /// Returns the choices for a crawler: those for the first of its tokens that is named, or else those for all
    /// crawlers.
    fn chosen_for(&self, profile: Option<&Profile>, token: &str) -> Chosen<'_> {
        let followed = profile.into_iter().flat_map(|profile| profile.fallback.iter().map(AsRef::as_ref));
        self.chosen_in(profile, std::iter::once(token).chain(followed), |_| false)
    }

    /// Returns the choices for a crawler with these tokens, if a file that the choices are added to contains some of
    /// them: a crawler follows the group of its first token that is named.
    pub(super) fn chosen_in<'t>(
        &self,
        profile: Option<&Profile>,
        tokens: impl Iterator<Item = &'t str>,
        is_named: impl Fn(&str) -> bool,
    ) -> Chosen<'_> {
        let is_kept = profile.and_then(Profile::ai_use).is_some_and(|purpose| self.kept == Some(purpose));
        for token in tokens {
            if let Some(group) = self.blocked.iter().find(|group| contains(&group.tokens, token)) {
                // A group that blocks crawlers for their purpose must not also block crawlers with another purpose.
                if is_kept && group.is_ai {
                    continue;
                }
                return Chosen::default();
            }
            if contains(&self.open, token) {
                return Chosen {
                    is_open: true,
                    protected: self.protected.iter().filter(|rule| rule.is_for(token)).collect(),
                    allowed: self.allowed.iter().filter(|rule| rule.is_for(token)).collect(),
                };
            }
            if is_named(token) {
                break;
            }
        }
        let allowed = self.allowed.iter().filter(|rule| rule.token.is_none()).collect();
        let protected = if self.block_all { Vec::new() } else { self.for_all().collect() };
        Chosen { is_open: !self.block_all, protected, allowed }
    }
}

/// Reads the text as crawlers will, and fails if a verdict differs from its promise.
pub(super) fn prove(text: &[u8], promises: &[Promise]) -> Result<()> {
    let mut parsed: Vec<Robots> = Vec::new();
    for promise in promises {
        for dialect in &promise.dialects {
            let at = parsed.iter().position(|robots| robots.dialect() == dialect).unwrap_or_else(|| {
                parsed.push(Robots::parse_with(text, dialect));
                parsed.len() - 1
            });
            let crawler = promise.profile.as_ref().map_or(Crawler::literal(&promise.token), Crawler::from);
            let verdict = parsed[at].check(&crawler, unambiguous_path(&promise.path));
            if verdict.is_allowed() != promise.is_allowed || verdict.is_disallowed() == promise.is_allowed {
                bail!(
                    "no file can express these choices: they mean that {promise}, but in the {dialect} dialect it is \
                     {verdict}; leave out one of the choices about this path or this crawler"
                );
            }
        }
    }
    Ok(())
}

/// Fails if the delays in the text are not those that were chosen.
pub(super) fn prove_delays(text: &str, plan: &Plan) -> Result<()> {
    let robots = Robots::parse(text);
    for delay in &plan.delays {
        let token = delay.token.as_deref().unwrap_or(UNNAMED);
        let found = robots.crawl_delay(&Crawler::literal(token)).map(|found| found.delay.as_secs());
        if found != plan.delay_for(token).map(|delay| u64::from(delay.seconds)) {
            bail!(
                "no file can express these choices: a delay of {} s for {}",
                delay.seconds,
                Escaped(token.as_bytes())
            );
        }
    }
    Ok(())
}
