//! Runs the lints on real files: counts the findings of each lint, and checks that safe fixes keep every verdict.
//!
//! `docs/lints/corpus.md` contains the counts. To update it: `UPDATE=1 cargo test -p comity-lint --test it corpus`.

use crate::shared;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::thread;

use comity::{Crawler, Dialect, Robots};
use comity_lint::{ALL, CHECKED_DIALECTS, Evidence, LeftOutReason, Linter, Safety};
use comity_meaning::{Comparison, Outcome};
use serde::Deserialize;

/// The result of a review of findings, from `precision.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByEye {
    /// The number of findings that were reviewed.
    read: u32,
    /// The number of reviewed findings that are wrong, or that report no mistake.
    wrong: u32,
    note: Option<String>,
}

fn files() -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(shared::path("corpus")?).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2_973);
    Some(files)
}

/// Returns evidence with the location of the file, whose name is the host that served it.
fn evidence(file: &Path) -> Evidence {
    let host = file.file_name().unwrap().to_str().unwrap();
    let mut evidence = Evidence::default();
    evidence.location = Some(format!("https://{}/robots.txt", host.trim_end_matches("_443")));
    evidence
}

#[test]
fn counts_are_as_documented() {
    let Some(files) = files() else { return };
    let mut linter = Linter::new();
    linter.select("all").unwrap();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut bounded = 0;
    for file in &files {
        let body = std::fs::read(file).unwrap();
        let report = linter.lint(&body, &evidence(file));
        bounded += usize::from(!report.bounded.is_empty());
        let mut of_file: BTreeMap<&str, usize> = BTreeMap::new();
        for found in &report.diagnostics {
            let source = report.source();
            assert!(found.span.start <= found.span.end && found.span.end <= source.len(), "{}", file.display());
            *of_file.entry(found.lint.code).or_default() += 1;
        }
        for (code, findings) in of_file {
            let count = counts.entry(code).or_default();
            count.0 += findings;
            count.1 += 1;
        }
    }
    let page = page(&counts, files.len(), bounded);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints/corpus.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "the page is out of date: run UPDATE=1 cargo test -p comity-lint --test it corpus");
}

fn page(counts: &BTreeMap<&str, (usize, usize)>, files: usize, bounded: usize) -> String {
    let read: BTreeMap<String, ByEye> = toml::from_str(include_str!("../precision.toml")).unwrap();
    let mut page = format!(
        "# The lints and real files\n\n\
         The findings of the lints in {files} real robots.txt files. The linter gets each file and its address, and no \
         other evidence. Twenty findings of each lint were reviewed, or all if there are fewer. *Correct* is the number \
         of reviewed findings that are true and useful for the site. A lint with more than one wrong finding in \
         twenty is changed, or runs only when it is selected. In {bounded} files, a lint stopped at a bound and \
         reported it.\n\n\
         | lint | severity | findings | files | correct | |\n|---|---|---:|---:|---:|---|\n"
    );
    for lint in ALL {
        let (findings, in_files) = counts.get(lint.code).copied().unwrap_or_default();
        let read = read.get(lint.code);
        assert!(findings < 20 || read.is_some(), "{} is frequent, but precision.toml has no review of it", lint.code);
        let right = read.map_or_else(String::new, |read| format!("{} of {}", read.read - read.wrong, read.read));
        if let Some(read) = read {
            assert!(read.wrong * 20 <= read.read || lint.opt_in, "{} is wrong too often", lint.code);
        }
        let mut notes: Vec<String> = Vec::new();
        if lint.opt_in {
            notes.push("only when selected".to_owned());
        }
        notes.extend(read.and_then(|read| read.note.clone()));
        writeln!(
            page,
            "| [{} {}]({}.md) | {} | {findings} | {in_files} | {right} | {} |",
            lint.code,
            lint.name,
            lint.name,
            lint.severity,
            notes.join("; ")
        )
        .unwrap();
    }
    page
}

#[derive(Deserialize)]
struct Golden {
    file: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    agent: String,
    url: String,
    allowed: bool,
}

