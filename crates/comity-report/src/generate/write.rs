//! The text that is added to a file. A new file is an addition to an empty one.
//!
//! Groups of the same crawler count as one, so the groups that are added need only contain the new rules. A crawler that
//! the file does not name yet gets copies of the rules that it follows, because a group of its own replaces them.

use std::fmt;

use comity::Robots;

use super::file::File;
use super::paths::PathRule;
use super::plan::{Plan, contains};
use super::preset;

/// Returns the file with the choices added at its end. Its own lines stay as they are.
pub(super) fn write(old: &[u8], plan: &Plan, file: &File<'_>) -> Vec<u8> {
    let writer = Writer { is_new: old.is_empty(), plan, file, names: file.names() };
    let added = [writer.blocked(), writer.own(), writer.everyone(), writer.sitemaps()].concat();
    let mut text = old.to_vec();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    // The new user-agent lines would belong to a last group without rules.
    let is_open = |robots: &Robots| robots.groups().last().is_some_and(|group| group.rules().len() == 0);
    if file.parsed().iter().any(is_open) {
        text.extend_from_slice(b"Disallow:\n");
    }
    if writer.is_new {
        text.extend_from_slice(b"# Written by `comity generate`. A crawler obeys only the group that names it.\n");
        text.extend_from_slice(added.as_bytes());
    } else if !added.is_empty() {
        text.extend_from_slice(b"\n# Added by `comity generate`\n");
        text.extend_from_slice(added.trim_start_matches('\n').as_bytes());
    }
    text
}

struct Writer<'a> {
    is_new: bool,
    plan: &'a Plan,
    file: &'a File<'a>,
    /// The crawlers that the file names.
    names: Vec<String>,
}

