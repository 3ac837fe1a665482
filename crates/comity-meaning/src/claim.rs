//! Checks claims about all URLs that match a pattern.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use comity::{Crawler, Crawlers, Dialect, Profile, Robots, Rules};

use crate::budget::{Budget, Exhausted, KeepGoing, Meter};
use crate::classes::{self, Choice, Class};
use crate::compare::BUILTIN;
use crate::overlay::{self, Overlays};
use crate::pattern::Pattern;
use crate::ranked::{ROBOTS_TXT, Source};
use crate::selected::FileGroups;
use crate::sent;
use crate::spelling;

/// A claim that all, or none, of the URLs that match a pattern may be fetched.
///
/// `/robots.txt` itself is excluded: the file cannot block it (RFC 9309 §2.2.2).
///
/// ```
/// use comity::{Crawler, Robots};
/// use comity_meaning::{Claim, Held};
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/press/\n");
/// let claim = Claim::none_allowed(b"/private/").except(b"/private/press/");
/// assert_eq!(claim.clone().only(&[Crawler::ANY]).check(&robots)?, Held::Yes);
///
/// // Some crawlers obey only groups that name them.
/// let Held::No(found) = claim.check(&robots)? else { panic!() };
/// assert_eq!((found.path.as_slice(), found.line), (&b"/private/"[..], None));
/// # Ok::<(), comity_meaning::PatternError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Claim<'c> {
    pattern: Vec<u8>,
    except: Vec<Vec<u8>>,
    allowed: bool,
    choice: Choice<'c>,
    own_dialect_only: bool,
    budget: Budget,
}

/// The result of checking a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Held {
    /// It holds for all URLs and all crawlers that were checked.
    Yes,
    /// It does not hold.
    No(Counterexample),
    /// No counterexample was found, but the budget was not sufficient to exclude one.
    Undecided,
    /// No crawler was checked: none was chosen, or robots.txt governs none of those chosen, or none is parsed in the
    /// dialect of the file.
    NoCrawler,
}

/// A crawler and a path for which a claim does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counterexample {
    /// The crawler. `*` means every crawler that the file does not name. In a dialect with a fallback token, `unnamed` or
    /// another made-up name represents those that fall back to it.
    pub crawler: String,
    /// The path, as a URL contains it.
    pub path: Vec<u8>,
    /// The line that decides, from 1. `None` if no rule matches.
    pub line: Option<u32>,
    /// False if no browser or crawler sends this path, such as one with a raw space, and the claim holds for all paths
    /// that are sent.
    pub is_sent: bool,
}

/// An error: a pattern matches no path. It contains a line break or `#`, or starts neither with `/` nor with `*`. Or it
/// is the pattern of a claim whose exceptions match all of its URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    pattern: Vec<u8>,
    is_excepted: bool,
}

impl PatternError {
    /// Returns true if the pattern matches URLs, but the exceptions of its claim leave out all of them.
    #[must_use]
    pub fn is_excepted(&self) -> bool {
        self.is_excepted
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = comity::Escaped(&self.pattern);
        if self.is_excepted {
            return write!(
                f,
                "`{pattern}` matches no URL once its exceptions are left out (/robots.txt is always one)"
            );
        }
        write!(f, "expected a path pattern such as /private/ or /*.pdf$, found `{pattern}`, which matches no URL")
    }
}

impl core::error::Error for PatternError {}

impl Claim<'static> {
    /// Claims that every URL that matches `pattern` may be fetched. The pattern is written as in a rule.
    pub fn all_allowed(pattern: &[u8]) -> Self {
        Self::new(pattern, true)
    }

    /// Claims that no URL that matches `pattern` may be fetched. The pattern is written as in a rule.
    pub fn none_allowed(pattern: &[u8]) -> Self {
        Self::new(pattern, false)
    }

    fn new(pattern: &[u8], allowed: bool) -> Self {
        Self {
            pattern: pattern.to_vec(),
            except: Vec::new(),
            allowed,
            choice: Choice::All(&BUILTIN),
            own_dialect_only: false,
            budget: Budget::default(),
        }
    }
}

