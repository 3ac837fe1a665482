//! Recognizes what a group opens: URLs that the rules for `*` disallow, and the group does not.

use std::collections::BTreeSet;

use comity::{Crawler, Governed, Robots};
use comity_meaning::{Budget, ChangeRule, Comparison, Direction, Side};

use crate::prelude::*;

/// The maximum number of steps of all comparisons of one file's groups. Real files need a hundredth of them.
pub(crate) const MAX_STEPS: u64 = 350_000;

/// The name of this limit.
pub(crate) const OPENED_BOUND: &str = "350,000 steps to compare groups with the rules for `*`";

/// The rules for `*` that do not apply to URLs of a crawler with a group of its own.
#[derive(Clone, Default)]
pub(crate) struct Opened {
    /// The lines of the rules, sorted.
    pub(crate) lines: Vec<u32>,
    /// The number of rules for `*` that disallow something.
    pub(crate) of: usize,
    /// The number of these rules that are not lost.
    pub(crate) kept: usize,
    /// True if the group repeats at least one of these rules word for word.
    pub(crate) repeats: bool,
    /// A path that `*` disallows and the group allows, as a URL contains it.
    pub(crate) example: String,
}

/// Returns the rules for `*` whose URLs a group allows without naming them, for all URLs. Subtracts the steps from
/// `steps`. Returns `None` if they are used up before the comparison is complete.
///
/// URLs that match a narrow `Allow` of the group are left out: its author thought of them.
pub(crate) fn opened(file: &File<'_>, stars: &[&GroupOf<'_>], group: &GroupOf<'_>, steps: &mut u64) -> Option<Opened> {
    let of_stars: Vec<&Rule<'_>> = stars.iter().flat_map(|star| &star.rules).collect();
    let is_narrow = |rule: &&Rule<'_>| rule.kind() == RuleKind::Allow && !matches_everything(rule.pattern());
    // Without a rule that disallows, those that allow decide nothing. An `Allow` of everything repeats the default, and
    // each opened URL is then one of a rule for `*`.
    let decides = |rule: &&Rule<'_>| group.forbids() && (rule.kind() == RuleKind::Disallow || is_narrow(rule));
    let of_group: Vec<&Rule<'_>> = group.rules.iter().filter(decides).collect();
    let narrow: Vec<&Rule<'_>> = group.rules.iter().filter(is_narrow).collect();
    // The steps to parse and compile the rules, and to copy the list of exceptions for each one that is added.
    let rules = of_stars.len() + of_group.len();
    *steps = steps.checked_sub((rules * 12 + narrow.len() * narrow.len()) as u64)?;
    let files = [&of_stars, &of_group].map(|rules| for_any(rules));
    let crawlers = [Crawler::ANY];
    let mut comparison = Comparison::new(&files[0], &files[1]).only(&crawlers).verdicts_only().without_exceptions();
    for rule in narrow {
        // A pattern that matches no URL excepts none.
        comparison = comparison.clone().except(rule.value()).unwrap_or(comparison);
    }
    let keep_going = || file.watch.ask().is_ok();
    let difference = comparison.budget(Budget::of_steps(*steps)).keep_going(&keep_going).run();
    *steps = steps.saturating_sub(difference.steps);
    if !difference.is_complete() {
        return None;
    }
    let mut opened = Opened::default();
    let is_opened = |change: &&comity_meaning::Change| change.direction == Direction::Allowed && change.is_sent;
    for change in difference.changes.iter().filter(is_opened) {
        if opened.example.is_empty() {
            opened.example = String::from_utf8_lossy(&change.witness).into_owned();
        }
        let rules = std::iter::once(&change.rule).chain(&change.narrowed_by);
        let place = |rule: &ChangeRule| rule.line.filter(|_| rule.side == Side::Old).map(|line| line as usize - 2);
        opened.lines.extend(
            rules
                .filter_map(place)
                .filter_map(|place| of_stars.get(place))
                .filter(|rule| rule.kind() == RuleKind::Disallow)
                .map(|rule| rule.line()),
        );
    }
    let patterns = |lost: bool| -> BTreeSet<&[u8]> {
        let rules = of_stars.iter().filter(|rule| disallows(rule) && (!lost || opened.lines.contains(&rule.line())));
        rules.map(|rule| rule.pattern()).collect()
    };
    let (all, lost) = (patterns(false), patterns(true));
    let repeats = group.rules.iter().any(|rule| disallows(rule) && all.contains(rule.pattern()));
    let (of, kept) = (all.len(), all.len() - lost.len());
    opened.lines.sort_unstable();
    opened.lines.dedup();
    Some(Opened { of, kept, repeats, ..opened })
}

/// Returns a file with these rules for every crawler. The first rule is in line 2.
fn for_any(rules: &[&Rule<'_>]) -> Robots {
    let mut body = b"User-agent: *\n".to_vec();
    for rule in rules {
        body.extend_from_slice(format!("{}: ", rule.kind()).as_bytes());
        body.extend_from_slice(rule.value());
        body.push(b'\n');
    }
    Robots::parse(&body)
}

/// Returns the crawlers of a group for which lost rules are a mistake: known ones that otherwise obey the rules for `*`.
/// Those for ads, link previews, checks and reports fetch what somebody has asked them for.
pub(crate) fn concerned<'g, 'a>(file: &File<'a>, group: &'g GroupOf<'a>) -> Vec<&'g AgentOf<'a>> {
    let is_concerned = |agent: &&AgentOf<'_>| {
        agent.known.is_some_and(|known| {
            let is_asked_for =
                matches!(known.purpose, Purpose::Ads | Purpose::Preview | Purpose::Security | Purpose::Tool);
            let is_bound = known.obeys_star && known.governed != Governed::No && file.known.is_obeyed(known);
            // Without its group, the crawler would obey the group of its more general name.
            let is_general = || known.chain().skip(1).all(|token| file.line_naming(token).is_none());
            is_bound && !is_asked_for && !FOR_PARTS.contains(&&*known.token) && is_general()
        })
    };
    group.agents.iter().filter(is_concerned).collect()
}

/// Returns the concerned crawlers of a group that nobody lets in on purpose, as sites do with the crawlers of their
/// reports and of archives: of ten welcomes in real files, five were for those, and none of these was a mistake.
pub(crate) fn welcomed<'g, 'a>(file: &File<'a>, group: &'g GroupOf<'a>) -> Vec<&'g AgentOf<'a>> {
    let is_let_in = |agent: &&AgentOf<'_>| {
        agent.known.is_some_and(|known| matches!(known.purpose, Purpose::Seo | Purpose::Archive) && !known.is_for_ai())
    };
    concerned(file, group).into_iter().filter(|agent| !is_let_in(agent)).collect()
}

/// Crawlers whose groups select parts of a site, for a part of a search engine. Googlebot-News fetches as Googlebot.
const FOR_PARTS: [&str; 3] = ["Googlebot-News", "Googlebot-Image", "Googlebot-Video"];
