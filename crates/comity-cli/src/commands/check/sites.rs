//! The sites of all questions.

use std::collections::BTreeMap;

use comity::{Escaped, Origin};
use comity_fetch::{Access, SiteRobots, Stats};

use super::answers::Found;
use crate::render::words::count;

/// The sites of all questions, each once.
#[derive(Default)]
pub(super) struct Sites {
    pub(super) known: BTreeMap<Origin, SiteRobots>,
    /// The number of questions without an answer, by error.
    pub(super) errors: BTreeMap<String, u64>,
}

impl Sites {
    /// Adds the site of a question. A given file is none.
    pub(super) fn add(&mut self, found: &Found) {
        match found {
            Found::Site(_, Ok(site)) if !site.is_given() => {
                self.known.entry(site.origin().clone()).or_insert_with(|| site.clone());
            }
            Found::Site(_, Err(error)) => *self.errors.entry(error.to_string()).or_default() += 1,
            _ => {}
        }
    }

    /// Returns the number of sites whose files were not fetched.
    pub(super) fn cached(&self, stats: &Stats) -> u64 {
        (self.known.len() as u64).saturating_sub(stats.fetches_total)
    }

    /// Returns a line for each reason why no file's rules apply to a site, with the number of sites and some of their
    /// names; and a line for each of some errors.
    pub(super) fn lines(&self) -> Vec<String> {
        /// The maximum number of sites, and of errors, that are named.
        const MAX_NAMED: usize = 5;
        let mut groups: BTreeMap<String, Vec<&SiteRobots>> = BTreeMap::new();
        for site in self.known.values() {
            if let Some(reason) = reason_without_rules(site) {
                groups.entry(reason).or_default().push(site);
            }
        }
        let mut lines = Vec::new();
        for (reason, sites) in groups {
            let mut named: Vec<String> = sites.iter().take(MAX_NAMED).map(|site| site.origin().to_string()).collect();
            if sites.len() > MAX_NAMED {
                named.push(format!("{} more", sites.len() - MAX_NAMED));
            }
            let sites = count(sites.len(), "site");
            lines.push(Escaped(format!("{sites} {reason} ({})", named.join(", ")).as_bytes()).to_string());
        }
        let errors = self.errors.iter().take(MAX_NAMED);
        lines.extend(errors.map(|(error, urls)| format!("{}: {error}", count(*urls, "URL"))));
        lines
    }
}

/// Returns the reason why the rules of a site's current file do not apply, if they do not.
fn reason_without_rules(site: &SiteRobots) -> Option<String> {
    if comity_report::is_refused(site) {
        return Some(
            "were not contacted, since comity's own address rules refuse them; --addresses changes the rules"
                .to_owned(),
        );
    }
    let ruling = site.ruling();
    let so = match (ruling.access, ruling.rung) {
        (Access::Rules, None) => return None,
        (Access::Rules, Some(_)) => "its last good copy applies",
        (Access::AllowAll, _) => "everything is allowed",
        _ => "everything is disallowed",
    };
    Some(format!("{}: {so}", ruling.event))
}