impl Writer<'_> {
    /// Returns the groups of the crawlers that are blocked by name.
    fn blocked(&self) -> String {
        let mut text = String::new();
        for group in &self.plan.blocked {
            let is_new = |token: &&String| !contains(&self.names, token) || !self.file.blocks(token);
            let agents = self.agents(group.tokens.iter().filter(is_new));
            if !agents.is_empty() {
                text += &format!("\n# {}\n{agents}{}", group.comment, self.line("Everything", "Disallow: /"));
            }
        }
        text
    }

    /// Returns the groups of the crawlers with choices of their own. Those with the same rules share a group.
    fn own(&self) -> String {
        let bodies: Vec<_> = self.plan.open.iter().map(|token| (token, self.body(token))).collect();
        let groups = bodies.chunk_by(|one, other| one.1 == other.1).map(|same| {
            let (comment, rules) = &same[0].1;
            format!("\n{comment}{}{rules}", self.agents(same.iter().map(|(token, _)| *token)))
        });
        groups.collect()
    }

    /// Returns the rules of a crawler with choices of its own, and the comment above its group. The choices for all
    /// crawlers are in their group, if the file names the crawler.
    fn body(&self, token: &str) -> (&'static str, String) {
        let plan = self.plan;
        let is_named = contains(&self.names, token);
        let is_meant = |rule: &&PathRule| rule.is_for(token) && !(is_named && rule.token.is_none());
        let copied = if is_named { String::new() } else { self.file.copy(token) };
        let repeats = !is_named && !plan.block_all && plan.has_general_paths();
        let comment = if repeats || !copied.is_empty() {
            "# The rules that apply without this group are repeated here, because it replaces them\n"
        } else {
            ""
        };
        let preferences = if is_named { String::new() } else { self.preferences() };
        let rest = plan.block_all.then_some(("Everything else", "Allow: /"));
        let paths = self.paths(plan.allowed.iter().filter(is_meant), plan.protected.iter().filter(is_meant), rest);
        (comment, preferences + &copied + &paths + &self.delay(token, is_named))
    }

    /// Returns the group of all crawlers without choices of their own. It also names each crawler that a group for `*`
    /// does not bind.
    fn everyone(&self) -> String {
        let plan = self.plan;
        let is_general = |rule: &&PathRule| rule.token.is_none();
        let delay = if plan.block_all { String::new() } else { self.delay("*", false) };
        if !self.is_new && !plan.has_general_paths() && delay.is_empty() && plan.preferences.is_none() {
            return String::new();
        }
        let others = if plan.named().next().is_some() { " else" } else { "" };
        let bound = if plan.unbound.is_empty() { "" } else { ". Crawlers that `*` alone does not bind are named" };
        let heading = if self.is_new {
            format!("Everyone{others}{bound}")
        } else {
            "For all crawlers, and so for each that has a group of its own".to_owned()
        };
        let open = self.names.iter().filter(|token| !plan.blocks(token) && !self.file.blocks(token));
        let unbound = plan.unbound.iter().filter(|token| !self.file.follows(token, &self.names));
        let agents = self.agents(open.chain(unbound));
        let preferences = if plan.block_all { String::new() } else { self.preferences() };
        let everything = "Everything. A password protects a site better: not every crawler obeys this file";
        let rest = plan.block_all.then_some((everything, "Disallow: /"));
        let paths = self.paths(plan.allowed.iter().filter(is_general), plan.for_all(), rest);
        format!("\n# {heading}\nUser-agent: *\n{agents}{preferences}{paths}{delay}")
    }

    fn sitemaps(&self) -> String {
        let is_listed = |url: &str| self.file.parsed()[0].sitemaps().any(|record| record.value() == url.as_bytes());
        let new: Vec<_> = self.plan.sitemaps.iter().filter(|url| !is_listed(url)).collect();
        let lines = new.iter().map(|url| format!("Sitemap: {url}")).collect::<Vec<_>>().join("\n");
        if new.is_empty() {
            return String::new();
        }
        format!("\n{}", self.line("Sitemaps are for all crawlers, whatever group they obey", lines))
    }

    fn agents<'t>(&self, tokens: impl Iterator<Item = &'t String>) -> String {
        let described = |token: &String| self.plan.described.as_ref()?.get(&token.to_ascii_lowercase());
        let comment = |token| described(token).map_or(String::new(), |words| format!("# {words}\n"));
        tokens.map(|token| format!("{}User-agent: {token}\n", comment(token))).collect()
    }

    /// Returns a line, below an explanation if each line is to be explained.
    fn line(&self, explanation: &str, line: impl fmt::Display) -> String {
        if self.plan.described.is_some() { format!("# {explanation}\n{line}\n") } else { format!("{line}\n") }
    }

    /// Returns the preferences. Each group whose pages may be fetched contains them, because groups inherit nothing.
    fn preferences(&self) -> String {
        let Some(preferences) = self.plan.preferences else { return String::new() };
        let [search, train] = [preferences.search, preferences.train];
        let word = |granted: bool| if granted { "yes" } else { "no" };
        let letter = |granted: bool| if granted { "y" } else { "n" };
        self.line(
            "The uses of the pages that are fetched, in the two forms that crawlers know",
            format_args!(
                "Content-Signal: search={}, ai-train={}\nContent-Usage: search={}, train-ai={}",
                word(search),
                word(train),
                letter(search),
                letter(train)
            ),
        )
    }

    /// Returns the rules of a group, and the last one with its explanation. A group needs a rule, because otherwise its
    /// user-agent lines run into the next one.
    fn paths<'p>(
        &self,
        allowed: impl Iterator<Item = &'p PathRule>,
        protected: impl Iterator<Item = &'p PathRule>,
        rest: Option<(&str, &str)>,
    ) -> String {
        // Of several rules that match, the longest decides; old parsers take the first one.
        let exception = "An exception: the longest rule that matches decides";
        let allowed = allowed.map(|PathRule { path, .. }| {
            self.line(preset::reason(path).unwrap_or(exception), format_args!("Allow: {path}"))
        });
        let protected = protected.map(|PathRule { path, .. }| {
            let reason = preset::reason(path).map_or_else(|| meaning(path), str::to_owned);
            self.line(&reason, format_args!("Disallow: {path}"))
        });
        let (allowed, protected): (String, String) = (allowed.collect(), protected.collect());
        let none = protected.is_empty().then_some(("Nothing else is disallowed", "Disallow:"));
        let rest = rest.or(none).map(|(explanation, line)| self.line(explanation, line));
        allowed + &protected + &rest.unwrap_or_default()
    }

    /// Returns the delay of a crawler: its own, or that of all crawlers unless the crawler ignores delays.
    fn delay(&self, token: &str, is_own: bool) -> String {
        let is_wanted = !is_own && !self.file.ignores_delays(token);
        let delay = self.plan.delay_for(token).filter(|delay| is_wanted || delay.token.is_some());
        delay.map_or(String::new(), |delay| {
            let explanation = "The seconds between two requests. Google ignores this line";
            self.line(explanation, format_args!("Crawl-delay: {}", delay.seconds))
        })
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
