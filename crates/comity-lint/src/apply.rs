//! Fixing a file in rounds of lints and fixes, with the checks that each fix has to pass.

use std::ops::Range;

use comity::{Content, Dialect, RuleKind, SourceText};

use crate::blocking;
use crate::budget::{Budget, Halt, unless_stopped};
use crate::diagnostic::Diagnostic;
use crate::evidence::Evidence;
use crate::fix::{self, Applied, Fix, FixedFile, Fixes, LeftOut, LeftOutReason, Safety};
use crate::linter::{Linter, Purpose, uninterrupted};
use crate::proof::{self, VerdictChanges};
use crate::readings::{self, Readings};
use crate::stop::{Stopped, Watch};

/// The maximum number of rounds. A fix can make another one possible; this bounds how often.
const MAX_ROUNDS: usize = 10;
/// The maximum number of steps to fix a file, including its lints: less than a second. Real files need a tenth of it.
const MAX_STEPS: usize = 3_000_000;
const STEPS_BOUND: &str = "3,000,000 steps";
/// The maximum number of checks in one round. A file that needs more has hundreds of fixes that fail their check.
const MAX_CHECKS: usize = 32;

impl Linter {
    /// Applies fixes until there is nothing left to fix.
    ///
    /// Safe fixes keep the verdict of every URL for every crawler, in the [`CHECKED_DIALECTS`](crate::CHECKED_DIALECTS),
    /// and all sitemaps, delays and signals. This is proven before they are applied. Unsafe fixes don't newly block `/`, or any path that no rule names, unless
    /// [`Fixes::allow_blocking`] is set, which is proven as well. A fix is left out if its proof fails or takes too long.
    ///
    /// ```
    /// use comity_lint::{Evidence, Linter, Safety};
    ///
    /// let body = b"User-agent: *\nDisallow: /old\nDisallow: /old/help\n";
    /// let fixed = Linter::new().fix(body, &Evidence::default(), Safety::Safe);
    /// assert_eq!((fixed.applied, &*fixed.body), (1, b"User-agent: *\nDisallow: /old\n".as_slice()));
    /// ```
    pub fn fix(&self, body: &[u8], evidence: &Evidence, fixes: impl Into<Fixes>) -> FixedFile {
        uninterrupted(Run::new(self, evidence, fixes.into(), &Watch::new(&|| true)).all(body))
    }

    /// Applies fixes as [`fix`](Self::fix) does, for as long as `keep_going` returns true. It is called at bounded
    /// intervals, some milliseconds apart, so it should return quickly.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if `keep_going` returned false. No fix is applied then.
    pub fn fix_while(
        &self,
        body: &[u8],
        evidence: &Evidence,
        fixes: impl Into<Fixes>,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<FixedFile, Stopped> {
        Run::new(self, evidence, fixes.into(), &Watch::new(keep_going)).all(body)
    }

    /// Returns the verdicts that a fix would change, for any URL and any crawler.
    pub fn preview(&self, body: &[u8], fix: &Fix) -> VerdictChanges {
        let (tried, watch) = (fix::apply(body, [fix]).body, Watch::new(&|| true));
        let mut budget = Budget::new(proof::MAX_STEPS, &watch);
        uninterrupted(proof::changes_between(body, &tried, self.crawlers(), &mut budget))
    }

    /// Returns true if a fix newly blocks `/`, or a path that no rule names, for any crawler, or if that takes too long to
    /// check.
    #[must_use]
    pub fn blocks_site(&self, body: &[u8], fix: &Fix) -> bool {
        let (tried, watch) = (fix::apply(body, [fix]).body, Watch::new(&|| true));
        let mut budget = Budget::new(proof::MAX_STEPS, &watch);
        let [before, after] = [body, &tried].map(|body| Readings::new(body, self.crawlers()));
        !proof::first_closed(&before, &after, &mut budget).is_ok_and(|found| found.is_none())
    }
}

/// A run that fixes one file.
struct Run<'r> {
    linter: &'r Linter,
    evidence: &'r Evidence,
    fixes: Fixes,
    watch: &'r Watch<'r>,
    budget: Budget<'r>,
    /// The bound that was reached.
    bound: Option<&'static str>,
}

/// The indices of the fixes of a round that pass their check, and of those that don't.
#[derive(Default)]
struct Chosen {
    kept: Vec<usize>,
    refused: Vec<(usize, LeftOutReason)>,
}

impl<'r> Run<'r> {
    fn new(linter: &'r Linter, evidence: &'r Evidence, fixes: Fixes, watch: &'r Watch<'r>) -> Self {
        Self { linter, evidence, fixes, watch, budget: Budget::new(MAX_STEPS, watch), bound: None }
    }

