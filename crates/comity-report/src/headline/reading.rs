//! The crawlers that sentences are about, and what a file allows each of them as its operator reads the file.

use std::collections::HashSet;

use comity::{Basis, Content, Crawler, Crawlers, Dialect, Extent, Governed, Profile, Reach, Robots, SourceText};

use super::{MAX_NAMES, counted, quoted};

/// The search engines that site owners know: the token of the main crawler, and the name of the search engine.
const ENGINES: [(&str, &str); 6] = [
    ("Googlebot", "Google"),
    ("bingbot", "Bing"),
    ("YandexBot", "Yandex"),
    ("DuckDuckBot", "DuckDuckGo"),
    ("Applebot", "Apple"),
    ("Baiduspider", "Baidu"),
];

/// Returns the token of a crawler at the start of a sentence about a page, which a person chose a crawler for.
pub(crate) fn subject(token: &str) -> String {
    if token == "*" { "A crawler without a group".to_owned() } else { quoted(token) }
}

/// Returns the name of a crawler in a sentence: that of its search engine, if site owners know it by that.
pub(crate) fn known_name(token: &str) -> String {
    match ENGINES.iter().find(|(name, _)| name.eq_ignore_ascii_case(token)) {
        Some((_, engine)) => (*engine).to_owned(),
        None if token == "*" => "a crawler without a group".to_owned(),
        None => quoted(token),
    }
}

/// The maximum number of crawlers outside of the table whose rules are checked. The whole file is searched for each.
const MAX_UNKNOWN: usize = 200;

/// The crawlers that a file is about: every known one that obeys robots.txt and fetches pages, those that the file names,
/// and `*` for all others. Each reads the file in the dialect of its operator.
pub(crate) struct Readers<'a> {
    pub(crate) list: Vec<Reader<'a>>,
    /// True if the file names more crawlers than were checked.
    pub(crate) is_cut: bool,
}

/// A crawler, and the part of the site that it may fetch.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) token: &'a str,
    pub(crate) extent: Extent,
    /// The line that decides about the whole site, if its field name has a mistake because of which the crawler may
    /// ignore it.
    pub(crate) doubtful: Option<u32>,
}

impl<'a> Readers<'a> {
    /// Reads a file for all crawlers, in one dialect, or each in that of its operator. `named` are the tokens of groups.
    pub(crate) fn new(body: &[u8], table: &'a Crawlers, named: &'a [String], dialect: Option<&Dialect>) -> Self {
        let doubtful = doubtful_lines(body);
        let mut files: Vec<Robots> = Vec::new();
        let mut list = Vec::new();
        let mut read = |token: &'a str, profile: Option<&'a Profile>| {
            let own = profile.map_or(Dialect::STANDARD, |profile| profile.dialect);
            let dialect = dialect.copied().unwrap_or(own);
            let place = files.iter().position(|file| *file.dialect() == dialect).unwrap_or_else(|| {
                files.push(Robots::parse_with(body, &dialect));
                files.len() - 1
            });
            let crawler = profile.map_or_else(|| Crawler::literal(token), Crawler::from);
            let extent = files[place].extent(&crawler);
            let is_google = profile.is_some_and(|profile| profile.dialect == Dialect::GOOGLE);
            let doubtful = extent.line.filter(|line| !is_google && doubtful.contains(line));
            list.push(Reader { token, extent, doubtful });
        };
        read("*", None);
        for profile in table.iter().filter(|profile| is_reader(profile)) {
            read(&profile.token, Some(profile));
        }
        let mut unknown = named.iter().filter(|token| *token != "*" && table.find(token).is_none());
        for token in unknown.by_ref().take(MAX_UNKNOWN) {
            read(token, None);
        }
        let is_cut = unknown.next().is_some();
        Self { list, is_cut }
    }

    /// Returns the names of those readers that fulfil a condition.
    pub(crate) fn who(&self, is_one: impl Fn(&Reader<'_>) -> bool) -> Who {
        Who::new(self.list.iter().filter(|reader| is_one(reader)).map(|reader| (reader.token, reader.extent.basis)))
    }
}

impl Reader<'_> {
    /// Returns true if the crawler may fetch all of the site, or all but what single rules block.
    pub(crate) fn is_mostly_open(&self) -> bool {
        matches!(self.extent.reach, Reach::All | Reach::Most)
    }

