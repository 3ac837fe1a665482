//! The proof that a file keeps the choices, and that nothing else changes, for all URLs.
//!
//! Each choice is a claim, and the rest is a comparison with the file before the choices: an empty one for a new file.

use std::collections::BTreeSet;

use comity::{Content, Crawler, Crawlers, Dialect, Escaped, Governed, Profile, Reach, Robots, SourceText};
use comity_meaning::{Claim, Comparison, Counterexample, Direction, Held, Side, SignalChange};

use super::file::{File, mentioned, stated};
use super::paths::PathRule;
use super::plan::{Chosen, Plan, Preferences};
use super::{GenerateError, Result, bail};
use crate::lines::shorten;

/// The maximum number of characters of a line in a message.
const MAX_SHOWN_CHARS: usize = 80;

/// Fails if the new file breaks a choice or changes anything that was not chosen, and if that can't be decided. Returns
/// what was proven, as sentences.
pub(super) fn prove(
    old: &[u8],
    new: &[u8],
    plan: &Plan,
    table: &Crawlers,
    keep_going: &dyn Fn() -> bool,
) -> Result<Vec<String>> {
    let (before, after) = (File::new(old, table), File::new(new, table));
    reads_back(&before.parsed()[0], &after.parsed()[0], [old, new], plan)?;
    for files in before.parsed().iter().zip(after.parsed()) {
        let proof = Proof { old: files.0, new: files.1, texts: [old, new], plan, table, keep_going };
        let chosen = plan.named().map(|token| token.to_ascii_lowercase().into_bytes());
        let names = mentioned(proof.old).into_iter().chain(mentioned(proof.new)).chain(chosen).collect();
        for concerned in proof.concerned(&names) {
            in_time(keep_going)?;
            proof.claims(&concerned)?;
            proof.states_preferences(&concerned)?;
            proof.same_otherwise(&concerned)?;
        }
    }
    Ok(sentences(plan, old))
}

/// Fails if the caller ends the work.
pub(super) fn in_time(keep_going: &dyn Fn() -> bool) -> Result<()> {
    if !keep_going() {
        bail!("the time is over before the choices are proven for all URLs: leave out choices");
    }
    Ok(())
}

/// Fails if a line that was added is not understood, or if the delays or the sitemaps are not those that were chosen.
fn reads_back(old: &Robots, new: &Robots, texts: [&[u8]; 2], plan: &Plan) -> Result<()> {
    let source = SourceText::new(texts[1], &Dialect::STANDARD);
    let old_lines = last_line(texts[0], &Dialect::STANDARD);
    let is_odd = |line: &comity::Line<'_>| {
        matches!(line.content, Content::NoRecord) || line.too_long || line.typo || line.missing_colon
    };
    if let Some(line) = source.lines().find(|line| line.number > old_lines && is_odd(line)) {
        bail!("line {} can't be written: {}", line.number, Escaped(line.text));
    }
    for delay in &plan.delays {
        let token = delay.token.as_deref().unwrap_or("*");
        let found = new.crawl_delay(&Crawler::literal(token)).map(|found| found.delay.as_secs());
        if found != plan.delay_for(token).map(|delay| u64::from(delay.seconds)) {
            bail!(["crawl_delay", token], "no file can state this delay: leave out one of the choices");
        }
    }
    let listed = |robots: &Robots| robots.sitemaps().map(|record| record.value().to_vec()).collect::<BTreeSet<_>>();
    let mut expected = listed(old);
    expected.extend(plan.sitemaps.iter().map(|url| url.as_bytes().to_vec()));
    if listed(new) != expected {
        bail!("the sitemaps can't be written: leave them out");
    }
    Ok(())
}

/// Returns the number of the last line of a file.
fn last_line(text: &[u8], dialect: &Dialect) -> u32 {
    SourceText::new(text, dialect).lines().last().map_or(0, |line| line.number)
}

/// Crawlers for which the choices are the same.
struct Concerned<'a> {
    chosen: Chosen<'a>,
    /// True if the old file names them and blocks everything. Exceptions for all crawlers do not apply to them.
    is_shut: bool,
    crawlers: Vec<Crawler<'a>>,
}

/// Both files in one dialect.
struct Proof<'a> {
    old: &'a Robots,
    new: &'a Robots,
    texts: [&'a [u8]; 2],
    plan: &'a Plan,
    table: &'a Crawlers,
    keep_going: &'a dyn Fn() -> bool,
}

