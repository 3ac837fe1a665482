//! Explanations of verdicts, for people and as data.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::crawler::identity::Crawler;
use crate::crawler::selection::{Basis, Selection};
use crate::dialect::Precedence;
use crate::document::Robots;
use crate::escape::Escaped;
use crate::matcher::linear::candidate;
use crate::matcher::rank::rank;
use crate::matcher::search::Search;
use crate::normal_form::path::with_path;
use crate::parse::line::RuleKind;
use crate::verdict::{Key, Premise, Reason, Verdict};

/// A verdict with its reasons: the groups that apply, the rules that were considered, and how they rank.
///
/// [`Display`](fmt::Display) writes it as text for people, with all values [escaped](Escaped). With the feature
/// `serde`, it serializes for programs.
///
/// ```
/// use comity::{Crawler, Robots};
///
/// let robots = Robots::parse(b"User-agent: *\nAllow: /page\nDisallow: /*.htm\n");
/// let why = robots.explain(&Crawler::ANY, "/page.htm");
/// assert_eq!(why.deciding().unwrap().pattern, "/*.htm");
/// assert_eq!(why.runner_up().unwrap().pattern, "/page");
/// println!("{why}");
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the dialect.
    pub dialect: &'static str,
    /// The product tokens that were looked up before `*`, in order.
    pub tokens: Vec<String>,
    /// The token that selected the groups, if any.
    pub token: Option<String>,
    /// The path that the rules were matched against, in the dialect's normal form; or the text that was asked about, if
    /// it is neither a path nor a URL.
    pub path: String,
    /// The groups that apply, in file order.
    pub groups: Vec<GroupUsed>,
    /// All rules of those groups, in file order.
    pub rules: Vec<Considered>,
    #[cfg_attr(feature = "serde", serde(skip))]
    precedence: Precedence,
}

/// A group that applies to the crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GroupUsed {
    /// The number of the user-agent line that names the crawler.
    pub line: u32,
    /// The value of that line.
    pub value: String,
}

/// A rule that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Considered {
    /// The line number.
    pub line: u32,
    /// The kind of the rule.
    pub kind: RuleKind,
    /// The pattern as written in the file.
    pub value: String,
    /// The pattern in normal form.
    pub pattern: String,
    /// The number of bytes that ranks it. It is less than the length of the pattern where Google's parser matched the
    /// directory of an `index.htm` instead.
    pub priority: u16,
    /// True if it matches the path.
    pub matches: bool,
    /// The rank among the matching rules; the rule with rank 1 decides.
    pub rank: Option<u32>,
}

