//! Output of the difference of two files: as sentences, as Markdown and as annotations.

use std::io::{self, Write};

use comity::Escaped;
use comity_lint::Severity;
use comity_report::{
    Diff, DiffAnswer, DiffChange, DiffFile, DiffListed, DiffOutcome, DiffSignal, DiffWords, capitalized,
};

use crate::render::annotation::Annotation;
use crate::render::github;
use crate::render::style::{self, paint};

/// The maximum number of changes that are shown to people. JSON contains all of them.
const MAX_CHANGES: usize = 50;

/// A difference, and the options for its output.
pub(crate) struct Shown<'a> {
    pub(crate) diff: &'a Diff,
    /// True if the crawlers were given as arguments.
    pub(crate) chosen: bool,
    /// True to show all changes.
    pub(crate) all: bool,
    /// True to name all crawlers and rules of a change.
    pub(crate) full: bool,
    /// True if lines have the same numbers in both files, so that lines of the old file need no mark.
    pub(crate) same_lines: bool,
}

impl Shown<'_> {
    pub(crate) fn human(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(headline) = self.headline() {
            writeln!(out, "{}\n", paint(style::STRONG, headline))?;
        }
        for change in self.changes() {
            let (heading, style) = self.heading(change);
            let heading = paint(style, heading);
            writeln!(
                out,
                "{heading}, for {}{}:",
                self.words().crawlers(&change.crawlers),
                self.words().only_in(&change.dialects)
            )?;
            let rule = &change.rule;
            if let Some(line) = rule.line {
                let old = if self.words().is_old(rule) { "   (old)" } else { "" };
                writeln!(out, "  {line:>4} | {}{old}", shown(&rule.pattern))?;
            }
            writeln!(
                out,
                "  {}, such as {}{}\n",
                self.words().described(change),
                self.words().example(change),
                self.words().remarks(change)
            )?;
        }
        self.more("", out)?;
        for signal in &self.diff.signals {
            writeln!(out, "{}\n", self.words().signal(signal))?;
        }
        writeln!(out, "{}", self.summary(self.changes().len()))
    }

    /// Writes a summary in Markdown. `names` are those of the two files.
    pub(crate) fn markdown(&self, names: &[String; 2], out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "### What changes in robots.txt\n")?;
        if let Some(headline) = self.headline() {
            writeln!(out, "**{}**\n", markdown_text(headline))?;
        }
        for change in self.changes() {
            writeln!(out, "{}", self.change_bullet(change))?;
        }
        self.more("- ", out)?;
        for signal in &self.diff.signals {
            writeln!(out, "{}", self.signal_bullet(signal))?;
        }
        let gap = if self.diff.changes.is_empty() && self.diff.signals.is_empty() { "" } else { "\n" };
        let [old, new] = names.each_ref().map(|name| code(name));
        let files = if self.diff.is_between_dialects { old } else { format!("{old} and {new}") };
        writeln!(out, "{gap}{} Compared: {files}.", markdown_text(&self.summary(self.changes().len())))
    }

    /// Returns all changes as items of a list in Markdown.
    pub(crate) fn bullets(&self) -> Vec<String> {
        let changes = self.diff.changes.iter().map(|change| self.change_bullet(change));
        changes.chain(self.diff.signals.iter().map(|signal| self.signal_bullet(signal))).collect()
    }

    /// Returns the result in words, if something changes. Otherwise the summary states it.
    fn headline(&self) -> Option<&str> {
        (self.diff.outcome == DiffOutcome::Differs).then_some(&*self.diff.headline.text)
    }

    fn change_bullet(&self, change: &DiffChange) -> String {
        let place = self.words().place(&change.rule);
        let place = if place.is_empty() { place } else { format!(" ({place})") };
        format!(
            "- **{}** for {}{}{}: {}, such as {}{}",
            self.heading(change).0,
            markdown_text(&self.words().crawlers(&change.crawlers)),
            markdown_text(&self.words().only_in(&change.dialects)),
            place,
            markdown_text(&self.words().described(change)),
            code(&self.words().example(change)),
            markdown_text(&self.words().remarks(change))
        )
    }

    fn signal_bullet(&self, signal: &DiffSignal) -> String {
        format!("- {}", markdown_text(&self.words().signal(signal)))
    }

    /// Writes annotations for GitHub Actions on the lines of the new file, whose name is given.
    pub(crate) fn github(&self, new: &str, out: &mut impl Write) -> io::Result<()> {
        for (annotation, _) in self.annotations(new) {
            github::write(out, &annotation)?;
        }
        writeln!(out, "{}", self.summary(self.diff.changes.len()))
    }

    /// Returns a remark for each change, and its subject, which contains no number of a line.
    pub(crate) fn annotations<'n>(&self, new: &'n str) -> Vec<(Annotation<'n>, String)> {
        let words = self.words();
        let change = |change: &DiffChange| {
            let blocks = change.to == DiffAnswer::Blocked && change.sent;
            let (whom, dialects) = (words.crawlers(&change.crawlers), words.only_in(&change.dialects));
            let (described, example) = (words.described(change), words.example(change));
            let message = format!("{whom}{dialects}: {described}, such as {example}{}", words.remarks(change));
            let annotation = Annotation {
                severity: if blocks { Severity::Warning } else { Severity::Note },
                file: new,
                line: change.rule.line.filter(|_| change.rule.file == DiffFile::New).map(u64::from),
                columns: None,
                title: self.heading(change).0.into(),
                message: message.into(),
            };
            let whom = (change.crawlers.join(","), change.dialects.join(","));
            (annotation, format!("{}\0{}\0{}\0{}", whom.0, whom.1, change.rule.pattern, change.witness))
        };
        let signal = |signal: &DiffSignal| {
            let annotation = Annotation {
                severity: Severity::Note,
                file: new,
                line: signal.new.map(|value| u64::from(value.line)),
                columns: None,
                title: signal.record.into(),
                message: words.signal(signal).into(),
            };
            let whom = (signal.crawlers.join(","), signal.dialects.join(","));
            (annotation, format!("{}\0{}\0{}\0{}", whom.0, whom.1, signal.key, signal.witness))
        };
        self.diff.changes.iter().map(change).chain(self.diff.signals.iter().map(signal)).collect()
    }

    fn words(&self) -> DiffWords<'_> {
        DiffWords { diff: self.diff, full: self.full, same_lines: self.same_lines }
    }

    fn changes(&self) -> &[DiffChange] {
        let shown = if self.all { self.diff.changes.len() } else { self.diff.changes.len().min(MAX_CHANGES) };
        &self.diff.changes[..shown]
    }

    fn more(&self, start: &str, out: &mut impl Write) -> io::Result<()> {
        match self.diff.changes.len() - self.changes().len() {
            0 => Ok(()),
            more => writeln!(out, "{start}{more} more changes; --all shows them.\n"),
        }
    }

    fn heading(&self, change: &DiffChange) -> (String, anstyle::Style) {
        let (word, other, style) = match change.to {
            DiffAnswer::Allowed => ("allowed", "blocked", style::ALLOWED),
            _ => ("blocked", "allowed", style::DISALLOWED),
        };
        match self.diff.dialects.as_slice() {
            [old, new] if self.diff.is_between_dialects => {
                (format!("{} in {new}, {other} in {old}", capitalized(word)), style)
            }
            _ => (format!("Newly {word}"), style),
        }
    }

    /// Summarizes the difference after this number of changes was shown.
    fn summary(&self, shown: usize) -> String {
        [self.decided(shown), self.undecided(), self.listed(), self.words().beside()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn decided(&self, shown_changes: usize) -> String {
        let diff = self.diff;
        let asked = diff.critical_urls;
        // That nothing was listed is no result, and reads like "nothing was checked".
        let urls = match asked {
            0 => String::new(),
            1 => " 1 critical URL was checked.".to_owned(),
            _ => format!(" {asked} critical URLs were checked."),
        };
        let dialects = match diff.dialects.as_slice() {
            [old, new] if diff.is_between_dialects => format!("in {old} and {new}"),
            [one] => format!("in {one}"),
            many => format!("in {}", many.join(", ")),
        };
        let under = diff.under.as_deref().map(shown);
        let matching = |verb: &str| under.as_ref().map_or_else(String::new, |under| format!(" that {verb} {under}"));
        match diff.outcome {
            DiffOutcome::Same => {
                let matching = matching("matches");
                let whom = if self.chosen { "of these crawlers" } else { "crawler" };
                format!("Same. No URL{matching} has another answer for any {whom}, {dialects}.{urls}")
            }
            DiffOutcome::Differs if diff.undecided.is_empty() => {
                let matching = matching("match");
                let whom = if self.chosen { "these crawlers" } else { "all crawlers" };
                let these = match diff.changes.len() - shown_changes {
                    0 => "These".to_owned(),
                    more => format!("These and the {more} more"),
                };
                let unsent = if diff.signals.is_empty() && diff.changes.iter().all(|change| !change.sent) {
                    "No URL that a browser or crawler sends has another answer. "
                } else {
                    ""
                };
                format!("{unsent}{these} are all changes, for all URLs{matching} and {whom}, {dialects}.{urls}")
            }
            _ => String::new(),
        }
    }

    fn undecided(&self) -> String {
        let diff = self.diff;
        if diff.undecided.is_empty() {
            return String::new();
        }
        let whom = self.words().names(&diff.undecided.iter().map(String::as_str).collect::<Vec<_>>());
        format!(
            "Not everything was decided within the budget: there may be changes, or more of them, for {whom}. To continue, \
             use a --budget greater than {} steps, unless the patterns use every character that a proof could.",
            diff.budget
        )
    }

    fn listed(&self) -> String {
        match &self.diff.listed {
            // The headline states it.
            _ if self.headline().is_some() => String::new(),
            Some(DiffListed { count, of, .. }) => format!("Listed URLs with another answer: {count} of {of}."),
            None => String::new(),
        }
    }
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}

/// Returns a text with Markdown markup escaped.
fn markdown_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ':' | ';' | '-' | '/' | '(' | ')') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// Returns a text as code in Markdown, between more backquotes than it contains in a row.
fn code(text: &str) -> String {
    let text = shown(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}
