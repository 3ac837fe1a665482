//! The selection of lints, and the runs of the selected ones.

use std::borrow::Cow;
use std::fmt;

use comity::spelling::edit_distance;
use comity::{Content, Crawlers, Dialect, Escaped, Robots, RuleEffect, SourceText};

use crate::agents::Agents;
use crate::diagnostic::{Diagnostic, Diagnostics, MAX_FINDINGS, MAX_FIXED_FINDINGS};
use crate::evidence::Evidence;
use crate::file::File;
use crate::fix::{Edit, Fix, Safety};
use crate::ignore::Ignored;
use crate::lint::{Lint, Severity};
use crate::lints::ALL;
use crate::managed::parts_of;
use crate::readers::Reader;
use crate::stop::{Stopped, Watch};
use crate::text::numbered;
use crate::{apply, blocking};

/// A linter: the lints to run, and the severities of their findings.
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
    /// The severity of each lint of [`ALL`]; `None` for one that does not run.
    chosen: Vec<Option<Severity>>,
    crawlers: Crawlers,
    /// The only reader whose rejections are reported. `None` for all lints that were chosen.
    reader: Option<&'static Reader>,
}

/// The report of a linter on a file.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct Report<'a> {
    /// The findings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The lints that stopped before they had checked everything, and the bound that stopped them.
    pub bounded: Vec<(&'static Lint, Cow<'static, str>)>,
    /// The number of findings that comments in the file suppressed.
    pub ignored: usize,
    source: Cow<'a, [u8]>,
}

impl Report<'_> {
    /// Returns the text that spans refer to: the unchanged body or, if it is UTF-16, its UTF-8 form.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Replaces the notes of `duplicate-rule` and `redundant-rule` with one that summarizes them, if there are several. They
    /// are about tidying, and in real files most of all findings. Call it after
    /// [`Linter::check_blocking`](crate::Linter::check_blocking): the fix of the summary is all of their safe fixes.
    pub fn summarize(&mut self) {
        let is_tidying = |found: &Diagnostic| {
            matches!(found.lint.name, "duplicate-rule" | "redundant-rule") && found.severity == Severity::Note
        };
        if self.diagnostics.iter().filter(|found| is_tidying(found)).count() < 2 {
            return;
        }
        let (tidying, mut others): (Vec<_>, Vec<_>) = self.diagnostics.drain(..).partition(is_tidying);
        let repeated = tidying.iter().filter(|found| found.lint.name == "duplicate-rule").count();
        let mut lines: Vec<u32> = tidying.iter().map(|found| found.line).collect();
        lines.dedup();
        let what = match (repeated, tidying.len() - repeated) {
            (repeated, 0) => format!("{repeated} rules repeat other rules"),
            (0, covered) => format!("{covered} rules are covered by others"),
            (repeated, covered) => {
                let repeats = if repeated == 1 { "rule repeats another" } else { "rules repeat other rules" };
                let are = if covered == 1 { "is covered by another" } else { "are covered by others" };
                format!("{repeated} {repeats}, and {covered} {are}")
            }
        };
        let is_safe = |fix: &&Fix| fix.safety == Safety::Safe;
        let fixes = tidying.iter().filter_map(|found| found.fix.as_ref()).filter(is_safe);
        let mut edits: Vec<Edit> = fixes.flat_map(|fix| fix.edits.iter().cloned()).collect();
        edits.sort_by_key(|edit| edit.span.start);
        edits.dedup();
        let Some(mut summary) = tidying.into_iter().next() else { return };
        (summary.message, summary.related) = (format!("{what}: {}", numbered(&lines, 4)), Vec::new());
        summary.help = Some("with --all, each has a finding of its own".to_owned());
        summary.fix = None;
        if !edits.is_empty() {
            let what = if edits.len() == 1 { "the line".to_owned() } else { format!("{} lines", edits.len()) };
            summary.offer(format!("delete {what}"), edits, Safety::Safe);
        }
        others.push(summary);
        others.sort_by_key(|found| (found.line, found.span.start, found.lint.code));
        self.diagnostics = others;
    }

    /// Returns the worst severity of the findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|found| found.severity).max()
    }
}

/// The purpose of a run of the lints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The findings are reported.
    Report,
    /// Only the fixes of the findings are needed.
    Fixes,
}

/// An error: no lint has this code or name.
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
            .filter_map(|name| Some((edit_distance(self.name.as_bytes(), name.as_bytes(), 3)?, name)))
            .min();
        match near {
            Some((_, near)) => write!(f, "; did you mean `{near}`?"),
            None => write!(f, "; `comity lint --explain` lists them; `default` and `all` are sets of lints"),
        }
    }
}

impl std::error::Error for UnknownLint {}

impl Default for Linter {
    fn default() -> Self {
        let chosen = ALL.iter().map(|lint| (!lint.opt_in).then_some(lint.severity)).collect();
        Self { chosen, crawlers: Crawlers::builtin(), reader: None }
    }
}

