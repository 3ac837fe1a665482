//! A file as parsed in each of the dialects in which fixes are checked, with the groups that apply to each crawler.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use comity::dialect::{ProductToken, SIZE_LIMIT};
use comity::{Crawler, Crawlers, Dialect, Field, Governed, Profile, Robots, Rule, RuleKind, Size};

use crate::budget::{Budget, Halt};
use crate::recognize::characters::invisible;
use crate::recognize::host::is_url;

/// The dialects in which safe fixes keep every verdict, and in which unsafe fixes must not close a site.
///
/// `norobots-1996` is not one of them, because its first match decides, so that hardly any line can be deleted or
/// changed.
pub const CHECKED_DIALECTS: &[Dialect] =
    &[Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

/// Returns the checked dialects without those that give the same verdicts as an earlier one.
pub(crate) fn distinct() -> impl Iterator<Item = Dialect> {
    let is_new = |(i, dialect): &(usize, &Dialect)| {
        !CHECKED_DIALECTS[..*i].iter().any(|earlier| verdict_choices(earlier) == verdict_choices(dialect))
    };
    CHECKED_DIALECTS.iter().enumerate().filter(is_new).map(|(_, dialect)| *dialect)
}

/// Returns a dialect with standard values for the choices that no verdict depends on.
fn verdict_choices(dialect: &Dialect) -> Dialect {
    let mut choices = *dialect;
    (choices.name, choices.crawl_delay) = (Dialect::STANDARD.name, Dialect::STANDARD.crawl_delay);
    choices
}

/// Returns a dialect with standard values for the choices that only matter until a crawler's rules are known.
fn matching_choices(dialect: &Dialect) -> Dialect {
    let (mut choices, standard) = (verdict_choices(dialect), Dialect::STANDARD);
    if choices.escapes == Dialect::GOOGLE_PARSER.escapes {
        // Both treat patterns alike. They differ in the spelling of URLs outside ASCII, but a comparison is of paths in
        // normal form, whatever URLs have them.
        choices.escapes = Dialect::GOOGLE.escapes;
    }
    choices.field_names = standard.field_names;
    choices.missing_colon = standard.missing_colon;
    choices.product_token = standard.product_token;
    choices.fallback_token = standard.fallback_token;
    choices.star_with_text = standard.star_with_text;
    choices.merge_groups = standard.merge_groups;
    choices.blank_line_ends_group = standard.blank_line_ends_group;
    choices.byte_order_mark = standard.byte_order_mark;
    choices.cut_allow_ignored = standard.cut_allow_ignored;
    choices.max_rule_len = standard.max_rule_len;
    choices.max_rules = standard.max_rules;
    choices.size_limit = standard.size_limit;
    choices
}

/// A file as parsed in the checked dialects.
pub(crate) struct Readings<'t> {
    /// The known crawlers, which are checked besides those that the file names.
    table: &'t Crawlers,
    body: &'t [u8],
    /// The file in each dialect, parsed when it is needed.
    of_dialects: Vec<(Dialect, OnceCell<Reading>)>,
}

/// The field of a record, by its usual name, and the value.
type FieldAndValue<'r> = (&'static str, &'r [u8]);

struct Reading {
    robots: Robots,
    /// The indices of the groups that name each token, in lower case. Groups for all crawlers are under `*`.
    groups_of: HashMap<Vec<u8>, Vec<usize>>,
    agents: usize,
}

impl<'t> Readings<'t> {
    pub(crate) fn new(body: &'t [u8], table: &'t Crawlers) -> Self {
        Self { table, body, of_dialects: distinct().map(|dialect| (dialect, OnceCell::new())).collect() }
    }

    /// Returns the number of steps that parsing a file of this length takes.
    pub(crate) fn steps(len: usize) -> usize {
        len / 2
    }

    /// Returns the file in those dialects that may give other verdicts, before or after a change, than the ones before
    /// them.
    fn of_dialects(&self, is_large: bool) -> impl Iterator<Item = &Reading> {
        // Google's parser has no size limit, and otherwise reads the same rules as `google`.
        let of_dialects =
            self.of_dialects.iter().filter(move |(dialect, _)| is_large || *dialect != Dialect::GOOGLE_PARSER);
        of_dialects.map(|(dialect, cell)| cell.get_or_init(|| Reading::new(self.body, dialect)))
    }
}

