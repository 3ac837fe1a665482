//! The report for people.

use std::io::Write;

use anyhow::Result;
use comity::{Answer, Escaped};
use comity_page::{Because, ImagePreview, Limit, Permission, Stance, Statement};
use comity_report::{ResourceRow, shorten};

use super::Report;
use crate::render::style::{self, paint};

/// The maximum number of reasons that are printed for an answer.
const MAX_REASONS: usize = 4;

/// The maximum number of characters that are printed of a line of text.
const MAX_CHARACTERS: usize = 300;

/// The maximum number of entries that are printed of a list.
const MAX_LISTED: usize = 50;

/// A line of the report: its subject, the answer, and the reasons.
struct Row {
    about: &'static str,
    style: anstyle::Style,
    answer: String,
    because: Vec<String>,
}

impl Report<'_> {
    fn rows(&self) -> Vec<Row> {
        let permissions = &self.check.permissions;
        let fetch = permissions.fetch;
        let lost_at = self.check.lost_at().filter(|_| !fetch.is_disallowed());
        let answer = match fetch.answer() {
            _ if lost_at.is_some() => "no",
            Answer::Allowed => "yes",
            Answer::Disallowed => "no",
            Answer::NotGoverned => "not governed",
            _ => "out of scope",
        };
        let why = match fetch.answer() {
            Answer::NotGoverned => "its operator says that it does not obey robots.txt".to_owned(),
            Answer::Allowed | Answer::Disallowed if fetch.line().is_some() => {
                format!("{}: {}", self.file, self.check.why)
            }
            Answer::Allowed => format!("{}: {}", self.file, fetch.reason().label()),
            _ => format!("{} is another site's", self.file),
        };
        let (color, because) = match lost_at {
            Some(url) => {
                let redirect = format!("it redirects to {}, which it may not fetch", Escaped(url.as_bytes()));
                (style::of(Answer::Disallowed), vec![redirect, why])
            }
            None => (style::of(fetch.answer()), vec![why]),
        };
        let mut rows = vec![Row { about: "fetch", style: color, answer: answer.to_owned(), because }];
        let mut index = self.by_page("index", &permissions.index);
        // For a person, it matters more that the date has passed than which date it is.
        if let Some((_, said)) = self.check.rules.unavailable_after.filter(|_| self.check.is_past()) {
            let said = Because::from(said).to_string();
            index
                .because
                .iter_mut()
                .filter(|because| **because == said)
                .for_each(|because| *because += ", which has passed");
        }
        rows.push(index);
        rows.push(self.by_page("follow links", &permissions.follow));
        if self.check.is_open() && self.check.is_seen() {
            rows.extend(self.limits());
        }
        rows
    }

    /// Returns the row of a permission that only the page can restrict.
    fn by_page(&self, about: &'static str, permission: &Permission) -> Row {
        if self.check.is_open() && !self.check.is_seen() {
            let because = vec!["no --headers or --html".to_owned()];
            return Row { about, style: style::NO_VERDICT, answer: "not known".to_owned(), because };
        }
        let mut row = row(about, permission);
        match permission.stance {
            Stance::NotStated => {
                let error = self.check.error_status().filter(|_| about == "index");
                let (answer, color) = if error.is_some() { ("no", style::DISALLOWED) } else { ("yes", style::ALLOWED) };
                answer.clone_into(&mut row.answer);
                row.style = color;
                row.because = vec![match error {
                    Some(status) => format!("the page answered {status}"),
                    None => "nothing forbids it".to_owned(),
                }];
            }
            Stance::Hidden if self.check.is_open() => {
                row.because = vec!["a part of the page was not read".to_owned()];
            }
            Stance::Hidden => {
                row.because = vec!["the page may not be fetched, so its rules are not read".to_owned()];
            }
            _ => {}
        }
        row
    }

    /// Returns a row for each limit that the page sets on its presentation.
    fn limits(&self) -> Vec<Row> {
        let rules = &self.check.rules;
        let limit = |limit: Limit, unit: &str| match limit {
            Limit::To(0) => "no".to_owned(),
            Limit::To(number) => format!("{number} {unit}"),
            Limit::Unlimited => "no limit".to_owned(),
        };
        let size = |size: ImagePreview| if size == ImagePreview::None { "no".to_owned() } else { size.to_string() };
        let no = |said: &Statement| ("no".to_owned(), Because::from(said).to_string());
        let rows = [
            ("snippet", rules.snippet().map(|(l, said)| (limit(l, "characters"), Because::from(said).to_string()))),
            ("image preview", rules.max_image_preview.map(|(s, said)| (size(s), Because::from(said).to_string()))),
            (
                "video preview",
                rules.max_video_preview.map(|(l, said)| (limit(l, "seconds"), Because::from(said).to_string())),
            ),
            ("translate", rules.notranslate.map(no)),
            ("index images", rules.noimageindex.map(no)),
            ("cached copy", rules.noarchive.map(no)),
            ("more than snippet", rules.nocache.map(no)),
            ("read aloud", rules.nopagereadaloud.map(no)),
            ("images for AI", rules.noimageai.map(no)),
            (
                "if embedded",
                rules.indexifembedded.map(|said| ("may be indexed".to_owned(), Because::from(said).to_string())),
            ),
            (
                "unavailable after",
                rules.unavailable_after.map(|(moment, said)| (moment.to_string(), Because::from(said).to_string())),
            ),
        ];
        let stated = rows.into_iter().filter_map(|(about, stated)| Some((about, stated?)));
        stated
            .map(|(about, (answer, why))| Row { about, style: style::NO_VERDICT, answer, because: vec![why] })
            .collect()
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let url = Escaped(self.question.typed.as_bytes());
        writeln!(out, "{} and {url}", paint(style::STRONG, self.check.sources.crawler.subject()))?;
        writeln!(out, "{}", self.check.headline().text)?;
        self.print_redirects(out)?;
        print_rows(out, &self.rows())?;
        let uses = [
            ("training", &self.check.permissions.training),
            ("AI input", &self.check.permissions.ai_input),
            ("search", &self.check.permissions.search),
        ];
        writeln!(out, "\n{}", paint(style::STRONG, "uses of its content"))?;
        print_rows(out, &uses.map(|(about, permission)| row(about, permission)))?;
        let terms = self.check.terms.rows();
        if !terms.is_empty() {
            writeln!(out, "\n{}", paint(style::STRONG, "terms (evidence, not rules)"))?;
            let terms: Vec<Row> = terms
                .into_iter()
                .map(|(about, answer, because)| Row {
                    about,
                    style: style::NO_VERDICT,
                    answer: answer.to_owned(),
                    because,
                })
                .collect();
            print_rows(out, &terms)?;
        }
        print_list(out, "conflicts", self.check.permissions.conflicts.iter().map(ToString::to_string))?;
        let ignored = self.check.rules.ignored.iter().map(|(said, why)| format!("{}  ({why})", Because::from(*said)));
        print_list(out, "without effect", ignored)?;
        print_list(
            out,
            "rules for others",
            self.check.rules.others.iter().map(|said| Because::from(*said).to_string()),
        )?;
        self.print_resources(out)?;
        print_list(out, "notes", self.notes().into_iter())
    }

    /// Prints each URL that redirects led to, and if the crawler may fetch it.
    fn print_redirects(&self, out: &mut impl Write) -> Result<()> {
        for hop in self.check.sources.response.iter().flat_map(|response| &response.hops) {
            let (color, may) = match hop.allowed {
                Some(true) => (style::ALLOWED, "allowed"),
                Some(false) => (style::DISALLOWED, "blocked"),
                None => (style::NO_VERDICT, "no answer"),
            };
            let url = shorten(hop.url.as_str(), MAX_CHARACTERS);
            let url = Escaped(url.as_bytes());
            let status = hop.status.map_or_else(String::new, |status| format!("{status} "));
            writeln!(out, "  redirects to      {} {status}{url}", paint(color, format!("{may:<14}")))?;
        }
        Ok(())
    }

    /// Prints the resources that the crawler may not fetch.
    fn print_resources(&self, out: &mut impl Write) -> Result<()> {
        if self.resources.is_empty() {
            return Ok(());
        }
        let blocked: Vec<&ResourceRow<'_>> = self.resources.iter().filter(|row| row.is_blocked()).collect();
        let title = format!("resources: {} of {} blocked", blocked.len(), self.resources.len());
        let lines = blocked.iter().map(|found| {
            let by = found.row.verdict.line.map_or_else(String::new, |line| format!("  (line {line})"));
            format!("{:<12}{}{by}", found.kind.to_string(), Escaped(found.row.url.as_bytes()))
        });
        writeln!(out, "\n{}", paint(style::STRONG, title))?;
        print_lines(out, lines)
    }
}

