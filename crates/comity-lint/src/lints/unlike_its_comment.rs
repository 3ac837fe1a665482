use std::cell::LazyCell;

use crate::prelude::*;
use crate::recognize::comments::Comment;
use crate::words::{
    AI, AI_OVERVIEWS, BLOCK, COPILOT, FILTERS, NO_ACCESS, NO_TRAINING, NOINDEX, ORDER, OTHER_USE, OTHERS, OTHERWISE,
    OUT_OF_INDEX, OUTSIDE, PREVIEWS, REDIRECT, TEMPORARY, TRAINING, VARIANTS, WANTED, WELCOME,
};

lint! {
    /// A comment says what a group or a rule is for, but it does something else.
    ///
    /// Change the group so that it does what the comment says, or correct the comment.
    ///
    /// ## What it does
    ///
    /// Reads the comments directly above groups, above rules, and at the end of rules. It knows a few English words, and
    /// some in other languages. Finds:
    ///
    /// - "block" above a group that allows everything, for example by an empty `Disallow:`, or "AI" and "block" above one that
    ///   closes only a part of the site to crawlers for AI;
    /// - "allowed" or "welcome" above a group that closes the site;
    /// - "training" above a group that closes the site to a crawler which does not train models, such as a search engine or
    ///   a service for link previews; "AI" above one for link previews. The comment is also about the closed groups below
    ///   that have no comment of their own, or only a name;
    /// - "AI Overviews" or "AI Mode" above Google-Extended, and "Copilot" above bingbot;
    /// - "must", "crawled" or "in Google", and a path that is blocked;
    /// - "remove from Google", "noindex", "redirect", "hreflang" and the like, or "temporary", beside a `Disallow` rule, and "filter"
    ///   above one for all collections of a shop (notes).
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers read the rules, and people read the comments. An empty `Disallow:` allows everything. A blocked page is not
    /// removed from search results: the crawler cannot see that the page says `noindex`, or is gone.
    ///
    /// ## Example
    ///
    /// ```robots
    /// # Block AI crawlers
    /// User-agent: GPTBot
    /// User-agent: CCBot
    /// Disallow:
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// # Block AI crawlers
    /// User-agent: GPTBot
    /// User-agent: CCBot
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: an empty pattern
    /// - Google Search Central, Block search indexing with noindex
    /// - Google, List of Google's common crawlers: Google-Extended
    "L072" "unlike-its-comment", Warning, affects: "the crawlers that the comment is about"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_kept(file, out);
    let mut told_above: Option<Comment> = None;
    // The comment above a list of groups that close the site to crawlers for AI.
    let mut section: Option<Comment> = None;
    let policy = LazyCell::new(|| Comment::policy(file));
    for group in &file.groups {
        let above = told_above.take();
        let own = Comment::above(file, group.first_line());
        if group.closes() {
            let is_about_ai = section.is_some() || group.agents.iter().any(AgentOf::is_for_ai);
            section = own.filter(|own| own.has_topic()).or(section);
            if let Some(comment) = section.or_else(|| policy.filter(|_| is_about_ai)) {
                check_names(file, group, comment, is_about_ai, out);
            }
            section = section.filter(|comment| is_about_ai && comment.has(TRAINING | AI));
            continue;
        }
        section = None;
        if !(group.rules.is_empty() || group.is_for_any() && group.forbids()) {
            // A comment is also about the groups below it that look alike.
            let alike = above.filter(|_| own.is_none() && group.rules.iter().all(|rule| rule.priority() == 0));
            let Some(comment) = own.or(alike) else { continue };
            told_above = check_open(file, group, comment, out).then_some(comment);
        }
    }
    let mut told = 0;
    for (line, value) in file.disallowed() {
        let Some(comment) = Comment::beside(file, line.number).filter(|comment| comment.line != told) else { continue };
        // Of such comments at the end of a line, most state what is in the pages.
        let is_above = comment.line < line.number;
        let (message, help) = if is_above && comment.has(NOINDEX | OUT_OF_INDEX) {
            let help = "let it be fetched until it is removed, with `noindex` in the page or the status 404";
            ("a blocked page stays in search results: crawlers do not see that it says `noindex` or is gone", help)
        } else if is_above && comment.has(REDIRECT) && !comment.has(OUTSIDE) {
            (
                "crawlers do not see the redirect of a blocked URL",
                "let it be fetched, so that search engines find the new address",
            )
        } else if is_above && comment.has(VARIANTS) {
            (
                "crawlers do not see the `canonical` or `hreflang` of a blocked page",
                "let it be fetched: search engines then choose one of the pages",
            )
        } else if is_above
            && comment.has(FILTERS)
            && matches!(value, b"/collections" | b"/collections/" | b"/collections/*")
        {
            (
                "this rule blocks all collections, not only filtered ones",
                "the URLs of filtered collections match `/collections/*+*` or `/collections/*?*filter`",
            )
        } else if comment.has(TEMPORARY) {
            ("the comment says that this rule is temporary", "delete it if it is not needed any more")
        } else {
            continue;
        };
        told = comment.line;
        let found = out.add(file.record_span(line.number), message);
        found.severity(Severity::Note).help(help).related(comment.line, "the comment");
    }
}

