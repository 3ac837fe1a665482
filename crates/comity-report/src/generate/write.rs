//! The text of the robots.txt.

use std::fmt::Write as _;

use super::paths::PathRule;
use super::plan::{Blocked, Plan, Preferences};
use super::preset;

impl Plan {
    /// Returns the text of the robots.txt.
    pub(super) fn write(&self) -> String {
        let mut text = String::from("# Written by `comity generate`. A crawler obeys only the group that names it.\n");
        self.write_blocked(&self.blocked, &mut text);
        let bodies: Vec<(&String, String)> = self.open.iter().map(|token| (token, self.body_of(token))).collect();
        // Crawlers with the same rules share a group.
        for same in bodies.chunk_by(|a, b| a.1 == b.1) {
            text += "\n";
            let own = || self.protected.iter().filter(|protected| protected.is_for(same[0].0));
            if own().any(|protected| protected.token.is_none()) && own().any(|protected| protected.token.is_some()) {
                text += "# The paths that are protected from all crawlers are repeated here, since this group replaces that of *.\n";
            }
            for (token, _) in same {
                self.write_agent(&mut text, token);
            }
            text += &same[0].1;
        }
        text += if self.named().next().is_none() { "\n# Everyone" } else { "\n# Everyone else" };
        text += if self.unbound.is_empty() { "\n" } else { ". Crawlers that `*` alone does not bind are named\n" };
        text += "User-agent: *\n";
        for token in &self.unbound {
            self.write_agent(&mut text, token);
        }
        self.write_preferences(&mut text, self.block_all);
        let allowed = self.allowed.iter().filter(|allowed| allowed.token.is_none());
        if self.block_all {
            self.write_paths(&mut text, allowed, std::iter::empty());
            self.explain(&mut text, "Everything. A password protects a site better: not every crawler obeys this file");
            text += "Disallow: /\n";
        } else {
            self.write_rules(&mut text, allowed, self.for_all(), false);
            self.write_delay(&mut text, "*");
        }
        self.write_sitemaps(self.sitemaps.iter(), &mut text);
        text
    }

    /// Writes the groups of the crawlers that are blocked by name.
    pub(super) fn write_blocked(&self, blocked: &[Blocked], text: &mut String) {
        for group in blocked.iter().filter(|group| !group.tokens.is_empty()) {
            let _ = writeln!(text, "\n# {}", group.comment);
            for token in &group.tokens {
                self.write_agent(text, token);
            }
            self.write_preferences(text, true);
            self.explain(text, "Everything");
            *text += "Disallow: /\n";
        }
    }

    pub(super) fn write_sitemaps<'s>(&self, sitemaps: impl Iterator<Item = &'s String>, text: &mut String) {
        for (index, sitemap) in sitemaps.enumerate() {
            if index == 0 {
                *text += "\n";
                self.explain(text, "Sitemaps are for all crawlers, whatever group they obey");
            }
            let _ = writeln!(text, "Sitemap: {sitemap}");
        }
    }

    /// Returns the rules of a crawler that has a group of its own.
    fn body_of(&self, token: &str) -> String {
        let mut text = String::new();
        self.write_preferences(&mut text, false);
        let allowed = self.allowed.iter().filter(|rule| rule.is_for(token));
        let protected = self.protected.iter().filter(|rule| rule.is_for(token));
        self.write_rules(&mut text, allowed, protected, self.block_all);
        self.write_delay(&mut text, token);
        text
    }

    pub(super) fn write_agent(&self, text: &mut String, token: &str) {
        if let Some(words) = self.described.as_ref().and_then(|words| words.get(&token.to_ascii_lowercase())) {
            let _ = writeln!(text, "# {words}");
        }
        let _ = writeln!(text, "User-agent: {token}");
    }

    /// Writes a comment, if each line is to be explained.
    fn explain(&self, text: &mut String, words: &str) {
        if self.described.is_some() {
            let _ = writeln!(text, "# {words}");
        }
    }

    /// Writes the preferences. Each group contains them, because groups inherit nothing.
    pub(super) fn write_preferences(&self, text: &mut String, is_blocked: bool) {
        // Pages that may not be fetched need no preferences.
        if let (Some(preferences), false) = (self.preferences, is_blocked) {
            let word = |granted: bool| if granted { "yes" } else { "no" };
            let letter = |granted: bool| if granted { "y" } else { "n" };
            let Preferences { train, search } = preferences;
            self.explain(text, "The uses of the pages that are fetched, in the two forms that crawlers know");
            let _ = writeln!(text, "Content-Signal: search={}, ai-train={}", word(search), word(train));
            let _ = writeln!(text, "Content-Usage: search={}, train-ai={}", letter(search), letter(train));
        }
    }

    /// Writes the rules of a group. A group needs a rule, because otherwise its user-agent lines run into the next one.
    pub(super) fn write_rules<'p>(
        &self,
        text: &mut String,
        allowed: impl Iterator<Item = &'p PathRule>,
        protected: impl Iterator<Item = &'p PathRule>,
        allow: bool,
    ) {
        let before = text.len();
        self.write_paths(text, allowed, protected);
        if allow {
            self.explain(text, "Everything else");
            text.push_str("Allow: /\n");
        } else if !text[before..].lines().any(|line| line.starts_with("Disallow:")) {
            self.explain(text, "Nothing else is disallowed");
            text.push_str("Disallow:\n");
        }
    }

    fn write_paths<'p>(
        &self,
        text: &mut String,
        allowed: impl Iterator<Item = &'p PathRule>,
        protected: impl Iterator<Item = &'p PathRule>,
    ) {
        // Of several rules that match, the longest decides; old parsers take the first one.
        for PathRule { path, .. } in allowed {
            self.explain(text, preset::reason(path).unwrap_or("An exception: the longest rule that matches decides"));
            let _ = writeln!(text, "Allow: {path}");
        }
        for PathRule { path, .. } in protected {
            let words = preset::reason(path).map_or_else(|| meaning(path), str::to_owned);
            self.explain(text, &words);
            let _ = writeln!(text, "Disallow: {path}");
        }
    }

    pub(super) fn write_delay(&self, text: &mut String, token: &str) {
        if let Some(delay) = self.delay_for(token) {
            self.explain(text, "The seconds between two requests. Google ignores this line");
            let _ = writeln!(text, "Crawl-delay: {}", delay.seconds);
        }
    }
}

/// Returns the meaning of a pattern in words.
fn meaning(path: &str) -> String {
    match path.strip_suffix('$') {
        Some(whole) if !whole.contains('*') => format!("Only {whole} itself"),
        Some(whole) => format!("Addresses of the form {whole}, with any text in place of *"),
        None if path.contains('*') => format!("Addresses that start like {path}, with any text in place of *"),
        None => format!("Addresses that start with {path}"),
    }
}
