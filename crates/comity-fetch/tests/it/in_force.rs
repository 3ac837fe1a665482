//! All answers about a site's robots.txt follow the rules in force, not the last good copy.

use std::sync::Arc;
use std::time::Duration;

use comity::Crawler;
use comity_fetch::{Access, Addresses, Client, Clock, Fixed, Policy, SiteRobots, Time};
use comity_testserver::{ANY, HttpServer, Reply};

const FILE: &str = "User-agent: *\nDisallow: /private/\nCrawl-delay: 7\nClean-param: ref /\n\n\
                    Sitemap: http://a.test/sitemap.xml\n";
const HOUR: Duration = Duration::from_secs(60 * 60);

/// The answers of each method. The page is `/page`; the file disallows `/private/`.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    access: Access,
    page: bool,
    private: bool,
    delay: Option<u64>,
    sitemaps: usize,
    canonical: String,
    has_rules: bool,
}

impl Said {
    const URL: &str = "http://a.test/page?ref=1";

    fn by(site: &SiteRobots) -> Self {
        let me = Crawler::token("TestBot").unwrap();
        let rules = site.rules_for(&me);
        let ask = |path: &str| {
            let url = format!("http://a.test{path}");
            let allowed = site.check(&me, &url).is_allowed();
            for other in [
                site.check(&me, path).is_allowed(),
                site.check_as_is(&me, &url).is_allowed(),
                rules.check(&url).is_allowed(),
                rules.check_as_is(path).is_allowed(),
                site.robots().check(&me, &url).is_allowed(),
            ] {
                assert_eq!(other, allowed, "{url}: {}", site.ruling());
            }
            assert!(!site.check(&me, format!("http://b.test{path}")).is_allowed());
            allowed
        };
        assert_eq!(site.canonical("http://b.test/page?ref=1"), "http://b.test/page?ref=1", "another site's URL");
        Self {
            access: site.ruling().access,
            page: ask("/page"),
            private: ask("/private/"),
            delay: site.pace(&me).delay().map(|found| found.delay.as_secs()),
            sitemaps: site.sitemaps().count(),
            canonical: site.canonical(Self::URL).into_owned(),
            has_rules: rules.rules().is_some(),
        }
    }

    fn by_the_file() -> Self {
        Self {
            access: Access::Rules,
            page: true,
            private: false,
            delay: Some(7),
            sitemaps: 1,
            canonical: "http://a.test/page".to_owned(),
            has_rules: true,
        }
    }

    /// Returns the answers if everything is allowed or disallowed, without any file.
    fn without_rules(access: Access) -> Self {
        let allowed = access == Access::AllowAll;
        Self {
            access,
            page: allowed,
            private: allowed,
            delay: None,
            sitemaps: 0,
            canonical: Self::URL.to_owned(),
            has_rules: false,
        }
    }
}

/// Fetches the file, then fails with a status for some time, and returns the resulting state.
async fn after(policy: Policy, status: u16, elapsed: Duration) -> SiteRobots {
    let server = HttpServer::start().await;
    server.serve("a.test", ANY, Reply::ok(FILE));
    let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
    let client = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .clock(clock.clone())
        .policy(policy)
        .build()
        .unwrap();
    let first = client.robots("http://a.test/").await.unwrap();
    assert_eq!(Said::by(&first), Said::by_the_file());

    server.serve("a.test", ANY, Reply::status(status));
    let _ = client.fetch("http://a.test/").await.unwrap();
    clock.advance(elapsed);
    let site = client.robots("http://a.test/").await.unwrap();
    assert_eq!(Said::by(&first), Said::by_the_file(), "a snapshot does not change");

    let cached = client.cached(site.origin()).await.unwrap().expect("it was just fetched");
    assert_eq!(Said::by(&cached), Said::by(&site));
    site
}

#[tokio::test]
async fn a_site_that_fails_for_a_time_keeps_its_file_under_standard() {
    let site = after(Policy::STANDARD, 500, HOUR).await;
    assert!(site.ruling().rung.is_some() && site.copy().is_some());
    assert_eq!(Said::by(&site), Said::by_the_file());
}

#[tokio::test]
async fn a_copy_that_does_not_count_says_nothing() {
    for (policy, access) in [
        (Policy::STRICT, Access::DisallowAll),
        (Policy::GOOGLE, Access::DisallowAll),
        (Policy::GOOGLE_2019, Access::DisallowAll),
        (Policy::ARCHIVE, Access::AllowAll),
    ] {
        let site = after(policy, 500, HOUR).await;
        assert!(site.copy().is_some(), "{}: the copy is kept", policy.name);
        assert!(site.line(2).is_some() && site.hash().is_some() && site.age().is_some());
        assert_eq!(Said::by(&site), Said::without_rules(access), "{}", policy.name);
    }
}

#[tokio::test]
async fn a_copy_counts_again_after_a_time_under_google() {
    let site = after(Policy::GOOGLE, 500, 13 * HOUR).await;
    assert_eq!(Said::by(&site), Said::by_the_file());
}

#[tokio::test]
async fn a_missing_file_allows_and_a_denied_one_disallows() {
    for (policy, status, access) in [
        (Policy::STANDARD, 404, Access::AllowAll),
        (Policy::STANDARD, 403, Access::AllowAll),
        (Policy::STRICT, 403, Access::DisallowAll),
    ] {
        let site = after(policy, status, Duration::ZERO).await;
        assert!(site.copy().is_none(), "{status}");
        assert_eq!(Said::by(&site), Said::without_rules(access), "{status} under {}", policy.name);
    }
}
