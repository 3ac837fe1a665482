//! Random edits of real files: no change is missed, and no alert is raised for an edit that changes nothing.
//!
//! The oracle asks the engine about URLs that the patterns of both files suggest, for the crawlers that they name. It needs
//! the reference data, and is skipped without it. With `COMITY_LONG_TESTS`, each file is edited three times.

use std::collections::BTreeSet;
use std::path::PathBuf;

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_watch::AlertKind;

use crate::history::{Answer, Watched, kinds};

/// An edit of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edit {
    /// Adds a comment. Changes nothing.
    Comment,
    /// Adds white space to the end of a line. Changes nothing.
    Space,
    Remove,
    Duplicate,
    /// Changes a letter of a rule's pattern.
    Letter,
    /// Turns `Disallow` into `Allow`, and vice versa.
    Turn,
    /// Adds a rule after a rule.
    Add,
}

const EDITS: [Edit; 7] =
    [Edit::Comment, Edit::Space, Edit::Remove, Edit::Duplicate, Edit::Letter, Edit::Turn, Edit::Add];

fn edit(text: &str, edit: Edit, random: &mut fastrand::Rng) -> Option<String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let is_rule = |line: &String| {
        let line = line.trim_start().to_ascii_lowercase();
        (line.starts_with("disallow:") || line.starts_with("allow:")) && line.len() < 200
    };
    let rules: Vec<usize> = (0..lines.len()).filter(|index| is_rule(&lines[*index])).collect();
    let rule = *random.choice(&rules)?;
    match edit {
        Edit::Comment => lines.insert(rule, "# comment".to_owned()),
        Edit::Space => lines[rule] = format!("{} ", lines[rule].trim_end_matches('\r')),
        Edit::Remove => drop(lines.remove(rule)),
        Edit::Duplicate => lines.insert(rule, lines[rule].clone()),
        Edit::Letter => {
            let letters: Vec<usize> =
                lines[rule].match_indices(|c: char| c.is_ascii_lowercase()).map(|(at, _)| at).collect();
            let after = lines[rule].find(':')?;
            let letters: Vec<usize> = letters.into_iter().filter(|at| *at > after).collect();
            let at = *random.choice(&letters)?;
            lines[rule].replace_range(at..=at, "q");
        }
        Edit::Turn => {
            let (name, rest) = lines[rule].split_once(':')?;
            let other = if name.trim().eq_ignore_ascii_case("allow") { "Disallow" } else { "Allow" };
            lines[rule] = format!("{other}:{rest}");
        }
        Edit::Add => lines.insert(rule + 1, "Disallow: /zq7/added".to_owned()),
    }
    let edited = lines.join("\n");
    (edited != text).then_some(edited)
}

/// Returns paths that the rules of a file suggest.
fn paths(robots: &Robots, out: &mut BTreeSet<String>) {
    for rule in robots.groups().flat_map(|group| group.rules().map(|rule| rule.pattern().to_vec()).collect::<Vec<_>>())
    {
        let Ok(pattern) = String::from_utf8(rule) else { continue };
        let literal = pattern.replace('*', "x");
        let bare = literal.trim_end_matches('$');
        if bare.starts_with('/') && bare.len() < 300 {
            out.extend([bare.to_owned(), format!("{bare}z")]);
        }
    }
    out.extend(["/", "/zq7/added"].map(str::to_owned));
}

/// Returns true for each direction in which the oracle finds a change: blocked, and allowed.
fn oracle(old: &str, new: &str, table: &Crawlers) -> [bool; 2] {
    const MAX_PATHS: usize = 60;
    let mut found = [false; 2];
    let names: Vec<&str> = vec!["*", "Googlebot", "bingbot", "YandexBot", "GPTBot", "AdsBot-Google"];
    for name in names {
        let profile = table.find(name);
        let dialect = profile.map_or(Dialect::STANDARD, |row| row.dialect);
        let crawler = profile.map_or_else(|| Crawler::literal(name), Crawler::from);
        let files = [old, new].map(|text| Robots::parse_with(text, &dialect));
        let mut all = BTreeSet::new();
        for file in &files {
            paths(file, &mut all);
        }
        let step = all.len().div_ceil(MAX_PATHS);
        let rules = files.each_ref().map(|file| file.rules_for(&crawler));
        for path in all.iter().step_by(step.max(1)).chain([&"/zq7/added".to_owned()]) {
            let [was, is] = rules.each_ref().map(|rules| rules.check(path).is_allowed());
            found[0] |= was && !is;
            found[1] |= !was && is;
        }
    }
    found
}

/// Checks the witness of each change of an alert with the engine.
fn check_witnesses(alert: &comity_watch::Alert, old: &str, new: &str, table: &Crawlers) {
    let Some(diff) = &alert.diff else { return };
    for change in diff["changes"].as_array().unwrap() {
        if change["sent"] == false {
            continue;
        }
        let (name, witness) = (change["crawlers"][0].as_str().unwrap(), change["witness"].as_str().unwrap());
        let dialect = Dialect::named(change["dialects"][0].as_str().unwrap()).unwrap();
        let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
        let [was, is] =
            [old, new].map(|text| Robots::parse_with(text, &dialect).rules_for(&crawler).check(witness).is_allowed());
        let is_so = if change["to"] == "blocked" { was && !is } else { !was && is };
        assert!(is_so, "{witness} for {name}: {was} and {is}, {change}\n{old}\n=====\n{new}");
    }
}

#[test]
fn no_change_is_missed_and_none_is_invented() {
    let shared = std::env::var_os("COMITY_SHARED").map_or_else(|| PathBuf::from("../../../shared"), PathBuf::from);
    let Ok(folder) = std::fs::read_dir(shared.join("corpus")) else {
        return eprintln!("skipped: there is no reference data");
    };
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_long = std::env::var_os("COMITY_LONG_TESTS").is_some();
    let (times, every) = if is_long { (3, 1) } else { (1, 10) };
    let table = Crawlers::builtin();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut edits, mut neutral, mut changed, mut silent) = (0, 0, 0, 0);
    for path in files.iter().step_by(every) {
        let Ok(old) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        if old.len() > 60_000 {
            continue;
        }
        for _ in 0..times {
            let chosen = EDITS[random.usize(..EDITS.len())];
            let Some(new) = edit(&old, chosen, &mut random) else { continue };
            let (old, new): (&'static str, &'static str) = (old.clone().leak(), new.leak());
            let mut site = Watched::new();
            site.sees(0, &Answer::File(old));
            let alerts = site.sees(60, &Answer::File(new));
            let found = kinds(&alerts);
            edits += 1;
            for alert in &alerts {
                check_witnesses(alert, old, new, &table);
            }
            if matches!(chosen, Edit::Comment | Edit::Space) {
                neutral += 1;
                assert!(found == [AlertKind::Text], "{path:?} {chosen:?}: {found:?}");
                continue;
            }
            let [blocked, allowed] = oracle(old, new, &table);
            let is_html = found.contains(&AlertKind::NotText);
            for (is_so, kind) in [(blocked, AlertKind::Blocked), (allowed, AlertKind::Allowed)] {
                assert!(!is_so || is_html || found.contains(&kind), "{path:?} {chosen:?}: {found:?} misses {kind}");
            }
            changed += usize::from(blocked || allowed);
            silent += usize::from(found == [AlertKind::Text]);
        }
    }
    println!(
        "{edits} edits: {neutral} change nothing by design, {changed} change an answer of the oracle, {silent} others are text only"
    );
    assert!(edits > 150 && changed > 50);
}