impl Linter {
    /// Returns a linter that runs all lints except those that only run when they are selected.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a linter without lints. Add some with [`select`](Self::select).
    pub fn none() -> Self {
        Self { chosen: vec![None; ALL.len()], crawlers: Crawlers::builtin(), reader: None }
    }

    /// Sets the table of known crawlers, for lints and for the checks of fixes. Defaults to the built-in one.
    ///
    /// ```
    /// use comity::{Crawlers, Profile, Purpose};
    /// use comity_lint::{Evidence, Linter};
    ///
    /// let mut crawlers = Crawlers::builtin();
    /// crawlers.add(Profile::new("AcmeSearch", "Acme", Purpose::Search));
    /// let mut linter = Linter::new();
    /// linter.set_crawlers(crawlers);
    /// let report = linter.lint(b"User-agent: AcmeSaerch\nDisallow: /a\n", &Evidence::default());
    /// assert_eq!(report.diagnostics[0].lint.name, "misspelled-crawler");
    /// ```
    pub fn set_crawlers(&mut self, crawlers: Crawlers) {
        self.crawlers = crawlers;
    }

    /// Returns the table of known crawlers.
    pub fn crawlers(&self) -> &Crawlers {
        &self.crawlers
    }

    /// Reports only what one reader rejects, such as Lighthouse, with each line.
    ///
    /// ```
    /// use comity_lint::{Evidence, Linter, Reader};
    ///
    /// let mut linter = Linter::new();
    /// linter.ask_reader(Reader::named("lighthouse")?);
    /// let report = linter.lint(b"User-agent: *\nDisallow: /a\nSitemap: /s.xml\n", &Evidence::default());
    /// assert_eq!(report.diagnostics[0].line, 3);
    /// # Ok::<(), comity_lint::UnknownReader>(())
    /// ```
    pub fn ask_reader(&mut self, reader: &'static Reader) {
        self.reader = Some(reader);
        self.chosen = ALL.iter().map(|lint| (lint.name == "rejected-by-reader").then_some(lint.severity)).collect();
    }

