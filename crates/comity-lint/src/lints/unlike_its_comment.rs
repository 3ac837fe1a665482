use comity::{Content, Line, Purpose, RuleKind, Use};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::fix::Edit;
use crate::group::{GroupOf, names_of};
use crate::lint::{Severity, lint};

lint! {
    /// A comment says what a group or a rule is for, but it does something else.
    ///
    /// Change the group so that it does what the comment says, or correct the comment.
    ///
    /// ## What it does
    ///
    /// Reads the English comments directly above groups and rules. Finds:
    ///
    /// - "block" above a group that allows everything, for example by an empty `Disallow:`;
    /// - "training" above a group that closes the site to a crawler which does not train models, such as a search engine or
    ///   a service for link previews; "AI" above one for link previews;
    /// - "AI Overviews" or "AI Mode" above Google-Extended, and "Copilot" above bingbot;
    /// - "remove from Google", "noindex", "redirect", "hreflang" and the like above a `Disallow` rule (a note).
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

/// The words of the comment lines directly above a line, in lower case, and the number of the first of these lines.
struct Comment {
    line: u32,
    words: Vec<String>,
}

impl Comment {
    fn above(file: &File<'_>, line: u32) -> Option<Self> {
        let before = file.lines[..line as usize - 1].iter().rev();
        let comments: Vec<_> = before.take_while(|line| matches!(line.content, Content::Comment)).collect();
        let first = comments.last()?;
        let text: Vec<String> =
            comments.iter().rev().map(|line| String::from_utf8_lossy(line.text).to_ascii_lowercase()).collect();
        // It may be about the record that somebody took out.
        if text.iter().any(|text| text.contains("agent:") || text.contains("allow:")) {
            return None;
        }
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '\'' || letter == '’';
        let words = text.iter().flat_map(|text| text.split(|c| !is_letter(c)).map(str::to_owned).collect::<Vec<_>>());
        Some(Self { line: first.number, words: words.filter(|word| !word.is_empty()).collect() })
    }

    fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(&&**word))
    }

    /// Returns true if the comment orders to block something. "Block" is also the name of a part of a file, as in "Start
    /// Yoast block", so what it blocks must follow, or "are" precede.
    fn blocks(&self, file: &File<'_>) -> bool {
        const VERBS: [&str; 7] = ["block", "blocking", "disallow", "deny", "ban", "forbid", "exclude"];
        const OBJECTS: [&str; 21] = [
            "ai", "all", "any", "bad", "bot", "bots", "crawler", "crawlers", "every", "everything", "scrapers", "seo", "spiders", "them",
            "these", "completely", "entirely", "here", "it", "this", "totally",
        ];
        let is_object = |word: &String| OBJECTS.contains(&&**word) || file.known.find(word.as_bytes()).is_some();
        self.words.windows(2).any(|pair| {
            VERBS.contains(&&*pair[0]) && is_object(&pair[1]) || pair[1] == "blocked" && ["is", "are", "be"].contains(&&*pair[0])
        })
    }

    fn has_both(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0] == first && pair[1] == second)
    }
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let is_concerned = |known: &comity::Profile| known.token == "Google-Extended" || is_harmed(known);
    let mut told_above = None;
    for group in &file.groups {
        let above = told_above.take();
        if group.closes() {
            if group.agents.iter().filter_map(|agent| agent.known).any(is_concerned)
                && let Some(comment) = Comment::above(file, group.first_line())
            {
                check_names(file, group, &comment, out);
            }
        } else if !group.is_for_any() && !group.rules.is_empty() && !group.forbids() {
            let own = Comment::above(file, group.first_line());
            // A comment is also about the groups below it that look alike.
            let alike = above.filter(|_| own.is_none() && group.rules.iter().all(|rule| rule.priority() == 0));
            let Some(comment) = own.or(alike) else { continue };
            told_above = check_open(file, group, &comment, out).then_some(comment);
        }
    }
    let mut told = 0;
    for (line, _, _) in file.rules().filter(|(_, kind, _)| *kind == RuleKind::Disallow) {
        let mut above = file.lines[..line.number as usize - 1].iter().rev();
        let is_comment = |line: &&Line<'_>| matches!(line.content, Content::Comment);
        if !above.by_ref().take_while(is_comment).any(|line| may_be_about_pages(line.text)) {
            continue;
        }
        let Some(comment) = Comment::above(file, line.number).filter(|comment| comment.line != told) else { continue };
        let (message, help) = if is_removal(&comment) {
            let help = "let it be fetched until it is removed, with `noindex` in the page or the status 404";
            ("a blocked page stays in search results: crawlers do not see that it says `noindex` or is gone", help)
        } else if comment.has(&["301", "redirect", "redirects", "redirected"]) && !comment.has(&["affiliate", "outbound", "outside", "external", "tracking"]) {
            ("crawlers do not see the redirect of a blocked URL", "let it be fetched, so that search engines find the new address")
        } else if comment.has(&["hreflang", "canonical", "canonicalized"]) {
            ("crawlers do not see the `canonical` or `hreflang` of a blocked page", "let it be fetched: search engines then choose one of the pages")
        } else {
            continue;
        };
        told = comment.line;
        let found = out.add(line.number, file.record_span(line.number), message);
        found.severity(Severity::Note).help(help).related(comment.line, "the comment");
    }
}

