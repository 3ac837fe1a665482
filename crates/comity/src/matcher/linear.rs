//! Checks rule by rule, without compiling.

use crate::crawler::identity::Crawler;
use crate::crawler::selection::Selection;
use crate::document::{Document, Robots, Rule};
use crate::matcher::rank::{Candidate, first_octet_differs, rank};
use crate::matcher::search::Search;
use crate::normal_form::path::with_path;
use crate::verdict::{Key, Premise, Verdict};

impl Robots {
    /// Checks whether a crawler may fetch a URL. For many URLs, [`rules_for`](Self::rules_for) is faster.
    ///
    /// Before a fetch, test [`is_allowed`](crate::Verdict::is_allowed), not `is_disallowed`: for a crawler that robots.txt
    /// does not govern, both are false.
    ///
    /// `url` is a path with its query, or a whole URL, as text or as a `Url`. It is checked in the form in which a client
    /// sends it: `/a/../b` and `\b` are `/b`. Scheme and authority are skipped; `Origin` (feature `url`) tells which file
    /// governs a URL. Text that is neither a path nor a URL, such as `b`, `mailto:a@b` and empty text, is [out of
    /// scope](crate::Answer::OutOfScope), and so is `//host/b`, which names another host. See [URLs](crate#urls).
    ///
    /// The time is proportional to the number of user-agent lines for each of the crawler's tokens, and to the size of
    /// the patterns of its groups. For hostile patterns, the bounds of [`Rules`](crate::Rules) apply.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
    /// let my_bot = Crawler::token("mybot")?;
    /// assert!(robots.check(&my_bot, "/private/diary.html").is_disallowed());
    /// # Ok::<(), comity::TokenError>(())
    /// ```
    pub fn check(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Verdict {
        self.check_bytes(crawler, url.as_ref().as_bytes())
    }

    /// Like [`check`](Self::check), for a URL that need not be UTF-8, for example from a log.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /caf%E9/\n");
    /// assert!(robots.check_bytes(&Crawler::ANY, b"/caf\xE9/menu").is_disallowed());
    /// ```
    pub fn check_bytes(&self, crawler: &Crawler<'_>, url: &[u8]) -> Verdict {
        let document = &**self.document();
        let selection = Selection::new(document, crawler);
        let premise = Premise::new(crawler, selection.basis, document.size, &document.dialect);
        let verdict = with_path(url, &document.dialect, |path| {
            premise.conclude(best(document, &selection, path.octets), path.is_robots_txt)
        });
        verdict.unwrap_or_else(Verdict::out_of_scope)
    }
}

/// Returns the greatest key of the matching rules.
fn best(document: &Document, selection: &Selection<'_>, path: &[u8]) -> Key {
    let dialect = &document.dialect;
    let rules = selection.groups(document).flat_map(|group| group.rules());
    let rules = rules.filter(|rule| !first_octet_differs(rule.kind(), rule.pattern(), path, dialect));
    let mut search = Search::new(path);
    rules.fold(Key::NONE, |best, rule| best.max(rank(candidate(&rule), &mut search, best, dialect)))
}

pub(crate) fn candidate<'a>(rule: &Rule<'a>) -> Candidate<'a> {
    Candidate { kind: rule.kind(), line: rule.line(), pattern: rule.pattern() }
}
