//! The choices, as groups to write and verdicts to check.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use comity::{AiUse, Crawlers, Escaped, Governed, Profile};
use url::Url;

use crate::args;

pub(super) struct Plan {
    pub(super) block_all: bool,
    /// The crawlers that are blocked by name, with the comment of their group.
    pub(super) blocked: Vec<Blocked>,
    /// The crawlers that are named because they have rules of their own, or because only they may fetch.
    pub(super) open: Vec<String>,
    /// Known crawlers that do not obey `*`, but must obey the choices for all crawlers. The group of `*` names them.
    unbound: Vec<String>,
    pub(super) protected: Vec<Protected>,
    pub(super) preferences: Option<Preferences>,
    pub(super) sitemaps: Vec<String>,
    /// The use for AI that must remain allowed.
    pub(super) kept: Option<AiUse>,
}

/// Tokens that are blocked for one reason.
pub(super) struct Blocked {
    comment: &'static str,
    /// True if they are blocked for their purpose, not by name.
    pub(super) is_ai: bool,
    pub(super) tokens: Vec<String>,
}

/// A path that is disallowed, for one crawler or for all.
pub(super) struct Protected {
    pub(super) token: Option<String>,
    pub(super) path: String,
}

/// The preferences for the use of content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Preferences {
    pub(super) train: bool,
    pub(super) search: bool,
}

impl Plan {
    pub(super) fn new(args: &args::Generate, table: &Crawlers) -> Result<Self> {
        for token in args.block.iter().chain(&args.allow) {
            check_token(token)?;
        }
        if let Some(both) = args.block.iter().find(|token| contains(&args.allow, token)) {
            bail!("--block {0} and --allow {0} contradict each other", Escaped(both.as_bytes()));
        }
        let ungoverned = |token: &&String| table.find(token).is_some_and(|profile| profile.governed == Governed::No);
        if let Some(token) = args.block.iter().find(ungoverned) {
            bail!(
                "--block {}: its operator says that it does not obey robots.txt, so no rule can block it",
                Escaped(token.as_bytes())
            );
        }
        let protected = args.protect.iter().map(|typed| Protected::parse(typed)).collect::<Result<Vec<_>>>()?;
        let mut blocked = Vec::new();
        let by_name: Vec<String> = unique(args.block.iter().cloned());
        let listed = |purposes: &[AiUse]| {
            let is_meant = |profile: &&Profile| {
                is_listed(profile) && profile.ai_use().is_some_and(|purpose| purposes.contains(&purpose))
            };
            let tokens = table.iter().filter(is_meant).map(|profile| profile.token.to_string());
            let is_new = |token: &String| !contains(&by_name, token) && !contains(&args.allow, token);
            unique(tokens.filter(is_new))
        };
        if !by_name.is_empty() {
            blocked.push(Blocked { comment: "Not welcome", is_ai: false, tokens: by_name.clone() });
        }
        if args.block_ai {
            let comment = "AI: training, search, and fetches on request of a user";
            blocked.push(Blocked {
                comment,
                is_ai: true,
                tokens: listed(&[AiUse::Training, AiUse::Search, AiUse::UserTriggered]),
            });
        } else if args.block_ai_training {
            let comment = "AI training. AI search is not named here, so it stays allowed";
            blocked.push(Blocked { comment, is_ai: true, tokens: listed(&[AiUse::Training]) });
        }
        let is_blocked = |token: &str| blocked.iter().any(|group| contains(&group.tokens, token));
        for token in protected.iter().filter_map(|protected| protected.token.as_deref()) {
            if is_blocked(token) || args.block_all && !contains(&args.allow, token) {
                bail!(
                    "{} is blocked completely, so --protect {0}:PATH has no effect: remove one of them",
                    Escaped(token.as_bytes())
                );
            }
        }
        // A crawler that is only allowed needs a group only if it would be blocked otherwise.
        let named = protected.iter().filter_map(|protected| protected.token.clone());
        let needs_group = args.allow.iter().filter(|_| args.block_all).cloned();
        let preferences = args.preferences.then_some(Preferences {
            train: !(args.block_all || args.block_ai || args.block_ai_training),
            search: !args.block_all,
        });
        for sitemap in &args.sitemap {
            check_sitemap(sitemap)?;
        }
        let mut plan = Self {
            block_all: args.block_all,
            open: unique(needs_group.chain(named)),
            unbound: Vec::new(),
            blocked,
            protected,
            preferences,
            sitemaps: args.sitemap.clone(),
            kept: (args.block_ai_training && !args.block_ai && !args.block_all).then_some(AiUse::Search),
        };
        if plan.block_all || plan.for_all().next().is_some() {
            let is_unbound =
                |profile: &&Profile| !profile.obeys_star && profile.governed != Governed::No && !plan.is_named(profile);
            plan.unbound = unique(table.iter().filter(is_unbound).map(|profile| profile.token.to_string()));
        }
        Ok(plan)
    }

