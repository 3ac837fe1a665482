use crate::prelude::*;
use crate::readers::{READERS, Reader, about};

lint! {
    /// A validator rejects a line that crawlers accept.
    ///
    /// Decide whether the line is worth its price. Never send validators another file than crawlers.
    ///
    /// ## What it does
    ///
    /// Finds fields that Lighthouse, which measures pages for Google, does not know: `Agentmap`, `Schemamap`,
    /// `LLMs`, `License` and `LLM-Policy`. Each field is reported once. `comity lint --reader lighthouse` reports
    /// everything that this validator rejects, and nothing else: also `Content-Usage`, a relative `Sitemap`, a pattern that starts with
    /// neither `/` nor `*`, `$` before the end of a pattern, an empty `User-agent`, a line without a colon, rules before the
    /// first group, and an answer of 429 or 5xx. `--reader google` asks Google's own reporter.
    ///
    /// ## Why is this bad?
    ///
    /// One rejected line makes the whole file invalid for Lighthouse, and its SEO score falls by 8 points. Crawlers ignore
    /// fields that they do not know, so nothing else is affected. To send Lighthouse another file is cloaking: it
    /// then measures a site that nobody visits.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// Agentmap: https://example.com/.well-known/ai-catalog.json
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Lighthouse, `core/audits/seo/robots-txt.js`
    /// - Google's open-source parser, `reporting_robots.cc`
    "L067" "rejected-by-reader", Note, affects: "reports of validators, not crawlers"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    match file.reader {
        Some(reader) => check_all(file, reader, out),
        None => check_fields(file, &READERS[0], out),
    }
}

/// Reports each field once that a reader does not know and that has another use.
fn check_fields(file: &File<'_>, reader: &Reader, out: &mut Diagnostics) {
    let mut told: Vec<&str> = Vec::new();
    for line in file.others() {
        let Content::Other { name, .. } = line.content else { continue };
        let Some((field, use_of)) = about(name).filter(|(field, _)| !is_in(reader.fields, field.as_bytes())) else {
            continue;
        };
        if told.contains(&field) {
            continue;
        }
        told.push(field);
        let Reader { title, cost, .. } = reader;
        let message = format!("`{field}`: {title} does not know it, and {cost}; crawlers are not affected");
        out.add(file.span(name), message)
            .help(format!("{use_of}. Do not send validators another file than crawlers: that is cloaking"));
    }
}

/// Reports everything that a reader rejects.
fn check_all(file: &File<'_>, reader: &Reader, out: &mut Diagnostics) {
    let served = file.evidence.served.as_ref().and_then(|served| served.status);
    if reader.rejects("server-error") && served.is_some_and(|status| status >= 500 || status == 429) {
        out.add(0..0, format!("{}: the robots.txt is answered by an error of the server", reader.title));
    }
    let mut in_group = false;
    for line in &file.lines {
        let span = file.record_span(line.number);
        let record = file.source[span.clone()].trim_ascii();
        if record.is_empty() || record.starts_with(b"#") {
            continue;
        }
        let Some(colon) = record.iter().position(|byte| *byte == b':') else {
            if reader.rejects("no-colon") {
                reject(reader, span, "the line has no colon", out);
            }
            continue;
        };
        let (name, value) = (record[..colon].trim_ascii_end(), record[colon + 1..].trim_ascii());
        let is = |field: &str| name.eq_ignore_ascii_case(field.as_bytes());
        let is_rule = is("allow") || is("disallow");
        let why = if !is_in(reader.fields, name) {
            Some(format!("it does not know `{}`", shown(name)))
        } else if is("sitemap") && reader.rejects("relative-sitemap") && !is_absolute(value) {
            Some("the address of a sitemap must start with `https://`".to_owned())
        } else if is("user-agent") && value.is_empty() && reader.rejects("empty-agent") {
            Some("the line names no crawler".to_owned())
        } else if is_rule && reader.rejects("pattern-start") && !matches!(value, [] | [b'/' | b'*', ..]) {
            Some("a pattern must start with `/` or `*`".to_owned())
        } else if is_rule && reader.rejects("inner-dollar") && value.iter().rev().skip(1).any(|byte| *byte == b'$') {
            Some("`$` must be the last character of a pattern".to_owned())
        } else if is_rule && reader.rejects("no-group") && !in_group {
            Some("there is no `User-agent` before the rule".to_owned())
        } else {
            None
        };
        // A line that is rejected starts no group.
        in_group |= is("user-agent") && why.is_none();
        if let Some(why) = why {
            reject(reader, span, &why, out);
        }
    }
}

fn reject(reader: &Reader, span: std::ops::Range<usize>, why: &str, out: &mut Diagnostics) {
    out.add(span, format!("{} rejects this line, and {}: {why}", reader.title, reader.cost))
        .severity(Severity::Warning);
}

/// Returns true if a URL names its scheme, one of those that validators accept, and a host.
fn is_absolute(url: &[u8]) -> bool {
    is_url(url) || url.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"ftp://"))
}