impl Proof<'_> {
    /// Returns all crawlers whose operators use this dialect. The names are those in the files and in the choices.
    fn concerned<'n>(&'n self, names: &'n BTreeSet<Vec<u8>>) -> Vec<Concerned<'n>> {
        let in_old = mentioned(self.old);
        let is_named = |token: &[u8]| in_old.contains(&token.to_ascii_lowercase());
        let (table, dialect) = (self.table, *self.old.dialect());
        let mut all: Vec<Crawler<'n>> = Vec::new();
        // If a group names the fallback token of a dialect, only crawlers of the operator follow it.
        if dialect.fallback_token.is_none_or(|token| !names.contains(token.to_ascii_lowercase().as_bytes())) {
            all.push(Crawler::ANY);
        }
        if dialect == Dialect::STANDARD {
            let is_unknown = |name: &&Vec<u8>| std::str::from_utf8(name).is_ok_and(|name| table.find(name).is_none());
            all.extend(names.iter().filter(is_unknown).map(Crawler::literal));
        }
        // A retired crawler that passes over `*` makes no requests, so no line is written for it.
        let is_asked =
            |profile: &&Profile| profile.governed != Governed::No && (profile.obeys_star || !profile.retired);
        let known = table.iter().filter(|profile| profile.dialect == dialect).filter(is_asked);
        all.extend(known.map(Crawler::from));
        let mut found: Vec<Concerned<'n>> = Vec::new();
        for crawler in all {
            let mut chosen = self.plan.chosen_for(&crawler, is_named);
            let is_shut = crawler.tokens().any(is_named) && self.old.extent(&crawler).reach == Reach::Nothing;
            chosen.allowed.retain(|rule| !is_shut || rule.token.is_some());
            match found.iter_mut().find(|other| other.is_shut == is_shut && other.chosen == chosen) {
                Some(other) => other.crawlers.push(crawler),
                None => found.push(Concerned { chosen, is_shut, crawlers: vec![crawler] }),
            }
        }
        found
    }

    /// Checks each choice for all URLs. The longest rule decides; of two equally long ones, the one that allows.
    fn claims(&self, concerned: &Concerned<'_>) -> Result<()> {
        let Chosen { is_open, protected, allowed } = &concerned.chosen;
        let everything = (!is_open).then_some("/");
        for path in everything.into_iter().chain(protected.iter().map(|rule| rule.path.as_str())) {
            let exceptions = allowed.iter().filter(|other| other.path.len() >= path.len());
            self.check(Claim::none_allowed(path.as_bytes()), exceptions, concerned, "lets")?;
        }
        for PathRule { path, .. } in allowed {
            let exceptions = protected.iter().filter(|other| other.path.len() > path.len());
            self.check(Claim::all_allowed(path.as_bytes()), exceptions, concerned, "keeps")?;
        }
        Ok(())
    }

    /// Checks a claim. The verb is that of a rule that breaks it.
    fn check<'p>(
        &self,
        claim: Claim<'_>,
        exceptions: impl Iterator<Item = &'p &'p PathRule>,
        concerned: &Concerned<'_>,
        verb: &str,
    ) -> Result<()> {
        let claim = exceptions.fold(claim.only(&concerned.crawlers), |claim, rule| claim.except(rule.path.as_bytes()));
        let held = match claim.check_while(self.new, self.keep_going) {
            // Other choices decide for all of these URLs.
            Err(error) if error.is_excepted() => return Ok(()),
            held => held.map_err(GenerateError::of)?,
        };
        match held {
            Held::Yes | Held::NoCrawler => Ok(()),
            Held::No(found) => bail!("{}", self.broken(&found, verb)),
            _ => {
                in_time(self.keep_going)?;
                bail!("the file is too complex to prove the choices for all URLs: simplify its patterns first")
            }
        }
    }

    /// Returns the sentence about a choice that does not hold.
    fn broken(&self, found: &Counterexample, verb: &str) -> String {
        let (whom, path) = (named(&found.crawler), Escaped(&found.path));
        let dialect = self.new.dialect();
        let Some(line) = found.line else {
            return format!(
                "no line that can be added keeps {whom} from {path} in the {dialect} dialect: correct the file's user-agent \
                 lines first"
            );
        };
        let text = self.line(line);
        let fetch = if verb == "lets" { "fetch" } else { "from" };
        let (whose, advice) = if line <= last_line(self.texts[0], dialect) {
            ("the file's own", "remove it, or leave out the choice that it breaks")
        } else {
            ("the added", "leave out one of the choices")
        };
        format!("{whose} line {line}, `{text}`, {verb} {whom} {fetch} {path} in the {dialect} dialect: {advice}")
    }

    /// Checks that the new file states the preferences to each crawler that may fetch and follows a group.
    fn states_preferences(&self, concerned: &Concerned<'_>) -> Result<()> {
        let Some(preferences) = self.plan.preferences.filter(|_| concerned.chosen.is_open && !concerned.is_shut) else {
            return Ok(());
        };
        for crawler in concerned.crawlers.iter().filter(|crawler| self.new.groups_for(crawler).next().is_some()) {
            for (record, key, granted) in preferences.uses() {
                if stated(self.new, crawler, record, key).is_none_or(|(found, _)| found != granted) {
                    let token = crawler.tokens().next().unwrap_or(b"*");
                    bail!(
                        "no line that can be added states the preference about {key} to {} in the {} dialect: correct the \
                         file's user-agent lines first",
                        Escaped(token),
                        self.new.dialect()
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks that the answers for all other URLs stay the same, and the preferences that were not chosen.
    fn same_otherwise(&self, concerned: &Concerned<'_>) -> Result<()> {
        let Chosen { is_open, protected, allowed } = &concerned.chosen;
        if !is_open {
            return Ok(());
        }
        let mut comparison = Comparison::new(self.old, self.new).only(&concerned.crawlers).keep_going(self.keep_going);
        for rule in protected.iter().chain(allowed) {
            comparison = comparison.except(rule.path.as_bytes()).map_err(GenerateError::of)?;
        }
        let difference = comparison.run();
        if let Some(change) = difference.changes.first() {
            let word = if change.direction == Direction::Blocked { "block" } else { "allow" };
            let whom = change.crawlers.first().map_or("*", String::as_str);
            let whose = if change.rule.side == Side::Old { "the file's own line" } else { "line" };
            let rule = change
                .rule
                .line
                .map_or("no rule".to_owned(), |line| format!("{whose} {line}, `{}`", Escaped(&change.rule.pattern)));
            bail!(
                "the additions would newly {word} {} for {} in the {} dialect, which no choice asks for ({rule}): \
                 `comity lint` shows what is odd about the file; correct it first",
                Escaped(&change.witness),
                named(whom),
                self.old.dialect(),
            );
        }
        let uses = self.plan.preferences.map(Preferences::uses);
        let is_chosen = |change: &SignalChange| {
            let is_stated = |granted: bool| change.new.is_some_and(|new| new.granted == granted);
            let mut uses = uses.iter().flatten();
            uses.any(|(record, key, granted)| change.record == *record && change.key == *key && is_stated(*granted))
        };
        if !difference.signals.iter().all(is_chosen) {
            bail!(
                "the additions would change the preferences (Content-Signal, Content-Usage) of a crawler in the {} \
                 dialect, which no choice asks for: give it a group of its own in the file first",
                self.old.dialect()
            );
        }
        if !difference.is_complete() {
            in_time(self.keep_going)?;
            bail!(
                "the file is too complex to prove that nothing else changes: simplify its patterns, or leave out choices"
            );
        }
        Ok(())
    }

    /// Returns the text of a line, escaped and short.
    fn line(&self, number: u32) -> String {
        let source = SourceText::new(self.texts[1], self.new.dialect());
        let line = source.lines().find(|line| line.number == number);
        let text = line.map(|line| Escaped(line.text.trim_ascii()).to_string()).unwrap_or_default();
        shorten(&text, MAX_SHOWN_CHARS).into_owned()
    }
}

fn named(crawler: &str) -> String {
    if crawler == "*" {
        "crawlers that the file does not name".to_owned()
    } else {
        Escaped(crawler.as_bytes()).to_string()
    }
}

/// Returns what was proven, each as a sentence.
fn sentences(plan: &Plan, old: &[u8]) -> Vec<String> {
    let blocked = plan.blocked.iter().flat_map(|group| &group.tokens);
    let blocked = blocked.map(|token| format!("{} may not fetch anything", Escaped(token.as_bytes())));
    let paths = [(&plan.protected, "may not"), (&plan.allowed, "may")];
    let paths = paths.into_iter().flat_map(|(rules, word)| {
        rules.iter().map(move |rule| {
            let whom = rule.token.as_deref().unwrap_or("every crawler");
            format!("{} {word} fetch what matches {}", Escaped(whom.as_bytes()), Escaped(rule.path.as_bytes()))
        })
    });
    let open = plan.open.iter().filter(|_| old.is_empty());
    let open = open.map(|token| format!("{} may fetch everything else", Escaped(token.as_bytes())));
    let rest = match (old.is_empty(), plan.block_all) {
        (false, _) => "nothing else changes",
        (true, true) => "every other crawler may not fetch anything else",
        (true, false) => "every other crawler may fetch everything else",
    };
    blocked.chain(paths).chain(open).chain([rest.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::chosen;

    fn refusal(choices: &[&str], old: &str, new: &str) -> Option<String> {
        let table = Crawlers::builtin();
        let plan = Plan::new(&chosen(choices), &table).unwrap();
        prove(old.as_bytes(), new.as_bytes(), &plan, &table, &|| true).err().map(|error| error.to_string())
    }

    #[test]
    fn difference_from_the_choices_is_refused() {
        const OLD: &str = "User-agent: *\nDisallow: /x\n";
        const BLOCK: &[&str] = &["--block", "GPTBot"];
        const PREFER: &[&str] = &["--preferences"];
        const PROTECT: &[&str] = &["--protect", "GPTBot:/cart/", "--allow-path", "GPTBot:/cart/help"];
        for (choices, added, reason) in [
            (BLOCK, "User-agent: GPTBot\nDisallow: /\n", None),
            (BLOCK, "", Some("no line that can be added keeps GPTBot from /")),
            (BLOCK, "User-agent: GPTBot\nDisallow: /\nAllow: /a\n", Some("line 5, `Allow: /a`, lets GPTBot fetch /a")),
            (BLOCK, "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n", Some("newly block / for CCBot")),
            (BLOCK, "User-agent: GPTBot\nUser-agents: Googlebot\nDisallow: /\n", Some("for Googlebot in the google")),
            (BLOCK, "User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n", Some("newly block / for CCBot")),
            (BLOCK, "User-agent: GPTBot\nDisallow: /\nUser-agent: *\nAllow: /x/y\n", Some("newly allow /x/y for")),
            (BLOCK, "User-agent: GPTBot\nDisallow: /\nUser-agent: *\nContent-Signal: search=no\n", Some("preferences")),
            (
                PREFER,
                "User-agent: *\nContent-Signal: search=yes, ai-train=yes\n",
                Some("states the preference about search"),
            ),
            (PREFER, "", Some("states the preference about search to * in the standard dialect")),
            (PROTECT, "User-agent: GPTBot\nDisallow: /x\nDisallow: /cart/\nAllow: /cart/help\n", None),
            (PROTECT, "User-agent: GPTBot\nDisallow: /cart/\nAllow: /cart/help\n", Some("newly allow /x for GPTBot")),
            (PROTECT, "User-agent: GPTBot\nDisallow: /x\nDisallow: /cart/\n", Some("keeps GPTBot from /cart/help")),
            (PROTECT, "User-agent: GPTBot\nDisallow: /x\nAllow: /cart/help\n", Some("keeps GPTBot from /cart/")),
        ] {
            let found = refusal(choices, OLD, &format!("{OLD}{added}"));
            match (reason, &found) {
                (None, None) => {}
                (Some(reason), Some(found)) if found.contains(reason) => {}
                _ => panic!("{added:?}: expected {reason:?}, found {found:?}"),
            }
        }
    }

    #[test]
    fn crawlers_that_nobody_knows_are_bound() {
        let table: Crawlers = std::iter::empty().collect();
        let plan = Plan::new(&chosen(&["--protect", "/a/"]), &table).unwrap();
        let proven = |new: &[u8]| prove(b"", new, &plan, &table, &|| true);
        assert!(proven(b"User-agent: *\nDisallow: /a/\n").is_ok());
        let error = proven(b"User-agent: Googlebot\nDisallow: /a/\n").unwrap_err().to_string();
        assert!(error.contains("crawlers that the file does not name from /a/"), "{error}");
    }

    #[test]
    fn undecided_change_is_refused() {
        // Each pair of patterns has many overlays, more than the budget allows.
        let rules: String = (0..4000).map(|n| format!("Allow: /*a{n}*b*c*d*e*f*g*h*i*j*k*l\n")).collect();
        let old = format!("User-agent: *\n{rules}");
        let new = format!("{old}\nUser-agent: *\nDisallow: /*{}$\n", "x*y*z*".repeat(30));
        let found = refusal(&["--protect", &format!("/*{}$", "x*y*z*".repeat(30))], &old, &new);
        assert!(found.as_ref().is_some_and(|found| found.contains("too complex")), "{found:?}");
    }
}