    /// Returns the lint with this code or name, ignoring ASCII case.
    pub fn find(name: &str) -> Result<&'static Lint, UnknownLint> {
        let is_it = |lint: &&&Lint| lint.code.eq_ignore_ascii_case(name) || lint.name.eq_ignore_ascii_case(name);
        ALL.iter().find(is_it).copied().ok_or_else(|| UnknownLint { name: name.to_owned() })
    }

    /// Adds a lint by its code or name, or the set `default` or `all`.
    ///
    /// ```
    /// use comity_lint::{Evidence, Linter};
    ///
    /// let mut linter = Linter::none();
    /// linter.select("misspelled-field")?;
    /// assert_eq!(linter.lints().count(), 1);
    /// assert!(linter.select("mispelled-field").unwrap_err().to_string().contains("`misspelled-field`"));
    /// # Ok::<(), comity_lint::UnknownLint>(())
    /// ```
    pub fn select(&mut self, name: &str) -> Result<(), UnknownLint> {
        self.for_each(name, |lint, chosen| {
            chosen.get_or_insert(lint.severity);
        })
    }

    /// Removes a lint by its code or name, or the set `default` or `all`.
    pub fn ignore(&mut self, name: &str) -> Result<(), UnknownLint> {
        self.for_each(name, |_, chosen| *chosen = None)
    }

    /// Sets the severity of a lint by its code or name, or of the lints in the set `default` or `all`. Has no effect on
    /// lints that do not run.
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

    /// Returns the lints that run.
    pub fn lints(&self) -> impl Iterator<Item = &'static Lint> {
        ALL.iter().zip(&self.chosen).filter(|(_, severity)| severity.is_some()).map(|(lint, _)| *lint)
    }

    /// Lints a robots.txt. It may consist of any bytes.
    ///
    /// The work is linear in the size of the file, except for parts that are bounded. The report states which bounds
    /// were reached.
    ///
    /// ```
    /// use comity_lint::{Evidence, Linter};
    ///
    /// let report = Linter::new().lint(b"User-agent: *\nDissallow: /cart/\n", &Evidence::default());
    /// for found in &report.diagnostics {
    ///     println!("line {}: {} [{}]", found.line, found.message, found.lint.code);
    /// }
    /// assert!(report.diagnostics[0].fix.is_some());
    /// ```
    pub fn lint<'a>(&self, body: &'a [u8], evidence: &Evidence) -> Report<'a> {
        uninterrupted(self.run(body, evidence, Purpose::Report, &Watch::new(&|| true)))
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
        self.run(body, evidence, Purpose::Report, &Watch::new(keep_going))
    }

    /// Sets [`Fix::blocks_site`](crate::Fix::blocks_site) of the unsafe fixes in a report, each as if it were the only one that is
    /// applied. Before that, marks the safe fixes as unsafe that [`fix`](Self::fix) would leave out.
    ///
    /// The work is bounded: fixes beyond the bound count as fixes that close the site.
    ///
    /// ```
    /// use comity_lint::{Evidence, Linter};
    ///
    /// let linter = Linter::new();
    /// let mut report = linter.lint(b"User-agent: * Disallow: /\n", &Evidence::default());
    /// linter.check_blocking(&mut report);
    /// let fix = report.diagnostics.iter().find_map(|found| found.fix.as_ref()).unwrap();
    /// assert_eq!((&*fix.title, fix.blocks_site), ("move it to its own line", Some(true)));
    /// ```
    pub fn check_blocking(&self, report: &mut Report<'_>) {
        uninterrupted(self.check_blocking_while(report, &|| true));
    }

    /// Checks fixes as [`check_blocking`](Self::check_blocking) does, for as long as `keep_going` returns true. It is called
    /// at bounded intervals, some milliseconds apart, so it should return quickly.
    ///
    /// # Errors
    ///
    /// [`Stopped`] if `keep_going` returned false. Some fixes may have been checked then.
    pub fn check_blocking_while(&self, report: &mut Report<'_>, keep_going: &dyn Fn() -> bool) -> Result<(), Stopped> {
        let watch = Watch::new(keep_going);
        apply::mark_unproven(self, &report.source, &mut report.diagnostics, &watch)?;
        blocking::check(&report.source, &mut report.diagnostics, &self.crawlers, &watch)
    }

    /// Runs the lints.
    // Inlined into the Python module, all lints would be compiled for speed there, and no call is slower without that.
    #[inline(never)]
    pub(crate) fn run<'a>(
        &self,
        body: &'a [u8],
        evidence: &Evidence,
        purpose: Purpose,
        watch: &Watch<'_>,
    ) -> Result<Report<'a>, Stopped> {
        watch.ask()?;
        let text = SourceText::new(body, &Dialect::STANDARD);
        let robots = Robots::parse(body);
        let known = Agents::new(&self.crawlers);
        let mut file = File::new(body, &text, &robots, evidence, &known, watch);
        file.reader = self.reader;
        let other_content = file.other_content();
        let most = if purpose == Purpose::Fixes { MAX_FIXED_FINDINGS } else { MAX_FINDINGS };
        let mut diagnostics = Diagnostics::new(ALL[0], most);
        for (lint, severity) in ALL.iter().zip(&self.chosen) {
            let Some(severity) = severity else { continue };
            // For a web page or an image, the other lints would find nothing useful.
            if other_content.is_some() && lint.name != "not-plain-text" && self.reader.is_none() {
                continue;
            }
            // It has no fix, does not prevent any, and may take longer than all other lints.
            if purpose == Purpose::Fixes && lint.name == "rule-without-effect" {
                continue;
            }
            let before = diagnostics.found.len();
            diagnostics.start(lint);
            (lint.check)(&file, &mut diagnostics);
            watch.ask()?;
            diagnostics.end(before, &file);
            if *severity != lint.severity {
                diagnostics.found[before..].iter_mut().for_each(|found| found.severity = *severity);
            }
        }
        diagnostics.drop_fixes_because_of_doubtful_rules();
        let mut found = diagnostics.found;
        for found in &mut found {
            found.affects = affects(found, &file);
        }
        let ignored = Ignored::of(&file);
        name_managed_parts(&file, &mut found);
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
}

/// States which findings are in a part of the file that a CDN adds. Their fixes can't be applied to a file of the site.
fn name_managed_parts(file: &File<'_>, found: &mut [Diagnostic]) {
    let parts = if found.is_empty() { Vec::new() } else { parts_of(&file.lines) };
    for found in found.iter_mut() {
        let Some(part) = parts.iter().find(|part| part.contains(found.line)) else { continue };
        found.fix = None;
        let help = format!("{} adds lines {} to {}: change them in its settings", part.by, part.first, part.last);
        found.help = Some(found.help.as_ref().map_or(help.clone(), |other| format!("{other}; {help}")));
    }
}

/// Returns the crawlers that a finding affects. A rule or user-agent line of a group affects only the crawlers of that
/// group.
fn affects(found: &Diagnostic, file: &File<'_>) -> &'static str {
    let is_in_group = |line| match &file.line(line).content {
        Content::UserAgent { .. } | Content::Rule { effect: RuleEffect::Applies, .. } => {
            file.group_of(line).is_some_and(|group| !group.is_for_any())
        }
        _ => false,
    };
    if found.affects == "every crawler" && is_in_group(found.line) {
        return "the crawlers that the group names";
    }
    found.affects
}

/// Returns the result of work that the caller can't stop.
pub(crate) fn uninterrupted<T>(result: Result<T, Stopped>) -> T {
    result.unwrap_or_else(|Stopped| unreachable!("nobody asked to stop"))
}
