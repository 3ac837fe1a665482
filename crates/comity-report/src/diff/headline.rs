//! The difference between two files in one sentence: who is affected comes first.

use std::collections::HashSet;

use comity::{Basis, Dialect, Reach};

use super::{Diff, DiffAnswer, DiffListed, DiffOutcome};
use crate::headline::{Headline, Reader, Readers, Tone, Who, counted, number, quoted};
use crate::scope::ProofScope;

/// The maximum number of crawlers for which the whole of each file is searched.
const MAX_CRAWLERS: usize = 1_000;

/// Returns the headline of the difference between two files.
pub(super) fn of(diff: &Diff, bodies: [&[u8]; 2], scope: &ProofScope<'_>) -> Headline {
    match diff.outcome {
        DiffOutcome::Same => Headline::new(Tone::Good, format!("Nothing changes for any {}.", diff.subject(scope))),
        DiffOutcome::Undecided => Headline::new(Tone::Caution, "Not decided: there may be changes."),
        DiffOutcome::Differs => {
            let readers = Both::new(diff, bodies, scope);
            let whole = readers.as_ref().and_then(|readers| readers.whole_site(diff));
            let text = whole.unwrap_or_else(|| diff.parts(readers.as_ref()));
            let undecided =
                if diff.undecided.is_empty() { "" } else { " Not everything was decided: there may be more." };
            let is_blocked = diff.changes.iter().any(|change| change.sent && change.to == DiffAnswer::Blocked);
            Headline::new(if is_blocked { Tone::Bad } else { Tone::Neutral }, text + undecided)
        }
    }
}

/// Returns the headline of the difference between two dialects.
pub(super) fn between(diff: &Diff) -> Headline {
    let dialects = diff.dialects.join(" and ");
    match diff.outcome {
        DiffOutcome::Same => Headline::new(Tone::Good, format!("{dialects} give the same answers.")),
        DiffOutcome::Undecided => Headline::new(Tone::Caution, "Not decided: there may be differences."),
        DiffOutcome::Differs => {
            let count = counted((diff.changes.len() + diff.signals.len()) as u64, "difference");
            Headline::new(Tone::Caution, format!("{dialects} differ: {count}."))
        }
    }
}

/// Returns the sentence about the listed URLs, after another sentence.
pub(super) fn of_listed(listed: &DiffListed) -> String {
    let are = if listed.count == 1 { "is" } else { "are" };
    format!(" {} of {} {are} affected.", number(listed.count), counted(listed.of, "listed URL"))
}

/// Returns names in lower case: a file may write them in another way than the table.
fn names_of<'n>(names: impl IntoIterator<Item = &'n String>) -> HashSet<String> {
    names.into_iter().map(|name| name.to_ascii_lowercase()).collect()
}

/// The crawlers that were compared, by each of the two files.
struct Both<'a> {
    /// True if these are all crawlers, and not some that were chosen.
    is_all: bool,
    old: Readers<'a>,
    new: Readers<'a>,
}

impl<'a> Both<'a> {
    /// Returns `None` if they are not all read in one way each, or are too many.
    fn new(diff: &'a Diff, [old, new]: [&[u8]; 2], scope: &ProofScope<'a>) -> Option<Self> {
        let dialect = match (scope.dialects, diff.is_between_dialects) {
            ([], false) => None,
            ([one], false) => Some(one),
            _ => return None,
        };
        if diff.crawlers.len() > MAX_CRAWLERS || !scope.goes_on() {
            return None;
        }
        let compared = names_of(&diff.crawlers);
        let read = |body: &[u8], dialect: Option<&Dialect>| {
            let mut readers = Readers::new(body, scope.crawlers, &diff.crawlers, dialect);
            readers.list.retain(|reader| compared.contains(&reader.token.to_ascii_lowercase()));
            (!readers.is_cut).then_some(readers)
        };
        Some(Self { is_all: scope.agents.is_empty(), old: read(old, dialect)?, new: read(new, dialect)? })
    }

    fn pairs(&self) -> impl Iterator<Item = (&Reader<'a>, &Reader<'a>)> {
        self.old.list.iter().zip(&self.new.list)
    }

    /// Returns the crawlers whose readings fulfil a condition. Those that a group of either file names, or that were
    /// chosen, have names.
    fn who(&self, is_one: impl Fn(&Reader<'_>, &Reader<'_>) -> bool) -> Who {
        let basis = |old: &Reader<'_>, new: &Reader<'_>| match (self.is_all, old.is_named()) {
            (false, _) => Basis::OwnToken,
            (true, true) => old.extent.basis,
            (true, false) => new.extent.basis,
        };
        let found = self.pairs().filter(|(old, new)| is_one(old, new));
        Who::new(found.map(|(old, new)| (new.token, basis(old, new))))
    }

