use crate::prelude::*;
use crate::readers::about;
use crate::recognize::characters::invisible;
use crate::recognize::records::{LastName, affected, effect, mistake, other_separator, read_by_google};

lint! {
    /// A line is not a record that crawlers understand, so they ignore it.
    ///
    /// Write a record as a field name, a colon and a value. Write `#` before a comment.
    ///
    /// ## What it does
    ///
    /// Finds lines that are neither blank, nor comments, nor records: prose, markup, comments in the syntax of other
    /// languages (`//`, `/* */`), field names followed by `=`, `;` or a full-width colon, and unknown field names such
    /// as `Block`. Prose, URLs and the fields of ACAP are reported once for the whole file. Misspelled field names are
    /// reported by `misspelled-field`, and the fields of groups for unknown crawlers are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers silently skip such a line. A rule in it has no effect, so what it should block is allowed.
    ///
    /// ## Example
    ///
    /// ```robots
    /// // the shop
    /// User-agent: *
    /// Disallow=/cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// # the shop
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: the grammar
    /// - Google, robots.txt report: "syntax not understood"
    "L053" "not-understood", Warning, affects: "every crawler"
}

/// Words that people write instead of the name of a field, or that a program translated.
const SYNONYMS: [(Field, &str); 3] = [
    (
        Field::Disallow,
        "block,deny,forbid,reject,exclude,prevent,prohibit,ban,interdire,nicht zulassen,no permitir,prohibir,proibir,verbieten,vietare",
    ),
    (Field::Allow, "permit,accept,include,autoriser,consentire,erlauben,permettre,permitir,zulassen"),
    (
        Field::UserAgent,
        "agent,bot,robot,crawler,spider,agent utilisateur,agente de usuario,agente utente,benutzeragent",
    ),
];
/// The maximum number of lines that one fix turns into comments.
const MAX_COMMENTS: usize = 50;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // Such files are mostly UTF-16 without a byte order mark, which `not-plain-text` reports.
    if file.source.contains(&0) {
        return;
    }
    let mut last = LastName::default();
    let ignored: Vec<&Line<'_>> = file.lines.iter().filter(|line| is_ignored(file, line, &mut last)).collect();
    if report_conflict(file, &ignored, out) {
        return;
    }
    report_acap(file, &ignored, out);
    report_urls(file, &ignored, out);
    file.others().for_each(|line| check_other_reading(file, line, out));
    let starts_tag =
        |line: &&&Line<'_>| line.text.trim_ascii().starts_with(b"<") && !line.text.trim_ascii().starts_with(b"<!--");
    let (mut prose, has_markup) = (Vec::new(), ignored.iter().any(|line| starts_tag(&line)));
    for line in ignored.into_iter().filter(|line| !is_acap(line) && !is_bare_url(line)) {
        // In a web page, lines of style sheets and scripts contain colons and could look like records.
        if has_markup || !check_record(file, line, out) {
            prose.push(line.number);
        }
    }
    report_prose(file, &prose, has_markup, out);
}

/// Reports a known field, such as `DisallowAITraining`, in which Google's parser finds another one.
fn check_other_reading(file: &File<'_>, line: &Line<'_>, out: &mut Diagnostics) {
    let Content::Other { field, name, .. } = line.content else { return };
    // A sitemap with the usual name is read alike.
    if field == Field::Unknown || field == Field::Sitemap && name.len() == "Sitemap".len() {
        return;
    }
    let Some(read) = read_by_google(line).filter(|read| read.field != field && read.has_effect()) else { return };
    let record = format!("{}: {}", read.field, shown(&read.value));
    let message = format!("Google's parser reads `{}` as `{record}`, and Google's crawlers obey that", shown(name));
    out.add(file.span(name), message);
}

/// Returns true if crawlers ignore a line and no other lint reports it.
fn is_ignored<'a>(file: &File<'a>, line: &Line<'a>, last: &mut LastName<'a>) -> bool {
    let is_candidate = matches!(line.content, Content::NoRecord | Content::Other { field: Field::Unknown, .. });
    is_candidate
        && std::str::from_utf8(line.text).is_ok()
        && invisible(line.text).is_none()
        && mistake(file, line, last).is_none()
        && !is_url_of_sitemap_above(file, line)
}