    fn all(mut self, original: &[u8]) -> Result<FixedFile, Stopped> {
        let mut fixed = FixedFile { body: original.to_vec(), ..FixedFile::default() };
        let before = Readings::new(original, self.linter.crawlers());
        let mut made = Made::default();
        for round in 0.. {
            if round == MAX_ROUNDS {
                self.bound = Some("10 rounds");
                break;
            }
            // Linting a file takes twice as long as parsing it in all dialects.
            let spent = self.budget.spend(Readings::steps(3 * fixed.body.len()));
            if !unless_stopped(spent.map(|()| true), false)? {
                self.bound = Some(STEPS_BOUND);
                break;
            }
            let report = self.linter.run(&fixed.body, self.evidence, Purpose::Fixes, self.watch)?;
            let mut found: Vec<Diagnostic> = report.diagnostics;
            let ends = line_ends(&fixed.body);
            found.retain(|found| found.fix.is_some() && found.because_of.is_none_or(|line| !made.has(line, &ends)));
            let (safe, risky): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| safety(found) == Safety::Safe);

            let here = Readings::new(&fixed.body, self.linter.crawlers());
            let chosen = self.choose(&fixed.body, &safe, |run, tried| run.keeps_answers(&here, tried))?;
            if take(&mut fixed, &mut made, &safe, chosen) {
                continue;
            }
            if self.fixes.at_most == Safety::Unsafe {
                let refused = std::mem::take(&mut fixed.left_out);
                let chosen = self.choose(&fixed.body, &risky, |run, tried| run.does_not_close(&before, tried))?;
                let any = take(&mut fixed, &mut made, &risky, chosen);
                fixed.left_out.extend(refused);
                if any {
                    continue;
                }
            }
            break;
        }
        fixed.bound = self.bound;
        fixed.left_out.sort_by_key(|left| (left.line, left.lint.code));
        if self.fixes.at_most == Safety::Unsafe {
            let mut budget = Budget::new(proof::MAX_STEPS, self.watch);
            fixed.changes = proof::changes_between(original, &fixed.body, self.linter.crawlers(), &mut budget)?;
        }
        Ok(fixed)
    }

    /// Chooses fixes that pass a check together: all of them or, if that fails, those that are found by repeated
    /// halving.
    fn choose(
        &mut self,
        body: &[u8],
        found: &[Diagnostic],
        check: impl Fn(&mut Self, &[u8]) -> Result<Option<LeftOutReason>, Halt>,
    ) -> Result<Chosen, Stopped> {
        let mut chosen = Chosen::default();
        let mut waiting = vec![(0..found.len()).collect::<Vec<usize>>()];
        let mut checks = 0;
        while let Some(part) = waiting.pop() {
            if part.is_empty() {
                continue;
            }
            checks += 1;
            if checks > MAX_CHECKS {
                self.bound = self.bound.or(Some("32 checks"));
                chosen.refused.extend(part.into_iter().map(|index| (index, LeftOutReason::Unchecked)));
                continue;
            }
            let tried = apply(body, found, chosen.kept.iter().chain(&part));
            let reason = match check(self, &tried.body) {
                Ok(None) => {
                    chosen.kept.extend(part);
                    continue;
                }
                Ok(Some(reason)) => reason,
                Err(Halt::Exhausted) => {
                    self.bound = Some(STEPS_BOUND);
                    LeftOutReason::Unchecked
                }
                Err(Halt::Stopped) => return Err(Stopped),
            };
            if reason == LeftOutReason::Unchecked || part.len() == 1 {
                // Halving would not help: checking one half takes as long.
                chosen.refused.extend(part.into_iter().map(|index| (index, reason.clone())));
            } else {
                let (first, second) = split(&part, &tried, chosen.kept.len());
                waiting.extend([second, first]);
            }
        }
        Ok(chosen)
    }

    /// Checks safe fixes, which must not change any verdict, and no sitemap, delay or signal.
    fn keeps_answers(&mut self, before: &Readings<'_>, tried: &[u8]) -> Result<Option<LeftOutReason>, Halt> {
        self.budget.spend(Readings::steps(tried.len()))?;
        let after = Readings::new(tried, self.linter.crawlers());
        if let Some(change) = proof::first_change(before, &after, &mut self.budget)? {
            return Ok(Some(LeftOutReason::ChangesVerdict(change)));
        }
        let changed = readings::first_changed_record(before, &after, &mut self.budget)?;
        Ok(changed.map(|[field, dialect]| LeftOutReason::ChangesRecord { field, dialect }))
    }

    /// Checks unsafe fixes, together with all that were applied before. They must not block a path that no rule named.
    fn does_not_close(&mut self, before: &Readings<'_>, tried: &[u8]) -> Result<Option<LeftOutReason>, Halt> {
        if self.fixes.allow_blocking {
            return Ok(None);
        }
        self.budget.spend(Readings::steps(tried.len()))?;
        let after = Readings::new(tried, self.linter.crawlers());
        Ok(proof::first_closed(before, &after, &mut self.budget)?.map(LeftOutReason::BlocksSite))
    }
}

