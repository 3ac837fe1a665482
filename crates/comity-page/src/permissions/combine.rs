//! Combines the rules of a robots.txt and of a page into permissions.

use comity::{Crawler, Field, Meaning, PageSupport, Preference, Record, Robots, Verdict};

use super::{Because, BecauseSource, Conflict, Permission, Permissions, Stance};
use crate::page::{Limit, Page, PageRule, PageRules, Source, Statement};

/// The statements about one permission.
struct Collected(Vec<(Stance, Because)>);

impl Collected {
    fn add(&mut self, stance: Stance, because: Because) {
        self.0.push((stance, because));
    }

    /// Returns the most restrictive answer, with the statements that give it.
    fn conclude(self) -> Permission {
        let stance = self.0.iter().map(|(stance, _)| *stance).max().unwrap_or(Stance::NotStated);
        let because = self.0.into_iter().filter(|(stated, _)| *stated == stance).map(|(_, because)| because);
        Permission { stance, because: because.collect() }
    }

    /// Returns a conflict if one statement grants the permission and another one refuses it.
    fn disagreement(&self, about: &'static str) -> Option<Conflict> {
        let first = |wanted| self.0.iter().find(|(stance, _)| *stance == wanted).map(|(_, because)| because.clone());
        Some(Conflict::Disagree { about, granted: first(Stance::Yes)?, refused: first(Stance::No)? })
    }
}

impl From<&Statement> for Because {
    fn from(statement: &Statement) -> Self {
        let source = match statement.source {
            Source::Meta | Source::OtherTag => BecauseSource::Meta,
            Source::XRobotsTag | Source::RobotsTag | Source::OtherField => BecauseSource::Header,
        };
        Self { source, line: statement.line, text: statement.to_string() }
    }
}

impl Because {
    fn record(record: &Record<'_>) -> Self {
        let lossy = String::from_utf8_lossy;
        let text = format!("{}: {}", lossy(record.name()), lossy(record.value()));
        Self { source: BecauseSource::RobotsTxt, line: Some(record.line()), text }
    }
}

/// The uses of content that preferences distinguish: the name of the use in conflicts, the label of `Content-Usage`,
/// and the key of `Content-Signal`.
const USES: [(&str, &str, &str); 3] =
    [("training", "train-ai", "ai-train"), ("AI input", "", "ai-input"), ("search", "search", "search")];

/// Returns the permissions of a crawler for the page at a URL, by the robots.txt of the site and by the rules of the
/// page.
///
/// In the file, groups replace each other; on the page, rules add up. The answers about AI combine the verdict, the
/// groups of the control tokens of the crawler's operator (`Google-Extended`) in the page's
/// [table](Page::with_crawlers), `Content-Usage` and `Content-Signal`, and page rules as the operator documents them.
/// The most restrictive of these applies.
///
/// ```
/// use comity::{Crawler, Robots};
/// use comity_page::{Page, Stance, permissions};
///
/// let robots = Robots::parse(b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /drafts/\n");
/// let mut page = Page::new();
/// page.header("X-Robots-Tag", b"noindex");
///
/// let found = permissions(&robots, &Crawler::ANY, "/a", &page);
/// assert_eq!(found.index.stance, Stance::No);
/// assert_eq!(found.training.because[0].line, Some(2));
/// // A page that may not be fetched is never asked:
/// let found = permissions(&robots, &Crawler::ANY, "/drafts/a", &page);
/// assert_eq!(found.index.stance, Stance::Hidden);
/// assert_eq!(found.conflicts.len(), 1);
/// ```
///
/// The date of an `unavailable_after` is compared with the [time](Page::at) of the page, not with any clock.
pub fn permissions(robots: &Robots, crawler: &Crawler<'_>, url: impl AsRef<str>, page: &Page<'_>) -> Permissions {
    Subject { robots, crawler, url: url.as_ref(), page }.permissions()
}

/// A crawler and a page, with the file of the page's site.
#[derive(Clone, Copy)]
struct Subject<'a> {
    robots: &'a Robots,
    crawler: &'a Crawler<'a>,
    url: &'a str,
    page: &'a Page<'a>,
}

