use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::{Severity, lint};

lint! {
    /// A user-agent line contains more than one name, and crawlers only read the first word.
    ///
    /// Write one user-agent line for each crawler, with its product token and nothing else.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with a list of crawlers, with a whole `User-Agent` header, or with other text after the
    /// product token. Versions (`Googlebot/2.1`) and stars (`Googlebot*`) are not reported, since the name before them
    /// is meant. Names of several words are reported once for the whole file. The fix writes each crawler of a list on
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
    "L037" "token-cut", Warning, concerns: "the crawlers that are named after the first one"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut old = Vec::new();
    for agent in file.groups.iter().flat_map(|group| &group.agents) {
        let (token, value) = (agent.token, agent.value);
        if value.len() == token.len() || token.is_empty() || token == b"*" || file.known.find(value).is_some() {
            continue;
        }
        let rest = &value[token.len()..];
        if matches!(rest[0], b'*' | b'/') && !rest.iter().any(|b| matches!(b, b' ' | b',' | b';' | b'(')) {
            continue;
        }
        // `Yahoo! Slurp` was the name of Yahoo's crawler, and it is clear which one is meant.
        if rest[0] == b'!' {
            continue;
        }
        let names: Vec<&[u8]> = value.split(|b| matches!(b, b',' | b';' | b'|')).map(<[u8]>::trim_ascii).filter(|name| !name.is_empty()).collect();
        let is_token = |name: &&[u8]| name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        let span = file.value(agent.line);
        if names.len() > 1 && names.iter().all(is_token) {
            let others = match names.len() - 1 {
                1 => format!("not `{}`", shown(names[1])),
                others => format!("none of the {others} others"),
            };
            out.add(agent.line, span, format!("this line only names `{}`, {others}", shown(token)))
                .unsafe_fix("write each on its own line", file.with_values(agent.line, &names));
        } else if token.eq_ignore_ascii_case(b"Mozilla") {
            out.add(agent.line, span, "a whole User-Agent header names `Mozilla`, which is not a crawler")
                .help("write the crawler's product token");
        } else {
            old.push(agent);
        }
    }
    // Old lists of robots contain many names of several words, which matter little, so they share one finding.
    if let Some(agent) = old.first() {
        let more = match old.len() {
            1 => String::new(),
            2 => " (and 1 more such line)".to_owned(),
            n => format!(" (and {} more such lines)", n - 1),
        };
        let message = format!("this line names `{}`, and crawlers ignore the text after it{more}", shown(agent.token));
        out.add(agent.line, file.value(agent.line), message).severity(Severity::Note);
    }
}