/// Returns true if a line is a URL after a `Sitemap:` line without a value, which `sitemap-url` reports.
fn is_url_of_sitemap_above(file: &File<'_>, line: &Line<'_>) -> bool {
    is_url(line.text.trim_ascii())
        && file.lines[..line.number as usize - 1]
            .iter()
            .rev()
            .find(|above| !matches!(above.content, Content::Blank | Content::Comment))
            .is_some_and(|above| {
                // `two-records-in-one-line` reports `Allow: Sitemap:`.
                let text = above.text.trim_ascii();
                text.len().checked_sub(8).is_some_and(|at| text[at..].eq_ignore_ascii_case(b"sitemap:"))
                    || matches!(above.content, Content::Other { field: Field::Sitemap, value: [], .. })
            })
}

/// Reports the marks that Git writes around two versions of the same lines. Returns true if there are any.
fn report_conflict(file: &File<'_>, ignored: &[&Line<'_>], out: &mut Diagnostics) -> bool {
    let Some(first) = ignored.iter().find(|line| line.text.starts_with(b"<<<<<<< ")) else { return false };
    let message = "a merge conflict was not resolved: crawlers apply the lines of both sides";
    out.add(file.record_span(first.number), message).severity(Severity::Error);
    true
}

/// Reports the fields of ACAP, once for the file. No search engine ever supported them.
fn report_acap(file: &File<'_>, ignored: &[&Line<'_>], out: &mut Diagnostics) {
    let all: Vec<u32> = ignored.iter().filter(|line| is_acap(line)).map(|line| line.number).collect();
    let [first, more @ ..] = all.as_slice() else { return };
    out.add(file.record_span(*first), format!("no crawler understands the fields of ACAP{}", also(more)))
        .severity(Severity::Note)
        .help("delete these lines");
}

fn is_acap(line: &Line<'_>) -> bool {
    matches!(line.content, Content::Other { name, .. } if name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"acap-")))
}

/// Reports URLs without a field name, once for those of sitemaps and once for others.
fn report_urls(file: &File<'_>, ignored: &[&Line<'_>], out: &mut Diagnostics) {
    let is_sitemap = |line: &Line<'_>| line.text.windows(7).any(|part| part.eq_ignore_ascii_case(b"sitemap"));
    for of_sitemaps in [true, false] {
        let all = ignored.iter().filter(|line| is_bare_url(line) && is_sitemap(line) == of_sitemaps);
        let all: Vec<u32> = all.map(|line| line.number).collect();
        let [first, more @ ..] = all.as_slice() else { continue };
        let message = format!("a URL without a field name is ignored{}", also(more));
        let found = out.add(file.record_span(*first), message);
        if of_sitemaps {
            let edits = all
                .iter()
                .map(|line| Edit::new(file.record_span(*line).start..file.record_span(*line).start, "Sitemap: "));
            found.safe(if more.is_empty() { "make it a sitemap" } else { "make them sitemaps" }, edits.collect());
        }
    }
}

fn is_bare_url(line: &Line<'_>) -> bool {
    let text = line.text.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii();
    is_url(text) && !text.contains(&b' ')
}

