use comity::{READ_LIMIT, RuleEffect, SIZE_LIMIT};

use crate::prelude::*;
use crate::recognize::groups::speaks_to_yandex;

lint! {
    /// The file, a line or a rule is longer than crawlers read, or there are more rules than they read.
    ///
    /// Write fewer and shorter rules: one pattern for a directory instead of a rule for each page.
    ///
    /// ## What it does
    ///
    /// Finds files of more than 500 KiB, lines of more than 16,663 bytes, and, for Yandex, rules of more than 1,024
    /// characters and rules after the 2,048th. The latter two are notes if the file does not mention Yandex.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers ignore what is beyond a limit. Google reads 500 KiB. Yandex ignores a larger file, so everything is
    /// allowed.
    ///
    /// ## Example
    ///
    /// ```robots-long
    /// A file of 500 KiB and one byte.
    /// ```
    ///
    /// ## Use instead
    ///
    /// Fewer rules: a pattern for a directory instead of one for each page.
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.5: limits
    /// - Yandex, Using the robots.txt file: at most 2,048 rules of 1,024 characters
    "L024" "too-large", Warning, affects: "every crawler"
}

/// The maximum number of rules, as documented by Yandex.
const MAX_YANDEX_RULES: u32 = 2_048;
/// The maximum length of a rule in characters, as documented by Yandex.
const MAX_YANDEX_RULE_CHARS: usize = 1_024;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.body.len() > SIZE_LIMIT {
        let last = file.lines.len() as u32;
        // Fetched files are read only to a little more than the limit, so the true size of such a file is not known.
        let size =
            if file.body.len() <= READ_LIMIT { "more than 512,000".to_owned() } else { file.body.len().to_string() };
        let message = format!(
            "the file has {size} bytes: crawlers ignore the text after 512,000 bytes, and Yandex ignores the whole file"
        );
        out.add(file.record_span(last), message).severity(Severity::Error).affects = "all crawlers";
    }
    let is_large = file.body.len() > SIZE_LIMIT;
    // A file that does not mention Yandex is probably not written for it.
    let severity = if speaks_to_yandex(file) { Severity::Warning } else { Severity::Note };
    let mut rules = 0;
    for line in &file.lines {
        let line_number = line.number;
        if line.too_long {
            out.add(file.record_span(line_number), "the line is longer than 16,663 bytes: the rest is ignored");
        } else if let Content::Rule { value, effect: RuleEffect::Applies, .. } = line.content {
            rules += 1;
            let characters =
                if value.len() > MAX_YANDEX_RULE_CHARS { String::from_utf8_lossy(value).chars().count() } else { 0 };
            if characters > MAX_YANDEX_RULE_CHARS {
                out.add(
                    file.record_span(line_number),
                    format!("the rule has {characters} characters: Yandex ignores rules of more than 1,024 characters"),
                )
                .severity(severity)
                .affects = "Yandex";
            } else if rules == MAX_YANDEX_RULES + 1 && !is_large {
                out.add(
                    file.record_span(line_number),
                    "this is rule 2,049 of the file: Yandex reads 2,048 rules, and ignores this one and those after it",
                )
                .severity(severity)
                .affects = "Yandex";
            }
        }
    }
}
