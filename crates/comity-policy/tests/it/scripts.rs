//! The scripts of `testdata/policy`: every cell of the policy table, step by step. The format is described in
//! `script/mod.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use crate::script::{File, Script, Seen, plain};
use comity_policy::{Policy, Row, Rung};

/// All scripts with the themes that they belong to. They are read from their folder, so that none is forgotten.
fn scripts() -> Vec<(String, Script)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/policy");
    let mut scripts = Vec::new();
    for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        let theme = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{theme}.toml: {e}"));
        scripts.extend(file.script.into_iter().map(|script| (theme.clone(), script)));
    }
    scripts
}

#[test]
fn every_script_goes_as_it_says_and_every_cell_has_one() {
    let scripts = scripts();
    let mut names = BTreeSet::new();
    let mut seen = Seen::default();
    let mut failed = Vec::new();
    for (theme, script) in &scripts {
        assert!(names.insert(&script.name), "{theme}.toml: `{}` is there twice", script.name);
        assert!(!script.clause.is_empty(), "{theme}.toml: `{}`: where does it come from?", script.name);
        for policy in script.policies() {
            for each in &script.each {
                if catch_unwind(AssertUnwindSafe(|| script.run(policy, each, &mut seen))).is_err() {
                    failed.push(format!("{theme}.toml: `{}` {each} under {}", script.name, policy.name));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} scripts go otherwise:\n{}", failed.len(), failed.join("\n"));
    assert!(names.len() > 100, "only {} scripts were found", names.len());
    nothing_was_left_out(&seen);
}

fn nothing_was_left_out(seen: &Seen) {
    let mut missing = Vec::new();
    for policy in Policy::ALL {
        let name = policy.name;
        for row in Row::ALL {
            // The others have no probe, so they can't come to know.
            let is_there = *row != Row::ErrorForMissing || matches!(name, "standard" | "google-2019");
            if seen.rows.contains(&(*row, name)) != is_there {
                missing.push(format!("{} under {name}", plain(row)));
            }
        }
        for rung in [Rung::First, Rung::Then, Rung::Unconfirmed, Rung::Last] {
            if rung == Rung::Unconfirmed && policy.failed_days == 1 {
                continue;
            }
            for (refused, copy) in [(false, false), (false, true), (true, false), (true, true)] {
                if !seen.rungs.contains(&(refused, rung, copy, name)) {
                    missing.push(format!("{rung:?} under {name}, refused: {refused}, copy: {copy}"));
                }
            }
        }
        for fresh in [policy.min_fresh, policy.max_fresh, Duration::from_secs(24 * 60 * 60)] {
            if !seen.fresh.contains(&(fresh, name)) {
                missing.push(format!("fresh for {fresh:?} under {name}"));
            }
        }
        for spread in [false, true] {
            if !seen.retries.contains(&(spread, name)) {
                missing.push(format!("retry under {name}, spread: {spread}"));
            }
        }
    }
    assert!(missing.is_empty(), "no script for:\n{}", missing.join("\n"));
}

#[test]
fn sites_that_fail_together_are_spread_over_the_whole_range() {
    use comity::Origin;
    use comity_policy::{Failure, Input, Site, Time};

    let now = Time::from_unix_seconds(1_800_000_000);
    let mut by_seed = BTreeMap::new();
    for seed in 0..2_000 {
        let mut site = Site::new(&Origin::of("http://a.test").unwrap(), Policy::STANDARD).with_seed(seed);
        let _ = site.poll(now);
        site.handle(Input::Failed(Failure::Dns, ""), now);
        by_seed.insert(site.due().since(now), seed);
    }
    let (least, most) = (by_seed.first_key_value().unwrap().0, by_seed.last_key_value().unwrap().0);
    assert!((Duration::from_secs(240)..Duration::from_secs(243)).contains(least), "{least:?}");
    assert!((Duration::from_secs(358)..=Duration::from_secs(360)).contains(most), "{most:?}");
    assert!(by_seed.len() > 350, "{} different waits", by_seed.len());
}
