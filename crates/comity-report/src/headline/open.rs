//! For whom a site is open.

use comity::{Crawlers, Reach, Robots};
use comity_fetch::{Access, SiteRobots};

use super::{Headline, Readers, Tone, Who, quoted};
use crate::lines::looks_like;

/// Returns for whom a file opens the site, in words. Each crawler is named as its operator reads the file.
///
/// ```
/// use comity::Crawlers;
/// use comity_report::open_to;
///
/// let table = Crawlers::builtin();
/// let file = b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:\n";
/// // Applebot obeys the group of Googlebot if there is none for it.
/// assert!(open_to(file, &table).text.starts_with("Only Google and Apple may fetch the site"));
/// ```
#[must_use]
pub fn open_to(body: &[u8], table: &Crawlers) -> Headline {
    let robots = Robots::parse(body);
    let named = named(&robots);
    let readers = Readers::new(body, table, &named, None);
    let mut headline = Opening::new(&readers).headline();
    if let Some(kind) = looks_like(&robots, body) {
        headline.tone = Tone::Bad;
        headline.text = format!("The file looks like {kind}, not like a robots.txt. {}", headline.text);
    }
    headline
}

/// Returns for whom a site is open: by its file, or by the result of the fetch if there is none.
#[must_use]
pub fn site_headline(site: &SiteRobots, table: &Crawlers) -> Headline {
    let ruling = site.ruling();
    match (ruling.access, site.copy()) {
        (Access::Rules, Some(copy)) => open_to(&copy.body, table),
        (Access::AllowAll, _) if ruling.rung.is_none() => Headline::new(
            Tone::Neutral,
            format!("No robots.txt, so crawlers may fetch everything: the site {}.", ruling.event),
        ),
        (Access::AllowAll, _) => {
            let text = format!(
                "The robots.txt could not be fetched: the site {}. This policy allows everything.",
                ruling.event
            );
            Headline::new(Tone::Caution, text)
        }
        _ if crate::is_refused(site) => {
            Headline::new(Tone::Caution, "The site was not asked: the rules for addresses do not allow it.")
        }
        _ => Headline::new(
            Tone::Bad,
            format!("Crawlers stay away for now: the site {}. No rule is the cause.", ruling.event),
        ),
    }
}

/// Returns the tokens that the groups of a file name, each once.
pub(crate) fn named(robots: &Robots) -> Vec<String> {
    let agents = robots
        .groups()
        .flat_map(|group| group.agents().map(|agent| agent.token().to_ascii_lowercase()).collect::<Vec<_>>());
    let mut tokens: Vec<String> = agents.map(|token| String::from_utf8_lossy(&token).into_owned()).collect();
    tokens.sort();
    tokens.dedup();
    tokens
}

/// The crawlers by the part of the site that is open to them.
struct Opening {
    open: Who,
    mostly: Who,
    little: Who,
    closed: Who,
    /// Those that are blocked, or not, by a line that they may ignore.
    perhaps_blocked: Who,
    perhaps_open: Who,
    /// The line.
    line: Option<u32>,
    /// One of those that ignore the rules for everyone, and may fetch more because of that.
    ignoring: Option<String>,
    is_cut: bool,
}

impl Opening {
    fn new(readers: &Readers<'_>) -> Self {
        let star = readers.list.first().map_or(Reach::All, |star| star.extent.reach);
        let of = |reach| readers.who(|one| one.doubtful.is_none() && !one.ignores_star() && one.extent.reach == reach);
        let perhaps = |is_open| readers.who(|one| one.doubtful.is_some() && one.is_mostly_open() == is_open);
        let ignoring = readers.list.iter().find(|one| one.ignores_star() && one.extent.reach == Reach::All);
        Self {
            open: of(Reach::All),
            mostly: of(Reach::Most),
            little: of(Reach::Some),
            closed: of(Reach::Nothing),
            perhaps_blocked: perhaps(false),
            perhaps_open: perhaps(true),
            line: readers.list.iter().find_map(|reader| reader.doubtful),
            ignoring: ignoring.filter(|_| star != Reach::All).map(|reader| quoted(reader.token)),
            is_cut: readers.is_cut,
        }
    }