/// Reports a line that resembles a record. Returns false if it doesn't.
fn check_record(file: &File<'_>, line: &Line<'_>, out: &mut Diagnostics) -> bool {
    let record = file.record_span(line.number);
    let text = &file.source[record.clone()];
    if let Some((field, separator, value)) = other_separator(text) {
        let value = file.span(value);
        let read = read_by_google(line);
        let message = format!("`{separator}` is not a colon{}", effect(read.as_ref()));
        let found = out.add(record.clone(), message);
        found.affects = affected(read.as_ref());
        found.unsafe_fix(format!("write `{field}:`"), vec![Edit::new(record.start..value.start, format!("{field}: "))]);
        return true;
    }
    let Content::Other { name, value, .. } = line.content else { return false };
    if line.missing_colon {
        return false;
    }
    let span = file.span(name);
    let names_sitemap = name.windows(7).any(|part| part.eq_ignore_ascii_case(b"sitemap"));
    // In `Sitemap url= https://…`, the colon after the scheme is the first one.
    let scheme = [&b" https"[..], b" http"].into_iter().find(|scheme| name.to_ascii_lowercase().ends_with(scheme));
    if let Some(scheme) = scheme.filter(|_| names_sitemap && value.starts_with(b"//")) {
        let field = span.start..span.end - scheme.len() + 1;
        let written = shown(file.source[field.clone()].trim_ascii_end());
        out.add(field.clone(), format!("`{written}` is not a field, so crawlers find no sitemap here"))
            .unsafe_fix("write `Sitemap:`", vec![Edit::new(field, "Sitemap: ")]);
        return true;
    }
    if names_sitemap && is_url(value) {
        out.add(span.clone(), format!("`{}` is not a known field, so crawlers ignore the line", shown(name)))
            .unsafe_fix("write `Sitemap`", vec![Edit::new(span, "Sitemap")]);
        return true;
    }
    // Another lint explains them.
    if about(name).is_some() {
        return true;
    }
    let synonym = SYNONYMS.iter().find(|(_, names)| names.split(',').any(|n| name.eq_ignore_ascii_case(n.as_bytes())));
    let is_name = name.len() < 30 && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if !is_name && synonym.is_none() {
        return false;
    }
    let is_pattern = matches!(value, [b'/' | b'*', ..]);
    let letters = name.iter().filter(|b| b.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect::<Vec<_>>();
    // A program that the table doesn't contain may have fields of its own.
    let is_private = || {
        let agents = file.group_of(line.number).map_or(&[][..], |group| &group.agents);
        !agents.is_empty() && agents.iter().all(|agent| agent.known.is_none() && agent.token != b"*")
    };
    if synonym.is_none() && letters != b"noindex" && is_private() {
        return true;
    }
    let found = out.add(span.clone(), format!("`{}` is not a known field, so crawlers ignore the line", shown(name)));
    if let Some((field, _)) = synonym.filter(|(field, _)| is_pattern || *field == Field::UserAgent) {
        found.unsafe_fix(format!("write `{field}`"), vec![Edit::new(span, field.name())]);
    } else if letters == b"noindex" {
        found.help("put `noindex` into the page or an X-Robots-Tag header, and do not block the page: crawlers have to open it to see that");
    } else if !is_pattern {
        found.severity(Severity::Note);
    }
    true
}

/// Returns true if a text is a whole comment in the syntax of another language.
fn is_comment(text: &[u8]) -> bool {
    let is_between = |open: &[u8], close: &[u8]| text.starts_with(open) && text.ends_with(close);
    text.starts_with(b"//") || is_between(b"<!--", b"-->") || is_between(b"/*", b"*/")
}

fn report_prose(file: &File<'_>, lines: &[u32], has_markup: bool, out: &mut Diagnostics) {
    let Some(first) = lines.first().copied() else { return };
    let text = file.line(first).text.trim_ascii();
    let starts = |marks: &[&str]| marks.iter().find(|mark| text.starts_with(mark.as_bytes())).map(ToString::to_string);
    let mut message = if has_markup {
        "crawlers ignore markup in robots.txt".to_owned()
    } else if let Some(mark) = starts(&["//", "/*", "<!--", ";", "--"]) {
        format!("`{mark}` does not start a comment: comments start with `#`")
    } else {
        "this line is not a record: write a field name, a colon and a value".to_owned()
    };
    message.push_str(&also(&lines[1..]));
    let found = out.add(file.record_span(first), message);
    // To ignore a comment of another language does no harm.
    let are_comments = || lines.iter().all(|line| is_comment(file.line(*line).text.trim_ascii()));
    found.severity_if(!has_markup && are_comments(), Severity::Note);
    if !has_markup && lines.len() <= MAX_COMMENTS {
        let start = |line: &u32| file.record_span(*line).start;
        let edits = lines.iter().map(|line| Edit::new(start(line)..start(line), "# ")).collect();
        found.safe(if lines.len() == 1 { "make it a comment" } else { "make them comments" }, edits);
    }
}