impl Claim<'_> {
    /// Excludes the URLs that match another pattern. May be called several times. By default, none are excluded.
    pub fn except(mut self, pattern: &[u8]) -> Self {
        self.except.push(pattern.to_vec());
        self
    }

    /// Checks all crawlers, with those of this table as the known ones. Defaults to the built-in table. Retired crawlers that
    /// pass over `*` are left out: they make no requests.
    pub fn crawlers(self, crawlers: &Crawlers) -> Claim<'_> {
        Claim { choice: Choice::All(crawlers), ..self }
    }

    /// Checks only these crawlers. [`Crawler::ANY`] means every crawler that the file does not name, also those that
    /// fall back to a token of the dialect. Crawlers that robots.txt does not govern are left out. Defaults to all
    /// crawlers.
    pub fn only<'d>(self, crawlers: &'d [Crawler<'d>]) -> Claim<'d> {
        Claim { choice: Choice::Only(crawlers), ..self }
    }

    /// Checks only the crawlers whose operators parse files in the dialect of this file. A crawler that is not in the
    /// table is treated as one of [`Dialect::STANDARD`]. Defaults to all crawlers.
    pub fn own_dialect_only(mut self) -> Self {
        self.own_dialect_only = true;
        self
    }

    /// Sets the budget. Defaults to [`Budget::default`].
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Checks the claim against a file, in the file's dialect.
    ///
    /// # Errors
    ///
    /// Returns an error if a pattern of the claim matches no URL, or if the exceptions leave out all of its URLs.
    pub fn check(&self, robots: &Robots) -> Result<Held, PatternError> {
        self.check_with(robots, KeepGoing::default())
    }

    /// Checks the claim as [`check`](Self::check) does, for as long as `keep_going` returns true. After it has returned
    /// false, the result is [`Held::Undecided`], as if the budget were used up. It is called at bounded intervals, about
    /// a millisecond apart.
    ///
    /// # Errors
    ///
    /// Returns an error if a pattern of the claim matches no URL, or if the exceptions leave out all of its URLs.
    pub fn check_while(&self, robots: &Robots, keep_going: &dyn Fn() -> bool) -> Result<Held, PatternError> {
        self.check_with(robots, KeepGoing::new(keep_going))
    }

    fn check_with(&self, robots: &Robots, keep_going: KeepGoing<'_>) -> Result<Held, PatternError> {
        let text = comparable(&self.pattern, robots)?;
        let except = self.except.iter().map(|pattern| comparable(pattern, robots)).collect::<Result<Vec<_>, _>>()?;
        let wildcards = robots.dialect().wildcards;
        let question = Question {
            readings: Pattern::readings(&text, wildcards),
            except: except.iter().flat_map(|text| Pattern::readings(text, wildcards)).collect(),
            texts: core::iter::once(&text).chain(&except).map(Vec::as_slice).collect(),
            allowed: self.allowed,
        };
        let mut meter = Meter::interruptible(self.budget, keep_going);
        match question.has_url(robots.dialect(), &mut meter) {
            Ok(true) => {}
            Ok(false) => return Err(PatternError { pattern: self.pattern.clone(), is_excepted: true }),
            Err(Exhausted) => return Ok(Held::Undecided),
        }
        let reads_so = |profile: Option<&Profile>| profile.map_or(Dialect::STANDARD, |row| row.dialect);
        let is_gone = |row: &Profile| row.retired && !row.obeys_star && matches!(self.choice, Choice::All(_));
        let accept = |profile: Option<&Profile>| {
            !profile.is_some_and(is_gone) && (!self.own_dialect_only || reads_so(profile) == *robots.dialect())
        };
        let Ok(classes) = classes::classes([robots], self.choice, accept, &mut meter) else {
            return Ok(Held::Undecided);
        };
        let groups = FileGroups::new(robots);
        if classes.is_empty() {
            return Ok(Held::NoCrawler);
        }
        let mut unsent = None;
        for class in &classes {
            match question.put(robots, &groups, class, &mut meter) {
                Ok(None) => {}
                Ok(Some(counterexample)) if counterexample.is_sent => return Ok(Held::No(counterexample)),
                Ok(Some(counterexample)) => unsent = unsent.or(Some(counterexample)),
                Err(Exhausted) => return Ok(Held::Undecided),
            }
        }
        Ok(unsent.map_or(Held::Yes, Held::No))
    }
}

