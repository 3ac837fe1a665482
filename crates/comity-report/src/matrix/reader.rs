//! Reads a file once for all rows: parses it once in each dialect, and compiles the rules of each crawler at most once.

use std::collections::{BTreeMap, HashMap};

use comity::{Answer, Basis, Dialect, Escaped, Robots, Verdict};

use crate::choices::{Choice, choices};
use crate::crawler_query::CrawlerQuery;
use crate::question::Questions;

/// The error of work that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// The rows that differ in a dialect, by number, with the answers in it.
type Differing = BTreeMap<usize, Answer>;

/// A file, and the questions about it. Rows are numbered by URL, then by crawler.
pub(super) struct Reader<'a, 'w> {
    body: &'w [u8],
    pub(super) questions: &'a Questions,
    pub(super) crawlers: &'a [CrawlerQuery],
    is_left: &'w mut dyn FnMut() -> bool,
    /// The numbers of times that the file was parsed, and that rules were compiled.
    #[cfg(test)]
    pub(super) work: [usize; 2],
}

impl<'a, 'w> Reader<'a, 'w> {
    pub(super) fn new(
        body: &'w [u8],
        questions: &'a Questions,
        crawlers: &'a [CrawlerQuery],
        is_left: &'w mut dyn FnMut() -> bool,
    ) -> Self {
        Self {
            body,
            questions,
            crawlers,
            is_left,
            #[cfg(test)]
            work: [0; 2],
        }
    }

    fn check(&mut self) -> Result<(), Stopped> {
        if (self.is_left)() { Ok(()) } else { Err(Stopped) }
    }

    pub(super) fn parse(&mut self, dialect: &Dialect) -> Result<Robots, Stopped> {
        let robots = Robots::parse_with(self.body, dialect);
        #[cfg(test)]
        {
            self.work[0] += 1;
        }
        self.check()?;
        Ok(robots)
    }

    /// Returns the verdicts of the rows that are asked for and in scope.
    pub(super) fn verdicts(
        &mut self,
        robots: &Robots,
        is_asked: impl Fn(usize) -> bool,
    ) -> Result<Vec<Option<Verdict>>, Stopped> {
        /// The maximum number of URLs that are checked without compiling, which is faster then.
        const MAX_UNCOMPILED: usize = 2;
        let (questions, crawlers) = (self.questions, self.crawlers);
        let row_of = |question: usize, crawler: &usize| question * crawlers.len() + crawler;
        let mut verdicts = vec![None; questions.list.len() * crawlers.len()];
        for set in alike(robots, crawlers) {
            let Some(first) = set.first().map(|first| crawlers[*first].as_crawler()) else { continue };
            let asked: Vec<usize> = (0..questions.list.len())
                .filter(|question| questions.is_in_scope(&questions.list[*question]))
                .filter(|question| set.iter().any(|crawler| is_asked(row_of(*question, crawler))))
                .collect();
            let rules = (asked.len() > MAX_UNCOMPILED).then(|| robots.rules_for(&first));
            #[cfg(test)]
            {
                self.work[1] += usize::from(rules.is_some());
            }
            for question in asked {
                let url = questions.list[question].asked_in(robots.dialect());
                let verdict = rules.as_ref().map_or_else(|| robots.check(&first, url), |rules| rules.check(url));
                for row in set.iter().map(|crawler| row_of(question, crawler)).filter(|row| is_asked(*row)) {
                    verdicts[row] = Some(verdict);
                }
                self.check()?;
            }
        }
        Ok(verdicts)
    }

    /// Returns the groups of each crawler as text, by the lines that name it.
    pub(super) fn groups(&mut self, robots: &Robots) -> Result<Vec<String>, Stopped> {
        let mut texts = Vec::with_capacity(self.crawlers.len());
        for crawler in self.crawlers {
            texts.push(match robots.basis_for(&crawler.as_crawler()) {
                Basis::StarIgnored => "no group, and the groups of * do not apply".to_owned(),
                Basis::Nothing => "no group".to_owned(),
                _ => group_of(robots, crawler),
            });
            self.check()?;
        }
        Ok(texts)
    }

