//! Groups with the same rules on other lines are compared once. The lines of each group's changes are its own.

use crate::small;

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Change, Comparison, Outcome, dead_rules};
use proptest::prelude::*;
use small::{lines, rules};

const NAMES: [&str; 4] = ["*", "foo", "bar", "baz"];

/// Returns a file with a group for each name. Each has one of two lists of rules.
fn file(lists: &[Vec<(bool, String)>; 2], choice: &[bool]) -> String {
    let group = |(name, second): (&&str, &bool)| format!("User-agent: {name}\n{}", lines(&lists[usize::from(*second)]));
    NAMES.iter().zip(choice).map(group).collect()
}

fn some_rules() -> impl Strategy<Value = Vec<(bool, String)>> {
    rules().prop_filter("a rule", |rules| !rules.is_empty())
}

fn crawler(name: &str) -> Crawler<'_> {
    if name == "*" { Crawler::ANY } else { Crawler::literal(name) }
}

#[test]
fn changes_have_the_lines_of_their_groups() {
    let file_of = || (prop::array::uniform2(some_rules()), prop::collection::vec(any::<bool>(), NAMES.len()));
    let config = small::config(small::cases("COMITY_MEANING_CASES", 300));
    proptest!(config, |(old in file_of(), new in file_of(), same in any::<bool>())| {
        for dialect in [Dialect::STANDARD, Dialect::GOOGLE, Dialect::YANDEX, Dialect::NOROBOTS_1996] {
            // In half of the cases, only the groups differ, not the lists of rules.
            let new_lists = if same { &old.0 } else { &new.0 };
            let [old, new] = [file(&old.0, &old.1), file(new_lists, &new.1)].map(|body| Robots::parse_with(body, &dialect));
            let all = Comparison::new(&old, &new).run();
            for name in NAMES {
                let only = [crawler(name)];
                let alone = Comparison::new(&old, &new).only(&only).run();
                let content = |change: &Change| {
                    (change.direction, change.rule.clone(), change.narrowed_by.clone(), change.except.clone())
                };
                let of_name = all.changes.iter().filter(|change| change.crawlers.iter().any(|other| other == name));
                let of_name: Vec<_> = of_name.map(content).collect();
                let alone: Vec<_> = alone.changes.iter().map(content).collect();
                prop_assert_eq!(of_name, alone, "{} in {}", name, dialect.name);
            }
        }
    });
}

#[test]
fn rules_of_equal_groups_are_dead_by_their_own_lines() {
    let config = small::config(small::cases("COMITY_MEANING_CASES", 100));
    proptest!(config, |(lists in prop::array::uniform2(some_rules()), choice in prop::collection::vec(any::<bool>(), 4))| {
        let body = file(&lists, &choice);
        let robots = Robots::parse(&body);
        let dead = dead_rules(&robots, &Crawlers::builtin(), Budget::default());
        prop_assert!(dead.is_complete);
        for group in robots.groups() {
            let rules: Vec<_> = group.rules().filter(|rule| !rule.pattern().is_empty()).collect();
            for rule in rules.iter().filter(|_| group.rules().len() > 1) {
                let comment = |(index, line): (usize, &str)| {
                    let mark = if index + 1 == rule.line() as usize { "#" } else { "" };
                    format!("{mark}{line}\n")
                };
                let without = Robots::parse(body.lines().enumerate().map(comment).collect::<String>());
                let is_same = Comparison::new(&robots, &without).run().outcome() == Outcome::Same;
                prop_assert_eq!(dead.contains(rule.line()), is_same, "line {} of\n{}", rule.line(), body);
            }
        }
    });
}