/// Marks safe fixes whose proof fails or takes too long as unsafe, so that a report promises only what a run of the safe
/// fixes does.
pub(crate) fn mark_unproven(
    linter: &Linter,
    source: &[u8],
    found: &mut [Diagnostic],
    watch: &Watch<'_>,
) -> Result<(), Stopped> {
    let places: Vec<usize> =
        (0..found.len()).filter(|i| safety(&found[*i]) == Safety::Safe && found[*i].fix.is_some()).collect();
    let safe: Vec<Diagnostic> = places.iter().map(|i| found[*i].clone()).collect();
    let evidence = Evidence::default();
    let mut run = Run::new(linter, &evidence, Safety::Safe.into(), watch);
    let before = Readings::new(source, linter.crawlers());
    let refused = run.choose(source, &safe, |run, tried| run.keeps_answers(&before, tried))?.refused;
    for (index, _) in refused {
        if let Some(fix) = &mut found[places[index]].fix {
            fix.safety = Safety::Unsafe;
        }
    }
    Ok(())
}

fn safety(found: &Diagnostic) -> Safety {
    found.fix.as_ref().map_or(Safety::Unsafe, |fix| fix.safety)
}

fn apply<'i>(body: &[u8], found: &[Diagnostic], indices: impl Iterator<Item = &'i usize>) -> Applied {
    fix::apply(body, indices.filter_map(|index| found[*index].fix.as_ref()))
}

/// The ranges of a body that fixes of this run have written. Rules in these ranges are not a reason to delete other
/// rules. They are in the order of the body.
#[derive(Default)]
struct Made(Vec<Range<usize>>);

impl Made {
    /// Adjusts the ranges to the body after further fixes, and adds the ranges that these fixes have written.
    fn add(&mut self, applied: &Applied) {
        for place in &mut self.0 {
            *place = applied.place(place.start)..applied.place(place.end);
        }
        let written = applied.places.iter().map(|(_, place)| place.clone()).filter(|place| !place.is_empty());
        self.0.extend(written);
        self.0.sort_unstable_by_key(|place| place.start);
    }

    /// Returns true if a line, counted from 1, overlaps one of the ranges.
    fn has(&self, line: u32, ends: &[usize]) -> bool {
        let index = line as usize - 1;
        let start = index.checked_sub(1).map_or(0, |before| ends[before] + 1);
        let end = ends.get(index).copied().unwrap_or(usize::MAX);
        // A line end that was inserted just before the line is included, since it turns part of a value into a record.
        let next = self.0.partition_point(|place| place.end < start);
        self.0.get(next).is_some_and(|place| place.start <= end)
    }
}

/// Applies the chosen fixes, and records those that were refused. Returns true if any fix was applied.
fn take(fixed: &mut FixedFile, made: &mut Made, found: &[Diagnostic], chosen: Chosen) -> bool {
    let applied = apply(&fixed.body, found, chosen.kept.iter());
    made.add(&applied);
    let ends = line_ends(&applied.body);
    let line = |found: &Diagnostic| {
        let place = applied.place(found.span.start);
        ends.partition_point(|end| *end < place) as u32 + 1
    };
    let mut places: Vec<(usize, LeftOutReason)> = chosen.refused;
    places.sort_by_key(|(index, _)| *index);
    fixed.left_out = places
        .into_iter()
        .map(|(index, reason)| {
            let found = &found[index];
            let title = found.fix.as_ref().map(|fix| fix.title.clone()).unwrap_or_default();
            LeftOut { lint: found.lint, line: line(found), title, reason }
        })
        .collect();
    fixed.applied += applied.count;
    fixed.body = applied.body;
    applied.count > 0
}

/// Splits fixes that fail their check together into two parts. The second part contains the fixes that write a rule
/// which names nothing, since these are the likely cause. If one part would be empty, the parts are the two halves.
fn split(part: &[usize], tried: &Applied, before: usize) -> (Vec<usize>, Vec<usize>) {
    let wide = wide_lines(&tried.body);
    // The indices in `places` number the fixes as they were passed: first those that were kept before.
    let is_wide = |place: &(usize, Range<usize>)| {
        let next = wide.partition_point(|line| line.end < place.1.start);
        wide.get(next).is_some_and(|line| line.start <= place.1.end)
    };
    let mut suspect = vec![false; before + part.len()];
    for place in tried.places.iter().filter(|place| is_wide(place)) {
        suspect[place.0] = true;
    }
    let (wide, narrow): (Vec<_>, Vec<_>) = part.iter().enumerate().partition(|(i, _)| suspect[before + i]);
    if wide.is_empty() || narrow.is_empty() {
        let (first, second) = part.split_at(part.len() / 2);
        return (first.to_vec(), second.to_vec());
    }
    let indices = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, index)| *index).collect();
    (indices(narrow), indices(wide))
}

/// Returns the ranges of the rules of a body that disallow something and name nothing.
fn wide_lines(body: &[u8]) -> Vec<Range<usize>> {
    let text = SourceText::new(body, &Dialect::STANDARD);
    let wide = text.lines().filter(|line| match line.content {
        Content::Rule { kind: RuleKind::Disallow, value, .. } => !value.is_empty() && !blocking::names_something(value),
        _ => false,
    });
    wide.map(|line| line.span()).collect()
}

/// Returns the positions of the line ends of a body.
fn line_ends(body: &[u8]) -> Vec<usize> {
    let ends = body.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => body.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.map(|(at, _)| at).collect()
}