impl Subject<'_> {
    fn permissions(&self) -> Permissions {
        let fetch = self.robots.check(self.crawler, self.url);
        let rules = self.page.rules_for(self.crawler);
        let mut conflicts = Vec::new();
        let forbidden = fetch.is_disallowed().then(|| self.because_of(&fetch));

        let mut uses = USES.map(|_| Collected(Vec::new()));
        self.preferences(forbidden.is_none(), &mut uses);
        self.control_tokens(&mut uses[0]);
        let (mut index, mut follow) = (Collected(Vec::new()), Collected(Vec::new()));
        if let Some(line) = forbidden.as_ref().and_then(|because| because.line) {
            // The address of a page that was never fetched may still be listed, but then there is nothing to quote or
            // to follow.
            let is_lost =
                |rule: &PageRule| matches!(rule, PageRule::NoIndex | PageRule::None | PageRule::UnavailableAfter(_));
            let unseen = rules.applied.iter().filter(|statement| is_lost(&statement.rule));
            conflicts
                .extend(unseen.map(|statement| Conflict::NeverSeen { statement: Because::from(*statement), line }));
        } else {
            rules_for_search(&rules, self.page, &mut index, &mut follow, &mut uses[2]);
            rules_for_ai(&rules, self.crawler, &mut uses);
        }
        for (collected, (about, ..)) in uses.iter().zip(USES) {
            conflicts.extend(collected.disagreement(about));
        }
        conflicts.extend(index.disagreement("indexing"));
        conflicts.extend(follow.disagreement("following links"));
        self.preferences_without_effect(forbidden.is_none(), &mut conflicts);

        let [training, ai_input, search] = uses.map(|mut collected| {
            if let Some(because) = &forbidden {
                // A page that may not be fetched may not be used either. This reason replaces all others.
                collected.0.clear();
                collected.add(Stance::No, because.clone());
            }
            collected.conclude()
        });
        let seen = |collected: Collected| match &forbidden {
            Some(because) => Permission { stance: Stance::Hidden, because: vec![because.clone()] },
            None => collected.conclude(),
        };
        Permissions { fetch, index: seen(index), follow: seen(follow), training, ai_input, search, conflicts }
    }

    /// Returns the rule of the robots.txt that decides a verdict, as a reason.
    fn because_of(&self, verdict: &Verdict) -> Because {
        let line = verdict.line();
        let rule = self.robots.groups().flat_map(|group| group.rules()).find(|rule| Some(rule.line()) == line);
        let text =
            rule.map_or_else(String::new, |rule| format!("{}: {}", rule.kind(), String::from_utf8_lossy(rule.value())));
        Because { source: BecauseSource::RobotsTxt, line, text }
    }

    /// Collects the preferences: `Content-Usage` in the file and in the header, and `Content-Signal`.
    fn preferences(&self, may_fetch: bool, uses: &mut [Collected; 3]) {
        let usage = self.robots.content_usage(self.crawler, self.url);
        let signals = self.robots.content_signals(self.crawler, self.url);
        let record = |line: u32| self.robots.records().find(|record| record.line() == line);
        let header = self.page.content_usage().zip(self.page.content_usage_field()).filter(|_| may_fetch);
        for (collected, (_, label, key)) in uses.iter_mut().zip(USES) {
            let stated = usage.preference(label);
            if let (Some(stance), Some(record)) = (stance(stated.preference), stated.line.and_then(record)) {
                collected.add(stance, Because::record(&record));
            }
            if let Some((preferences, (field, line))) = header
                && let Some(stance) = stance(preferences.of(label))
            {
                let text = format!("Content-Usage: {}", String::from_utf8_lossy(field));
                collected.add(stance, Because { source: BecauseSource::Header, line, text });
            }
            if let Some(signal) = signals.of(key)
                && let Some(record) = record(signal.line)
            {
                let stance = if signal.granted { Stance::Yes } else { Stance::No };
                collected.add(stance, Because::record(&record));
            }
        }
    }

    /// Collects the refusals of training by the groups of the operator's control tokens. Such tokens make no requests;
    /// their groups only state what the operator may do with pages.
    fn control_tokens(&self, training: &mut Collected) {
        let Some(profile) = self.crawler.profile() else { return };
        for row in self.page.crawlers().control_tokens(profile) {
            let verdict = self.robots.check(&Crawler::from(row), self.url);
            if verdict.is_disallowed() {
                let mut because = self.because_of(&verdict);
                because.text = format!("{} (of {})", because.text, row.token);
                training.add(Stance::No, because);
            }
        }
    }

    /// Adds the conflicts of preferences that do not apply to this crawler, although their author may expect it.
    fn preferences_without_effect(&self, may_fetch: bool, conflicts: &mut Vec<Conflict>) {
        let is_preference =
            |record: &Record<'_>| matches!(record.meaning(), Meaning::ContentSignal(_) | Meaning::ContentUsage(_));
        let outside = self.robots.records().filter(|record| is_preference(record) && record.group().is_none());
        conflicts.extend(outside.map(|record| Conflict::InNoGroup { statement: Because::record(&record) }));

        let verdict = self.robots.check(self.crawler, "/");
        if !verdict.names_crawler() || !may_fetch {
            return;
        }
        let groups_of =
            |crawler| -> Vec<usize> { self.robots.groups_for(crawler).map(|group| group.index()).collect() };
        let (own, star) = (groups_of(self.crawler), groups_of(&Crawler::ANY));
        for field in [Field::ContentUsage, Field::ContentSignal] {
            let mut inside = self.robots.records().filter(|record| record.field() == field && is_preference(record));
            let is_in = |record: &Record<'_>, groups: &[usize]| {
                record.group().is_some_and(|group| groups.binary_search(&group).is_ok())
            };
            let states_own = self.robots.records().any(|record| record.field() == field && is_in(&record, &own));
            if !states_own && let Some(record) = inside.find(|record| is_in(record, &star)) {
                conflicts.push(Conflict::NotInherited { statement: Because::record(&record) });
            }
        }
    }
}

