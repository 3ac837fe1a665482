use comity::user_agent::candidates;

use crate::prelude::*;

lint! {
    /// A user-agent line contains more than one name, and crawlers only read the first word.
    ///
    /// Write one user-agent line for each crawler, with its product token and nothing else.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with a list of crawlers, with a whole `User-Agent` header, or with other text after the
    /// product token of a known crawler. Versions (`Googlebot/2.1`), comments in brackets and stars (`Googlebot*`) are
    /// not reported, since the name before them is meant. Headers and other text are reported once for the whole file. The fix writes each crawler of a list on
    /// its own line.
    ///
    /// ## Why is this bad?
    ///
    /// The line only names the first token: `Googlebot, bingbot` is a line for Googlebot, and bingbot obeys other
    /// rules. A header that starts with `Mozilla` names Mozilla, which is not a crawler.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Googlebot, bingbot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// User-agent: bingbot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: a product token is letters, `_` and `-`
    "L037" "token-cut", Warning, affects: "the crawlers that the line names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let (mut old, mut headers) = (Vec::new(), Vec::new());
    for (group, agent) in file.groups.iter().flat_map(|group| group.agents.iter().map(move |agent| (group, agent))) {
        let (token, value) = (agent.token, agent.value);
        if value.len() == token.len() || token.is_empty() || token == b"*" || file.known.find(value).is_some() {
            continue;
        }
        let rest = &value[token.len()..];
        if matches!(rest[0], b'*' | b'/') && !rest.iter().any(|b| matches!(b, b' ' | b',' | b';' | b'(')) {
            continue;
        }
        // A version and a comment in brackets, as in a header: it is clear which crawler is meant.
        if !token.eq_ignore_ascii_case(b"Mozilla") && is_version(rest) {
            continue;
        }
        // Nor is anything lost of a name with a version after a space, such as `HTTrack 3.0`.
        if rest.trim_ascii().iter().all(|b| b.is_ascii_digit() || *b == b'.') {
            continue;
        }
        // `Yahoo! Slurp` was the name of Yahoo's crawler, and it is clear which one is meant.
        if rest[0] == b'!' {
            continue;
        }
        let names: Vec<&[u8]> = value
            .split(|b| matches!(b, b',' | b';' | b'|'))
            .map(<[u8]>::trim_ascii)
            .filter(|name| !name.is_empty())
            .collect();
        let is_token = |name: &&[u8]| name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        let span = file.value(agent.line);
        if names.len() > 1 && names.iter().all(is_token) {
            let others = match names.len() - 1 {
                1 => format!("not `{}`", shown(names[1])),
                others => format!("none of the {others} others"),
            };
            out.add(span, format!("this line only names `{}`, {others}", shown(token)))
                .unsafe_fix("write each on its own line", file.with_values(agent.line, &names));
        } else if token.eq_ignore_ascii_case(b"Mozilla") {
            // Headers of old browsers in copied lists mean no crawler.
            let header = String::from_utf8_lossy(value);
            let meant =
                candidates(&header, file.known.table()).into_iter().find_map(|name| file.known.find(name.as_bytes()));
            // If the crawler is named as well, with the same rules, the line does no harm.
            let is_named = |known: &Profile| {
                file.line_naming(&known.token).is_some_and(|line| file.is_same_group(line, agent.line))
            };
            if meant.is_some_and(is_named) {
                continue;
            }
            if meant.is_some() || value.windows(4).any(|part| part == b"http") {
                headers.push((agent.line, meant.map(|known| &known.token), group.rules.is_empty()));
            }
        } else if agent.known.is_some() && !is_repeated(file, agent) {
            old.push(agent);
        }
    }
    if let [(line, meant, has_no_rules), more @ ..] = headers.as_slice() {
        let more: Vec<u32> = more.iter().map(|(line, ..)| *line).collect();
        let message = format!("a whole User-Agent header names `Mozilla`, which is no crawler{}", also(&more));
        let found = out.add(file.value(*line), message);
        found.help(match meant {
            Some(token) if *has_no_rules => {
                format!("the crawler's product token is `{token}`; but this group has no rules, and would free it from those for `*`")
            }
            Some(token) => format!("write the crawler's product token, here `{token}`"),
            None => "write the crawler's product token".to_owned(),
        });
    }
    // Names of several words in old lists of robots matter little: only those of known crawlers are reported, once.
    if let Some(agent) = old.first() {
        let more: Vec<u32> = old[1..].iter().map(|agent| agent.line).collect();
        let message =
            format!("this line is for `{}`: the text after the name is ignored{}", shown(agent.token), also(&more));
        out.add(file.value(agent.line), message)
            .severity(Severity::Note)
            .help("write only the crawler's product token");
    }
}

/// Returns true if an earlier line names the crawler as well, with the same rules. Then the line does no harm.
fn is_repeated(file: &File<'_>, agent: &AgentOf<'_>) -> bool {
    let name = std::str::from_utf8(agent.token).unwrap_or_default();
    file.line_naming(name).is_some_and(|line| line < agent.line && file.is_same_group(line, agent.line))
}

/// Returns true if the text after a token is a version, a comment in brackets or a URL after `+`, or both.
fn is_version(rest: &[u8]) -> bool {
    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    let (version, comment) = rest.split_at(if rest[0] == b'/' { end } else { 0 });
    let comment = comment.trim_ascii();
    let is_comment =
        comment.is_empty() || comment.starts_with(b"(") && comment.ends_with(b")") || comment.starts_with(b"+");
    is_comment && !version.iter().any(|b| matches!(b, b',' | b';' | b'('))
}
