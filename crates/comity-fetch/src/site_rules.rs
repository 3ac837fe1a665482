//! The rules of one site for one crawler.

use std::sync::Arc;

use comity::{Governed, Rules};
use comity_policy::Access;

use crate::decision::CheckOutcome;
use crate::scope;
use crate::site_robots::SiteRobots;

/// The rules of one site for one crawler at a moment, compiled, to check many URLs.
///
/// Returned by [`SiteRobots::rules_for`]. It does not notice when the file is due again or was fetched again, so use it for
/// the URLs at hand. A check takes no lock, and allocates only for a URL that a browser would send in another form.
///
/// ```no_run
/// # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let site = client.robots("https://example.org/").await?;
/// let rules = site.rules_for(&comity::Crawler::token("ExampleBot")?);
/// let allowed = ["https://example.org/a", "https://example.org/b"].map(|url| rules.check(url).is_allowed());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SiteRules {
    site: SiteRobots,
    /// The rules of the last good copy, if there is one.
    rules: Option<Arc<Rules>>,
    governed: Governed,
}

impl SiteRules {
    pub(crate) fn new(site: SiteRobots, rules: Option<Arc<Rules>>, governed: Governed) -> Self {
        Self { site, rules, governed }
    }

    /// Decides whether the crawler may fetch a URL, as [`SiteRobots::check`] does.
    pub fn check(&self, url: impl AsRef<str>) -> CheckOutcome {
        match scope::sent_on(self.site.origin(), url.as_ref()) {
            Some(url) => self.check_here(&url),
            None => CheckOutcome::out_of_scope(),
        }
    }

    /// Decides about a URL or a path as it is, as [`SiteRobots::check_as_is`] does.
    pub fn check_as_is(&self, url: &str) -> CheckOutcome {
        if scope::is_on(self.site.origin(), url) { self.check_here(url) } else { CheckOutcome::out_of_scope() }
    }

    /// Decides about text that the caller knows to be of this site. The engine gets it as it is, even if it is not a URL
    /// or names another site.
    pub fn check_here(&self, url: &str) -> CheckOutcome {
        self.site.outcome(self.governed, url, || self.rules.as_deref().map(|rules| rules.check(url)))
    }

    /// Returns the site's robots.txt.
    pub fn site(&self) -> &SiteRobots {
        &self.site
    }

    /// Returns the compiled rules; `None` where no rules are in force, and the [ruling](SiteRobots::ruling) alone decides.
    pub fn rules(&self) -> Option<&Rules> {
        self.rules.as_deref().filter(|_| self.site.ruling().access == Access::Rules)
    }
}
