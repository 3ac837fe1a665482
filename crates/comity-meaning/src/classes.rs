//! Classes of crawlers to which the same groups apply.
//!
//! There are infinitely many crawlers but finitely many classes: crawlers with the same selected groups get the same
//! answers.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use comity::dialect::ProductToken;
use comity::{Agent, Crawler, Crawlers, Governed, Profile, Robots};

use crate::budget::{Exhausted, Meter};

/// A crawler to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked<'t> {
    /// Any crawler that no file names.
    Unnamed,
    /// Any crawler that no file names, if a group applies to every crawler whose name contains its token: a name that
    /// contains none, such as the empty one.
    Nameless(Vec<u8>),
    /// A name that a file contains.
    Named(Vec<u8>),
    /// A name that no file contains, in a dialect that gives every name a fallback token.
    FallingBack(Vec<u8>),
    /// A name that contains a token of a file, in a dialect in which its group applies then, and that no file names
    /// otherwise.
    Containing(Vec<u8>),
    /// A row of the crawler table.
    Known(&'t Profile),
    /// A crawler that the caller chose.
    Chosen(&'t Crawler<'t>),
}

impl Asked<'_> {
    pub(crate) fn crawler(&self) -> Crawler<'_> {
        match self {
            Self::Unnamed => Crawler::ANY,
            Self::Nameless(name) | Self::Named(name) | Self::FallingBack(name) | Self::Containing(name) => {
                Crawler::literal(name)
            }
            Self::Known(profile) => Crawler::from(*profile),
            Self::Chosen(crawler) => Crawler::clone(crawler),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Unnamed | Self::Nameless(_) => String::from("*"),
            Self::Named(name) | Self::FallingBack(name) | Self::Containing(name) => {
                String::from_utf8_lossy(name).into_owned()
            }
            Self::Known(profile) => profile.token.clone().into_owned(),
            Self::Chosen(crawler) => {
                let tokens = if crawler.merges() { usize::MAX } else { 1 };
                let tokens: Vec<_> = crawler.tokens().take(tokens).map(String::from_utf8_lossy).collect();
                tokens.join("+")
            }
        }
    }

    /// Returns true if the name was made up, so that it is of no interest in the class of another crawler.
    fn is_made_up(&self) -> bool {
        matches!(self, Self::FallingBack(_) | Self::Containing(_))
    }
}

/// The crawlers to check.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice<'t> {
    /// All crawlers that the files or the table name, and all others.
    All(&'t Crawlers),
    /// Only these crawlers. [`Crawler::ANY`] means every crawler that no file names.
    Only(&'t [Crawler<'t>]),
}

/// A class of crawlers to which the same groups apply, in each of the files.
#[derive(Clone, Debug)]
pub(crate) struct Class<'t, const N: usize> {
    /// A crawler of the class, for questions to the engine.
    pub(crate) example: Asked<'t>,
    /// The names of all crawlers of the class. `*` means every crawler that no file names.
    pub(crate) names: Vec<String>,
    /// The indices of their groups, for each file.
    pub(crate) groups: [Vec<usize>; N],
}

