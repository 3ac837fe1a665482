use crate::fix::Safety;
use crate::prelude::*;
use crate::recognize::records::{LastName, Mistake, affected, effect, mistake, read_by_google};

lint! {
    /// A field name is misspelled or its colon is missing, so some or all crawlers ignore the line.
    ///
    /// Correct the name, or insert the colon.
    ///
    /// ## What it does
    ///
    /// Finds mistakes that some crawlers accept (`Dissallow`, `Useragent`, a missing colon), and names that are so
    /// similar to a known one that no other can be meant (`Disalllow`, `User_agent`). Other names, such as `License` or
    /// `Content-Signal`, are never reported.
    ///
    /// ## Why is this bad?
    ///
    /// RFC 9309 defines one spelling. Google's parser accepts eight misspellings, and names that only start with a known
    /// one (`Disallowed`, `Sitemap URL`). Other crawlers may ignore the line, and then what it should block is allowed.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Dissallow: /private/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: the grammar
    /// - Google's open-source parser, `robots.cc`: the slips that it forgives
    "L014" "misspelled-field", Warning, affects: "crawlers other than Google's"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut last = LastName::default();
    for line in &file.lines {
        if line.typo || line.missing_colon {
            let meant = match line.content {
                Content::UserAgent { .. } => Field::UserAgent,
                Content::Rule { effect: RuleEffect::NoGroup, .. } => continue,
                Content::Rule { kind: RuleKind::Allow, .. } => Field::Allow,
                Content::Rule { .. } => Field::Disallow,
                Content::Other { field, .. } => field,
                _ => continue,
            };
            if is_repeated(file, line) {
                continue;
            }
            let record = file.record_span(line.number);
            let Some((name, gap)) = name_and_gap(&file.source[record.clone()], line.missing_colon) else { continue };
            let span = record.start..record.start + name;
            let typed = shown(&file.source[span.clone()]);
            let message = if line.typo {
                format!("`{typed}` is misspelled: Google's parser reads it as `{meant}`, others may ignore the line")
            } else {
                format!(
                    "the colon after `{typed}` is missing: Google's parser accepts that, others may ignore the line"
                )
            };
            let edit = Edit::new(
                span.start..record.start + gap,
                format!("{meant}:{}", if line.missing_colon { " " } else { "" }),
            );
            out.add(span, message).safe(format!("write `{meant}:`"), vec![edit]).help(help(meant));
            continue;
        }
        if let Some(Mistake { field, is_name, span, until }) = mistake(file, line, &mut last) {
            let read = read_by_google(line);
            let effect = effect(read.as_ref());
            let (message, title) = if is_name {
                (format!("`{}` is misspelled{effect}", shown(&file.source[span.clone()])), format!("write `{field}`"))
            } else {
                (format!("the colon after `{field}` is missing{effect}"), "insert the colon".to_owned())
            };
            let text = if is_name && until == span.end { field.to_string() } else { format!("{field}: ") };
            let edit = Edit::new(span.start..until, text);
            let is_sitemap = read.as_ref().is_some_and(|read| read.field == Field::Sitemap && is_url(&read.value));
            let found = out.add(span, message);
            found.severity(Severity::Error);
            // Google's parser has the sitemap already, so the others only gain it.
            found.offer(title, vec![edit], if is_sitemap { Safety::Safe } else { Safety::Unsafe });
            found.affects = affected(read.as_ref());
        }
    }
}

/// Returns true if a rule is also in its group without the mistake.
fn is_repeated(file: &File<'_>, line: &Line<'_>) -> bool {
    match line.content {
        Content::Rule { kind, value, .. } => file.is_stated(line.number, kind, value),
        _ => false,
    }
}

/// Returns the effect of correcting a name that Google's parser accepts.
fn help(meant: Field) -> &'static str {
    match meant {
        Field::UserAgent => "after the fix, every crawler reads it as the start of a group",
        Field::Sitemap => "after the fix, every crawler finds the sitemap",
        _ => "after the fix, it applies to all crawlers of the group",
    }
}

/// Returns the length of the name of a record, and the position after its colon or, without a colon, after the white
/// space.
fn name_and_gap(record: &[u8], missing_colon: bool) -> Option<(usize, usize)> {
    if missing_colon {
        let name = record.iter().position(|b| matches!(b, b' ' | b'\t'))?;
        let gap = record[name..].iter().position(|b| !matches!(b, b' ' | b'\t'))?;
        Some((name, name + gap))
    } else {
        let colon = record.iter().position(|b| *b == b':')?;
        Some((record[..colon].trim_ascii_end().len(), colon + 1))
    }
}
