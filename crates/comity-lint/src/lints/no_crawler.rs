use crate::prelude::*;
use crate::recognize::crawlers::misnomer;
use crate::text::listed;

lint! {
    /// A user-agent line names a company or a product instead of a crawler, so the group has no effect.
    ///
    /// Write the product token of the crawler, for example `GPTBot` for `ChatGPT`.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with names such as `ChatGPT`, `Google` and `Bing`, for which the crawlers have other
    /// product tokens, with known product tokens in several words, such as `Google Extended`, and with words for all
    /// crawlers, such as `all`. A name is not reported if the file also names one of these crawlers.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler obeys the group that names its product token. A group for `ChatGPT` does not apply to `GPTBot`, and a
    /// group for `Bing` does not apply to `bingbot`. A token ends at a space, so `Google Extended` is read as `Google`.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: ChatGPT
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: GPTBot
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: product tokens
    /// - The operators' pages, which `comity crawlers NAME` names
    "L055" "no-crawler", Warning, affects: "the crawlers that are meant"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (group, agent) in file.groups.iter().flat_map(|group| group.agents.iter().map(move |agent| (group, agent))) {
        let Some(misnomer) = misnomer(agent, file.known) else { continue };
        let tokens = misnomer.meant();
        if tokens.is_empty() {
            out.add(file.value(agent.line), misnomer.to_string()).help("delete the line: no crawler obeys it");
            continue;
        }
        // If the crawler is named as well, the line does no harm.
        if tokens.iter().any(|token| file.line_naming(token).is_some()) {
            continue;
        }
        let names: Vec<String> = tokens.iter().map(|token| format!("`{token}`")).collect();
        let span = file.value(agent.line);
        let found = out.add(
            span.clone(),
            format!("`{}` is not a known crawler; did you mean {}?", shown(agent.value), listed(&names, "or")),
        );
        if group.rules.is_empty() {
            found.help(
                "this group has no rules: with a crawler's name, it would free that crawler from the rules for `*`",
            );
        } else if let [one] = tokens {
            found.unsafe_fix(format!("write `{one}`"), vec![Edit::new(span, one.as_str())]);
        } else {
            found.help("each crawler needs its own user-agent line; `comity crawlers` shows the purpose of each");
        }
    }
}
