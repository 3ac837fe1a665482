//! The groups of a file, with facts that several checks need.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use comity::{Group, Profile, Robots, Rule, RuleKind, Use};

use crate::agents::Agents;
use crate::blocking::matches_everything;
use crate::text::{listed, shown};

/// A group with facts that several checks need.
pub(crate) struct GroupOf<'a> {
    pub(crate) agents: Vec<AgentOf<'a>>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) group: Group<'a>,
    /// True if no other group names one of its crawlers, so that its rules are not merged with those of others.
    pub(crate) alone: bool,
}

/// A user-agent line of a group.
pub(crate) struct AgentOf<'a> {
    pub(crate) line: u32,
    pub(crate) value: &'a [u8],
    /// The product token; empty if the line names no crawler.
    pub(crate) token: &'a [u8],
    pub(crate) known: Option<&'a Profile>,
}

impl AgentOf<'_> {
    pub(crate) fn is_of(&self, operator: &str) -> bool {
        self.known.is_some_and(|known| known.operator == operator)
    }

    pub(crate) fn is_for_ai(&self) -> bool {
        self.known.is_some_and(Profile::is_for_ai)
    }

    /// Returns true if the crawler's operator trains models with what it fetches.
    pub(crate) fn trains(&self) -> bool {
        self.known.is_some_and(|known| known.uses().source(Use::Training).is_some())
    }
}

/// The user-agent lines of groups that share a crawler: the name in lower case, the place of the group, and the line.
pub(crate) type SharedAgents = Vec<(Vec<u8>, usize, u32)>;

/// Returns the groups of a file, and the user-agent lines of those that share a crawler with another one, sorted.
pub(crate) fn groups_of<'a>(robots: &'a Robots, known: &Agents<'a>) -> (Vec<GroupOf<'a>>, SharedAgents) {
    let mut groups: Vec<GroupOf<'a>> = robots
        .groups()
        .map(|group| GroupOf {
            agents: group
                .agents()
                .map(|agent| AgentOf {
                    line: agent.line(),
                    value: agent.value(),
                    token: agent.token(),
                    known: known.find(agent.token()).or_else(|| known.find(agent.value())),
                })
                .collect(),
            rules: group.rules().collect(),
            group,
            alone: true,
        })
        .collect();
    let shared = mark_shared(&mut groups);
    (groups, shared)
}

/// Marks the groups that share a crawler with another group as not alone. Returns their user-agent lines, sorted.
fn mark_shared(groups: &mut [GroupOf<'_>]) -> SharedAgents {
    let mut agents = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        agents.extend(group.agents.iter().map(|agent| (agent.token.to_ascii_lowercase(), index, agent.line)));
    }
    agents.sort_unstable();
    for pair in agents.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
        groups[pair[0].1].alone = false;
        groups[pair[1].1].alone = false;
    }
    agents.retain(|(_, group, _)| !groups[*group].alone);
    agents
}

impl GroupOf<'_> {
    /// Returns the number of the group's first user-agent line.
    pub(crate) fn first_line(&self) -> u32 {
        self.agents.first().map_or(1, |agent| agent.line)
    }

    pub(crate) fn is_for_any(&self) -> bool {
        self.group.is_for_any()
    }

    /// Returns true if a user-agent line names this token.
    pub(crate) fn names_token(&self, token: &str) -> bool {
        self.agents.iter().any(|agent| agent.token.eq_ignore_ascii_case(token.as_bytes()))
    }

    /// Returns true if a rule disallows everything. Other rules may allow a part of it.
    pub(crate) fn closes(&self) -> bool {
        self.rules.iter().any(closes)
    }

    /// Returns true if the group disallows something.
    pub(crate) fn forbids(&self) -> bool {
        self.rules.iter().any(disallows)
    }

    /// Returns a number that is equal for groups that allow and disallow the same: groups with the same rules, and
    /// groups that disallow nothing.
    pub(crate) fn meaning(&self) -> u64 {
        if !self.forbids() {
            return 0;
        }
        let rules: BTreeSet<_> = self.rules.iter().map(|rule| (rule.pattern(), rule.kind())).collect();
        let mut hasher = DefaultHasher::new();
        rules.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the names of the group's first three crawlers as text, and the number of others.
    pub(crate) fn names(&self) -> String {
        names_of(self.agents.iter())
    }
}

/// Returns true if a rule disallows something.
pub(crate) fn disallows(rule: &Rule<'_>) -> bool {
    rule.kind() == RuleKind::Disallow && rule.priority() > 0
}

/// Returns true if a rule disallows everything. Other rules may allow a part of it.
pub(crate) fn closes(rule: &Rule<'_>) -> bool {
    rule.kind() == RuleKind::Disallow && matches_everything(rule.pattern())
}

/// Returns true if a rule allows everything.
pub(crate) fn allows_all(rule: &Rule<'_>) -> bool {
    rule.kind() == RuleKind::Allow && matches_everything(rule.pattern())
}

/// Returns the names of the first three crawlers as text, and the number of others.
pub(crate) fn names_of<'g, 'a: 'g>(agents: impl ExactSizeIterator<Item = &'g AgentOf<'a>>) -> String {
    let count = agents.len();
    let mut names: Vec<String> = agents
        .take(3)
        .map(|agent| format!("`{}`", shown(if agent.token.is_empty() { agent.value } else { agent.token })))
        .collect();
    if count > 3 {
        names.push(format!("{} more", count - 3));
    }
    listed(&names, "and")
}