    /// Returns the choices of a dialect because of which it answers rows differently than the standard dialect does, as
    /// text.
    ///
    /// Each choice alone is copied to the standard dialect, until one makes it give the same answer. If no single choice
    /// does, the result lists choices that do so together. The file is parsed once for each trial, not for each row.
    pub(super) fn reasons(&mut self, dialect: &Dialect, mut rows: Differing) -> Result<Vec<(usize, String)>, Stopped> {
        let mut reasons = Vec::new();
        let choices = choices(&Dialect::STANDARD, dialect, self.body);
        for choice in &choices {
            let alike = self.answered_alike(dialect, &[*choice], &mut rows)?;
            reasons.extend(alike.into_keys().map(|row| (row, choice.sentence.to_owned())));
        }
        // No single choice is enough. Start with all choices, and drop each one that is not needed.
        let mut needed = vec![(choices.clone(), rows)];
        for choice in &choices {
            for (kept, mut rows) in std::mem::take(&mut needed) {
                let is_other = |other: &&Choice| other.sentence != choice.sentence;
                let others: Vec<Choice> = kept.iter().filter(is_other).copied().collect();
                let alike = self.answered_alike(dialect, &others, &mut rows)?;
                needed.extend([(others, alike), (kept, rows)].into_iter().filter(|(_, rows)| !rows.is_empty()));
            }
        }
        for (kept, rows) in needed {
            let text = kept.iter().map(|choice| choice.sentence).collect::<Vec<_>>().join(", and ");
            reasons.extend(rows.into_keys().map(|row| (row, text.clone())));
        }
        Ok(reasons)
    }

    /// Removes and returns the rows that the standard dialect answers as a dialect does if it adopts these choices of it.
    fn answered_alike(
        &mut self,
        dialect: &Dialect,
        adopted: &[Choice],
        rows: &mut Differing,
    ) -> Result<Differing, Stopped> {
        if rows.is_empty() {
            return Ok(Differing::new());
        }
        let mut trial = Dialect::STANDARD;
        for choice in adopted {
            (choice.adopt)(&mut trial, dialect);
        }
        let robots = self.parse(&trial)?;
        let verdicts = self.verdicts(&robots, |row| rows.contains_key(&row))?;
        let is_alike = |(row, answer): &(usize, Answer)| verdicts[*row].is_some_and(|found| found.answer() == *answer);
        let (alike, others) = std::mem::take(rows).into_iter().partition(is_alike);
        *rows = others;
        Ok(alike)
    }
}

/// Returns the crawlers in sets, by number. All crawlers of a set have the same verdicts: apart from the file and the
/// URL, a verdict depends only on these facts about a crawler.
fn alike(robots: &Robots, crawlers: &[CrawlerQuery]) -> Vec<Vec<usize>> {
    let mut numbers = HashMap::new();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for (number, crawler) in crawlers.iter().map(CrawlerQuery::as_crawler).enumerate() {
        let groups: Vec<usize> = robots.groups_for(&crawler).map(|group| group.index()).collect();
        let set = *numbers.entry((groups, robots.basis_for(&crawler), crawler.governed())).or_insert(sets.len());
        if set == sets.len() {
            sets.push(Vec::new());
        }
        sets[set].push(number);
    }
    sets
}

/// Returns the groups of a crawler as text, by the lines that name it.
fn group_of(robots: &Robots, crawler: &CrawlerQuery) -> String {
    let groups = robots.explain(&crawler.as_crawler(), "/").groups;
    let lines: Vec<String> = groups.iter().take(3).map(|group| format!("line {}", group.line)).collect();
    let more = if groups.len() > lines.len() { " and others" } else { "" };
    let value = groups.first().map_or("", |group| &group.value);
    format!("group of {}{more} ({})", lines.join(", "), Escaped(value.as_bytes()))
}
