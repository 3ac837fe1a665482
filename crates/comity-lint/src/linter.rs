//! Choosing lints and running them.

use std::borrow::Cow;
use std::fmt;

use comity::{Dialect, Escaped, Robots, Text};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::distance;
use crate::evidence::Evidence;
use crate::file::File;
use crate::fix::{self, Fix, Fixes, Mended, Safety};
use crate::ignore::Ignored;
use crate::lint::{Lint, Severity};
use crate::lints::ALL;
use crate::stop::{Stopped, Watch};
use crate::verdicts::{self, Changes};

/// The lints to run, and how bad their findings are.
///
/// ```
/// use comity_lint::{Evidence, Linter, Severity};
///
/// let report = Linter::new().lint(b"User-agent: *\nDisallow: private/\n", &Evidence::default());
/// let found = &report.diagnostics[0];
/// assert_eq!((found.lint.code, found.line, found.severity), ("L010", 2, Severity::Error));
/// assert_eq!(&b"User-agent: *\nDisallow: private/\n"[found.span.clone()], b"private/");
/// ```
#[derive(Clone, Debug)]
pub struct Linter {
    /// For each lint of [`ALL`], its severity if it runs.
    chosen: Vec<Option<Severity>>,
}

/// What a linter found in a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The findings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Lints that did not look at everything, and the bound that stopped them.
    pub bounded: Vec<(&'static Lint, &'static str)>,
    /// How many findings comments in the file asked to ignore.
    pub ignored: usize,
    source: Cow<'a, [u8]>,
}

impl Report<'_> {
    /// What spans are places in: the body as it is; if it is UTF-16, what it says as UTF-8.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// The worst severity of what was found.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|found| found.severity).max()
    }
}

/// No lint has this code or name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLint {
    name: String,
}

impl fmt::Display for UnknownLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no lint is called `{}`", Escaped(self.name.as_bytes()))?;
        let near = ALL
            .iter()
            .flat_map(|lint| [lint.code, lint.name])
            .filter_map(|name| Some((distance::within(self.name.as_bytes(), name.as_bytes(), 3)?, name)))
            .min();
        match near {
            Some((_, near)) => write!(f, "; do you mean `{near}`?"),
            None => write!(f, "; `comity rule` lists them, and `default` and `all` are sets of them"),
        }
    }
}

impl std::error::Error for UnknownLint {}

impl Default for Linter {
    fn default() -> Self {
        Self { chosen: ALL.iter().map(|lint| (!lint.opt_in).then_some(lint.severity)).collect() }
    }
}

impl Linter {
    /// All lints but those that have to be asked for.
    pub fn new() -> Self {
        Self::default()
    }

    /// No lint at all, to add some.
    pub fn none() -> Self {
        Self { chosen: vec![None; ALL.len()] }
    }

