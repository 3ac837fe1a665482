//! Real histories of robots.txt files, replayed as looks with the clock of their commits.
//!
//! `COMITY_WATCH_HISTORIES` names a folder with git repositories. Each file of them whose name contains `robots` and ends with
//! `.txt` is a site, and so is each one that is named after its host in a folder `cleaned`, as the archive
//! nrjones8/robots-dot-txt-archive-bot has them. Skipped without it.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use comity::{Crawlers, SIZE_LIMIT};
use comity_fetch::Time;
use comity_report::{Diff, DiffBeside, ProofScope};
use comity_watch::AlertKind;

use crate::history::{Answer, Watched, kinds};

fn git(repository: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A version of a file: the time of its commit, and the hash of its text, if there is a file.
type Version = (u64, Option<String>);

/// Returns the histories of the files that are sites, each with the oldest version first.
fn histories(repository: &Path) -> BTreeMap<String, Vec<Version>> {
    let options = ["--first-parent", "--reverse", "--raw", "--no-abbrev", "--no-renames", "--format=%ct"];
    let log = git(repository, &[&["-c", "core.quotePath=false", "log"], &options[..]].concat());
    let mut histories = BTreeMap::<String, Vec<Version>>::new();
    let mut time = 0;
    for line in String::from_utf8_lossy(&log).lines().filter(|line| !line.is_empty()) {
        let Some((change, path)) = line.strip_prefix(':').and_then(|rest| rest.split_once('\t')) else {
            time = line.parse().unwrap();
            continue;
        };
        if is_site(path) {
            let hash = change.split(' ').nth(3).unwrap();
            let versions = histories.entry(path.to_owned()).or_default();
            // Time does not go back for a watcher.
            let time = versions.last().map_or(time, |(last, _)| time.max(last + 1));
            versions.push((time, Some(hash.to_owned()).filter(|hash| hash.bytes().any(|byte| byte != b'0'))));
        }
    }
    histories
}

/// Returns true if a file is the robots.txt of a site.
fn is_site(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    name.strip_suffix(".txt").is_some_and(|name| name.contains("robots"))
        || folders.split('/').any(|folder| folder == "cleaned") && name.contains('.')
}

/// Returns the text of each version.
fn bodies_of(repository: &Path, versions: &[Version]) -> Vec<Option<String>> {
    let mut cat = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(repository)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let hashes: Vec<&str> = versions.iter().filter_map(|(_, hash)| hash.as_deref()).collect();
    let mut stdin = cat.stdin.take().unwrap();
    let asked = hashes.join("\n") + "\n";
    let asking = std::thread::spawn(move || stdin.write_all(asked.as_bytes()).unwrap());
    let mut stdout = BufReader::new(cat.stdout.take().unwrap());
    let mut read = || {
        let mut head = String::new();
        stdout.read_line(&mut head).unwrap();
        let size: usize = head.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
        let mut body = vec![0; size + 1];
        stdout.read_exact(&mut body).unwrap();
        String::from_utf8_lossy(&body[..size]).into_owned()
    };
    let texts = versions.iter().map(|(_, hash)| hash.as_ref().map(|_| read())).collect();
    asking.join().unwrap();
    cat.wait().unwrap();
    texts
}

/// Returns true for a text that an archive keeps in place of a file that it could not fetch.
fn is_note(text: &str) -> bool {
    matches!(text.trim_end(), "Request failed" | "Got an HTML response")
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
        for (path, history) in histories(&repository) {
            let bodies = bodies_of(&repository, &history);
            sites += 1;
            let (mut site, mut last, mut seen) = (Watched::new(), None::<&str>, HashSet::new());
            let mut flapped = None;
            for ((time, _), text) in history.iter().zip(&bodies) {
                let (time, text) = (*time, text.as_deref());
                if text.is_some_and(is_note) {
                    continue;
                }
                let now = Time::from_unix_seconds(time);
                let answer = text.map_or(Answer::Status(404), Answer::File);
                site.look(now, &answer);
                // What follows the limit is not stored.
                let text = text.map(|text| &text[..text.floor_char_boundary(SIZE_LIMIT)]);
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
                // Nobody is hit by a change for URLs that nobody sends.
                let is_same = diff.changes.iter().all(|change| !change.sent)
                    && diff.omitted.is_none()
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
