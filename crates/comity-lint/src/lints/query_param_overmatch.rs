use crate::prelude::*;

lint! {
    /// A rule for a query parameter also matches other parameters, with names that end in the same letters.
    ///
    /// Write two rules: one with `?` before the name, and one with `&`.
    ///
    /// ## What it does
    ///
    /// Finds patterns such as `/*id=`, in which the name of the parameter follows a star and is the end of another
    /// common name. Names of more than three letters, patterns with a value (`/*do=edit`), and patterns within a
    /// directory or for one page (`/list?*id=`) are reported only if a URL of the site (`--sitemap`, `--urls`, `--log`)
    /// has such a parameter.
    ///
    /// ## Why is this bad?
    ///
    /// `/*id=` matches `?id=1`, but also `?paid=1` and `?grid=2`. A parameter follows either `?` or `&`, and no single
    /// pattern can express this.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*id=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?id=
    /// Disallow: /*&id=
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the meaning of a star
    /// - Portent, The Complete Guide to Robots.txt: query parameters
    "L011" "query-param-overmatch", Warning, affects: "crawlers that understand `*`"
}

/// The maximum length of a short name. Many other names end in a name of this length.
const MAX_SHORT_NAME_LEN: usize = 3;

/// The maximum number of pages that are examined for all rules together.
const MAX_PAGES: usize = 1_000_000;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut looked_at = 0;
    for (line, kind, value) in file.rules() {
        let Some((star, name)) = param_after_star(value) else { continue };
        looked_at += file.pages().len();
        if looked_at > MAX_PAGES {
            return out.bound("1,000,000 pages");
        }
        let hit = others(file, line.number, name);
        let (start, end) = value.split_at(star);
        let end = &end[1..];
        let message = if !hit.is_empty() {
            format!("`{}` also matches {}", shown(value), evidence::describe(&hit))
        } else if let Some(longer) = longer(name).filter(|longer| {
            let has_no_value =
                end.len() == name.len() + 1 || matches!(end[name.len() + 1..], [b'*' | b'$'] | [b'*', b'$']);
            // Most pages of one kind have few parameters. Another rule may block the longer name anyway.
            let is_anywhere = matches!(start, b"" | b"/" | b"/*");
            let pattern = [start, b"*?", longer.as_bytes(), b"="].concat();
            has_no_value && is_anywhere && !file.is_covered(line.number, kind, &pattern)
        }) {
            let (own, name) = (shown(value), shown(name));
            format!("`{own}` also matches parameters whose names end in `{name}`, such as `{longer}`")
        } else {
            continue;
        };
        // If the pattern itself contains a `?`, the first parameter follows it directly.
        let (first, other) = match start.strip_suffix(b"?") {
            Some(start) => ([start, b"?", end].concat(), [start, b"?*&", end].concat()),
            None if start.contains(&b'?') => continue,
            None => ([start, b"*?", end].concat(), [start, b"*&", end].concat()),
        };
        out.add(file.span(value), message)
            .unsafe_fix("match only the start of the parameter", file.with_values(line.number, &[&first, &other]));
    }
}

/// Returns the position of the star before the name of a parameter, and the name.
fn param_after_star(value: &[u8]) -> Option<(usize, &[u8])> {
    let equals = value.iter().position(|b| *b == b'=')?;
    let star = value[..equals].iter().rposition(|b| *b == b'*')?;
    let name = &value[star + 1..equals];
    let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    is_name.then_some((star, name))
}

/// Returns a common parameter with a longer name that ends in this one. Only short names are looked up, since hardly
/// any long name is the end of another one.
fn longer(name: &[u8]) -> Option<&'static str> {
    let is_longer = |other: &&[u8]| other.len() > name.len() && other.ends_with(name);
    let longer = words::listed_in(words::PARAMETER).filter(|_| name.len() <= MAX_SHORT_NAME_LEN).filter(is_longer);
    longer.min_by_key(|other| (other.len(), *other)).and_then(|other| std::str::from_utf8(other).ok())
}

/// Returns the pages that the rule blocks because of another parameter, whose name only ends in that of the rule's
/// parameter.
fn others<'a>(file: &File<'a>, line: u32, name: &[u8]) -> Vec<&'a KnownPage> {
    let only_ends_alike = |page: &&&KnownPage| {
        let Some((_, query)) = page.path().split_once('?') else { return false };
        let names = || query.split('&').filter_map(|pair| pair.split_once('=')).map(|(key, _)| key.as_bytes());
        names().any(|key| key.len() > name.len() && key.ends_with(name)) && !names().any(|key| key == name)
    };
    file.pages().iter().filter(only_ends_alike).filter(|page| file.forbids(line, page)).copied().collect()
}