impl Reading {
    fn new(body: &[u8], dialect: &Dialect) -> Self {
        let robots = Robots::parse_with(body, dialect);
        let mut groups_of: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut agents = 0;
        // A file that the dialect rejects because of its size has no rules.
        for group in robots.groups().filter(|_| robots.size() != Size::Refused) {
            for agent in group.agents() {
                agents += 1;
                let (token, value) = (agent.token().to_ascii_lowercase(), agent.value().to_ascii_lowercase());
                // With wide tokens, the whole value is compared as well, and an empty token names no crawler.
                let is_wide = dialect.product_token == ProductToken::Wide;
                let whole = (is_wide && value != token && !agent.is_any()).then_some(value);
                let token = (!is_wide || !token.is_empty()).then_some(token);
                for name in token.into_iter().chain(whole) {
                    let of_name = groups_of.entry(name).or_default();
                    if of_name.last() != Some(&group.index()) {
                        of_name.push(group.index());
                    }
                }
            }
        }
        Self { robots, groups_of, agents }
    }

    /// Returns the records of the site, and those of groups with the index of their group, without those that mean
    /// nothing to any crawler.
    fn records(&self) -> (BTreeSet<FieldAndValue<'_>>, Vec<(usize, FieldAndValue<'_>)>) {
        let (mut of_site, mut of_groups) = (BTreeSet::new(), Vec::new());
        for record in self.robots.records() {
            let of_record = (record.field().name(), record.value());
            match record.field() {
                Field::Unknown | Field::Comment | Field::RobotVersion | Field::Domain | Field::RevisitAfter => {}
                field if field.is_of_site() => {
                    of_site.insert(of_record);
                }
                _ => of_groups.extend(record.group().map(|group| (group, of_record))),
            }
        }
        (of_site, of_groups)
    }

    fn named(&self, token: &[u8]) -> Option<&[usize]> {
        self.groups_of.get(token).map(Vec::as_slice)
    }

    fn star(&self) -> &[usize] {
        self.named(b"*").unwrap_or_default()
    }

    fn bound_by(&self, who: &Who<'_>) -> &[usize] {
        match who {
            Who::Token(token) => {
                let fallback = self.robots.dialect().fallback_token.filter(|_| !matches!(*token, b"" | b"*"));
                let of_fallback = || self.named(fallback?.to_ascii_lowercase().as_bytes());
                self.named(token).or_else(of_fallback).unwrap_or_else(|| self.star())
            }
            Who::Known(profile) => {
                let named = profile.chain().find_map(|token| self.named(token.to_ascii_lowercase().as_bytes()));
                named.unwrap_or_else(|| if profile.obeys_star { self.star() } else { &[] })
            }
        }
    }
}

/// A crawler whose verdicts are compared.
#[derive(Clone, Copy)]
pub(crate) enum Who<'n> {
    /// A token in lower case. `*` means any crawler that no group names.
    Token(&'n [u8]),
    /// A row of the crawler table.
    Known(&'n Profile),
}

impl<'n> Who<'n> {
    pub(crate) fn crawler(&self) -> Crawler<'n> {
        match *self {
            Self::Token(token) => Crawler::literal(token),
            Self::Known(profile) => Crawler::from(profile),
        }
    }

    /// Returns the name of the crawler, as one of the files spells it if one names it.
    pub(crate) fn name(&self, files: [&Robots; 2]) -> String {
        let token = match self {
            Self::Token(token) => *token,
            Self::Known(profile) => return profile.token.clone().into_owned(),
        };
        let agents = files.into_iter().flat_map(Robots::groups).flat_map(|group| group.agents());
        let mut spelled = agents.flat_map(|agent| [agent.token(), agent.value()]);
        let spelled = spelled.find(|spelled| spelled.eq_ignore_ascii_case(token)).unwrap_or(token);
        String::from_utf8_lossy(spelled).into_owned()
    }
}