fn row(about: &'static str, permission: &Permission) -> Row {
    let style = match permission.stance {
        Stance::Yes => style::ALLOWED,
        Stance::No => style::DISALLOWED,
        _ => style::NO_VERDICT,
    };
    let because = permission.because.iter().map(ToString::to_string).collect();
    Row { about, style, answer: permission.stance.to_string(), because }
}

fn print_rows(out: &mut impl Write, rows: &[Row]) -> Result<()> {
    for row in rows {
        let mut because = row.because.iter();
        let first = because.next().map(|text| shorten(text, MAX_CHARACTERS)).unwrap_or_default();
        let width = if first.is_empty() { 0 } else { 15 };
        let answer = paint(row.style, format!("{:<width$}", row.answer));
        let gap = if first.is_empty() { "" } else { " " };
        writeln!(out, "  {:<18}{answer}{gap}{first}", row.about)?;
        for text in because.by_ref().take(MAX_REASONS - 1) {
            writeln!(out, "  {:<34}{}", "", shorten(text, MAX_CHARACTERS))?;
        }
        if because.len() > 0 {
            writeln!(out, "  {:<34}and {} more", "", because.len())?;
        }
    }
    Ok(())
}

fn print_list(out: &mut impl Write, title: &str, list: impl ExactSizeIterator<Item = String>) -> Result<()> {
    let count = list.len();
    if count > 0 {
        writeln!(out, "\n{}", paint(style::STRONG, title))?;
    }
    print_lines(out, list)
}

fn print_lines(out: &mut impl Write, list: impl ExactSizeIterator<Item = String>) -> Result<()> {
    let count = list.len();
    for text in list.take(MAX_LISTED) {
        writeln!(out, "  {}", shorten(&text, MAX_CHARACTERS))?;
    }
    if count > MAX_LISTED {
        writeln!(out, "  and {} more; --format json has them all", count - MAX_LISTED)?;
    }
    Ok(())
}