fn stance(preference: Preference) -> Option<Stance> {
    match preference {
        Preference::Allow => Some(Stance::Yes),
        Preference::Disallow => Some(Stance::No),
        _ => None,
    }
}

fn rules_for_search(
    rules: &PageRules<'_>,
    page: &Page<'_>,
    index: &mut Collected,
    follow: &mut Collected,
    search: &mut Collected,
) {
    for statement in &rules.applied {
        let because = || Because::from(*statement);
        match statement.rule {
            PageRule::All => {
                index.add(Stance::Yes, because());
                follow.add(Stance::Yes, because());
            }
            PageRule::Index => index.add(Stance::Yes, because()),
            PageRule::Follow => follow.add(Stance::Yes, because()),
            PageRule::UnavailableAfter(moment) if page.has_come(moment) => {
                index.add(Stance::No, because());
                search.add(Stance::No, because());
            }
            PageRule::NoIndex => {
                index.add(Stance::No, because());
                search.add(Stance::No, because());
            }
            PageRule::NoFollow => follow.add(Stance::No, because()),
            PageRule::None => {
                index.add(Stance::No, because());
                follow.add(Stance::No, because());
                search.add(Stance::No, because());
            }
            _ => {}
        }
    }
}

/// Collects the page rules that forbid uses for AI, as operators document them. `noai` has no specification, but its
/// meaning is clear.
fn rules_for_ai(rules: &PageRules<'_>, crawler: &Crawler<'_>, [training, ai_input, _]: &mut [Collected; 3]) {
    if let Some(statement) = rules.noai {
        training.add(Stance::No, statement.into());
    }
    let Some(profile) = crawler.profile() else { return };
    let forbidding = [(training, &profile.page_rules.forbid_training), (ai_input, &profile.page_rules.forbid_ai_input)];
    for (collected, names) in forbidding {
        let snippet = rules.snippet().filter(|(limit, _)| *limit == Limit::To(0)).map(|(_, statement)| statement);
        let mut stated = Vec::new();
        let others = rules.applied.iter().map(|statement| (statement.rule.name(), *statement));
        for (name, statement) in snippet.map(|statement| ("nosnippet", statement)).into_iter().chain(others) {
            if PageSupport::lists(names, name) && !stated.contains(&name) {
                collected.add(Stance::No, statement.into());
                stated.push(name);
            }
        }
    }
}
