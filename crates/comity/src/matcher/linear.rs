//! Rule by rule: nothing to build.

use crate::crawler::identity::Crawler;
use crate::crawler::selection::Selection;
use crate::document::{Document, Robots, Rule};
use crate::matcher::rank::{Candidate, is_elsewhere, rank};
use crate::matcher::search::Search;
use crate::normal_form::path::with_path;
use crate::verdict::{Key, Premise, Verdict};

impl Robots {
    /// May this crawler fetch this URL? For a few questions; [`rules_for`](Self::rules_for) is for many.
    ///
    /// `url` is a path with its query, or a whole URL, whose scheme and authority are skipped: which file governs a
    /// URL is a question of its own (see `Origin`, feature `url`). Nothing is normalized but percent-encoding; a URL that was
    /// typed by a person should go through a WHATWG URL parser first, for that is what a crawler would send.
    ///
    /// Takes time in proportion to the user-agent lines of the file for each of the crawler's tokens, and to its groups'
    /// patterns; hostile ones are searched for as [`Rules`](crate::Rules) says.
    pub fn check<'c>(&self, crawler: impl Into<Crawler<'c>>, url: impl AsRef<[u8]>) -> Verdict {
        let (crawler, document) = (crawler.into(), &**self.document());
        let selection = Selection::new(document, crawler);
        let premise = Premise::new(&crawler, selection.basis, document.size, &document.dialect);
        with_path(url.as_ref(), &document.dialect, |path| {
            premise.conclude(best(document, &selection, path.octets), path.is_robots_txt)
        })
    }
}

/// The greatest key of the rules that match.
fn best(document: &Document, selection: &Selection<'_>, path: &[u8]) -> Key {
    let dialect = &document.dialect;
    let rules = selection.groups(document).flat_map(|group| group.rules());
    let rules = rules.filter(|rule| !is_elsewhere(rule.kind(), rule.pattern(), path, dialect));
    let mut search = Search::new(path);
    rules.fold(Key::NONE, |best, rule| best.max(rank(candidate(&rule), &mut search, best, dialect)))
}

pub(crate) fn candidate<'a>(rule: &Rule<'a>) -> Candidate<'a> {
    Candidate { kind: rule.kind(), line: rule.line(), pattern: rule.pattern() }
}