    /// Returns the tokens that have a group other than that of `*`.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.blocked.iter().flat_map(|group| &group.tokens).chain(&self.open).map(String::as_str)
    }

    /// Returns true if a crawler follows such a group: one that names the crawler or one of its fallback tokens.
    fn is_named(&self, profile: &Profile) -> bool {
        let fallback = profile.fallback.iter().map(AsRef::as_ref);
        let mut tokens = std::iter::once(profile.token.as_ref()).chain(fallback);
        tokens.any(|token| self.named().any(|named| named.eq_ignore_ascii_case(token)))
    }

    /// Returns the text of the robots.txt.
    pub(super) fn write(&self) -> String {
        let mut text = String::from("# Written by `comity generate`. A crawler obeys only the group that names it.\n");
        for group in self.blocked.iter().filter(|group| !group.tokens.is_empty()) {
            let _ = writeln!(text, "\n# {}", group.comment);
            for token in &group.tokens {
                let _ = writeln!(text, "User-agent: {token}");
            }
            self.write_preferences(&mut text, true);
            text += "Disallow: /\n";
        }
        for token in &self.open {
            let own = || self.protected.iter().filter(|protected| protected.is_for(token));
            text += "\n";
            if own().any(|protected| protected.token.is_none()) && own().any(|protected| protected.token.is_some()) {
                text += "# The paths that are protected from all crawlers are repeated here, since this group replaces that of *.\n";
            }
            let _ = writeln!(text, "User-agent: {token}");
            self.write_preferences(&mut text, false);
            write_rules(&mut text, own().map(|protected| protected.path.as_str()), self.block_all);
        }
        text += if self.named().next().is_none() { "\n# Everyone" } else { "\n# Everyone else" };
        text += if self.unbound.is_empty() { "\n" } else { ". Crawlers that `*` alone does not bind are named\n" };
        text += "User-agent: *\n";
        for token in &self.unbound {
            let _ = writeln!(text, "User-agent: {token}");
        }
        self.write_preferences(&mut text, self.block_all);
        if self.block_all {
            text += "Disallow: /\n";
        } else {
            write_rules(&mut text, self.for_all().map(|protected| protected.path.as_str()), false);
        }
        if !self.sitemaps.is_empty() {
            text += "\n";
        }
        for sitemap in &self.sitemaps {
            let _ = writeln!(text, "Sitemap: {sitemap}");
        }
        text
    }

    /// Writes the preferences. Each group contains them, because groups inherit nothing.
    fn write_preferences(&self, text: &mut String, is_blocked: bool) {
        // Pages that may not be fetched need no preferences.
        if let (Some(preferences), false) = (self.preferences, is_blocked) {
            let word = |granted: bool| if granted { "yes" } else { "no" };
            let letter = |granted: bool| if granted { "y" } else { "n" };
            let Preferences { train, search } = preferences;
            let _ = writeln!(text, "Content-Signal: search={}, ai-train={}", word(search), word(train));
            let _ = writeln!(text, "Content-Usage: search={}, train-ai={}", letter(search), letter(train));
        }
    }

    pub(super) fn for_all(&self) -> impl Iterator<Item = &Protected> {
        self.protected.iter().filter(|protected| protected.token.is_none())
    }
}

