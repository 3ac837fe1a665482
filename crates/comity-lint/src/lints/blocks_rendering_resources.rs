use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::Resource;
use crate::prelude::*;

lint! {
    /// Style sheets or scripts are blocked for Googlebot, so it can't render pages as visitors see them.
    ///
    /// Remove the rule, or add an `Allow` rule for these files.
    ///
    /// ## What it does
    ///
    /// Finds the rules that block `.css` or `.js` files for Googlebot: by this extension, or in directories with names
    /// that are typical of them (`/css/`, `/js/`, `/assets/`, `/wp-includes/`, `/wp-content/`, `/_next/`, `/typo3temp/` and a few more), unless
    /// an `Allow` rule opens them again. WordPress adds `?ver=` to these URLs, so `/*?` and `/*?ver=` block them, and `Allow: /*.js$` does
    /// not open them. With pages (`--page`), finds the rules that block files that these pages load.
    ///
    /// ## Why is this bad?
    ///
    /// Google renders pages as a browser does. Without style sheets and scripts, it sees an empty or broken page, and
    /// evaluates that.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /css/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cgi-bin/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google Search Central, Fix Search-related JavaScript problems: don't block resources
    "L027" "blocks-rendering-resources", Warning, affects: "search engines that render pages"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let told = check_pages(file, out);
    let mut rules = None;
    let is_of =
        |system: &'static [u8]| LazyCell::new(move || file.rules().any(|(_, _, value)| value.starts_with(system)));
    let (is_wordpress, is_joomla) = (is_of(b"/wp-admin"), is_of(b"/administrator/"));
    for (line, value) in file.disallowed() {
        // WordPress adds a version to the URLs of its scripts.
        let is_query =
            matches!(value, b"/*?" | b"*?" | b"/*?*" | b"*?*" | b"/*?ver=" | b"/*?ver=*" | b"/*ver=") && *is_wordpress;
        let is_of_joomla = matches!(value, b"/media/" | b"/templates/") && *is_joomla;
        let Some(ending) = holds(value).or_else(|| (is_query || is_of_joomla).then_some(b".js")) else { continue };
        // `unescaped-unsafe` reports rules with spaces, which match nothing.
        let is_dead = value.iter().any(|b| matches!(b, b' ' | b'\t' | b'"' | b'<' | b'>'));
        if told.contains(&line.number) || is_dead {
            continue;
        }
        let rules =
            rules.get_or_insert_with(|| file.crawler("Googlebot").map(|crawler| file.robots.rules_for(&crawler)));
        // The path of a file that the pattern matches and other rules are unlikely to match.
        let body = value.strip_suffix(b"$").unwrap_or(if is_query { &b"/wp-includes/js/x.js"[..] } else { value });
        let mut probe = body.split(|b| *b == b'*').collect::<Vec<_>>().join(&b"x"[..]);
        if !probe.starts_with(b"/") {
            probe.insert(0, b'/');
        }
        if !probe.ends_with(ending) {
            if !probe.ends_with(b"/") {
                probe.push(b'/');
            }
            // The scripts of WordPress are in `/wp-includes/js/`, which some files allow.
            for (folder, inner) in [("wp-includes/", "js/"), ("_next/", "static/"), ("wp-content/", "themes/")] {
                if value.ends_with(folder.as_bytes()) {
                    probe.extend_from_slice(inner.as_bytes());
                }
            }
            probe.push(b'x');
            probe.extend_from_slice(ending);
        }
        if body.starts_with(b"/wp-") && !value.ends_with(b"$") {
            probe.extend_from_slice(b"?ver=1");
        }
        let Some(rules) = rules else { return };
        let verdict = rules.check_bytes(&probe);
        if verdict.is_disallowed() && verdict.line() == Some(line.number) {
            let what = if ending == b".css" { "style sheets" } else { "scripts" };
            // Some sites keep only images there. Only a page shows it.
            let is_general =
                [&b"/assets/"[..], b"/static/", b"/typo3conf/"].iter().any(|folder| value.starts_with(folder));
            let effect = if is_general { "probably blocks" } else { "blocks" };
            out.add(
                file.span(value),
                format!("`{}` {effect} {what}: Googlebot renders pages without them", shown(value)),
            );
        }
    }
}