    /// The lint of a code or a name, case folded.
    pub fn find(name: &str) -> Result<&'static Lint, UnknownLint> {
        let is_it = |lint: &&&Lint| lint.code.eq_ignore_ascii_case(name) || lint.name.eq_ignore_ascii_case(name);
        ALL.iter().find(is_it).copied().ok_or_else(|| UnknownLint { name: name.to_owned() })
    }

    /// Adds a lint by its code or name, or the set `default` or `all`.
    pub fn select(&mut self, name: &str) -> Result<(), UnknownLint> {
        self.for_each(name, |lint, chosen| {
            chosen.get_or_insert(lint.severity);
        })
    }

    /// Takes a lint away, by its code or name, or the set `default` or `all`.
    pub fn ignore(&mut self, name: &str) -> Result<(), UnknownLint> {
        self.for_each(name, |_, chosen| *chosen = None)
    }

    /// Gives the findings of a lint that runs another severity.
    pub fn set_severity(&mut self, name: &str, severity: Severity) -> Result<(), UnknownLint> {
        self.for_each(name, |_, chosen| *chosen = chosen.map(|_| severity))
    }

    fn for_each(&mut self, name: &str, change: impl Fn(&Lint, &mut Option<Severity>)) -> Result<(), UnknownLint> {
        let wanted: Option<&Lint> = match name {
            "default" | "all" => None,
            name => Some(Self::find(name)?),
        };
        for (lint, chosen) in ALL.iter().zip(&mut self.chosen) {
            let is_meant = wanted.map_or(name == "all" || !lint.opt_in, |wanted| wanted.code == lint.code);
            if is_meant {
                change(lint, chosen);
            }
        }
        Ok(())
    }

    /// Looks at a robots.txt, whatever its bytes.
    ///
    /// The work is linear in the file but for bounds that the report tells of when they are reached.
    pub fn lint<'a>(&self, body: &'a [u8], evidence: &Evidence) -> Report<'a> {
        uninterrupted(self.run(body, evidence, &Watch::new(&|| true)))
    }

    /// Lints a robots.txt as [`lint`](Self::lint) does, for as long as `keep_going` returns true. It is called at
    /// bounded intervals, some milliseconds apart, so it should return quickly.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if `keep_going` returned false. There is no partial report.
    pub fn lint_while<'a>(
        &self,
        body: &'a [u8],
        evidence: &Evidence,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Report<'a>, Stopped> {
        self.run(body, evidence, &Watch::new(keep_going))
    }

    fn run<'a>(&self, body: &'a [u8], evidence: &Evidence, watch: &Watch<'_>) -> Result<Report<'a>, Stopped> {
        watch.ask()?;
        let text = Text::new(body, &Dialect::STANDARD);
        let robots = Robots::parse(body);
        let file = File::new(body, &text, &robots, evidence, watch);
        let mut diagnostics = Diagnostics::new(ALL[0]);
        for (lint, severity) in ALL.iter().zip(&self.chosen) {
            let Some(severity) = severity else { continue };
            // Of a web page there is nothing else to say.
            if file.is_page() && lint.name != "not-plain-text" {
                continue;
            }
            let before = diagnostics.found.len();
            diagnostics.start(lint);
            (lint.check)(&file, &mut diagnostics);
            watch.ask()?;
            if *severity != lint.severity {
                diagnostics.found[before..].iter_mut().for_each(|found| found.severity = *severity);
            }
        }
        let mut found = diagnostics.found;
        let ignored = Ignored::of(&file);
        let all = found.len();
        if !ignored.is_empty() {
            found.retain(|found| !ignored.covers(found));
        }
        let ignored = all - found.len();
        if !file.is_editable() {
            for found in &mut found {
                found.fix = None;
            }
        }
        found.sort_by_key(|found| (found.line, found.span.start, found.lint.code));
        let source = if file.is_editable() { Cow::Borrowed(body) } else { Cow::Owned(file.source.to_vec()) };
        Ok(Report { diagnostics: found, bounded: diagnostics.bounded, ignored, source })
    }

    /// Mends what can be mended, until nothing is left to mend.
    ///
    /// Safe fixes keep every verdict: that is checked, here and now, against paths made of the file's own rules for
    /// every crawler that it names. What fails the check, or is too large for it, is left out.
    pub fn mend(&self, body: &[u8], evidence: &Evidence, fixes: impl Into<Fixes>) -> Mended {
        uninterrupted(self.mend_watched(body, evidence, fixes.into(), &Watch::new(&|| true)))
    }

    /// Applies fixes as [`mend`](Self::mend) does, for as long as `keep_going` returns true. It is called at bounded
    /// intervals, some milliseconds apart, so it should return quickly.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if `keep_going` returned false. No fix is applied then.
    pub fn mend_while(
        &self,
        body: &[u8],
        evidence: &Evidence,
        fixes: impl Into<Fixes>,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Mended, Stopped> {
        self.mend_watched(body, evidence, fixes.into(), &Watch::new(keep_going))
    }

    fn mend_watched(
        &self,
        body: &[u8],
        evidence: &Evidence,
        fixes: Fixes,
        watch: &Watch<'_>,
    ) -> Result<Mended, Stopped> {
        /// A fix can make room for another one; not for ever.
        const ROUNDS: usize = 10;
        let mut steps = STEPS;
        let mut mended = Mended { body: body.to_vec(), applied: 0, refused: 0, changes: Changes::default() };
        for _ in 0..ROUNDS {
            let report = self.run(&mended.body, evidence, watch)?;
            let found: Vec<&Fix> = report.diagnostics.iter().filter_map(|found| found.fix.as_ref()).collect();
            let (safe, risky): (Vec<&Fix>, Vec<&Fix>) = found.iter().partition(|fix| fix.safety == Safety::Safe);
            let (next, applied, refused) = apply_safe(&mended.body, &safe, &mut steps, watch)?;
            mended.refused = refused;
            if applied > 0 {
                mended.applied += applied;
                mended.body = next;
                continue;
            }
            if fixes.at_most == Safety::Safe {
                break;
            }
            let (next, applied) = fix::apply(&mended.body, risky.into_iter());
            if applied == 0 {
                break;
            }
            mended.applied += applied;
            mended.body = next;
        }
        if fixes.at_most == Safety::Unsafe {
            mended.changes = verdicts::changes(body, &mended.body, &mut { verdicts::MOST }, watch)?;
        }
        Ok(mended)
    }

    /// What a fix would change, tried against paths made of the file's own rules.
    pub fn preview(body: &[u8], fix: &Fix) -> Changes {
        let (mended, _) = fix::apply(body, std::iter::once(fix));
        uninterrupted(verdicts::changes(body, &mended, &mut { verdicts::MOST }, &Watch::new(&|| true)))
    }
}

/// The most steps to mend a file, all comparisons together: some seconds. Real files need a tenth of it.
const STEPS: usize = 3_000_000;

/// Applies all of these fixes if that keeps every verdict; else as many of them as do, found by halving. Returns how
/// many were applied and refused.
fn apply_safe(
    body: &[u8],
    fixes: &[&Fix],
    steps: &mut usize,
    watch: &Watch<'_>,
) -> Result<(Vec<u8>, usize, usize), Stopped> {
    /// The most checks of one file: a file that needs more has hundreds of fixes that are not what they promise.
    const CHECKS: usize = 32;
    let mut kept: Vec<&Fix> = Vec::new();
    let mut refused = 0;
    let mut checks = 0;
    let mut waiting = vec![fixes];
    while let Some(part) = waiting.pop() {
        if part.is_empty() {
            continue;
        }
        checks += 1;
        if checks > CHECKS {
            refused += part.len();
            continue;
        }
        let (tried, _) = fix::apply(body, kept.iter().chain(part).copied());
        let given = verdicts::MOST.min(*steps);
        let mut left = given;
        let changes = verdicts::changes(body, &tried, &mut left, watch)?;
        *steps -= given - left;
        if changes.is_none() {
            kept.extend(part);
        } else if changes.cut {
            // Half of it would not be asked about any quicker.
            refused += part.len();
        } else if part.len() == 1 {
            refused += 1;
        } else {
            let (first, second) = part.split_at(part.len() / 2);
            waiting.extend([second, first]);
        }
    }
    let (mended, applied) = fix::apply(body, kept.into_iter());
    Ok((mended, applied, refused))
}

/// The result of work that nobody stops.
fn uninterrupted<T>(result: Result<T, Stopped>) -> T {
    result.unwrap_or_else(|Stopped| unreachable!("nobody asked to stop"))
}