impl Robots {
    /// Returns the verdict of [`check`](Self::check) with its reasons. It is slower, since it examines every rule and
    /// copies their texts.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /private/\nAllow: /private/map.html\n");
    /// let why = robots.explain(&Crawler::known("Googlebot-Image").unwrap(), "/private/map.html");
    /// assert!(why.verdict.is_allowed());
    /// assert_eq!(why.basis(), "the group of line 1, which names `Googlebot`: no group names `Googlebot-Image`");
    /// assert_eq!(why.why_it_wins(), "line 3 is longer (17 bytes) than line 2 (9)");
    /// ```
    pub fn explain(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Explanation {
        self.explain_bytes(crawler, url.as_ref().as_bytes())
    }

    /// Like [`explain`](Self::explain), for a URL that need not be UTF-8, for example from a log. Invalid bytes are
    /// replaced in the texts of the explanation.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /caf%E9/\n");
    /// assert_eq!(robots.explain_bytes(&Crawler::ANY, b"/caf\xE9/").deciding().unwrap().line, 2);
    /// ```
    pub fn explain_bytes(&self, crawler: &Crawler<'_>, url: &[u8]) -> Explanation {
        let document = &**self.document();
        let dialect = &document.dialect;
        let selection = Selection::new(document, crawler);
        let groups = selection.groups(document).filter_map(|group| {
            let agent = group.agents().find(|agent| match selection.token() {
                Some(token) => agent.names(token),
                None if selection.basis == Basis::MergedTokens => crawler.tokens().any(|token| agent.names(token)),
                None => agent.is_any(),
            })?;
            Some(GroupUsed { line: agent.line(), value: lossy(agent.value()) })
        });
        let considered = with_path(url, dialect, |path| {
            let mut rules = Vec::new();
            let mut keys = Vec::new();
            let mut search = Search::new(path.octets);
            for rule in selection.groups(document).flat_map(|group| group.rules()) {
                let key = rank(candidate(&rule), &mut search, Key::NONE, dialect);
                if key != Key::NONE {
                    keys.push((key, rules.len()));
                }
                rules.push(Considered {
                    line: rule.line(),
                    kind: rule.kind(),
                    value: lossy(rule.value()),
                    pattern: lossy(rule.pattern()),
                    priority: if key == Key::NONE { rule.priority() } else { key.priority(dialect.precedence) },
                    matches: key != Key::NONE,
                    rank: None,
                });
            }
            keys.sort_unstable_by(|a, b| b.cmp(a));
            for (place, (_, rule)) in keys.iter().enumerate() {
                rules[*rule].rank = Some(place as u32 + 1);
            }
            let best = keys.first().map_or(Key::NONE, |(key, _)| *key);
            let premise = Premise::new(crawler, selection.basis, document.size, dialect);
            (premise.conclude(best, path.is_robots_txt), lossy(path.octets), rules)
        });
        let (verdict, path, rules) = considered.unwrap_or_else(|| (Verdict::out_of_scope(), lossy(url), Vec::new()));
        Explanation {
            verdict,
            dialect: dialect.name,
            tokens: crawler.tokens_in(dialect).map(lossy).collect(),
            token: selection.token().map(lossy),
            path,
            groups: groups.collect(),
            rules,
            precedence: dialect.precedence,
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Explanation {
    /// Returns the rule that decides, if any.
    pub fn deciding(&self) -> Option<&Considered> {
        matches!(self.verdict.reason(), Reason::Rule | Reason::EmptyRule).then(|| self.ranked(1)).flatten()
    }

    /// Returns the matching rule with the second rank, which would decide without the deciding rule.
    pub fn runner_up(&self) -> Option<&Considered> {
        self.deciding().and_then(|_| self.ranked(2))
    }

    fn ranked(&self, rank: u32) -> Option<&Considered> {
        self.rules.iter().find(|rule| rule.rank == Some(rank))
    }

    /// Returns the groups that apply and the reason, as a sentence without its period.
    pub fn basis(&self) -> String {
        let lines = list(self.groups.iter().map(|group| group.line), "line");
        let asked = || list_names(&self.tokens);
        match self.verdict.basis() {
            Basis::OwnToken => alloc::format!("the group of {lines}, which names {}", asked_one(self.token.as_ref())),
            Basis::FallbackToken => {
                let (token, first) = (asked_one(self.token.as_ref()), asked_one(self.tokens.first()));
                alloc::format!("the group of {lines}, which names {token}: no group names {first}")
            }
            Basis::MergedTokens => alloc::format!("the groups of {lines}, which name {}, merged", asked()),
            Basis::Star if self.tokens.first().is_some_and(|token| token == "*") => {
                alloc::format!("the group of {lines}, for every crawler")
            }
            Basis::Star => alloc::format!("the group of {lines}, for every crawler: no group names {}", asked()),
            Basis::StarIgnored => {
                alloc::format!("none: no group names {}, and `*` does not bind this crawler", asked())
            }
            Basis::Nothing if self.verdict.reason() == Reason::OutOfScope => {
                String::from("none: the file does not decide")
            }
            Basis::Nothing => alloc::format!("none: no group names {}, and none is for every crawler", asked()),
        }
    }

    /// Returns the reason why the deciding rule decides, as a sentence without its period.
    pub fn why_it_wins(&self) -> String {
        let Some(first) = self.deciding() else { return self.verdict.to_string() };
        let Some(second) = self.runner_up() else {
            return match self.verdict.reason() {
                Reason::EmptyRule => {
                    alloc::format!("line {} is empty, so it forbids nothing, and no other rule matches", first.line)
                }
                _ => alloc::format!("line {} is the only rule that matches", first.line),
            };
        };
        let (a, b) = (first.line, second.line);
        if self.precedence == Precedence::FirstMatch {
            return alloc::format!("line {a} comes first; line {b} matches too");
        }
        match first.priority.checked_sub(second.priority) {
            Some(0) if first.kind != second.kind => {
                alloc::format!(
                    "line {a} and line {b} are equally long ({}), and then Allow wins",
                    bytes(first.priority)
                )
            }
            Some(0) if self.verdict.reason() == Reason::EmptyRule => {
                alloc::format!("line {a} and line {b} are empty, so they forbid nothing, and no other rule matches")
            }
            Some(0) => alloc::format!("line {a} and line {b} are equally long and agree; the first is named"),
            _ => alloc::format!("line {a} is longer ({}) than line {b} ({})", bytes(first.priority), second.priority),
        }
    }
}

fn bytes(priority: u16) -> String {
    let plural = if priority == 1 { "" } else { "s" };
    alloc::format!("{priority} byte{plural}")
}

fn asked_one(token: Option<&String>) -> String {
    alloc::format!("`{}`", Escaped(token.map_or("", |token| token).as_bytes()))
}

fn list_names(tokens: &[String]) -> String {
    let mut names = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 {
            names += if i + 1 == tokens.len() { " or " } else { ", " };
        }
        names += &asked_one(Some(token));
    }
    names
}

/// Returns a list such as `line 3` or `lines 3, 9 and 12`.
fn list(numbers: impl Iterator<Item = u32>, noun: &str) -> String {
    const MAX_NUMBERS: usize = 6;
    let numbers: Vec<u32> = numbers.collect();
    match numbers.as_slice() {
        [one] => alloc::format!("{noun} {one}"),
        [first @ .., last] => {
            let shown: Vec<String> = first.iter().take(MAX_NUMBERS).map(ToString::to_string).collect();
            let more = if first.len() > MAX_NUMBERS { ", …" } else { "" };
            alloc::format!("{noun}s {}{more} and {last}", shown.join(", "))
        }
        [] => String::from("no line"),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_RULES: usize = 12;
        const MAX_WIDTH: usize = 60;
        writeln!(f, "verdict   {}", self.verdict)?;
        writeln!(f, "group     {}", self.basis())?;
        writeln!(f, "path      {}", Escaped(self.path.as_bytes()))?;
        let matching: Vec<&Considered> = {
            let mut matching: Vec<_> = self.rules.iter().filter(|rule| rule.matches).collect();
            matching.sort_by_key(|rule| rule.rank);
            matching
        };
        let values: Vec<String> =
            matching.iter().take(MAX_RULES).map(|rule| Escaped(rule.value.as_bytes()).to_string()).collect();
        let width = values.iter().map(|value| value.chars().count()).max().unwrap_or(0).min(MAX_WIDTH);
        for (i, (rule, value)) in matching.iter().zip(&values).enumerate() {
            let label = if i == 0 { "rules" } else { "" };
            let mark = if self.deciding() == Some(*rule) { "  <- decides" } else { "" };
            writeln!(
                f,
                "{label:<9} line {:>4}  {:<9} {value:<width$}  {:>9}{mark}",
                rule.line,
                alloc::format!("{}:", rule.kind),
                bytes(rule.priority),
            )?;
            if rule.value != rule.pattern {
                writeln!(f, "{:<20} compared as {}", "", Escaped(rule.pattern.as_bytes()))?;
            }
        }
        if matching.len() > MAX_RULES {
            writeln!(f, "{:<9} and {} more that match", "", matching.len() - MAX_RULES)?;
        }
        let others = self.rules.len() - matching.len();
        let label = if matching.is_empty() { "rules" } else { "" };
        match (others, matching.len()) {
            (0, 0) => writeln!(f, "rules     none")?,
            (0, _) => {}
            (1, _) => writeln!(f, "{label:<9} 1 rule that does not match")?,
            _ => writeln!(f, "{label:<9} {others} rules that do not match")?,
        }
        write!(f, "because   {}", self.why_it_wins())
    }
}