fn write_rules<'p>(text: &mut String, paths: impl Iterator<Item = &'p str>, allow: bool) {
    let mut is_empty = true;
    for path in paths {
        is_empty = false;
        let _ = writeln!(text, "Disallow: {path}");
    }
    if allow {
        text.push_str("Allow: /\n");
    } else if is_empty {
        text.push_str("Disallow:\n");
    }
}

impl Protected {
    /// Parses `PATH` or `TOKEN:PATH`.
    fn parse(typed: &str) -> Result<Self> {
        let (token, path) = match typed.split_once(":/") {
            Some((token, _)) if !token.contains('/') => (Some(token), &typed[token.len() + 1..]),
            _ => (None, typed),
        };
        let shown = Escaped(typed.as_bytes());
        if let Some(token) = token {
            check_token(token)?;
        }
        if !path.starts_with('/') {
            bail!("--protect {shown}: expected a path that starts with `/`, perhaps after a token and a colon");
        }
        if path.contains(|c: char| c.is_control() || c == '#') {
            bail!("--protect {shown}: expected a path without controls and `#`: escape them, as in %23");
        }
        if path.ends_with(char::is_whitespace) {
            bail!("--protect {shown}: expected a path that ends without white space: escape it, as in %20");
        }
        if path.trim_end_matches('*') == "/" {
            bail!("--protect {shown} protects everything: that is --block-all, or --block TOKEN");
        }
        Ok(Self { token: token.map(str::to_owned), path: escaped(path)? })
    }

    /// Returns true if the path belongs in the group of a token.
    pub(super) fn is_for(&self, token: &str) -> bool {
        self.token.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(token))
    }

    /// Returns paths that the pattern must match.
    pub(super) fn samples(&self) -> Vec<String> {
        let path = self.path.replace('*', "x");
        match path.strip_suffix('$') {
            Some(path) => vec![path.to_owned()],
            None => vec![format!("{path}more"), path],
        }
    }

    /// Returns true if the pattern matches a path. This is used to decide what is promised about other paths.
    pub(super) fn covers(&self, path: &str) -> bool {
        let text = format!("User-agent: *\nDisallow: {}\n", self.path);
        comity::Robots::parse(text).check(&comity::Crawler::ANY, path).is_disallowed()
    }
}

/// Returns a path as crawlers send it, with the escapes that URLs require (URL Standard, path and query states).
fn escaped(path: &str) -> Result<String> {
    const BASE: &str = "http://site.invalid";
    let sent = Url::parse(&format!("{BASE}{path}")).ok().map(String::from);
    match sent.as_deref().and_then(|sent| sent.strip_prefix(BASE)) {
        Some(sent) => Ok(sent.to_owned()),
        None => bail!("--protect {}: expected the path of a URL", Escaped(path.as_bytes())),
    }
}

/// Returns true if the groups should name a crawler of the table: not if it is retired, nor if its operator states that
/// it does not obey robots.txt.
pub(super) fn is_listed(profile: &Profile) -> bool {
    let is_word = profile.token.bytes().all(|byte| byte.is_ascii_graphic());
    !profile.retired && profile.governed != Governed::No && is_word
}

pub(super) fn contains(tokens: &[String], token: &str) -> bool {
    tokens.iter().any(|known| known.eq_ignore_ascii_case(token))
}

/// Returns each token once.
fn unique(tokens: impl Iterator<Item = String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for token in tokens {
        if !contains(&unique, &token) {
            unique.push(token);
        }
    }
    unique
}

fn check_token(token: &str) -> Result<()> {
    let is_token =
        !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !is_token {
        bail!(
            "expected a product token such as Googlebot, of letters, digits, `-`, `_` and `.`, found `{}`",
            Escaped(token.as_bytes())
        );
    }
    Ok(())
}

fn check_sitemap(url: &str) -> Result<()> {
    let shown = Escaped(url.as_bytes());
    let is_url = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_url || url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#') {
        bail!(
            "--sitemap {shown}: expected an absolute URL without a fragment, such as https://example.com/sitemap.xml"
        );
    }
    Ok(())
}