/// Returns a pattern in normal form, by letting the engine parse it as a rule.
pub(crate) fn comparable(pattern: &[u8], robots: &Robots) -> Result<Vec<u8>, PatternError> {
    let file = [b"User-agent: *\nDisallow: ", pattern].concat();
    let file = Robots::parse_with(file, robots.dialect());
    let mut rules = file.groups().flat_map(|group| group.rules());
    match (rules.next(), rules.next()) {
        (Some(rule), None)
            if rule.value() == pattern && !Pattern::readings(rule.pattern(), robots.dialect().wildcards).is_empty() =>
        {
            Ok(rule.pattern().to_vec())
        }
        _ => Err(PatternError { pattern: pattern.to_vec(), is_excepted: false }),
    }
}

/// A claim in normal form.
struct Question<'q> {
    readings: Vec<Pattern<'q>>,
    except: Vec<Pattern<'q>>,
    texts: Vec<&'q [u8]>,
    allowed: bool,
}

impl Question<'_> {
    /// Returns true if the claim is about a URL: one that no exception matches.
    ///
    /// An exception that matches the word of a pattern matches everything that the pattern matches, since only its stars
    /// match fillers.
    fn has_url(&self, dialect: &Dialect, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        // `put` decides nothing without a filler either.
        let Some(filler) = overlay::filler(self.texts.iter().copied()) else { return Ok(true) };
        for reading in &self.readings {
            let word = reading.word(filler);
            // A step is a few hundred octets.
            meter.spend(self.except.len() * (1 + word.len() / 256))?;
            let is_exempt = dialect.robots_txt_allowed && word == ROBOTS_TXT;
            if !is_exempt && !self.except.iter().any(|pattern| pattern.matches(&word)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for a counterexample among the overlays of the claim's pattern with each rule that gives the opposite
    /// answer. Prefers one that is sent.
    fn put(
        &self,
        robots: &Robots,
        groups: &FileGroups<'_>,
        class: &Class<'_, 1>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Counterexample>, Exhausted> {
        let list = groups.rules(&class.groups[0], meter)?;
        let rules = robots.rules_for(&class.example.crawler());
        let texts = list.rules.iter().map(|rule| rule.text).chain(self.texts.iter().copied());
        let filler = overlay::filler(texts).ok_or(Exhausted)?;
        let escapes = robots.dialect().escapes;
        let mut unsent = None;
        for reading in &self.readings {
            for (_, rule) in list.near(reading.stem(), !self.allowed) {
                meter.spend(1)?;
                if rule.source == Source::RobotsTxt {
                    continue;
                }
                let mut overlays = Overlays::new([reading, &rule.pattern], filler);
                while let Some(path) = overlays.next(meter)? {
                    meter.spend(list.question_steps() + self.except.len())?;
                    let crawler = &class.names[0];
                    let Some(found) = self.refute(path, &rules, crawler) else { continue };
                    let is_sent = sent::may_be_sent(path, Some(filler), escapes);
                    let usual = overlay::without_filler(path, filler).into_iter().chain(sent::in_query(path, filler));
                    let mut usual = usual.filter(|path| !is_sent || sent::is_sent(path, escapes));
                    let usual = usual.find_map(|path| self.refute(&path, &rules, crawler));
                    let found = Counterexample { is_sent, ..usual.unwrap_or(found) };
                    if is_sent {
                        return Ok(Some(found));
                    }
                    unsent = unsent.or(Some(found));
                }
            }
        }
        Ok(unsent)
    }

    /// Returns a path as a counterexample, if the claim does not hold for it.
    fn refute(&self, path: &[u8], rules: &Rules, crawler: &str) -> Option<Counterexample> {
        let is_claimed = self.readings.iter().any(|pattern| pattern.matches(path))
            && !self.except.iter().any(|pattern| pattern.matches(path));
        let verdict = overlay::check(rules, path);
        let is_exempt = verdict.reason() == comity::Reason::RobotsTxt;
        let is_refuted = is_claimed && !is_exempt && verdict.is_allowed() != self.allowed;
        is_refuted.then(|| Counterexample {
            crawler: crawler.into(),
            path: spelling::sent(path, rules.dialect()).into_owned(),
            line: verdict.line(),
            is_sent: true,
        })
    }
}