#[test]
fn safe_fixes_keep_recorded_verdicts_and_leave_nothing_to_fix() {
    let (Some(corpus), Some(golden)) = (shared::path("corpus"), shared::path("golden/verdicts.jsonl.gz")) else {
        return;
    };
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(File::open(golden).unwrap())).lines();
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    let totals = in_parallel(&lines, |line| keeps_verdicts(&corpus, line));
    let [applied, refused, cases] = totals.into_iter().fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    eprintln!("{applied} fixes applied, {refused} left out, {cases} recorded verdicts as before");
    assert!(applied > 5_000 && cases > 600_000);
    // A fix that is left out was wrongly marked as safe. There are few of them.
    assert!(refused * 500 < applied, "{refused} of {applied} safe fixes were not");
}

/// Applies a function to each item, on all processors.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        let work = &work;
        let parts = items.chunks(items.len().div_ceil(workers));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// Applies the safe fixes to a file. Returns the numbers of applied fixes, of fixes that were left out, and of recorded
/// verdicts.
fn keeps_verdicts(corpus: &Path, line: &str) -> [usize; 3] {
    let golden: Golden = serde_json::from_str(line).unwrap();
    let path = corpus.join(&golden.file);
    let body = std::fs::read(&path).unwrap();
    let mut linter = Linter::new();
    linter.select("all").unwrap();
    let evidence = evidence(&path);
    let fixed = linter.fix(&body, &evidence, Safety::Safe);
    shared::settled(&linter, &evidence, &fixed.body);
    let robots = Robots::parse_with(&fixed.body, &Dialect::GOOGLE_PARSER);
    let mut rules = BTreeMap::new();
    for case in &golden.cases {
        let rules =
            rules.entry(&case.agent).or_insert_with(|| robots.rules_for(&Crawler::token(case.agent.as_str()).unwrap()));
        let allowed = rules.check(&case.url).is_allowed();
        assert_eq!(allowed, case.allowed, "{}: {} {}", golden.file, case.agent, case.url);
    }
    [fixed.applied, fixed.left_out.len(), golden.cases.len()]
}

/// Compares verdicts before and after safe fixes, in each dialect for which fixes are checked. The URLs are made from
/// the file's own rules. The crawlers are those that the file names and some others. The linter's own check is not
/// used.
#[test]
fn safe_fixes_keep_verdicts_in_all_checked_dialects() {
    let Some(files) = files() else { return };
    let asked: usize = in_parallel(&files, |path| {
        let body = std::fs::read(path).unwrap();
        let fixed = Linter::new().fix(&body, &evidence(path), Safety::Safe);
        if fixed.body == body { 0 } else { same_verdicts(&path.display().to_string(), &body, &fixed.body) }
    })
    .into_iter()
    .sum();
    eprintln!("{asked} verdicts as before");
    assert!(asked > 1_000_000);
}

/// Fixed files are proven to have the same verdicts, for all URLs and all crawlers, in each dialect. The whole files are
/// compared here, which does not use the linter's own choice of crawlers.
#[test]
fn safe_fixes_are_proven_in_all_checked_dialects() {
    let Some(files) = files() else { return };
    let fixed = in_parallel(&files, |path| {
        let body = std::fs::read(path).unwrap();
        let fixed = Linter::new().fix(&body, &evidence(path), Safety::Safe);
        let unchecked = fixed.left_out.iter().filter(|left| left.reason == LeftOutReason::Unchecked).count();
        for dialect in CHECKED_DIALECTS.iter().filter(|_| fixed.applied > 0) {
            let [old, new] = [&body, &fixed.body].map(|body| Robots::parse_with(body, dialect));
            let outcome = Comparison::new(&old, &new).verdicts_only().run().outcome();
            assert_eq!(outcome, Outcome::Same, "{}: {dialect}", path.display());
        }
        let changing = fixed.left_out.len() - unchecked;
        [usize::from(fixed.applied > 0), fixed.applied, changing, usize::from(changing > 0), unchecked]
    });
    let total = |index: usize| fixed.iter().map(|counts: &[usize; 5]| counts[index]).sum::<usize>();
    let [files, applied, changing, changing_files, unchecked] = [0, 1, 2, 3, 4].map(total);
    eprintln!(
        "{applied} fixes of {files} files proven; {changing} left out in {changing_files} files, since they change a \
         verdict, and {unchecked} for lack of budget"
    );
    assert!(files > 700, "{files}");
    assert_eq!(unchecked, 0);
    // Few claims are wrong: what is left out was claimed to be safe.
    assert!(changing * 500 < applied, "{changing} of {applied} safe fixes were not");
}

