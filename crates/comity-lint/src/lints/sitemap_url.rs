use crate::prelude::*;
use crate::recognize::characters::invisible;
use crate::recognize::host::{host_len, is_local, is_test_host};
use crate::recognize::records::second_record;

lint! {
    /// The address of a sitemap is not a complete URL that search engines can open, so they ignore it.
    ///
    /// Write the complete URL, with `https://` and the host. Write each sitemap on its own line.
    ///
    /// ## What it does
    ///
    /// Finds `Sitemap` lines without a URL with `http:` or `https:`, lines without a value, lines with several URLs, the
    /// placeholders of templates, and hosts such as `localhost` that only a developer's machine has, the hosts of test systems
    /// (a note), URLs without a path, and files such as `llms.txt` or web pages, which are no sitemaps.
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
    for (line, value) in file.sitemaps().filter(|(line, _)| !line.missing_colon) {
        if value.is_empty() {
            check_next_line(file, line.number, out);
            continue;
        }
        // Most files have many sitemaps of one host.
        let host = value.split(|byte| *byte == b'/').nth(2).unwrap_or_default();
        let has_mark = value
            .iter()
            .any(|byte| matches!(byte, b'{' | b'<' | b'$' | b'[' | b',' | b' ' | b'\t') || !byte.is_ascii());
        let has_path = value.len() > host.len() + b"https://".len();
        if !host.is_empty() && host == last_good && is_url(value) && !has_mark && has_path && !is_no_sitemap(value) {
            continue;
        }
        // `two-records-in-one-line` reports such a value.
        if second_record(value).is_some() {
            continue;
        }
        let url = shown(value);
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let is_several = value.windows(3).filter(|part| part == b"://").count() > 1;
        let is_test =
            std::str::from_utf8(host).is_ok_and(is_test_host) && !own.is_some_and(|(_, own)| is_test_host(own));
        let message = if is_no_sitemap(value) {
            let name = shown(value.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
            format!("`{name}` is no sitemap: search engines report an error in it")
        } else if let Some(mark) = placeholder(value, host) {
            format!("`{url}` is a placeholder of a template (`{mark}`) that was not filled in")
        } else if let Some((at, code)) = invisible(value) {
            let span = file.span(&value[at]);
            out.add(span.clone(), format!("the URL of the sitemap contains an invisible character ({code})"))
                .safe("remove it", vec![Edit::new(span, "")]);
            continue;
        } else if !is_url(value) {
            report_incomplete(file, line.number, value, own, out);
            continue;
        } else if is_several && (host.ends_with(b":") || value.windows(5).any(|part| part == b",http")) {
            format!("`{url}` is several addresses in one: write one sitemap per line")
        } else if value.iter().any(is_space) {
            let advice = if is_several { ": write one sitemap per line" } else { "" };
            format!("`{url}` contains white space, which no URL does{advice}")
        } else if host_len(value).is_some_and(|end| is_local(&value[..end])) && !is_local_file(file) {
            format!("no search engine can open `{url}`: it is the address of a developer's machine")
        } else if is_test {
            let host = shown(host);
            let message =
                format!("`{host}` has the name of a test system: search engines that read its sitemap find its pages");
            out.add(file.value(line.number), message).severity(Severity::Note);
            continue;
        } else if value.splitn(4, |byte| *byte == b'/').nth(3).is_none_or(<[u8]>::is_empty) {
            format!("`{url}` has no path: it is the address of a site, not of a sitemap")
        } else {
            last_good = host;
            continue;
        };
        out.add(file.value(line.number), message);
    }
}

/// Returns the text of a URL that is the placeholder of a template, or the value of a variable that was not set.
fn placeholder(value: &[u8], host: &[u8]) -> Option<&'static str> {
    const HOSTS: [&str; 7] =
        ["mydomain.com", "null", "undefined", "your-domain.com", "yourdomain.com", "yoursite.com", "your-site.com"];
    let bare = host.strip_prefix(b"www.").unwrap_or(host);
    let opening = ["{{", "{%", "<%", "${", "{", "[[", "<"]
        .iter()
        .find(|mark| value.windows(mark.len()).any(|part| part == mark.as_bytes()));
    opening.copied().or_else(|| HOSTS.iter().find(|known| known.as_bytes().eq_ignore_ascii_case(bare)).copied())
}

/// Files that are no sitemaps. A text file can be one.
const NO_SITEMAPS: [&str; 5] = ["/llms.txt", "/llms-full.txt", "/robots.txt", ".html", ".htm"];

fn is_no_sitemap(url: &[u8]) -> bool {
    let ends =
        |end: &str| url.len().checked_sub(end.len()).is_some_and(|at| url[at..].eq_ignore_ascii_case(end.as_bytes()));
    NO_SITEMAPS.iter().any(|end| ends(end))
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
    let found = out.add(file.value(number), message);
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
            let found =
                out.add(file.value(number), "the URL of the sitemap is on another line, where crawlers ignore it");
            found.related(next, "the URL");
            let end = file.record_span(number).end;
            if !file.line(number).comment {
                found.safe("put both on one line", vec![Edit::new(end..url.start, " ")]);
            }
        }
        _ => {
            out.add(file.value(number), "the URL of the sitemap is missing");
        }
    }
}
