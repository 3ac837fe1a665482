//! The gate: compares instruction counts with budgets. Other programs on the machine do not change these counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::gated::{COUNTED, FIX, PAGES, REAL, WORKLOADS};
use crate::scale::Scale;
use crate::work::Library;
use crate::{callgrind, gated, machine};

/// The percentage by which a count may exceed its budget. Counts vary a little with hash seeds, the environment and
/// addresses.
const TOLERANCE: f64 = 3.0;
/// The maximum ratio of linting real files to parsing them, with any compiler.
const LINT: f64 = 15.0;
/// The maximum ratio of the instructions for a page of twice the size, with any compiler.
const MAX_PAGE_GROWTH: f64 = 2.2;
/// The maximum number of instructions for linting and fixing any file of 512,000 bytes, with any compiler. A current
/// processor core executes them in less than a second.
const MAX_FIX_INSTRUCTIONS: u64 = 2_500_000_000;

/// The content of `gate/budgets.toml`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Budgets {
    /// The environment in which the budgets were counted. Only counts from the same environment are comparable.
    on: On,
    /// The number of instructions of each workload, without those for preparing it.
    instructions: BTreeMap<String, u64>,
}

/// The environment that determines instruction counts, in addition to the source.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct On {
    compiler: String,
    target: String,
    libc: String,
    vectors: String,
}

impl On {
    fn this() -> Self {
        Self {
            compiler: machine::compiler(),
            target: machine::target(),
            libc: machine::libc(),
            vectors: machine::vectors().into(),
        }
    }

    /// Returns the differences as text for people.
    fn differences(&self, other: &Self) -> Vec<String> {
        let pairs = [
            ("compiler", &self.compiler, &other.compiler),
            ("target", &self.target, &other.target),
            ("libc", &self.libc, &other.libc),
            ("vectors", &self.vectors, &other.vectors),
        ];
        let differ = pairs.into_iter().filter(|(_, ours, theirs)| ours != theirs);
        differ.map(|(what, ours, theirs)| format!("{what}: {ours}, here {theirs}")).collect()
    }
}

/// Counts and prints the instructions of workloads. Returns true if no budget is exceeded. Counts from another environment
/// are not compared with the budgets.
pub(crate) fn judge(workloads: &[&'static str]) -> Result<bool> {
    let budgets = load()?;
    let differences = budgets.on.differences(&On::this());
    let mut exceeded = 0;
    for (workload, count) in count_each(workloads)? {
        let budget = budgets.instructions.get(workload).copied();
        let budget = budget.with_context(|| format!("{workload} has no budget; `--bless` gives it one"))?;
        let percent = (count as f64 / budget.max(1) as f64 - 1.0) * 100.0;
        let verdict = if workload.starts_with(FIX) && count > MAX_FIX_INSTRUCTIONS {
            exceeded += 1;
            "EXCEEDED what fixing any file may take"
        } else if !differences.is_empty() {
            "not judged"
        } else if percent > TOLERANCE {
            exceeded += 1;
            "EXCEEDED"
        } else if percent < -TOLERANCE {
            "within; `--bless` would keep the gain"
        } else {
            "within"
        };
        println!("{workload:<20} {count:>13} instructions, budget {budget:>13}, {percent:+6.2} %: {verdict}");
    }
    exceeded += u32::from(!is_lint_within()?);
    exceeded += u32::from(!are_pages_linear()?);
    if !differences.is_empty() {
        println!("The budgets were not taken here, so nothing was judged: {}.", differences.join("; "));
    }
    Ok(exceeded == 0)
}

/// Returns true if linting real files is within its limit, or if there are no real files.
fn is_lint_within() -> Result<bool> {
    if Library::real_files(Scale::QUICK)?.is_none() {
        println!("SKIPPED: there are no real files here, so linting was not put beside parsing.");
        return Ok(true);
    }
    let [lint, parse] = REAL;
    let ratio = count(lint)? as f64 / count(parse)? as f64;
    println!("linting real files takes {ratio:.1} times what parsing them takes, at most {LINT:.0} times");
    Ok(ratio <= LINT)
}

/// Returns true if reading HTML takes time in proportion to the page.
fn are_pages_linear() -> Result<bool> {
    let [once, twice] = PAGES;
    let ratio = count(twice)? as f64 / count(once)? as f64;
    println!("hostile pages of twice the size take {ratio:.2} times the instructions, at most {MAX_PAGE_GROWTH} times");
    Ok(ratio <= MAX_PAGE_GROWTH)
}

/// Stores the current counts as the budgets.
pub(crate) fn bless() -> Result<bool> {
    let mut instructions = BTreeMap::new();
    for (workload, count) in count_each(&gated::all())? {
        println!("{workload:<20} {count:>13} instructions");
        instructions.insert(workload.to_owned(), count);
    }
    let Budgets { on, instructions } = Budgets { on: On::this(), instructions };
    let mut text = String::from(
        "# Instructions that each workload of the gate may take; 3 % more is a failure.\n\
         # `cargo xtask bench --gate --bless` writes this file. Say in the commit why a budget grew.\n\n[on]\n",
    );
    for (key, value) in
        [("compiler", &on.compiler), ("target", &on.target), ("libc", &on.libc), ("vectors", &on.vectors)]
    {
        text += &format!("{key} = {}\n", serde_json::to_string(value)?); // TOML's strings are JSON's, for such text
    }
    text += "\n[instructions]\n";
    for (workload, why) in WORKLOADS {
        text += &format!("{workload} = {} # {why}\n", instructions[workload]);
    }
    std::fs::write(path(), text)?;
    Ok(true)
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/budgets.toml"))
}

fn load() -> Result<Budgets> {
    let text = std::fs::read_to_string(path()).context("cannot read the budgets; `--bless` makes some")?;
    toml::from_str(&text).context("the budgets are not as expected")
}

/// Counts workloads, as many at a time as there are processors. Returns the counts in the order of the workloads.
fn count_each(workloads: &[&'static str]) -> Result<Vec<(&'static str, u64)>> {
    // From the end: the last workloads take longest, and one would otherwise run alone at last.
    let open = Mutex::new(workloads.iter().rev().copied());
    let next = || open.lock().ok()?.next();
    let count_open = || -> Result<Vec<(&'static str, u64)>> {
        let mut counts = Vec::new();
        while let Some(workload) = next() {
            counts.push((workload, count(workload)?));
        }
        Ok(counts)
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let counts: Result<Vec<_>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(count_open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked"))).collect()
    });
    let mut counts = counts?.concat();
    counts.sort_by_key(|(name, _)| workloads.iter().position(|workload| workload == name));
    Ok(counts)
}

/// Returns the instructions of a workload, without those for its preparation.
fn count(workload: &str) -> Result<u64> {
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    let words = [&*this, "gated", workload].map(str::to_owned);
    let count = callgrind::instructions_in(COUNTED, &words).with_context(|| format!("cannot count {workload}"))?;
    ensure!(count > 0, "{workload} took no instructions: is it still there?");
    Ok(count)
}