/// Returns the classes of the chosen crawlers.
///
/// Crawlers that robots.txt does not govern get no verdicts and are left out, and so are those whose row of the table
/// `accept` rejects. The table matters for fallback tokens and for crawlers to which the groups of `*` do not apply.
pub(crate) fn classes<'t, const N: usize>(
    files: [&Robots; N],
    choice: Choice<'t>,
    accept: impl Fn(Option<&Profile>) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Vec<Class<'t, N>>, Exhausted> {
    let mut classes: Vec<Class<'t, N>> = Vec::new();
    let agents: usize = files.iter().flat_map(|file| file.groups()).map(|group| group.agents().len()).sum();
    // Each crawler is looked up in all user-agent lines, which takes longer if names only need to contain tokens.
    let steps = 1 + if is_contained(files) { agents } else { agents / 4 };
    let mut places: BTreeMap<[Vec<usize>; N], usize> = BTreeMap::new();
    let candidates = match choice {
        Choice::All(table) => candidates(files, table, meter)?,
        Choice::Only(crawlers) => {
            let mut candidates = Vec::with_capacity(crawlers.len());
            for crawler in crawlers {
                if *crawler == Crawler::ANY {
                    candidates.extend(unnamed(files, |_| false, meter)?);
                } else {
                    candidates.push(Asked::Chosen(crawler));
                }
            }
            candidates
        }
    };
    // Most crawlers are in the class of a crawler before them, so their groups are collected in the same memory.
    let mut groups: [Vec<usize>; N] = core::array::from_fn(|_| Vec::new());
    for asked in candidates {
        let crawler = asked.crawler();
        if crawler.governed() == Governed::No || !accept(crawler.profile()) {
            continue;
        }
        meter.spend(steps)?;
        for (groups, file) in groups.iter_mut().zip(files) {
            groups.clear();
            groups.extend(file.groups_for(&crawler).map(|group| group.index()));
        }
        if let Some(class) = places.get(&groups).and_then(|place| classes.get_mut(*place)) {
            class.names.extend((!asked.is_made_up()).then(|| asked.name()));
        } else {
            places.insert(groups.clone(), classes.len());
            classes.push(Class { names: alloc::vec![asked.name()], example: asked, groups: groups.clone() });
        }
    }
    Ok(classes)
}

/// Returns the crawlers that no file names: `*`, and a name if a dialect gives every name a fallback token, which `*`
/// does not have. The name is none for which `is_known` returns true.
fn unnamed<'t, const N: usize>(
    files: [&Robots; N],
    is_known: impl Fn(&[u8]) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Vec<Asked<'t>>, Exhausted> {
    let has_fallback = files.iter().any(|file| file.dialect().fallback_token.is_some());
    // Some dialects have groups for the empty name.
    let is_empty_named = || files.iter().any(|file| file.check(&Crawler::literal(b""), "/").names_crawler());
    let any = if !is_contained(files) {
        Asked::Unnamed
    } else if is_empty_named() {
        Asked::Nameless(fresh_name(files, &is_known, meter)?)
    } else {
        Asked::Nameless(Vec::new())
    };
    let falling_back = if has_fallback { Some(fresh_name(files, &is_known, meter)?) } else { None };
    Ok(core::iter::once(any).chain(falling_back.map(Asked::FallingBack)).collect())
}

