use comity::spelling::edit_distance;
use comity::{Field, Meaning};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::fix::Edit;
use crate::lint::lint;
use crate::text::shown;

lint! {
    /// A `Content-Signal`, `Content-Usage` or `License` has a key or a value that no crawler knows.
    ///
    /// Write `search`, `ai-input` or `ai-train` with `yes` or `no` after `Content-Signal:`, `search` or `train-ai` with `y` or
    /// `n` after `Content-Usage:`, and a whole URL after `License:`.
    ///
    /// ## What it does
    ///
    /// Finds keys of `Content-Signal` other than `search`, `ai-input`, `ai-train` and `use`, and values of the first three
    /// other than `yes` and `no`. `use` has the values `immediate`, `reference` and `full`. In `Content-Usage`, finds the keys and
    /// values of `Content-Signal`. Finds `License` lines without a whole URL.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler skips what it does not know. So `ai-training=no` states nothing about training.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-training=no, search=yes
    /// Allow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Content-Signal: ai-train=no, search=yes
    /// Allow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - Cloudflare, Content Signals Policy
    /// - draft-romm-aipref-contentsignals: the keys and their values
    /// - draft-ietf-aipref-vocab: the keys of `Content-Usage`, and their values
    /// - RSL 1.0: `License` has a fully qualified URL
    "L068" "unknown-signal", Warning, affects: "every crawler"
}

/// The keys, and their values.
const KEYS: [(&str, &[&str]); 4] = [
    ("ai-train", &["yes", "no"]),
    ("ai-input", &["yes", "no"]),
    ("search", &["yes", "no"]),
    ("use", &["immediate", "reference", "full"]),
];

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_usage(file, out);
    check_license(file, out);
    for record in file.robots.records().filter(|record| record.field() == Field::ContentSignal) {
        let Meaning::ContentSignal(signal) = record.meaning() else { continue };
        let line = record.line();
        let source = &file.source[file.value(line)];
        for (key, value) in signal.iter() {
            let known = KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known.as_bytes()));
            let (wrong, options): (&[u8], Vec<&str>) = match known {
                None => (key, KEYS.iter().map(|(known, _)| *known).collect()),
                Some((_, values)) if values.iter().any(|known| value.eq_ignore_ascii_case(known.as_bytes())) => continue,
                Some((_, values)) => (value, values.to_vec()),
            };
            let from = source.windows(key.len()).position(|part| part == key).unwrap_or(0);
            let from = if known.is_some() { from + key.len() } else { from };
            let Some(at) = source[from..].windows(wrong.len().max(1)).position(|part| part == wrong) else { continue };
            let at = from + at;
            let start = file.value(line).start + at;
            let span = start..start + wrong.len();
            let what = if known.is_none() { "signal" } else { "value" };
            let near = |option: &&&str| {
                let starts = wrong.len() >= MIN_START && wrong.to_ascii_lowercase().starts_with(option.as_bytes());
                starts || edit_distance(wrong, option.as_bytes(), 2).is_some() && wrong.len() >= MIN_START
            };
            if let Some(meant) = options.iter().find(near) {
                let message = format!("`{}` is not a known {what}; did you mean `{meant}`?", shown(wrong));
                out.add(line, span.clone(), message).unsafe_fix(format!("write `{meant}`"), vec![Edit::new(span, *meant)]);
            } else {
                let message = format!("`{}` is not a known {what}, so crawlers skip it", shown(wrong));
                out.add(line, span, message).help(format!("the known {what}s are {}", options.join(", ")));
            }
        }
    }
}

/// Finds what is written for `Content-Signal`. Other keys may belong to extensions.
fn check_usage(file: &File<'_>, out: &mut Diagnostics) {
    for record in file.robots.records().filter(|record| record.field() == Field::ContentUsage) {
        let line = record.line();
        let value = String::from_utf8_lossy(&file.source[file.value(line)]).to_ascii_lowercase();
        let list = value.split_whitespace().filter(|word| !word.starts_with('/')).collect::<Vec<_>>().concat();
        for member in list.split(',') {
            let (key, stated) = member.split_once('=').unwrap_or((member, ""));
            let meant_key = match key {
                "ai-train" => "train-ai",
                "train-ai" | "search" => key,
                _ => continue,
            };
            let meant = match stated {
                "yes" => "y",
                "no" => "n",
                _ => stated,
            };
            if meant_key != key || meant != stated {
                let message = format!("`{key}={stated}` states nothing in `Content-Usage`; did you mean `{meant_key}={meant}`?");
                out.add(line, file.value(line), message);
            }
        }
    }
}

/// Finds licenses that no crawler can open.
fn check_license(file: &File<'_>, out: &mut Diagnostics) {
    for record in file.robots.records().filter(|record| record.field() == Field::License) {
        if matches!(record.meaning(), Meaning::NotUnderstood { .. }) {
            let line = record.line();
            let message = format!("`{}` is no license that a crawler can open", shown(record.value()));
            out.add(line, file.value(line), message).help("write the whole URL, with https:// and the host");
        }
    }
}

/// The minimum length of a name that is compared with known ones.
const MIN_START: usize = 4;