/// Checks the files that real pages load. Returns the lines with findings.
fn check_pages(file: &File<'_>, out: &mut Diagnostics) -> BTreeSet<u32> {
    let mut told = BTreeSet::new();
    let Some(crawler) = file.crawler("Googlebot").filter(|_| !file.evidence.resources.is_empty()) else { return told };
    let rules = file.robots.rules_for(&crawler);
    let own = file.evidence.location.as_deref().and_then(evidence::site);
    let mut blocked: BTreeMap<u32, Vec<&Resource>> = BTreeMap::new();
    for resource in &file.evidence.resources {
        // Files on other sites are skipped, since another robots.txt governs them.
        let site = own.or_else(|| evidence::site(&resource.page));
        let is_ours = |url: &str| match (site, evidence::site(url)) {
            (Some(a), Some(b)) => a.0.eq_ignore_ascii_case(b.0) && a.1.eq_ignore_ascii_case(b.1),
            _ => true,
        };
        // A page that Googlebot may not fetch is not rendered.
        if !is_ours(&resource.url) || is_ours(&resource.page) && rules.check(&resource.page).is_disallowed() {
            continue;
        }
        let verdict = rules.check(&resource.url);
        if let Some(line) = verdict.line().filter(|_| verdict.is_disallowed()) {
            blocked.entry(line).or_default().push(resource);
        }
    }
    for (line, resources) in blocked {
        let first = resources[0];
        let what = if first.is_style { "style sheet" } else { "script" };
        let different: BTreeSet<&str> = resources.iter().map(|resource| resource.url.as_str()).collect();
        let more = if different.len() > 1 { format!(" and {} more", different.len() - 1) } else { String::new() };
        let (path, page) = (shown(evidence::path(&first.url).as_bytes()), shown(first.page.as_bytes()));
        let message = format!("this blocks the {what} `{path}`{more}: Googlebot renders {page} without it");
        out.add(file.record_span(line), message);
        told.insert(line);
    }
    told
}

/// Returns the extension, `.css` or `.js`, of the files that a pattern matches, by that extension or by the name of a
/// directory.
fn holds(value: &[u8]) -> Option<&'static [u8]> {
    // APIs for other sites are not loaded by the site's own pages.
    // Shopify's default file disallows its web pixels, which render nothing.
    let is_other = || value.windows(5).any(|part| part == b"/api/") || value.starts_with(b"/cdn/wpm/");
    ending(value).filter(|_| !is_other())
}

fn ending(value: &[u8]) -> Option<&'static [u8]> {
    let body = value.strip_suffix(b"$").unwrap_or(value);
    let body = body.strip_suffix(b"*").unwrap_or(body);
    if body.ends_with(b".css") || body.ends_with(b".js") {
        let dot = body.iter().rposition(|b| *b == b'.')?;
        // Patterns for single files are not reported, since a page without one of its files is rarely broken.
        let general = dot == 0 || body[dot - 1] == b'*' && matches!(body[..dot - 1], [] | [.., b'/' | b'*']);
        return general.then_some(if body.ends_with(b".css") { b".css" } else { b".js" });
    }
    // Pages that only the owner of the site sees need not be rendered.
    let directory = body.strip_suffix(b"/").filter(|path| !path.starts_with(b"/wp-admin"))?;
    let name = directory.rsplit(|b| *b == b'/').next().unwrap_or(directory);
    if is_listed(directory, words::SCRIPTS) || is_listed(name, words::SCRIPTS) {
        return Some(b".js");
    }
    is_listed(name, words::STYLES).then_some(b".css")
}
