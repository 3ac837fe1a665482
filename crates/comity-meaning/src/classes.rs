//! Classes of crawlers to which the same groups apply.
//!
//! There are infinitely many crawlers but finitely many classes: crawlers with the same selected groups get the same
//! answers.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use comity::dialect::ProductToken;
use comity::{Crawler, Crawlers, Governed, Profile, Robots};

use crate::budget::{Exhausted, Meter};

/// A crawler to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked<'t> {
    /// Any crawler that no file names.
    Unnamed,
    /// Any crawler that no file names, in a dialect in which a group applies to every crawler whose name contains its
    /// token: an empty name contains no token.
    Nameless,
    /// A name that a file contains.
    Named(Vec<u8>),
    /// A name that contains one token of a file and no other: the token and a slash, before which tokens end.
    Containing(Vec<u8>),
    /// A row of the crawler table.
    Known(&'t Profile),
    /// A crawler that the caller chose.
    Chosen(Crawler<'t>),
}

impl Asked<'_> {
    pub(crate) fn crawler(&self) -> Crawler<'_> {
        match self {
            Self::Unnamed => Crawler::ANY,
            Self::Nameless => Crawler::literal(b""),
            Self::Named(name) | Self::Containing(name) => Crawler::literal(name),
            Self::Known(profile) => Crawler::from(*profile),
            Self::Chosen(crawler) => *crawler,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Unnamed | Self::Nameless => String::from("*"),
            Self::Named(name) => String::from_utf8_lossy(name).into_owned(),
            Self::Containing(name) => String::from_utf8_lossy(name.strip_suffix(b"/").unwrap_or(name)).into_owned(),
            Self::Known(profile) => profile.token.clone().into_owned(),
            Self::Chosen(crawler) => {
                let tokens = if crawler.merges() { usize::MAX } else { 1 };
                let tokens: Vec<_> = crawler.tokens().take(tokens).map(String::from_utf8_lossy).collect();
                tokens.join("+")
            }
        }
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

impl<const N: usize> Class<'_, N> {
    /// Returns true if crawlers that no file names are in this class.
    pub(crate) fn includes_unnamed(&self) -> bool {
        matches!(self.example, Asked::Unnamed | Asked::Nameless)
    }
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
        Choice::Only(crawlers) => crawlers.iter().map(|crawler| chosen(files, *crawler)).collect(),
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
        let name = asked.name();
        if let Some(class) = places.get(&groups).and_then(|place| classes.get_mut(*place)) {
            class.names.push(name);
        } else {
            places.insert(groups.clone(), classes.len());
            classes.push(Class { names: alloc::vec![name], example: asked, groups: groups.clone() });
        }
    }
    Ok(classes)
}

fn chosen<'t, const N: usize>(files: [&Robots; N], crawler: Crawler<'t>) -> Asked<'t> {
    match crawler == Crawler::ANY {
        true if is_contained(files) => Asked::Nameless,
        true => Asked::Unnamed,
        false => Asked::Chosen(crawler),
    }
}

/// Returns every crawler to which a selection of groups of its own may apply.
fn candidates<'t, const N: usize>(
    files: [&Robots; N],
    table: &'t Crawlers,
    meter: &mut Meter<'_>,
) -> Result<Vec<Asked<'t>>, Exhausted> {
    let mut found = alloc::vec![if is_contained(files) { Asked::Nameless } else { Asked::Unnamed }];
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
            // The first of several equal names remains.
            if !agent.is_any() && unknown.remove(&name.to_ascii_lowercase()) {
                named.push(Asked::Named(name.to_vec()));
            }
        }
    }
    if is_contained(files) {
        // A crawler's name may contain a token of each file. A known crawler with the same name may be a different one.
        for agent in files.iter().flat_map(|file| file.groups()).flat_map(|group| group.agents()) {
            meter.spend(1)?;
            if !agent.is_any() {
                named.push(Asked::Containing([agent.token(), b"/"].concat()));
            }
        }
        named.extend(names_of_pairs(files, meter)?.into_iter().map(Asked::Named));
    }
    // A dialect may give every literal crawler a fallback token; `*` has none.
    if files.iter().any(|file| file.dialect().fallback_token.is_some()) {
        let mut unnamed = b"unnamed".to_vec();
        let is_taken = |name: &[u8]| {
            let is_of_file =
                agents().any(|agent| [agent.token(), agent.value()].iter().any(|own| own.eq_ignore_ascii_case(name)));
            is_of_file || table.iter().any(|profile| profile.token.as_bytes().eq_ignore_ascii_case(name))
        };
        while is_taken(&unnamed) {
            unnamed.push(b'-');
        }
        named.push(Asked::Named(unnamed));
    }
    found.extend(named);
    Ok(found)
}

/// Returns true if a group applies to every crawler whose name contains its token.
fn is_contained<const N: usize>(files: [&Robots; N]) -> bool {
    files.iter().any(|file| file.dialect().product_token == ProductToken::Contained)
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
