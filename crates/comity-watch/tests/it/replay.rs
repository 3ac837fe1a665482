//! Real histories of robots.txt files, replayed as looks with the clock of their commits.
//!
//! `COMITY_WATCH_HISTORIES` names a folder with git repositories. Each file of them whose name contains `robots` and ends with
//! `.txt` is a site. Skipped without it.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use comity::Crawlers;
use comity_fetch::Time;
use comity_report::{Diff, DiffBeside, DiffOutcome, ProofScope};
use comity_watch::AlertKind;

use crate::history::{Answer, Watched, kinds};

fn git(repository: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns the versions of a file, the oldest first: the time of each commit, and the text, if there is a file.
fn versions(repository: &Path, path: &str) -> Vec<(u64, Option<&'static str>)> {
    let log = git(repository, &["log", "--format=%H %ct", "--first-parent", "--", path]);
    let mut versions: Vec<(u64, Option<&'static str>)> = String::from_utf8(log)
        .unwrap()
        .lines()
        .map(|line| {
            let (hash, time) = line.split_once(' ').unwrap();
            let is_there = !git(repository, &["ls-tree", hash, "--", path]).is_empty();
            let body = is_there.then(|| git(repository, &["cat-file", "blob", &format!("{hash}:{path}")]));
            (time.parse().unwrap(), body.map(|body| &*String::from_utf8_lossy(&body).into_owned().leak()))
        })
        .collect();
    versions.reverse();
    // Time does not go back for a watcher.
    for index in 1..versions.len() {
        versions[index].0 = versions[index].0.max(versions[index - 1].0 + 1);
    }
    versions
}

#[test]
fn real_histories_are_told_once() {
    let Some(folder) = std::env::var_os("COMITY_WATCH_HISTORIES") else {
        return eprintln!("skipped: COMITY_WATCH_HISTORIES names no folder");
    };
    let table = Crawlers::builtin();
    let (mut sites, mut looks, mut texts, mut told, mut alternations, mut kept_silent) = (0, 0, 0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let repository = entry.unwrap().path();
        let files = String::from_utf8(git(&repository, &["ls-tree", "-r", "--name-only", "HEAD"])).unwrap();
        for path in files.lines().filter(|path| {
            let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            name.strip_suffix(".txt").is_some_and(|name| name.contains("robots"))
        }) {
            sites += 1;
            let (mut site, mut last, mut seen) = (Watched::new(), None::<&'static str>, HashSet::new());
            let mut flapped = None;
            for (time, text) in versions(&repository, path) {
                let now = Time::from_unix_seconds(time);
                let answer = text.map_or(Answer::Status(404), Answer::File);
                site.look(now, &answer);
                let alerts = kinds(&site.judged(now));
                looks += 1;
                let (Some(old), Some(new)) = (last, text) else {
                    last = text;
                    seen.extend(text);
                    continue;
                };
                last = text;
                let diff = Diff::new(old.as_bytes(), new.as_bytes(), &ProofScope::new(&table));
                let licenses =
                    |text: &str| text.lines().filter(|line| line.to_ascii_lowercase().starts_with("license:")).count();
                let is_same = diff.outcome == DiffOutcome::Same
                    && diff.undecided.is_empty()
                    && diff.signals.is_empty()
                    && diff.beside == DiffBeside::default()
                    && licenses(old) == licenses(new);
                let place = format!("{}: {path} at {time}: {alerts:?}", repository.display());
                if old == new {
                    assert!(alerts.is_empty(), "{place}");
                } else if is_same && !alerts.contains(&AlertKind::NotText) {
                    texts += 1;
                    assert_eq!(alerts, [AlertKind::Text], "{place}");
                } else if !seen.contains(new) {
                    told += 1;
                    assert!(!alerts.is_empty() && !alerts.contains(&AlertKind::Text), "{place}");
                } else if alerts.contains(&AlertKind::Alternates) {
                    alternations += 1;
                    flapped = Some(time);
                    assert_eq!(alerts.len(), 1, "{place}");
                } else if alerts.is_empty() {
                    kept_silent += 1;
                    assert!(flapped.is_some_and(|last| time - last <= 86_400), "{place}");
                    flapped = Some(time);
                } else {
                    // It is longer ago than what is searched.
                    told += 1;
                }
                seen.insert(new);
            }
        }
    }
    println!(
        "{sites} sites, {looks} looks: {told} changes told, {texts} in text only, {alternations} times back and forth \
         ({kept_silent} more within a day)"
    );
    assert!(sites > 0);
}