/// Returns a name that no group names and for which `is_known` returns false.
fn fresh_name<const N: usize>(
    files: [&Robots; N],
    is_known: impl Fn(&[u8]) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Vec<u8>, Exhausted> {
    let names = core::iter::once(b"unnamed".to_vec()).chain((b'+'..=b'~').map(|octet| alloc::vec![octet]));
    for name in names.filter(|name| !is_known(name)) {
        if !is_named(files, &name, |_| false, meter)? {
            return Ok(name);
        }
    }
    // A file that names all of these is hostile.
    Err(Exhausted)
}

/// Returns true if a group names a crawler with this name. Agents that `is_skipped` accepts do not count.
fn is_named<const N: usize>(
    files: [&Robots; N],
    name: &[u8],
    is_skipped: impl Fn(&Agent<'_>) -> bool,
    meter: &mut Meter<'_>,
) -> Result<bool, Exhausted> {
    for file in files {
        for agent in file.groups().flat_map(|group| group.agents()).filter(|agent| !agent.is_any()) {
            meter.spend(1)?;
            let names = match file.dialect().product_token {
                ProductToken::Contained => contains(name, agent.token()),
                _ => [agent.token(), agent.value()].iter().any(|own| own.eq_ignore_ascii_case(name)),
            };
            if names && !is_skipped(&agent) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns true if a name contains a token, in any letter case. An empty token names nobody.
fn contains(name: &[u8], token: &[u8]) -> bool {
    !token.is_empty() && name.windows(token.len()).any(|part| part.eq_ignore_ascii_case(token))
}

/// Returns every crawler to which a selection of groups of its own may apply.
fn candidates<'t, const N: usize>(
    files: [&Robots; N],
    table: &'t Crawlers,
    meter: &mut Meter<'_>,
) -> Result<Vec<Asked<'t>>, Exhausted> {
    let is_known = |name: &[u8]| table.iter().any(|profile| profile.token.as_bytes().eq_ignore_ascii_case(name));
    let mut found = unnamed(files, is_known, meter)?;
    let agents = || files.iter().flat_map(|file| file.groups()).flat_map(|group| group.agents());
    // Most files name a few crawlers and the table has many, so the names of the files are collected, not those of the
    // table. Of these remain those that the table does not have.
    let own = agents().filter(|agent| !agent.is_any()).flat_map(|agent| [agent.token(), agent.value()]);
    let mut unknown: BTreeSet<Vec<u8>> = own.map(<[u8]>::to_ascii_lowercase).collect();
    let mut lower = Vec::new();
    for profile in table {
        lower.clear();
        lower.extend(profile.token.bytes().map(|byte| byte.to_ascii_lowercase()));
        unknown.remove(&lower);
        found.push(Asked::Known(profile));
    }
    let mut named: Vec<Asked<'_>> = Vec::new();
    for agent in agents() {
        for name in [agent.token(), agent.value()] {
            // The first of several equal names remains. A token `*` that means no crawler is contained in names.
            if !agent.is_any() && name != b"*" && unknown.remove(&name.to_ascii_lowercase()) {
                named.push(Asked::Named(name.to_vec()));
            }
        }
    }
    if is_contained(files) {
        // The known crawler with this token, or the one that a file of another dialect names, may be told something else
        // than a crawler whose name contains the token.
        let mut done = BTreeSet::new();
        let are_whole = files.iter().any(|file| file.dialect().product_token != ProductToken::Contained);
        for agent in agents().filter(|agent| !agent.is_any()) {
            let is_ambiguous = |token: &[u8]| are_whole || token == b"*" || is_known(token);
            if is_ambiguous(agent.token()) && done.insert(agent.token()) {
                named.push(Asked::Containing(name_with(files, agent.token(), is_known, meter)?));
            }
        }
        // A crawler's name may contain a token of each file.
        named.extend(names_of_pairs(files, meter)?.into_iter().map(Asked::Named));
    }
    found.extend(named);
    Ok(found)
}

/// Returns true if a group applies to every crawler whose name contains its token.
fn is_contained<const N: usize>(files: [&Robots; N]) -> bool {
    files.iter().any(|file| file.dialect().product_token == ProductToken::Contained)
}

/// Returns a name that contains a token, and no other token unless that token contains it. It is the name of no known
/// crawler, and in no file of a dialect that compares whole names.
fn name_with<const N: usize>(
    files: [&Robots; N],
    token: &[u8],
    is_known: impl Fn(&[u8]) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Vec<u8>, Exhausted> {
    let is_within = |agent: &Agent<'_>| contains(token, agent.token());
    let mut name = [b"My", token].concat();
    if is_known(&name) || is_named(files, &name, is_within, meter)? {
        // Tokens end before a slash.
        name = [token, b"/"].concat();
        while is_named(files, &name, is_within, meter)? {
            name.push(b'/');
        }
    }
    Ok(name)
}

/// Returns names that contain one token of the first file, one of the last file, and no third one: tokens end before a
/// slash.
fn names_of_pairs<const N: usize>(files: [&Robots; N], meter: &mut Meter<'_>) -> Result<Vec<Vec<u8>>, Exhausted> {
    let [first, .., last] = files.as_slice() else { return Ok(Vec::new()) };
    let [first, last] = [first, last].map(|file| {
        let agents = file.groups().flat_map(|group| group.agents());
        agents.filter(|agent| !agent.is_any()).map(|agent| agent.token()).collect::<BTreeSet<_>>()
    });
    let mut names = Vec::new();
    for one in &first {
        for other in &last {
            // A name takes memory, and is searched for every token.
            meter.spend(64 + one.len() + other.len())?;
            names.push([one, &b"/"[..], other].concat());
        }
    }
    Ok(names)
}
