use std::ops::Range;

use crate::prelude::*;
use crate::recognize::records::second_record;

lint! {
    /// A line contains two records, so crawlers read the second one as part of the first one's value.
    ///
    /// Write each record on its own line.
    ///
    /// ## What it does
    ///
    /// Finds values that contain a field name and its colon: `Disallow: /a Disallow: /b`.
    ///
    /// ## Why is this bad?
    ///
    /// A line is one record. The path of the first rule becomes one that no URL has, and the second rule does not
    /// exist. Usually, a tool that wrote the file lost a line end.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/ Disallow: /login
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /login
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: one record per line
    "L043" "two-records-in-one-line", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in &file.lines {
        let (Content::UserAgent { value, .. }
        | Content::Rule { value, .. }
        | Content::Other { field: Field::Sitemap | Field::CrawlDelay, value, .. }) = line.content
        else {
            continue;
        };
        let Some(at) = second_record(value) else { continue };
        let span = file.span(&value[at..]);
        let (first, second) = (value[..at].trim_ascii_end(), &value[at..]);
        if first.ends_with(br"\n") {
            let message = "`\\n` stands here as two characters, and ends no line";
            out.add(span, message)
                .help("write the file with real line ends, for example with `printf` or in double quotes");
            continue;
        }
        let found =
            out.add(span.clone(), format!("two records in one line: `{}` needs a line of its own", shown(second)));
        let colon = second.iter().position(|b| *b == b':').unwrap_or(0);
        let (name, own_value) = (&second[..colon], second[colon + 1..].trim_ascii());
        if first.is_empty() {
            // `Allow: Sitemap: https://example.com/sitemap.xml`
            let start = file.record_span(line.number).start;
            if !own_value.is_empty() {
                found.unsafe_fix(format!("write `{}`", shown(second)), vec![Edit::new(start..span.start, "")]);
            } else if let Some(url) = url_below(file, line) {
                found.unsafe_fix(
                    "put it and its value on one line",
                    vec![Edit::new(start..url.start, [name, b": "].concat())],
                );
            }
            continue;
        }
        let is_rule = matches!(line.content, Content::Rule { .. });
        // A rule directly below a user-agent line is meant for it.
        let is_first = || line.number > 1 && matches!(file.line(line.number - 1).content, Content::UserAgent { .. });
        if is_rule && !is_first() && name.eq_ignore_ascii_case(b"user-agent") && matches!(first, b"/" | b"/*" | b"*") {
            // The rule is probably meant for the crawler after it.
            let rule = shown(first);
            found.help(format!(
                "on its own line, `{rule}` would apply to the group above: write the user-agent line first"
            ));
            continue;
        }
        let is_repeated = |below: &Line<'_>| below.text.trim_ascii().eq_ignore_ascii_case(second.trim_ascii());
        if file.lines.get(line.number as usize).is_some_and(is_repeated) {
            found.severity(Severity::Note);
            found.message =
                format!("`{}` is part of the value of this line, and the next line repeats it", shown(second));
            found.unsafe_fix(
                "remove it, since the next line is the same",
                vec![Edit::new(file.span(&value[first.len()..]), "")],
            );
            continue;
        }
        if name.eq_ignore_ascii_case(b"disallow") && matches!(own_value, b"/" | b"/*" | b"*") && !is_rule {
            let whom = if first == b"*" { "every crawler".to_owned() } else { format!("`{}`", shown(first)) };
            found.help(format!("today this rule has no effect; on its own line, it closes the whole site to {whom}"));
        }
        found.unsafe_fix("move it to its own line", vec![Edit::new(file.span(&value[first.len()..at]), file.line_end)]);
    }
}

/// Returns the position of a URL that is alone on the line after a line.
fn url_below(file: &File<'_>, line: &Line<'_>) -> Option<Range<usize>> {
    let below = file.lines.get(line.number as usize)?;
    let url = below.text.trim_ascii();
    (!line.comment && is_url(url) && !url.contains(&b' ')).then(|| file.span(url))
}
