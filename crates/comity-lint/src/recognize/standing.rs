//! Recognizes what the group of a crawler takes from the group for `*`, for all URLs.

use std::collections::HashMap;

use comity::Meaning;

use crate::prelude::*;
use crate::recognize::opened::{MAX_STEPS, Opened, concerned, opened, welcomed};

/// The difference between the group of a crawler and the group for `*`. Each group has at most one, the first that
/// applies, so that no two lints report the same group.
pub(crate) enum Standing {
    /// The group welcomes its crawlers with `Allow: /`, and repeats none of the rules that it opens.
    Opens(Opened),
    /// The group repeats some rules for `*` and lacks others.
    Lacks(Opened),
    /// The group does not repeat the preference in this line of a group for `*`.
    HidesPreference(u32),
}

/// The differences of all groups.
#[derive(Default)]
pub(crate) struct Standings {
    /// The indices of groups, with their differences, in the order of the file.
    pub(crate) of_groups: Vec<(usize, Standing)>,
    /// The indices of the groups that were not compared because the steps were used up.
    pub(crate) not_compared: Vec<usize>,
}

/// Compares the groups of known crawlers with the group for `*`.
pub(crate) fn standings(file: &File<'_>) -> Standings {
    let mut found = Standings::default();
    let stars: Vec<&GroupOf<'_>> = file.groups.iter().filter(|group| group.is_for_any()).collect();
    // If the site is closed to all other crawlers, such groups open it on purpose.
    if stars.iter().any(|star| star.closes()) {
        return found;
    }
    let is_restricted = stars.iter().any(|star| star.forbids());
    let preferences = preferences(file);
    let preference = |group: &GroupOf<'_>| preferences.get(&group.group.index()).copied();
    let hidden = stars.iter().find_map(|star| preference(star));
    if !is_restricted && hidden.is_none() {
        return found;
    }
    let mut steps = MAX_STEPS;
    let mut known: HashMap<u64, Opened> = HashMap::new();
    for group in file.groups.iter().filter(|group| group.alone && !group.is_for_any()) {
        // Nothing is fetched of a closed site.
        if concerned(file, group).is_empty() || group.closes() {
            continue;
        }
        let is_plain = group.forbids() || group.rules.iter().all(|rule| matches_everything(rule.pattern()));
        // Groups with the same rules open the same.
        let same = known.get(&file.meaning(group)).filter(|_| is_plain).cloned();
        let opens = if is_restricted {
            same.or_else(|| opened(file, &stars, group, &mut steps))
        } else {
            Some(Opened::default())
        };
        let Some(opens) = opens else {
            found.not_compared.push(group.group.index());
            continue;
        };
        if is_plain {
            known.entry(file.meaning(group)).or_insert_with(|| opens.clone());
        }
        let welcomes = group.rules.iter().any(allows_all);
        // An empty `Disallow` states that nothing is disallowed. Of 79 open groups in real files, 66 had one, and many of
        // these list the crawlers for which the rules for `*` are not meant.
        let frees = group.rules.iter().any(|rule| rule.kind() == RuleKind::Disallow && rule.priority() == 0);
        let opens_nothing = opens.lines.is_empty();
        let standing = if !opens_nothing && opens.repeats {
            // Whoever leaves out most of the rules and writes `Allow: /` opens the rest on purpose.
            (!welcomes || opens.kept * 2 >= opens.of).then_some(Standing::Lacks(opens))
        } else if welcomed(file, group).is_empty() {
            None
        } else if !opens_nothing && welcomes && !frees {
            Some(Standing::Opens(opens))
        } else if (opens_nothing || frees) && preference(group).is_none() {
            hidden.map(Standing::HidesPreference)
        } else {
            None
        };
        found.of_groups.extend(standing.map(|standing| (group.group.index(), standing)));
    }
    found
}

/// Returns the line of the first preference about the use of content that each group states.
fn preferences(file: &File<'_>) -> HashMap<usize, u32> {
    let states = |record: &comity::Record<'_>| {
        let is_preference = matches!(record.field(), Field::ContentSignal | Field::ContentUsage);
        is_preference && !matches!(record.meaning(), Meaning::NotUnderstood { .. })
    };
    let mut lines = HashMap::new();
    for record in file.robots.records().filter(states) {
        if let Some(group) = record.group() {
            lines.entry(group).or_insert(record.line());
        }
    }
    lines
}
