//! The time of `comity diff`, beside `comity check`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::start;

/// The size of the files, in bytes.
const FILE_OCTETS: usize = 4_000;

/// The number of times that both commands are run, one after the other.
const ROUNDS: usize = 101;

/// The greatest median of the time of `comity diff`, divided by that of `comity check` on one of the files in the same
/// round.
const MAX_RATIO: f64 = 1.5;

/// Measures both commands, and returns what exceeds the limit.
pub(super) fn judge(comity: &Path) -> Result<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("comity-bench-meaning-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let [old, new] = [("old.txt", false), ("new.txt", true)].map(|(name, is_new)| (folder.join(name), file(is_new)));
    for (path, text) in [&old, &new] {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let [comity, old, new] = [comity, &old.0, &new.0].map(|path| path.to_string_lossy().into_owned());
    let check = [&*comity, "check", "--robots", &old, "/catalog/7/"].map(str::to_owned);
    let diff = [&*comity, "diff", "--fail-on", "undecided", &old, &new].map(str::to_owned);
    let mut ratios = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        // The second command finds more of the program in the caches, so the order alternates.
        let (check, diff) = if round % 2 == 0 {
            let check = start::milliseconds(&check)?;
            (check, start::milliseconds(&diff)?)
        } else {
            let diff = start::milliseconds(&diff)?;
            (start::milliseconds(&check)?, diff)
        };
        ratios.push(diff / check);
    }
    std::fs::remove_dir_all(&folder)?;
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ROUNDS / 2];
    println!(
        "| `comity diff` of two files of 4 kB: {ratio:.2} times the time of `comity check`, median of {ROUNDS} rounds |"
    );
    Ok(Vec::from_iter(
        (ratio > MAX_RATIO)
            .then(|| format!("`comity diff` takes {ratio:.2} times `comity check`, at most {MAX_RATIO}")),
    ))
}

/// Returns a file of a shop. In the new one, a rule is missing and another one has changed.
fn file(is_new: bool) -> String {
    let mut text = String::from("User-agent: *\n");
    for index in 0.. {
        let rule = match index % 4 {
            0 => format!("Disallow: /catalog/{index}/print/\n"),
            1 => format!("Disallow: /account/{index}\n"),
            2 => format!("Allow: /catalog/{index}/help\n"),
            _ => format!("Disallow: /search/{index}/*?sort=\n"),
        };
        if text.len() + rule.len() > FILE_OCTETS {
            break;
        }
        match (is_new, index) {
            (true, 40) => {}
            (true, 41) => text += "Disallow: /account/41/\n",
            _ => text += &rule,
        }
    }
    text
}