/// Returns true if a comment has a word with which it may say what shall become of pages. Hardly any comment has one.
fn may_be_about_pages(text: &[u8]) -> bool {
    let starts = |at: usize, word: &[u8]| text[at..].get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    text.iter().enumerate().any(|(at, byte)| match byte {
        b'i' | b'I' => starts(at, b"index"),
        b'r' | b'R' => starts(at, b"redirect"),
        b'f' | b'F' => starts(at, b"from"),
        b'3' => starts(at, b"301"),
        b'h' | b'H' => starts(at, b"hreflang"),
        b'c' | b'C' => starts(at, b"canonical"),
        _ => false,
    })
}

/// Checks a group that allows everything. Returns true if there is a finding.
fn check_open(file: &File<'_>, group: &GroupOf<'_>, comment: &Comment, out: &mut Diagnostics) -> bool {
    // With such a word, a comment may be about exceptions.
    const OTHERWISE: [&str; 22] = [
        "not", "don't", "don’t", "dont", "never", "no", "unblock", "unblocked", "except", "unless", "allow", "allows", "allowed",
        "allowing", "only", "but", "without", "other", "others", "if", "else", "welcome",
    ];
    let says_block = || comment.blocks(file) && !comment.has(&OTHERWISE);
    let Some(rule) = group.rules.first().filter(|_| says_block()) else { return false };
    let (line, names) = (rule.line(), names_of(group.agents.iter()));
    let message = format!("the comment says that {names} are blocked, but this rule allows everything to them");
    let message = if group.agents.len() > 1 {
        message
    } else {
        format!("the comment says that {names} is blocked, but this rule allows everything to it")
    };
    let found = out.add(line, file.record_span(line), message);
    found.related(comment.line, "the comment");
    found.unsafe_fix("block everything", vec![Edit::new(file.record_span(line), "Disallow: /")]);
    true
}

/// Checks the names in a group that closes the site.
fn check_names(file: &File<'_>, group: &GroupOf<'_>, comment: &Comment, out: &mut Diagnostics) {
    let trains = |profile: &comity::Profile| profile.uses().source(Use::Training).is_some();
    let is_about_training = comment.has(&["train", "training", "trained", "trains"])
        && (comment.has(&["want", "cited", "linked", "found", "welcome"])
            || !comment.has(&["search", "preview", "previews", "answers", "agents", "assistants"]))
        && group.agents.iter().filter_map(|agent| agent.known).any(trains);
    let is_about_ai = comment.has(&["ai"])
        && !comment.has(&["preview", "previews", "social"]);
    for agent in &group.agents {
        let Some(known) = agent.known else { continue };
        let is_named = |name: &str| known.token.eq_ignore_ascii_case(name);
        let message = if is_named("Google-Extended")
            && (comment.has(&["overviews", "overview", "sge"]) || comment.has_both("ai", "mode"))
        {
            "`Google-Extended` has no effect on AI Overviews and AI Mode, which follow the rules for Googlebot".to_owned()
        } else if is_named("bingbot") && comment.has(&["copilot"]) {
            "bingbot is the crawler of Bing's search: this removes the site from Bing, and no name stands for Copilot alone".to_owned()
        } else if is_about_training && !trains(known) && is_harmed(known)
            || is_about_ai && known.purpose == Purpose::Preview
        {
            format!("`{}` is {}, and does not train models", known.token, what(known.purpose))
        } else {
            continue;
        };
        out.add(agent.line, file.value(agent.line), message).related(comment.line, "the comment");
    }
}

fn what(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Preview => "for the previews of shared links",
        Purpose::AiSearch => "for AI search, which links to pages",
        _ => "the crawler of a search engine",
    }
}

/// Returns true if a site loses visitors by blocking a crawler.
fn is_harmed(known: &comity::Profile) -> bool {
    !known.retired && matches!(known.purpose, Purpose::AiSearch | Purpose::Preview | Purpose::Search)
}

/// Returns true if a comment says that pages shall disappear from search results.
fn is_removal(comment: &Comment) -> bool {
    let from = ["google", "bing", "search", "index", "serps"].iter().any(|place| comment.has_both("from", place));
    comment.has(&["noindex", "deindex", "unindex"])
        || (from || comment.has_both("the", "index")) && comment.has(&["remove", "removes", "removed", "drop", "delete"])
}
