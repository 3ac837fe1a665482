use comity::spelling::edit_distance;
use comity::{Field, Meaning};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::fix::Edit;
use crate::lint::lint;
use crate::text::shown;

lint! {
    /// A `Content-Signal` has a key or a value that no crawler knows.
    ///
    /// Write `search`, `ai-input` or `ai-train`, each with `yes` or `no`.
    ///
    /// ## What it does
    ///
    /// Finds keys of `Content-Signal` other than `search`, `ai-input`, `ai-train` and `use`, and values of the first three
    /// other than `yes` and `no`. `use` has the values `immediate`, `reference` and `full`.
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
            let Some(at) = source.windows(wrong.len()).position(|part| part == wrong) else { continue };
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

/// The minimum length of a name that is compared with known ones.
const MIN_START: usize = 4;
