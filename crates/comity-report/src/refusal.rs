//! Sites that were not asked, because the client's own address rules refuse to connect to them.

use comity::Answer;
use comity_fetch::{Access, CheckOutcome, Event, Failure, SiteRobots};

/// Returns true if a site was not asked, because the client's own address rules refuse to connect to it. Unlike other
/// failures, this states nothing about the site.
#[must_use]
pub fn is_refused(site: &SiteRobots) -> bool {
    let ruling = site.ruling();
    ruling.event == Event::Failed(Failure::Refused) && ruling.access != Access::Rules
}

/// Returns true if there is no answer about a URL, because its site was not asked. A robots.txt itself may always be
/// fetched, and a crawler that does not obey robots.txt needs no answer of the site.
#[must_use]
pub fn is_unanswered(site: &SiteRobots, outcome: &CheckOutcome) -> bool {
    is_refused(site) && !outcome.is_robots_txt() && outcome.answer() != Answer::NotGoverned
}