    /// Returns the sentence about a site that is newly closed or opened as a whole, if it is for somebody.
    fn whole_site(&self, diff: &Diff) -> Option<String> {
        if diff.under.is_some() {
            return None;
        }
        let blocks = |old: &Reader<'_>, new: &Reader<'_>| {
            old.extent.reach != Reach::Nothing && new.extent.reach == Reach::Nothing
        };
        let allows = |old: &Reader<'_>, new: &Reader<'_>| old.extent.reach == Reach::Nothing && new.is_mostly_open();
        let changed = names_of(diff.changes.iter().flat_map(|change| &change.crawlers));
        let (closed, opened) = (self.who(blocks), self.who(allows));
        if closed.is_empty() && opened.is_empty() {
            return None;
        }
        let mut sentences = Vec::new();
        let named = |who: &Who, count: usize| {
            let is_every = self.is_all && count == self.old.list.len() && changed.len() == diff.crawlers.len();
            if is_every { "every crawler".to_owned() } else { who.names("and") }
        };
        if !closed.is_empty() {
            let count = self.pairs().filter(|(old, new)| blocks(old, new)).count();
            sentences.push(format!("The whole site is now blocked for {}.", named(&closed, count)));
        }
        if !opened.is_empty() {
            let count = self.pairs().filter(|(old, new)| allows(old, new)).count();
            let all = self.pairs().filter(|(old, new)| allows(old, new)).all(|(_, new)| new.extent.reach == Reach::All);
            let part = if all { "The whole" } else { "Most of the" };
            sentences.push(format!("{part} site is now open to {}.", named(&opened, count)));
        }
        let partly = self.who(|old, new| {
            !blocks(old, new) && !allows(old, new) && changed.contains(&new.token.to_ascii_lowercase())
        });
        if !partly.is_empty() {
            sentences.push(format!("A part of it changes for {}.", partly.names("and")));
        }
        // Without a whole proof, or if preferences change as well, nobody is said not to be affected.
        let is_proven = diff.undecided.is_empty() && diff.signals.is_empty();
        let spared = self.who(|_, new| is_proven && !changed.contains(&new.token.to_ascii_lowercase()));
        if !spared.is_empty() {
            let are = if spared.is_one() { "is" } else { "are" };
            let spared_names = spared.names("and");
            let spared_names =
                spared_names.strip_prefix("every ").map_or(spared_names.clone(), |rest| format!("Every {rest}"));
            sentences.push(format!("{spared_names} {are} not affected."));
        }
        Some(sentences.join(" "))
    }
}

impl Diff {
    /// Returns what a comparison without changes is about.
    fn subject(&self, scope: &ProofScope<'_>) -> String {
        let urls = self
            .under
            .as_deref()
            .map_or_else(|| "URL".to_owned(), |under| format!("URL that matches {}", quoted(under)));
        let whom = if scope.agents.is_empty() { "any crawler" } else { "these crawlers" };
        format!("{urls} and {whom}")
    }

    /// Returns the sentences about parts of a site.
    fn parts(&self, readers: Option<&Both<'_>>) -> String {
        let mut sentences = Vec::new();
        for (to, word) in [(DiffAnswer::Blocked, "blocked"), (DiffAnswer::Allowed, "allowed")] {
            let changes: Vec<_> = self.changes.iter().filter(|change| change.to == to && change.sent).collect();
            // The sentence is about the change that most crawlers get, the first of several.
            let Some(most) = changes.iter().rev().max_by_key(|change| change.crawlers.len()) else { continue };
            let crawlers = names_of(&most.crawlers);
            let whom = match readers {
                Some(readers) if readers.is_all && crawlers.len() == self.crawlers.len() => "every crawler".to_owned(),
                Some(readers) => readers.who(|_, new| crawlers.contains(&new.token.to_ascii_lowercase())).names("and"),
                None => counted(crawlers.len() as u64, "crawler"),
            };
            let more = match changes.len() as u64 - 1 {
                0 => String::new(),
                more => format!(" (and {} more {})", number(more), if more == 1 { "change" } else { "changes" }),
            };
            sentences.push(format!("Now {word} for {whom}: URLs such as {}{more}.", quoted(&most.witness)));
        }
        if sentences.is_empty() && !self.changes.is_empty() {
            sentences.push("Nothing changes for a URL that a browser or crawler sends.".to_owned());
        }
        if !self.signals.is_empty() {
            let are = if self.signals.len() == 1 {
                "preference for the use of content changes"
            } else {
                "preferences for the use of content change"
            };
            sentences.push(format!("{} {are}.", number(self.signals.len() as u64)));
        }
        sentences.join(" ")
    }
}