    /// Returns true if a group names the crawler.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.extent.basis, Basis::OwnToken | Basis::MergedTokens)
    }

    /// Returns true if only the groups for everyone could apply to the crawler, and it ignores them.
    pub(crate) fn ignores_star(&self) -> bool {
        self.extent.basis == Basis::StarIgnored
    }
}

/// Returns true if a crawler fetches pages by the rules of robots.txt.
fn is_reader(profile: &Profile) -> bool {
    !profile.retired && !matches!(profile.governed, Governed::No | Governed::ControlToken)
}

/// Returns the rules whose field name is misspelled or has no colon. Google reads them; other crawlers may not.
fn doubtful_lines(body: &[u8]) -> HashSet<u32> {
    let text = SourceText::new(body, &Dialect::STANDARD);
    let rules = text.lines().filter(|line| matches!(line.content, Content::Rule { .. }));
    rules.filter(|line| line.typo || line.missing_colon).map(|line| line.number).collect()
}

/// The crawlers of a sentence, by the names that site owners know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Who {
    /// The search engines, in the order of their importance.
    pub(crate) engines: Vec<&'static str>,
    /// The tokens of other crawlers that a group names.
    pub(crate) others: Vec<String>,
    /// The number of other crawlers that no group names.
    pub(crate) unnamed: usize,
    /// True if every crawler without a group is one of them.
    pub(crate) everyone: bool,
}

impl Who {
    /// Sorts crawlers: their tokens, and the bases of their rules. A crawler that uses the group of another one is not named,
    /// since the other one is.
    pub(crate) fn new<'t>(crawlers: impl Iterator<Item = (&'t str, Basis)>) -> Self {
        let mut who = Self::default();
        let mut engines = [false; ENGINES.len()];
        for (token, basis) in crawlers {
            let engine = ENGINES.iter().position(|(name, _)| name.eq_ignore_ascii_case(token));
            match engine {
                Some(place) => engines[place] = true,
                None if token == "*" => who.everyone = true,
                None => match basis {
                    Basis::OwnToken | Basis::MergedTokens => who.others.push(token.to_owned()),
                    Basis::FallbackToken => {}
                    _ => who.unnamed += 1,
                },
            }
        }
        who.engines =
            ENGINES.iter().zip(engines).filter(|(_, is_there)| *is_there).map(|((_, name), _)| *name).collect();
        // `Yandex` is the token of all crawlers of Yandex.
        who.others.retain(|token| !who.engines.iter().any(|name| name.eq_ignore_ascii_case(token)));
        who
    }

    /// Adds other crawlers.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.engines.extend(&other.engines);
        self.others.extend(other.others.iter().cloned());
        self.unnamed += other.unnamed;
        self.everyone |= other.everyone;
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.engines.is_empty() && self.others.is_empty() && self.unnamed == 0 && !self.everyone
    }

    /// Names them: `Bing, Yandex, GPTBot and every crawler without a group`. `word` is before the last one.
    pub(crate) fn names(&self, word: &str) -> String {
        let shown = self.others.len().min(MAX_NAMES.saturating_sub(self.engines.len()).max(1));
        let names = self.engines.iter().copied().chain(self.others[..shown].iter().map(String::as_str));
        let mut parts: Vec<String> = names.map(quoted).collect();
        // The crawlers without a group are among all of them.
        let rest = self.others.len() - shown + if self.everyone { 0 } else { self.unnamed };
        if rest > 0 {
            let noun = if parts.is_empty() { "crawler" } else { "other crawler" };
            parts.push(counted(rest as u64, noun));
        }
        if self.everyone {
            parts.push("every crawler without a group".to_owned());
        }
        match parts.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} {word} {last}", first.join(", ")),
            Some((last, _)) => last.clone(),
            None => String::new(),
        }
    }

    /// Returns true if a verb after [`names`](Self::names) is singular.
    pub(crate) fn is_one(&self) -> bool {
        self.engines.len() + self.others.len() + if self.everyone { 1 } else { self.unnamed } == 1
    }
}
