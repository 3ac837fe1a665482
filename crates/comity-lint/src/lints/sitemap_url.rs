use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::evidence;
use crate::file::File;
use crate::text::shown;
use crate::fix::Edit;
use crate::lint::{Severity, lint};
use crate::recognize::host::{host_len, is_local, is_test_host};
use crate::recognize::characters::invisible;
use crate::recognize::records::second_record;
use crate::recognize::url::is_url;

lint! {
    /// The address of a sitemap is not a complete URL that search engines can open, so they ignore it.
    ///
    /// Write the complete URL, with `https://` and the host. Write each sitemap on its own line.
    ///
    /// ## What it does
    ///
    /// Finds `Sitemap` lines without a URL with `http:` or `https:`, lines without a value, lines with several URLs, the
    /// placeholders of templates, and hosts such as `localhost` that only a developer's machine has, the hosts of test systems (a note), and files such as
    /// `llms.txt`, which are no sitemaps.
    ///
    /// ## Why is this bad?
    ///
    /// A sitemap may be on another host, so its URL must be complete. Google and Yandex ignore relative URLs.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: /sitemap.xml
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://example.com/sitemap.xml
    /// ```
    ///
    /// ## Sources
    ///
    /// - sitemaps.org, Protocol: specifying the location in robots.txt
    /// - Google, How Google interprets the robots.txt specification: sitemap
    "L026" "sitemap-url", Warning, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let own = file.evidence.location.as_deref().and_then(evidence::site);
    let mut last_good: &[u8] = b"";
    for line in &file.lines {
        let Content::Other { field: Field::Sitemap, value, .. } = line.content else { continue };
        if line.missing_colon {
            continue;
        }
        if value.is_empty() {
            check_next_line(file, line.number, out);
            continue;
        }
        // Most files have many sitemaps of one host.
        let host = value.split(|byte| *byte == b'/').nth(2).unwrap_or_default();
        let has_mark = value.iter().any(|byte| matches!(byte, b'{' | b'<' | b'$' | b' ' | b'\t') || !byte.is_ascii());
        if !host.is_empty() && host == last_good && is_url(value) && !has_mark && !is_no_sitemap(value) {
            continue;
        }
        // `two-records-in-one-line` reports such a value.
        if second_record(value).is_some() {
            continue;
        }
        if is_no_sitemap(value) {
            let name = shown(value.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
            out.add(line.number, file.value(line.number), format!("`{name}` is no sitemap: search engines report an error in it"));
            continue;
        }
        if let Some(opening) = ["{{", "{%", "<%", "${"].iter().find(|opening| value.windows(2).any(|part| part == opening.as_bytes())) {
            let message = format!("`{}` is a placeholder of a template (`{opening}`) that was not filled in", shown(value));
            out.add(line.number, file.value(line.number), message);
            continue;
        }
        if let Some((at, c)) = invisible(value) {
            let start = file.span(value).start + at;
            let span = start..start + c.len_utf8();
            let message = format!("the URL of the sitemap contains an invisible character (U+{:04X})", u32::from(c));
            out.add(line.number, span.clone(), message).safe("remove it", vec![Edit::new(span, "")]);
            continue;
        }
        let is_test = std::str::from_utf8(host).is_ok_and(is_test_host);
        if is_url(value) && is_test && !own.is_some_and(|(_, own)| is_test_host(own)) {
            let message = format!("`{}` has the name of a test system: search engines that read its sitemap find its pages", shown(host));
            out.add(line.number, file.value(line.number), message).severity(Severity::Note);
            continue;
        }
        let message = if !is_url(value) {
            report_incomplete(file, line.number, value, own, out);
            continue;
        } else if value.iter().any(|b| matches!(b, b' ' | b'\t')) {
            let several = value.windows(3).filter(|part| part == b"://").count() > 1;
            let advice = if several { ": write one sitemap per line" } else { "" };
            format!("`{}` contains white space, which no URL does{advice}", shown(value))
        } else if is_url(value) && host_len(value).is_some_and(|end| is_local(&value[..end])) && !is_local_file(file) {
            format!("no search engine can open `{}`: it is the address of a developer's machine", shown(value))
        } else {
            last_good = host;
            continue;
        };
        out.add(line.number, file.value(line.number), message);
    }
}

/// The names of files that are never sitemaps.
const NO_SITEMAPS: [&str; 3] = ["llms.txt", "llms-full.txt", "robots.txt"];

fn is_no_sitemap(url: &[u8]) -> bool {
    NO_SITEMAPS.iter().any(|name| {
        let start = url.len().checked_sub(name.len() + 1);
        start.is_some_and(|at| url[at] == b'/' && url[at + 1..].eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Returns true if the file itself is served by a developer's machine.
fn is_local_file(file: &File<'_>) -> bool {
    let location = file.evidence.location.as_deref().unwrap_or_default().as_bytes();
    host_len(location).is_some_and(|end| is_local(&location[..end]))
}

/// Reports an address without a scheme, and mostly without a host. With the location of the file, both are known.
fn report_incomplete(file: &File<'_>, number: u32, value: &[u8], own: Option<(&str, &str)>, out: &mut Diagnostics) {
    let address = value.strip_prefix(b"//").unwrap_or(value);
    let has_host = address.len() < value.len() || host_len(value).is_some();
    let message = if has_host {
        format!("`{}` is not a complete URL: it must start with https://", shown(value))
    } else {
        format!("`{}` is not a complete URL: it must start with https:// and the host", shown(value))
    };
    let found = out.add(number, file.value(number), message);
    if value.iter().any(|b| matches!(b, b' ' | b'\t')) {
        return;
    }
    let (scheme, host) = own.unwrap_or(("https", ""));
    let slash = if value.starts_with(b"/") { "" } else { "/" };
    let whole = if has_host {
        [scheme.as_bytes(), b"://", address].concat()
    } else {
        [scheme.as_bytes(), b"://", host.as_bytes(), slash.as_bytes(), value].concat()
    };
    if own.is_some() {
        found.safe(format!("write `{}`", shown(&whole)), vec![Edit::new(file.span(value), whole)]);
    } else if has_host {
        found.help(format!("write `{}`", shown(&whole)));
    }
}

/// Reports a line without a URL, which may be alone on the next line.
fn check_next_line(file: &File<'_>, number: u32, out: &mut Diagnostics) {
    let next = file.lines[number as usize..].iter().find(|line| !matches!(line.content, Content::Blank));
    match next.map(|next| (next.number, file.record_span(next.number))) {
        Some((next, url)) if is_url(&file.source[url.clone()]) => {
            let found = out.add(number, file.value(number), "the URL of the sitemap is on another line, where crawlers ignore it");
            found.related(next, "the URL");
            let end = file.record_span(number).end;
            if !file.line(number).comment {
                found.safe("put both on one line", vec![Edit::new(end..url.start, " ")]);
            }
        }
        _ => {
            out.add(number, file.value(number), "the URL of the sitemap is missing");
        }
    }
}