    fn headline(&self) -> Headline {
        let (tone, first) = self.firm();
        let mut sentences = vec![first];
        let line = self.line.unwrap_or_default();
        for (word, who) in [("blocked", &self.perhaps_blocked), ("open", &self.perhaps_open)] {
            if !who.is_empty() {
                let names = who.names("and");
                let mistake = format!("line {line} has a mistake, and crawlers may ignore it");
                sentences.push(format!("Perhaps {word} for {names}: {mistake}."));
            }
        }
        if self.is_cut {
            sentences.push("The file names more crawlers than were checked.".to_owned());
        }
        sentences.retain(|sentence| !sentence.is_empty());
        let is_uncertain = self.line.is_some() || self.is_cut;
        let tone = if is_uncertain && tone == Tone::Good { Tone::Caution } else { tone };
        Headline::new(tone, sentences.join(" "))
    }

    /// Returns the part of the answer that holds for every crawler that it names.
    fn firm(&self) -> (Tone, String) {
        let has_open = !self.open.is_empty() || !self.mostly.is_empty();
        let but = self.ignoring.as_ref().map_or_else(String::new, |name| {
            format!(", except those that ignore the rules for everyone, such as {name}")
        });
        let is_certain = self.line.is_none() && !self.is_cut;
        match (has_open, self.closed.everyone, self.little.everyone) {
            (false, true, _) if self.little.is_empty() && is_certain => {
                (Tone::Bad, format!("The whole site is blocked for every crawler{but}."))
            }
            (false, true, _) | (false, _, true) => (Tone::Bad, self.blocked(&but)),
            (true, true, _) | (true, _, true) if is_certain => (Tone::Caution, self.only(&but)),
            _ => {
                let (blocked, open) = (self.blocked(""), self.open_words());
                let is_bad = !self.closed.engines.is_empty() || !self.little.engines.is_empty();
                // Those who are affected come first, if they are search engines.
                let text = if is_bad { [blocked, open] } else { [open, blocked] };
                let text = text.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
                (if is_bad { Tone::Bad } else { Tone::Good }, text)
            }
        }
    }

    /// Returns the few to whom the site is open, if it is closed to everyone else.
    fn only(&self, but: &str) -> String {
        let who = self.open.clone().and(&self.mostly);
        let most = if self.open.is_empty() { ", most of it" } else { "" };
        let little = if self.little.is_empty() {
            String::new()
        } else {
            format!(" A little of it is open to {}.", self.little.names("and"))
        };
        format!("Only {} may fetch the site{most}{but}.{little}", who.names("and"))
    }

    /// Returns for whom the site is closed, and for whom nearly all of it. Empty if there are none.
    fn blocked(&self, but: &str) -> String {
        let parts =
            [("The", &self.closed), ("Nearly the", &self.little)].into_iter().filter(|(_, who)| !who.is_empty());
        let parts = parts.map(|(start, who)| {
            let but = if who.everyone { but } else { "" };
            format!("{start} whole site is blocked for {}{but}.", who.names("and"))
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Returns for whom the site is open. Empty if that is nobody.
    fn open_words(&self) -> String {
        let mut who = self.open.clone().and(&self.mostly);
        if who.is_empty() {
            return String::new();
        }
        let is_all = self.closed.is_empty() && self.little.is_empty() && self.line.is_none() && !self.is_cut;
        let limits = if self.mostly.is_empty() { "" } else { ", except for what single rules block" };
        who.engines.truncate(MAX_ENGINES);
        if who.everyone {
            // Nobody asks about the others, to which the site is open, too.
            who.others.clear();
        }
        let names = who.names("and");
        let names = if is_all { names.replace("every crawler without a group", "every other crawler") } else { names };
        format!("Open to {names}{limits}.")
    }
}

/// The maximum number of search engines that are named among those to which a site is open.
const MAX_ENGINES: usize = 4;