/// The most rules of a group that questions are made of, unless `COMITY_LONG` is set.
const MAX_RULES: usize = 150;

fn same_verdicts(name: &str, before: &[u8], after: &[u8]) -> usize {
    let long = std::env::var_os("COMITY_LONG").is_some();
    let mut asked = 0;
    for dialect in CHECKED_DIALECTS {
        let [old, new] = [before, after].map(|body| Robots::parse_with(body, dialect));
        let mut agents: BTreeSet<&[u8]> = [&b"*"[..], b"Googlebot", b"bingbot", b"YandexBot"].into();
        let named = old.groups().flat_map(|group| group.agents()).map(|agent| agent.token());
        agents.extend(named.filter(|token| !token.is_empty()).take(if long { usize::MAX } else { 6 }));
        let mut paths: BTreeSet<Vec<u8>> = [b"/".to_vec(), b"/some-article-123".to_vec()].into();
        for group in [&old, &new].into_iter().flat_map(Robots::groups) {
            for rule in group.rules().take(if long { usize::MAX } else { MAX_RULES }) {
                let plain: Vec<u8> = rule.value().iter().copied().filter(|byte| !matches!(byte, b'*' | b'$')).collect();
                let filled = String::from_utf8_lossy(rule.value()).replace('*', "x/y").into_bytes();
                paths.extend([[&plain[..], b"z"].concat(), [&plain[..], b"/z.html?q=1"].concat(), plain, filled]);
            }
        }
        for agent in agents {
            let [old, new] = [&old, &new].map(|robots| {
                let known = std::str::from_utf8(agent).ok().and_then(Crawler::known);
                robots.rules_for(&known.unwrap_or(Crawler::literal(agent)))
            });
            for path in &paths {
                let (was, is) = (old.check_bytes(path).answer(), new.check_bytes(path).answer());
                let (agent, path) = (agent.escape_ascii(), path.escape_ascii());
                assert_eq!(was, is, "{name}: {dialect} {agent} {path}");
                asked += 1;
            }
        }
    }
    asked
}

/// All fixes, including unsafe ones, keep the home page and an article open to Googlebot and to a crawler that no file
/// names.
#[test]
fn unsafe_fixes_close_no_site() {
    let Some(files) = files() else { return };
    let blocking: Vec<usize> = in_parallel(&files, |path| {
        let body = std::fs::read(path).unwrap();
        let fixed = Linter::new().fix(&body, &evidence(path), Safety::Unsafe);
        for dialect in CHECKED_DIALECTS {
            let [old, new] = [&body, &fixed.body].map(|body| Robots::parse_with(body, dialect));
            for crawler in
                [Crawler::known("Googlebot").unwrap(), Crawler::token("unnamed-crawler").unwrap(), Crawler::ANY]
            {
                for url in ["/", "/some-article-123"] {
                    let newly = old.check(&crawler, url).is_allowed() && !new.check(&crawler, url).is_allowed();
                    assert!(!newly, "{}: {dialect} {crawler:?} {url}", path.display());
                }
            }
        }
        fixed.left_out.iter().filter(|left| matches!(left.reason, LeftOutReason::BlocksSite(_))).count()
    });
    let (left_out, files) = (blocking.iter().sum::<usize>(), blocking.iter().filter(|count| **count > 0).count());
    eprintln!("{left_out} blocking fixes left out in {files} files");
    assert!(files >= 3, "some real files have such fixes");
}
