use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::group::AgentOf;
use crate::text::shown;
use crate::fix::Edit;
use crate::lint::lint;

lint! {
    /// A user-agent line names a company or a product instead of a crawler, so the group has no effect.
    ///
    /// Write the product token of the crawler, for example `GPTBot` for `ChatGPT`.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with names such as `ChatGPT`, `Google` and `Bing`, for which the crawlers have other
    /// product tokens. A name is not reported if the file also names one of these crawlers.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler obeys the group that names its product token. A group for `ChatGPT` does not apply to `GPTBot`, and a
    /// group for `Bing` does not apply to `bingbot`.
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
    "L055" "no-crawler", Warning, concerns: "the crawlers that are meant"
}

/// A name in lower case, and the tokens that users of this name may mean.
type Meant = (&'static str, &'static [&'static str]);

const NAMES: &[Meant] = &[
    ("chatgpt", &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("chat-gpt", &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("chatgptbot", &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("openai", &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("gpt", &["GPTBot", "OAI-SearchBot", "ChatGPT-User"]),
    ("claude", &["ClaudeBot", "Claude-SearchBot", "Claude-User"]),
    ("anthropic", &["ClaudeBot", "Claude-SearchBot", "Claude-User"]),
    ("perplexity", &["PerplexityBot", "Perplexity-User"]),
    ("bard", &["Google-Extended"]),
    ("gemini", &["Google-Extended"]),
    ("google-gemini", &["Google-Extended"]),
    ("google-bard", &["Google-Extended"]),
    ("google", &["Googlebot"]),
    ("bing", &["bingbot"]),
    ("yahoo", &["Slurp"]),
    ("baidu", &["Baiduspider"]),
    ("twitter", &["Twitterbot"]),
    ("facebook", &["facebookexternalhit", "meta-externalagent"]),
    ("meta", &["meta-externalagent", "facebookexternalhit"]),
    ("linkedin", &["LinkedInBot"]),
    ("duckduckgo", &["DuckDuckBot"]),
    ("apple", &["Applebot", "Applebot-Extended"]),
    ("amazon", &["Amazonbot"]),
    ("bytedance", &["Bytespider"]),
    ("tiktok", &["Bytespider", "TikTokSpider"]),
    ("commoncrawl", &["CCBot"]),
    ("common-crawl", &["CCBot"]),
    ("ahrefs", &["AhrefsBot"]),
    ("semrush", &["SemrushBot"]),
    ("majestic", &["MJ12bot"]),
    ("seznam", &["SeznamBot"]),
];

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (group, agent) in file.groups.iter().flat_map(|group| group.agents.iter().map(move |agent| (group, agent))) {
        let Some(tokens) = tokens_meant(agent) else { continue };
        // If the crawler is named as well, the line does no harm.
        if tokens.iter().any(|token| file.line_naming(token).is_some()) {
            continue;
        }
        let names: Vec<String> = tokens.iter().map(|token| format!("`{token}`")).collect();
        let names = match names.as_slice() {
            [one] => one.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
            [] => continue,
        };
        let span = file.value(agent.line);
        let found = out.add(agent.line, span.clone(), format!("`{}` is not a known crawler; did you mean {names}?", shown(agent.value)));
        if group.rules.is_empty() {
            found.help("this group has no rules: with a crawler's name, it would free that crawler from the rules for `*`");
        } else if let [one] = tokens {
            found.unsafe_fix(format!("write `{one}`"), vec![Edit::new(span, *one)]);
        } else {
            found.help("each crawler needs its own user-agent line; `comity crawlers` shows the purpose of each");
        }
    }
}

/// Returns the tokens of the crawlers that a user-agent line for a company or a product probably means.
pub(crate) fn tokens_meant(agent: &AgentOf<'_>) -> Option<&'static [&'static str]> {
    // Other text after the token is reported by `token-cut`.
    let is_named = |(name, _): &&Meant| agent.value.eq_ignore_ascii_case(name.as_bytes());
    if agent.known.is_some() || agent.token.is_empty() {
        return None;
    }
    NAMES.iter().find(is_named).map(|(_, tokens)| *tokens)
}