/// A crawler whose rules differ between two files, in one dialect.
pub(crate) struct Difference<'f> {
    pub(crate) who: Who<'f>,
    /// The crawler, as a list of one.
    pub(crate) crawler: [Crawler<'f>; 1],
    pub(crate) files: [&'f Robots; 2],
    /// The rules that apply to the crawler in each file.
    pub(crate) rules: [Vec<Rule<'f>>; 2],
}

/// A function that handles a difference, and may end the comparison.
type OnDifference<'d, 'f> = dyn FnMut(&Difference<'f>, &mut Budget<'_>) -> Result<ControlFlow<()>, Halt> + 'd;

/// Calls `differ` once for each pair of different rule lists that a crawler has before and after, until it breaks. The
/// crawlers are those of the table that robots.txt governs, those that either file names, and one that neither file
/// names.
pub(crate) fn compare<'f>(
    before: &'f Readings<'f>,
    after: &'f Readings<'f>,
    budget: &mut Budget<'_>,
    differ: &mut OnDifference<'_, 'f>,
) -> Result<(), Halt> {
    budget.spend((before.body.len() + after.body.len()) / 4)?;
    let is_large = before.body.len().max(after.body.len()) > SIZE_LIMIT;
    // Equal lists of rules have equal numbers, even in different groups, files or dialects.
    let mut numbers: HashMap<Vec<(RuleKind, &'f [u8])>, usize> = HashMap::new();
    let mut told = HashSet::new();
    let mut classes: Vec<Dialect> = Vec::new();
    for (old, new) in before.of_dialects(is_large).zip(after.of_dialects(is_large)) {
        let files = [&old.robots, &new.robots];
        let class = matching_choices(files[0].dialect());
        let class = classes.iter().position(|known| *known == class).unwrap_or_else(|| {
            classes.push(class);
            classes.len() - 1
        });
        let lists = files.map(|file| {
            let number = |rules: Vec<_>| {
                let next = numbers.len();
                *numbers.entry(rules).or_insert(next)
            };
            let lists = file.groups().map(|group| group.rules().map(|rule| (rule.kind(), rule.pattern())).collect());
            lists.map(number).collect::<Vec<usize>>()
        });
        let grouped = files.map(|file| file.groups().collect::<Vec<_>>());
        // A crawler that robots.txt does not govern has no verdicts, so it is no example of others with the same groups.
        let is_governed = |profile: &&Profile| profile.governed != Governed::No;
        let known = before.table.iter().filter(is_governed).map(Who::Known);
        let mut seen = HashSet::new();
        for who in named_by([old, new]).into_iter().map(Who::Token).chain(known) {
            let groups = [old.bound_by(&who), new.bound_by(&who)];
            budget.spend(1 + (groups[0].len() + groups[1].len()) / 8)?;
            if !seen.insert(groups) {
                continue;
            }
            let bound = [0, 1].map(|i| groups[i].iter().map(|group| lists[i][*group]).collect::<Vec<_>>());
            if bound[0] == bound[1] || !told.insert((class, bound)) {
                continue;
            }
            let rules =
                [0, 1].map(|i| groups[i].iter().flat_map(|group| grouped[i][*group].rules()).collect::<Vec<_>>());
            // The steps to read, sort and compile the rules, and to search for the crawler's groups among all groups.
            budget.spend((rules[0].len() + rules[1].len()) * 12 + old.agents + new.agents)?;
            if differ(&Difference { who, crawler: [who.crawler()], files, rules }, budget)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns the tokens that any of the files names, and `*`, which is each that none of them names.
fn named_by(files: [&Reading; 2]) -> BTreeSet<&[u8]> {
    files.into_iter().flat_map(|file| file.groups_of.keys()).map(Vec::as_slice).chain([&b"*"[..]]).collect()
}

/// Returns the first record that a change takes from a dialect: a sitemap that it no longer finds, or a record of another
/// kind, such as a delay, that no longer applies to the same crawlers, and the dialect. `None` proves that there is none.
///
/// Verdicts say nothing about these records, and Google's parser reads more lines as sitemaps than the standard does.
pub(crate) fn first_changed_record(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<[&'static str; 2]>, Halt> {
    const SITEMAP: &str = "Sitemap";
    budget.spend((before.body.len() + after.body.len()) / 4)?;
    let is_large = before.body.len().max(after.body.len()) > SIZE_LIMIT;
    for (old, new) in before.of_dialects(is_large).zip(after.of_dialects(is_large)) {
        let dialect = old.robots.dialect().name;
        let [(sites, of_groups), (new_sites, new_of_groups)] = [old, new].map(Reading::records);
        let is_lost = |record: &&FieldAndValue<'_>| record.0 != SITEMAP || is_usable(record.1);
        let gained = new_sites.difference(&sites).find(|record| record.0 != SITEMAP);
        if let Some(record) = sites.difference(&new_sites).find(is_lost).or(gained) {
            return Ok(Some([record.0, dialect]));
        }
        if of_groups.is_empty() && new_of_groups.is_empty() {
            continue;
        }
        let mut seen = HashSet::new();
        for who in named_by([old, new]).into_iter().map(Who::Token).chain(before.table.iter().map(Who::Known)) {
            let groups = [old.bound_by(&who), new.bound_by(&who)];
            if !seen.insert(groups) {
                continue;
            }
            budget.spend(1 + of_groups.len() + new_of_groups.len())?;
            let [was, is] = [(&of_groups, groups[0]), (&new_of_groups, groups[1])].map(|(records, groups)| {
                let of_who = records.iter().filter(|(group, _)| groups.contains(group));
                of_who.map(|(_, record)| *record).collect::<BTreeSet<_>>()
            });
            if let Some(record) = was.symmetric_difference(&is).next() {
                return Ok(Some([record.0, dialect]));
            }
        }
    }
    Ok(None)
}

/// Returns true if the value of a sitemap is a URL that a crawler can fetch.
fn is_usable(url: &[u8]) -> bool {
    is_url(url) && invisible(url).is_none() && !url.iter().any(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_that_decide_alike_are_read_once() {
        let names: Vec<_> = distinct().map(|dialect| dialect.name).collect();
        assert_eq!(names, ["standard", "google", "google-parser", "yandex"]);
        assert_eq!(matching_choices(&Dialect::YANDEX), matching_choices(&Dialect::STANDARD));
        assert_ne!(matching_choices(&Dialect::GOOGLE), matching_choices(&Dialect::STANDARD));
        assert_eq!(matching_choices(&Dialect::GOOGLE), matching_choices(&Dialect::GOOGLE_PARSER));
    }

    /// Up to the size limit, both dialects of Google read the same patterns. Only then one of them is left out.
    #[test]
    fn dialects_of_google_read_the_same_rules() {
        let body = b"\xEF\xBB\xBFUser-agent: *\nDisallow: /\xC3\xA9\nDisalow: /%c3%A9*\nDissallow /%7e\xFF\nAllow: /index.html\n\n\
            Disallow: /a b\nUser-agent: Googlebot/2.1\nAllow:x\n";
        let rules = |dialect| {
            let robots = Robots::parse_with(body, &dialect);
            let groups = robots.groups().map(|group| {
                let agents = group.agents().map(|agent| (agent.token().to_vec(), agent.value().to_vec()));
                let rules = group.rules().map(|rule| (rule.kind(), rule.pattern().to_vec()));
                (agents.collect::<Vec<_>>(), rules.collect::<Vec<_>>())
            });
            groups.collect::<Vec<_>>()
        };
        assert_eq!(rules(Dialect::GOOGLE), rules(Dialect::GOOGLE_PARSER));
    }

    /// Crawlers are grouped by an index of names. The engine selects the same groups.
    #[test]
    fn groups_are_those_that_the_engine_selects() {
        let table = Crawlers::builtin();
        let agents = [
            "*",
            "Googlebot",
            "Googlebot-News",
            "Yandex",
            "YandexBot",
            "bingbot/2.0",
            "a b",
            "a",
            "",
            "* x",
            "msnbot",
            "@b",
        ];
        for first in 0..agents.len() {
            for step in 1..5 {
                let named = (0..6).map(|i| agents[(first + i * step) % agents.len()]);
                let lines = named.enumerate().map(|(i, name)| format!("User-agent: {name}\nDisallow: /{i}\n"));
                let body: String = lines.collect();
                let readings = Readings::new(body.as_bytes(), &table);
                for reading in readings.of_dialects(true) {
                    let tokens =
                        reading.groups_of.keys().map(Vec::as_slice).chain([&b"*"[..], b"none"]).map(Who::Token);
                    for who in tokens.chain(table.iter().map(Who::Known)) {
                        let crawler = who.crawler();
                        let selected = reading.robots.groups_for(&crawler).map(|group| group.index());
                        let dialect = reading.robots.dialect();
                        let name = who.name([&reading.robots; 2]);
                        assert_eq!(reading.bound_by(&who), selected.collect::<Vec<_>>(), "{dialect} {name} {body}");
                    }
                }
            }
        }
    }
}
