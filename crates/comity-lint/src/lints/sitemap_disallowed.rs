use crate::prelude::*;

lint! {
    /// The file names a sitemap that its own rules block for search engines.
    ///
    /// Add an `Allow` rule for the sitemap, or move the sitemap.
    ///
    /// ## What it does
    ///
    /// Checks for each `Sitemap` line of the site's own host that Googlebot and bingbot may fetch the sitemap. If the
    /// address of the file is not known (`--url`), the host of all `Sitemap` lines is taken for it, if there is only one. A
    /// sitemap of images, videos or news is also reported if the file closes the site to the crawler that it is for.
    ///
    /// ## Why is this bad?
    ///
    /// Rules also apply to sitemaps, so crawlers that obey them do not read this one.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /files/
    /// Sitemap: https://example.com/files/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://example.com/robots.txt
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /files/
    /// Allow: /files/sitemap.xml
    /// Sitemap: https://example.com/files/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://example.com/robots.txt
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    /// - sitemaps.org, Protocol
    "L041" "sitemap-disallowed", Warning, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let with_host = |(_, value)| Some((value, host(value)?));
    let mut sitemaps: Vec<(&[u8], &[u8])> = file.sitemaps().filter_map(with_host).collect();
    if sitemaps.is_empty() {
        return;
    }
    check_special(file, &sitemaps, out);
    let first = sitemaps[0].1;
    let is_only = || sitemaps.iter().all(|(_, host)| host.eq_ignore_ascii_case(first));
    let stated = file.evidence.location.as_deref().and_then(|location| host(location.as_bytes()));
    let Some(own) = stated.or_else(|| is_only().then_some(first)) else { return };
    sitemaps.truncate(MAX_SITEMAPS);
    let patterns = patterns(file);
    sitemaps.retain(|(url, host)| {
        let path = url.splitn(4, |byte| *byte == b'/').nth(3).unwrap_or_default();
        host.eq_ignore_ascii_case(own) && patterns.iter().any(|pattern| may_match(pattern, path))
    });
    if sitemaps.is_empty() {
        return;
    }
    let engines =
        ["Googlebot", "bingbot"].map(|name| (name, file.crawler(name).map(|crawler| file.robots.rules_for(&crawler))));
    for (value, _) in &sitemaps {
        // If the whole site is disallowed, the sitemap is not worth a finding of its own.
        let blocked = engines.iter().find_map(|(name, rules)| {
            let rules = rules.as_ref()?;
            let verdict = rules.check_bytes(value);
            let is_told = rules.check("/").is_disallowed() && rules.check("/x").is_disallowed();
            (verdict.is_disallowed() && !is_told).then_some((name, verdict.line().unwrap_or(0)))
        });
        if let Some((name, by)) = blocked {
            let found = out.add(file.span(value), format!("{name} may not fetch this sitemap: line {by} blocks it"));
            found.related(by, "blocked here");
            let pattern = &file.source[file.value(by)];
            let path = value.windows(pattern.len()).position(|part| part == pattern).map(|at| at + pattern.len());
            let next = path.and_then(|end| value.get(end));
            // The rule ends within a name, so it blocks the pages of that directory, too.
            if pattern.last().is_some_and(u8::is_ascii_alphanumeric)
                && next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            {
                let own = shown(pattern);
                found.help(format!("`{own}` also matches longer names: if only a directory is meant, write `{own}/`"));
            }
        }
    }
}

/// Reports sitemaps of images, videos and news whose crawler the file shuts out, while it lets Googlebot in.
fn check_special(file: &File<'_>, sitemaps: &[(&[u8], &[u8])], out: &mut Diagnostics) {
    const CRAWLERS: [(&str, &str); 3] =
        [("image", "Googlebot-Image"), ("video", "Googlebot-Video"), ("news", "Googlebot-News")];
    for (word, name) in CRAWLERS {
        let is_of_word = |url: &&[u8]| {
            let file = url.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or_default();
            file.to_ascii_lowercase().windows(word.len()).any(|part| part == word.as_bytes())
        };
        if !file.groups.iter().any(|group| group.names_token(name)) {
            continue;
        }
        let Some((value, _)) = sitemaps.iter().find(|(value, _)| is_of_word(value)) else { continue };
        let closed_to = |name: &str| {
            let verdict = file.crawler(name).map(|crawler| file.robots.rules_for(&crawler).check("/x"));
            verdict.filter(comity::Verdict::is_disallowed).and_then(|verdict| verdict.line())
        };
        if let Some(by) = closed_to(name).filter(|_| closed_to("Googlebot").is_none()) {
            let message = format!("this sitemap is for {name}, which may not fetch anything: line {by} blocks it");
            out.add(file.span(value), message).related(by, "blocked here");
        }
    }
}

/// The maximum number of sitemaps that are checked. Those of one site are mostly blocked by the same rule.
const MAX_SITEMAPS: usize = 10;

/// Returns the patterns that may block sitemaps for search engines, without the slash at their start. If everything is
/// blocked, a sitemap is not worth a finding of its own.
fn patterns<'f>(file: &'f File<'_>) -> Vec<&'f [u8]> {
    let groups = file.groups.iter();
    let groups = groups.filter(|group| {
        group.is_for_any() || ["Googlebot", "bingbot", "msnbot"].iter().any(|name| group.names_token(name))
    });
    let rules = groups.flat_map(|group| &group.rules).filter(|rule| rule.kind() == RuleKind::Disallow);
    let rules = rules.filter(|rule| !rule.value().is_empty() && !matches_everything(rule.value()));
    rules.map(|rule| rule.value().strip_prefix(b"/").unwrap_or(rule.value())).collect()
}

/// Returns false if a pattern cannot match a path, both without the slash at their start. Compiling the rules costs more, and few sitemaps are blocked.
fn may_match(pattern: &[u8], path: &[u8]) -> bool {
    let same = pattern.iter().zip(path).take_while(|(own, other)| own == other).count();
    // An escape may be another notation of the path, and so may a letter outside of ASCII.
    match pattern.get(same) {
        None | Some(b'$' | b'%' | 128..) => true,
        Some(b'*') => {
            let mut parts = pattern[same..].split(|byte| matches!(byte, b'*' | b'$'));
            parts.all(|part| {
                !part.is_ascii()
                    || part.contains(&b'%')
                    || part.is_empty()
                    || path.windows(part.len()).any(|other| other == part)
            })
        }
        Some(_) => path.get(same) == Some(&b'%'),
    }
}

/// Returns the host of a URL with a path.
fn host(url: &[u8]) -> Option<&[u8]> {
    let at = url.windows(3).position(|part| part == b"://")?;
    let rest = &url[at + 3..];
    let end = rest.iter().position(|b| *b == b'/')?;
    Some(&rest[..end])
}
