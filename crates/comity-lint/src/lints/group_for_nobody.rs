use crate::prelude::*;

lint! {
    /// A user-agent line names no crawler, so the rules of its group apply to none.
    ///
    /// Write the product token of a crawler, or `*` for all crawlers.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines without a product token: empty lines, and lines with a value that does not start with a
    /// letter or a digit, such as `*bot`. Also finds addresses.
    ///
    /// ## Why is this bad?
    ///
    /// No crawler obeys the rules after such a line. A star means every crawler only if it is alone. In names, it is
    /// not a wildcard.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *bot
    /// Disallow: /cart/
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
    /// - RFC 9309 §2.2.1: product tokens
    "L031" "group-for-nobody", Warning, affects: "the crawlers that are meant"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for agent in file
        .groups
        .iter()
        .flat_map(|group| &group.agents)
        .filter(|agent| agent.token.first().is_some_and(u8::is_ascii_digit))
    {
        if is_address(agent.value) {
            let message = format!("`{}` is an address, and crawlers only compare names", shown(agent.value));
            out.add(file.value(agent.line), message).help("block addresses on the server");
        }
    }
    let agents = file.groups.iter().flat_map(|group| {
        let has_names = group.agents.iter().any(|agent| !agent.token.is_empty());
        group.agents.iter().map(move |agent| (agent, has_names))
    });
    for (agent, has_names) in agents.filter(|(agent, _)| agent.token.is_empty()) {
        let meant = name_in(agent.value);
        // If the crawler is named as well, with the same rules, the line does no harm.
        let named = std::str::from_utf8(meant)
            .ok()
            .filter(|name| !matches!(*name, "" | "*"))
            .and_then(|name| file.line_naming(name));
        if named.is_some_and(|line| file.is_same_group(line, agent.line)) {
            continue;
        }
        // `two-records-in-one-line` reports such a line.
        if agent.value.windows(2).any(|part| part == br"\n") {
            continue;
        }
        let message = match agent.value {
            [] => "this line names no crawler".to_owned(),
            [b'*', ..] => format!("`{}` names no crawler: in names, a star is not a wildcard", shown(agent.value)),
            value => format!("`{}` names no crawler: the name of a crawler starts with a letter", shown(value)),
        };
        let span = file.value(agent.line);
        let found = out.add(span.clone(), message);
        found.severity_if(meant == b"*", Severity::Error);
        // The rules of the group apply to the crawlers of the other lines.
        if agent.value.is_empty() && has_names {
            found.severity(Severity::Note).help("delete the line, or write the name of a crawler");
        }
        // In a group without rules, a crawler would escape the rules of `*`.
        let frees = meant != b"*" && file.group_of(agent.line).is_some_and(|group| group.rules.is_empty());
        if !meant.is_empty() && !frees {
            found.unsafe_fix(format!("write `{}`", shown(meant)), vec![Edit::new(span, meant)]);
        }
    }
}

/// Returns true for an IPv4 address or a range of addresses. The parser of the standard library would add 3 KB to the module
/// of the npm package.
fn is_address(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'/' | b'*'))
        && value.split(|byte| *byte == b'.').count() > 2
}

/// The minimum length of a name between stars that is that of one crawler.
const MIN_NAME: usize = 5;

/// Returns the name that a value without a token probably means: that between two stars or brackets, that after a
/// plus, or `*` after colons. Returns an empty slice if there is none.
fn name_in(value: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let bare = value.trim_ascii_start();
    let start = bare.iter().position(|byte| !matches!(byte, b':' | b' ' | b'\t')).unwrap_or(bare.len());
    if start > 0 && &bare[start..] == b"*" {
        return &bare[start..];
    }
    let inner = match value {
        [b'+', header @ ..] => &header[..header.iter().position(|byte| !is_name(byte)).unwrap_or(header.len())],
        // `*bot` means many crawlers, not one of that name.
        [b'*', inner @ .., b'*'] | [b'*', inner @ ..] if inner.len() >= MIN_NAME => inner,
        [b'(', header @ .., b')'] => {
            let named = header.strip_prefix(b"compatible;").unwrap_or(header).trim_ascii_start();
            &named[..named.iter().position(|byte| !is_name(byte)).unwrap_or(named.len())]
        }
        _ => &[],
    };
    let is_token = inner.first().is_some_and(u8::is_ascii_alphabetic) && inner.iter().all(is_name);
    if is_token { inner } else { &[] }
}
