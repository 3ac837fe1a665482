//! The answer about a page in one sentence.

use comity::Answer;
use comity_page::Stance;

use super::{PageCheck, ResourceKind, ResourceRow};
use crate::headline::{Headline, Tone, counted, number, quoted, subject};

impl PageCheck<'_> {
    /// Returns the answer in words: if search engines may show the page, and otherwise why not.
    #[must_use]
    pub fn headline(&self) -> Headline {
        let who = subject(self.sources.crawler.token());
        let (bad, caution) =
            (|text: String| Headline::new(Tone::Bad, text), |text: String| Headline::new(Tone::Caution, text));
        let fetch = self.permissions.fetch;
        match fetch.answer() {
            Answer::Disallowed => {
                let line =
                    fetch.line().map_or_else(String::new, |line| format!(": line {line} of the robots.txt blocks it"));
                return bad(format!("{who} may not fetch this page{line}."));
            }
            Answer::Allowed => {}
            Answer::NotGoverned => {
                return caution(format!("{who} does not obey robots.txt, and decides itself about this page."));
            }
            _ => return caution(format!("{who} needs another site's robots.txt for this page.")),
        }
        if let Some(url) = self.lost_at() {
            return bad(format!(
                "{who} may not fetch this page: it redirects to {}, which is not allowed.",
                quoted(url)
            ));
        }
        let moved = self.moved_to().map(quoted);
        let page =
            moved.as_ref().map_or_else(|| "This page".to_owned(), |url| format!("This page redirects to {url}, which"));
        if let Some(status) = self.error_status() {
            return bad(format!("{page} answered {status}{}, so it is not shown in search results.", meaning(status)));
        }
        if self.permissions.index.stance == Stance::No {
            let why = self.permissions.index.because.first().map_or_else(String::new, |because| format!(": {because}"));
            return bad(match moved {
                Some(_) => format!("{page} is not shown in search results{why}."),
                None => format!("{who} may fetch this page, but it is not shown in search results{why}."),
            });
        }
        if let Some(url) = moved {
            return caution(format!("This page redirects to {url}, which is shown in search results in its place."));
        }
        if let Some(url) = self.canonical() {
            let url = quoted(&url);
            return caution(format!(
                "This page names {url} as the original, which search engines usually show in its place."
            ));
        }
        if self.permissions.index.stance == Stance::Hidden || !self.is_seen() {
            return caution(format!("{who} may fetch this page, but not all of its rules are known."));
        }
        let open = format!("{who} may fetch this page and show it in search results");
        match self.permissions.conflicts.len() as u64 {
            0 => Headline::new(Tone::Good, format!("{open}.")),
            conflicts => caution(format!("{open}, but its rules have {}.", counted(conflicts, "conflict"))),
        }
    }
}

/// Returns the meaning of a status of a page; often empty.
fn meaning(status: u16) -> &'static str {
    match status {
        404 | 410 => " (there is no such page)",
        401 | 403 => " (the server refuses access)",
        300..=399 => " (a redirect that leads nowhere)",
        _ => "",
    }
}

/// Returns the answer about the resources of a page, if there are any.
pub(super) fn of_resources(agent: &str, rows: &[ResourceRow<'_>]) -> Option<Headline> {
    let who = subject(agent);
    let of = |answer| rows.iter().filter(|row| row.row.verdict.answer == answer).count() as u64;
    let (blocked, unknown) = (of(Some(Answer::Disallowed)), of(None));
    let all = rows.len() as u64;
    if all == 0 {
        return None;
    }
    let rest =
        if unknown == 0 { String::new() } else { format!(" {} could not be checked.", counted(unknown, "file")) };
    if blocked > 0 {
        let style = rows.iter().any(|row| row.is_blocked() && row.kind != ResourceKind::Image);
        let sees = if style { ", and may see another page than people do" } else { "" };
        let text =
            format!("{who} may not load {} of {} of this page{sees}.{rest}", number(blocked), counted(all, "file"));
        return Some(Headline::new(if style { Tone::Bad } else { Tone::Caution }, text));
    }
    let tone = if unknown == 0 { Tone::Good } else { Tone::Caution };
    let text = format!("{who} may load all styles, scripts and images of this page ({}).{rest}", counted(all, "file"));
    let partly = format!("{who} may load the styles, scripts and images of this page that were checked.{rest}");
    Some(Headline::new(tone, if unknown == 0 { text } else { partly }))
}