/// Finds paths that are blocked although a comment asks that they can be fetched.
fn check_kept(file: &File<'_>, out: &mut Diagnostics) {
    let is_comment = |line: &Line<'_>| matches!(line.content, Content::Comment);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b',' | b';' | b')' | b'`' | b'*');
    let is_path = |word: &&[u8]| word.len() > 2 && word[0] == b'/' && word[1].is_ascii_alphanumeric();
    let mut rules = None;
    for block in file.lines.chunk_by(|a, b| is_comment(a) == is_comment(b)).filter(|block| is_comment(&block[0])) {
        let mut paths = block.iter().filter_map(|line| line.text.split(is_end).find(is_path)).peekable();
        if paths.peek().is_none() {
            continue;
        }
        let below = block[0].number + block.len() as u32;
        let Some(comment) = Comment::above(file, below).filter(|comment| comment.asks_to_keep()) else { continue };
        let rules =
            rules.get_or_insert_with(|| file.crawler("Googlebot").map(|crawler| file.robots.rules_for(&crawler)));
        let Some(rules) = rules else { return };
        let blocked = paths.find_map(|path| {
            let verdict = rules.check_bytes(path);
            let by = verdict
                .line()
                .filter(|by| verdict.is_disallowed() && !matches_everything(&file.source[file.value(*by)]))?;
            Some((path, by))
        });
        if let Some((path, by)) = blocked {
            let message = format!("the comment says that `{}` can be fetched, but this rule blocks it", shown(path));
            out.add(file.record_span(by), message).related(comment.line, "the comment");
        }
    }
}

/// Checks a group that does not close the site. Returns true if there is a finding.
fn check_open(file: &File<'_>, group: &GroupOf<'_>, comment: Comment, out: &mut Diagnostics) -> bool {
    let is_partial = group.forbids();
    let is_refused =
        comment.has(NO_ACCESS) || comment.has(NO_TRAINING) && !is_partial && group.agents.iter().all(AgentOf::trains);
    if !(is_refused || comment.has(ORDER) && !comment.has(OTHERWISE | WELCOME))
        || comment.has(OTHERS) && !group.is_for_any()
        || is_partial && !(comment.has(AI) && group.agents.iter().all(AgentOf::is_for_ai))
    {
        return false;
    }
    let line = group.rules[0].line();
    let names = if group.is_for_any() { "all other crawlers".to_owned() } else { names_of(group.agents.iter()) };
    let (are, them) = if group.is_for_any() || group.agents.len() > 1 { ("are", "them") } else { ("is", "it") };
    let effect = if is_partial { "closes only a part of the site" } else { "allows everything" };
    let message = format!("the comment says that {names} {are} blocked, but this rule {effect} to {them}");
    let found = out.add(file.record_span(line), message);
    found.related(comment.line, "the comment");
    found.unsafe_fix("block everything", vec![Edit::new(file.record_span(line), "Disallow: /")]);
    true
}

/// Checks the names in a group that closes the site.
fn check_names(file: &File<'_>, group: &GroupOf<'_>, comment: Comment, is_about_ai: bool, out: &mut Diagnostics) {
    let is_about_training = is_about_ai && comment.has(TRAINING) && (comment.has(WANTED) || !comment.has(OTHER_USE));
    let is_about_ai = comment.has(AI) && !comment.has(PREVIEWS);
    if comment.has(WELCOME) && !comment.has(OTHERWISE | OTHERS | ORDER | BLOCK) && !group.is_for_any() {
        let Some(rule) = group.rules.iter().find(|rule| closes(rule)) else { return };
        let message =
            format!("the comment says that {} may fetch pages, but this rule blocks everything", group.names());
        out.add(file.record_span(rule.line()), message).related(comment.line, "the comment");
    }
    for agent in &group.agents {
        let Some(known) = agent.known else { continue };
        let is_named = |name: &str| known.token.eq_ignore_ascii_case(name);
        let message = if is_named("Google-Extended") && comment.has(AI_OVERVIEWS) {
            "`Google-Extended` has no effect on AI Overviews and AI Mode, which follow the rules for Googlebot"
                .to_owned()
        } else if is_named("bingbot") && comment.has(COPILOT) {
            "bingbot is the crawler of Bing's search: this removes the site from Bing, and no name stands for Copilot alone".to_owned()
        } else if (is_about_training || is_about_ai && known.purpose == Purpose::Preview)
            && !known.retired
            && !agent.trains()
            && let Some(what) = what(known.purpose)
        {
            format!("`{}` is {what}, and does not train models", known.token)
        } else {
            continue;
        };
        out.add(file.value(agent.line), message).related(comment.line, "the comment");
    }
}

/// Returns the use of a crawler whose block costs the site visitors.
fn what(purpose: Purpose) -> Option<&'static str> {
    match purpose {
        Purpose::Preview => Some("for the previews of shared links"),
        Purpose::AiSearch => Some("for AI search, which links to pages"),
        Purpose::UserTriggered => Some("for people who ask for a page"),
        Purpose::Search => Some("the crawler of a search engine"),
        _ => None,
    }
}
