//! The listed URLs whose answer changes.

use std::collections::HashMap;

use comity::{Crawler, Origin, Robots, Rules};

use super::{Diff, DiffAnswer, DiffFile, DiffListed};
use crate::question::Question;
use crate::scope::ProofScope;

/// Counts the URLs of a list that are affected by each change, and those that are affected by any change.
///
/// Skips URLs that are on another site than the first URL with a host, since another file decides about them. If the
/// caller ends the work, the rest of the URLs are not counted.
pub(super) fn count(diff: &mut Diff, bodies: [&[u8]; 2], scope: &ProofScope<'_>, urls: &[String]) {
    let mut site = None;
    let is_on_site = |url: &&String| {
        let Ok(origin) = Origin::of(url) else { return url.starts_with('/') };
        *site.get_or_insert_with(|| origin.clone()) == origin
    };
    // URLs are checked in the form in which a browser would send them. Strings that are not URLs are skipped.
    let urls = urls.iter().filter(is_on_site).filter_map(|url| Question::new(url, false).ok());
    let urls: Vec<Question> = urls.collect();
    for change in &mut diff.changes {
        change.listed = Some(DiffListed { count: 0, of: urls.len() as u64, first: None });
    }
    let mut total = DiffListed { count: 0, of: urls.len() as u64, first: None };
    let asked = asked(diff, bodies, scope);
    for url in urls.iter().take_while(|_| scope.goes_on()) {
        let mut concerned: Vec<usize> = asked.iter().filter_map(|asked| asked.change_of(url)).collect();
        concerned.sort_unstable();
        concerned.dedup();
        for place in &concerned {
            if let Some(listed) = &mut diff.changes[*place].listed {
                listed.add(&url.typed);
            }
        }
        if !concerned.is_empty() {
            total.add(&url.typed);
        }
    }
    diff.listed = Some(total);
}

impl DiffListed {
    fn add(&mut self, url: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| url.to_owned());
    }
}

/// The key of a change among those of one crawler: the new answer, and the file and line of the rule that causes it.
type Key = (DiffAnswer, DiffFile, Option<u32>);

/// The rules of one crawler in one dialect, and the changes in which it is the first crawler and the dialect the first
/// dialect.
struct Asked {
    rules: [Rules; 2],
    places: Places,
}

/// The indices of the changes with each key, and true for those whose rule is about an index page. An `Allow` of an index
/// page may also be a rule for the directory of the page.
type Places = HashMap<Key, Vec<(usize, bool)>>;

/// The text that each pattern of an index page contains, and so does each URL that it matches.
const INDEX_PAGE: &str = "/index.htm";

/// Returns the crawlers and dialects to check the URLs for. One crawler and one dialect of each change are enough,
/// since the others of the same change get the same answers there.
fn asked(diff: &Diff, bodies: [&[u8]; 2], scope: &ProofScope<'_>) -> Vec<Asked> {
    let dialects = scope.used_dialects();
    let mut places: HashMap<(&str, &str), Places> = HashMap::new();
    for (place, change) in diff.changes.iter().enumerate() {
        if let (Some(crawler), Some(dialect)) = (change.crawlers.first(), change.dialects.first()) {
            let key = (change.to, change.rule.file, change.rule.line);
            let is_page = change.rule.pattern.contains(INDEX_PAGE);
            places.entry((dialect, crawler)).or_default().entry(key).or_default().push((place, is_page));
        }
    }
    let mut parsed: HashMap<&str, [Robots; 2]> = HashMap::new();
    let mut asked = Vec::new();
    for ((dialect, name), places) in places {
        let Some(dialect) = dialects.iter().find(|used| used.name == dialect) else { continue };
        let parse = || bodies.map(|body| Robots::parse_with(body, dialect));
        let files = parsed.entry(dialect.name).or_insert_with(parse);
        let crawler = scope.crawlers.find(name).map_or(Crawler::literal(name), Crawler::from);
        asked.push(Asked { rules: files.each_ref().map(|file| file.rules_for(&crawler)), places });
    }
    asked
}

impl Asked {
    /// Returns the index of the change that affects a URL.
    fn change_of(&self, url: &Question) -> Option<usize> {
        let [was, is] = self.rules.each_ref().map(|rules| rules.check(url.asked_in(rules.dialect())));
        if was.is_allowed() == is.is_allowed() {
            return None;
        }
        let to = if is.is_allowed() { DiffAnswer::Allowed } else { DiffAnswer::Blocked };
        let place = |file, line: Option<u32>| match self.places.get(&(to, file, line))?.as_slice() {
            [(place, _)] => Some(*place),
            several => {
                let is_page = url.asked_in(self.rules[0].dialect()).contains(INDEX_PAGE);
                several.iter().find(|(_, other)| *other == is_page).map(|(place, _)| *place)
            }
        };
        // If the rule that decides now is in both files, the change is listed by the rule that decided before.
        place(DiffFile::New, is.line()).or_else(|| place(DiffFile::Old, was.line()))
    }
}
