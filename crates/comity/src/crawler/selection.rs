//! Selection of the groups that apply to a crawler (RFC 9309 §2.2.1).

use alloc::vec::Vec;

use crate::crawler::identity::Crawler;
use crate::crawler::profile::DelaySupport;
use crate::crawler::table::TABLE;
use crate::dialect::CrawlDelayFrom;
use crate::document::{CrawlDelay, Document, Group, Robots};
use crate::name::names;

/// The groups that an answer is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Basis {
    /// Groups that name the crawler's own token.
    OwnToken,
    /// Groups that name one of its fallback tokens.
    FallbackToken,
    /// Groups that name any of several tokens, merged.
    MergedTokens,
    /// Groups for `*`.
    Star,
    /// No groups: there are only groups for `*`, which the crawler ignores.
    StarIgnored,
    /// No groups.
    Nothing,
}

names! {
    Basis is "a basis" {
        OwnToken = "own-token",
        FallbackToken = "fallback-token",
        MergedTokens = "merged-tokens",
        Star = "star",
        StarIgnored = "star-ignored",
        Nothing = "nothing",
    }, Display
}

/// The groups of a file that apply to a crawler: those that name the first of its tokens that any group names, else
/// those for `*`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'c> {
    crawler: &'c Crawler<'c>,
    chosen: Chosen<'c>,
    pub(crate) basis: Basis,
}

#[derive(Clone, Copy, Debug)]
enum Chosen<'c> {
    Token(&'c [u8]),
    AnyToken,
    Star,
    Nothing,
}

impl<'c> Selection<'c> {
    pub(crate) fn new(document: &Document, crawler: &'c Crawler<'c>) -> Self {
        let groups = || (0..document.group_count()).map(|index| document.group(index));
        let first_named = crawler
            .tokens_in(&document.dialect)
            .enumerate()
            .find(|(_, token)| groups().any(|group| group.names(token)));
        let (chosen, basis) = match first_named {
            Some(_) if crawler.merges() => (Chosen::AnyToken, Basis::MergedTokens),
            Some((0, token)) => (Chosen::Token(token), Basis::OwnToken),
            Some((_, token)) => (Chosen::Token(token), Basis::FallbackToken),
            None if !groups().any(|group| group.is_for_any()) => (Chosen::Nothing, Basis::Nothing),
            None if crawler.obeys_star() => (Chosen::Star, Basis::Star),
            None => (Chosen::Nothing, Basis::StarIgnored),
        };
        Self { crawler, chosen, basis }
    }

    /// Returns the token that selected the groups, if any.
    pub(crate) fn token(&self) -> Option<&'c [u8]> {
        match self.chosen {
            Chosen::Token(token) => Some(token),
            Chosen::AnyToken | Chosen::Star | Chosen::Nothing => None,
        }
    }

    fn covers(&self, group: &Group<'_>) -> bool {
        match self.chosen {
            Chosen::Token(token) => group.names(token),
            Chosen::AnyToken => self.crawler.tokens().any(|token| group.names(token)),
            Chosen::Star => group.is_for_any(),
            Chosen::Nothing => false,
        }
    }

    /// Returns the groups, in file order; only the first one if the dialect does not merge groups.
    pub(crate) fn groups<'d>(&self, document: &'d Document) -> impl Iterator<Item = Group<'d>> + use<'d, 'c> {
        let selection = *self;
        let most = if document.dialect.merge_groups { usize::MAX } else { 1 };
        (0..document.group_count()).map(|i| document.group(i)).filter(move |group| selection.covers(group)).take(most)
    }
}

impl Robots {
    /// Returns a file that disallows every path except `/robots.txt` for every crawler of the built-in table that obeys
    /// robots.txt, and for every other crawler that obeys groups for `*`. It names the known crawlers that ignore `*`.
    ///
    /// It does not apply to crawlers of your own table that ignore `*`.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::disallow_all();
    /// assert!(robots.check(&Crawler::ANY, "/").is_disallowed());
    /// assert!(robots.check(&Crawler::known("AdsBot-Google").unwrap(), "/").is_disallowed());
    /// assert!(Robots::default().check(&Crawler::ANY, "/").is_allowed());
    /// ```
    pub fn disallow_all() -> Self {
        let mut text = Vec::from(*b"User-agent: *\n");
        for profile in TABLE.iter().filter(|profile| !profile.obeys_star) {
            text.extend_from_slice(b"User-agent: ");
            text.extend_from_slice(profile.token.as_bytes());
            text.push(b'\n');
        }
        text.extend_from_slice(b"Disallow: /\n");
        Self::parse(text)
    }

    /// Returns the groups that apply to a crawler, in file order (RFC 9309 §2.2.1): those that name the first of its
    /// tokens that any group names, else those for `*` unless it ignores them. Without `merge_groups`, only the first
    /// one.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n");
    /// let groups: Vec<usize> = robots.groups_for(&Crawler::ANY).map(|group| group.index()).collect();
    /// assert_eq!(groups, [1]);
    /// ```
    pub fn groups_for<'r, 'c>(&'r self, crawler: &'c Crawler<'c>) -> impl Iterator<Item = Group<'r>> + use<'r, 'c> {
        Selection::new(self.document(), crawler).groups(self.document())
    }

    /// Returns the basis of all verdicts for a crawler: how its groups were selected. It is that of
    /// [`Verdict::basis`](crate::Verdict::basis), without a URL to check.
    ///
    /// ```
    /// use comity::{Basis, Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /\n");
    /// assert_eq!(robots.basis_for(&Crawler::known("Googlebot-Image").unwrap()), Basis::FallbackToken);
    /// assert_eq!(robots.basis_for(&Crawler::ANY), Basis::Nothing);
    /// ```
    pub fn basis_for(&self, crawler: &Crawler<'_>) -> Basis {
        Selection::new(self.document(), crawler).basis
    }

    /// Returns the crawl-delay for this crawler: the largest valid one in its groups. Returns `None` if there is none,
    /// or if the dialect or the crawler ignores crawl-delays. The delay has no upper limit, and a hostile file may ask
    /// for more than a clock can represent, so use `checked_add`.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    /// use std::time::Duration;
    ///
    /// let robots = Robots::parse(b"User-agent: *\nCrawl-delay: 2.5\nDisallow:\n");
    /// let wanted = robots.crawl_delay(&Crawler::ANY).unwrap();
    /// assert_eq!((wanted.delay, wanted.line), (Duration::from_millis(2_500), 2));
    /// ```
    pub fn crawl_delay(&self, crawler: &Crawler<'_>) -> Option<CrawlDelay> {
        let document = self.document();
        if crawler.profile().is_some_and(|profile| profile.crawl_delay == DelaySupport::Ignored) {
            return None;
        }
        let asked_of = |selection: Selection<'_>| {
            let groups: Vec<usize> = selection.groups(document).map(|group| group.index()).collect();
            self.largest_delay(|index| groups.binary_search(&index).is_ok())
        };
        let selected = || asked_of(Selection::new(document, crawler));
        match document.dialect.crawl_delay {
            CrawlDelayFrom::Nowhere => None,
            CrawlDelayFrom::Selected => selected(),
            CrawlDelayFrom::SelectedThenStar => {
                let star = || crawler.obeys_star().then(|| asked_of(Selection::new(document, &Crawler::ANY))).flatten();
                selected().or_else(star)
            }
        }
    }
}
