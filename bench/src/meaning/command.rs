//! The cost of `comity diff`, beside `comity check`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::callgrind;

/// The size of the files, in octets.
const FILE_OCTETS: usize = 4_000;

/// The greatest number of instructions of `comity diff` for each of `comity check` on one of the files.
const MAX_RATIO: f64 = 1.5;

/// Counts the instructions of both commands, and returns what exceeds the limit.
pub(super) fn judge(comity: &Path) -> Result<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("comity-bench-meaning-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let [old, new] = [("old.txt", false), ("new.txt", true)].map(|(name, is_new)| (folder.join(name), file(is_new)));
    for (path, text) in [&old, &new] {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let [comity, old, new] = [comity, &old.0, &new.0].map(|path| path.to_string_lossy().into_owned());
    let count =
        |words: &[&str]| callgrind::instructions(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let check = count(&[&comity, "check", "--robots", &old, "/catalog/7/"])?;
    let diff = count(&[&comity, "diff", "--fail-on", "undecided", &old, &new])?;
    std::fs::remove_dir_all(&folder)?;
    let ratio = diff as f64 / check as f64;
    println!(
        "| `comity diff` of two files of 4 kB: {diff} instructions, {ratio:.2} times those of `comity check`: {check} |"
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
