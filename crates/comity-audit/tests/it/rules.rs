//! The rules of judgment, one by one.

use comity::{Crawlers, Origin, Profile, Purpose};
use comity_audit::{
    Audit, AuditReport, Auditor, CrawlerRow, Privacy, RangeList, RangeLists, Standing, Timeline, UnjudgedReason,
};
use comity_log::{LogOptions, LogReader};

const ROBOTS: &str = "User-agent: *\nCrawl-delay: 10\nDisallow: /cart/\n";

/// A line of a log: time of the 1st of November 2026, address, target, status and User-Agent.
fn line(time: &str, address: &str, target: &str, status: u16, agent: &str) -> String {
    format!("{address} - - [01/Nov/2026:{time} +0000] \"GET {target} HTTP/1.1\" {status} 5 \"-\" \"{agent}\"\n")
}

fn report_of(audit: &Audit, log: &str) -> AuditReport {
    let mut auditor = Auditor::new(audit);
    let mut reader = LogReader::open(log.as_bytes(), &LogOptions::default()).unwrap();
    while let Some(block) = reader.next_block() {
        block.unwrap().lines().for_each(|line| auditor.read(&line));
    }
    AuditReport::new(audit, &auditor.into_tally(), Privacy { shows_addresses: true, shows_queries: true })
}

fn report(log: &str) -> AuditReport {
    let mut audit = Audit::new(Timeline::assumed(ROBOTS.as_bytes()), table());
    audit.site = Origin::of("https://shop.example").ok();
    report_of(&audit, log)
}

/// The builtin table with a crawler that can be verified, of which the list is [`lists`].
fn table() -> Crawlers {
    let mut table = Crawlers::builtin();
    for (token, operator) in [("AcmeBot", "Acme"), ("AcmeBot-Images", "Acme"), ("ZetaBot", "Zeta")] {
        let mut acme = Profile::new(token, operator, Purpose::Search);
        acme.verification.ranges = vec!["acme.example/bots.json".into()].into();
        acme.verification.confirmed = true;
        table.add(acme);
    }
    table
}

fn lists() -> RangeLists {
    let mut lists = RangeLists::default();
    let text = r#"{"creationTime": "2026-11-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.64/26"}]}"#;
    lists.insert("acme.example/bots.json".to_owned(), RangeList::parse(text).unwrap().0);
    lists
}

/// An audit that has the list.
fn verifying() -> Audit {
    let mut audit = Audit::new(Timeline::assumed(ROBOTS.as_bytes()), table());
    audit.ranges = lists();
    audit
}

fn row<'r>(report: &'r AuditReport, crawler: &str) -> &'r CrawlerRow {
    report.crawlers.iter().find(|row| row.crawler == crawler).unwrap_or_else(|| panic!("{report:?}"))
}

#[test]
fn each_kind_of_requester_is_judged_as_its_operator_says() {
    let log: String = [
        "AcmeBot/1.0",
        "Mozilla/5.0 (compatible; UnlistedBot/2.0; +http://a.example)",
        "Mozilla/5.0 ChatGPT-User/1.0; +https://openai.com/bot",
        "curl/8.5.0",
        "Google-Extended/1.0",
        "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
        "facebookexternalhit/1.1 Facebot Twitterbot/1.0",
        "-",
    ]
    .iter()
    .map(|agent| line("09:30:00", "192.0.2.1", "/cart/", 200, agent))
    .collect();
    let report = report(&log);
    for (crawler, standing, violations, advice) in [
        ("AcmeBot", Standing::Bound, 1, 0),
        ("UnlistedBot", Standing::Bound, 1, 0),
        ("ChatGPT-User", Standing::Advised, 0, 1),
        ("curl", Standing::Advised, 0, 1),
        ("Google-Extended", Standing::ControlToken, 0, 0),
    ] {
        let row = row(&report, crawler);
        assert_eq!((row.standing, row.violations, row.advice), (standing, violations, advice), "{crawler}");
    }
    let several = row(&report, "facebookexternalhit");
    assert_eq!((several.violations, several.advice), (0, 0));
    assert_eq!(several.not_judged.get(&UnjudgedReason::SeveralNames), Some(&1));
    assert_eq!((report.totals.unnamed, report.totals.without_agent, report.crawlers.len()), (1, 1, 6));
}

#[test]
fn targets_that_readers_understand_differently_are_not_judged() {
    for (target, violations, reason) in [
        ("/cart/", 1, None),
        ("/cart/%41?q=1", 1, None),
        ("https://shop.example/cart/", 1, None),
        ("https://SHOP.example:443/cart/", 1, None),
        ("/a/../cart/", 0, Some(UnjudgedReason::ReadersDiffer)),
        ("/cart/../a", 0, Some(UnjudgedReason::ReadersDiffer)),
        ("/%2e/cart/", 0, Some(UnjudgedReason::ReadersDiffer)),
        ("//cart/", 0, None),
        ("/robots.txt", 0, None),
        ("/robots.txt?x", 0, None),
        ("*", 0, Some(UnjudgedReason::NoPath)),
    ] {
        let report = report(&line("09:30:00", "192.0.2.1", target, 200, "AcmeBot/1.0"));
        let row = row(&report, "AcmeBot");
        assert_eq!(row.violations, violations, "{target}");
        assert_eq!(row.not_judged.keys().next().copied(), reason, "{target}");
    }
    for target in ["http://shop.example/cart/", "https://shop.example:8443/cart/", "https://other.example/cart/"] {
        let report = report(&line("09:30:00", "192.0.2.1", target, 200, "AcmeBot/1.0"));
        assert_eq!((report.totals.other_sites, report.crawlers.len()), (1, 0), "{target}");
    }
    let disallow_all = "User-agent: *\nDisallow: /\n";
    let audit = Audit::new(Timeline::assumed(disallow_all.as_bytes()), table());
    let report = report_of(&audit, &line("09:30:00", "192.0.2.1", "/robots.txt", 200, "AcmeBot/1.0"));
    assert_eq!((row(&report, "AcmeBot").violations, row(&report, "AcmeBot").robots_txt.requests), (0, 1));
}

#[test]
fn a_crawler_that_was_refused_the_file_is_not_accused() {
    let day = |day: u8, target: &str, status: u16, agent: &str| {
        line("09:30:00", "192.0.2.1", target, status, agent).replace("01/Nov", &format!("{day:02}/Nov"))
    };
    // The file on the 1st, a 403 on the 4th, and the file again on the 8th: the 4th to the 8th are not judged.
    let log: String = (1..=12)
        .map(|nth| {
            let answer = match nth {
                1 | 8 => day(nth, "/robots.txt", 200, "AcmeBot/1.0"),
                4 => day(nth, "/robots.txt", 403, "AcmeBot/1.0"),
                _ => String::new(),
            };
            answer + &day(nth, "/cart/", 200, "AcmeBot/1.0") + &day(nth, "/cart/", 200, "AcmeBot-Images/1.0")
        })
        .collect();
    let found = report(&log);
    for (crawler, by_operator) in [("AcmeBot", false), ("AcmeBot-Images", true)] {
        let row = row(&found, crawler);
        assert_eq!((row.violations, row.not_judged.get(&UnjudgedReason::FileRefused)), (7, Some(&5)), "{crawler}");
        assert_eq!((row.rules[0].days, row.robots_txt.by_operator), (7, by_operator));
    }
    // 503 and 429 mean: disallowed.
    for (status, violations) in [(200, 1), (304, 1), (301, 1), (404, 0), (403, 0), (429, 1), (503, 1)] {
        let log = day(1, "/robots.txt", status, "ZetaBot/1.0") + &day(1, "/cart/", 200, "ZetaBot/1.0");
        assert_eq!(row(&report(&log), "ZetaBot").violations, violations, "{status}");
    }
}

#[test]
fn impostors_do_not_count_against_the_crawler() {
    let log: String = [("192.0.2.65", 3), ("198.51.100.1", 5), ("198.51.100.2", 1)]
        .iter()
        .flat_map(|(address, times)| {
            (0..*times).map(move |n| line(&format!("09:30:0{n}"), address, "/cart/", 200, "AcmeBot/1.0"))
        })
        .collect();
    let found = report_of(&verifying(), &log);
    let acme = row(&found, "AcmeBot");
    assert_eq!((acme.requests, acme.violations, acme.violations_verified, acme.identity.verified), (3, 3, 3, 3));
    assert_eq!(acme.identity.by, ["https://acme.example/bots.json of 2026-11-01"]);
    let fake = &found.impostors[0];
    assert_eq!((fake.requests, fake.addresses, fake.disallowed), (6, 2, 6));
    // A year later, the list shows nothing.
    let old = report_of(&verifying(), &log.replace("/2026:", "/2027:"));
    assert_eq!((row(&old, "AcmeBot").violations_verified, old.impostors.len()), (0, 0));
    assert_eq!(row(&old, "AcmeBot").violations, 9);
}

#[test]
fn addresses_of_proxies_and_networks_verify_nothing_more_than_they_can() {
    let requests = |address: &dyn Fn(usize) -> String, times: usize| -> String {
        let agent = |n: usize| if n.is_multiple_of(2) { "AcmeBot/1.0" } else { "ZetaBot/1.0" };
        (0..times)
            .map(|n| line(&format!("09:{:02}:{:02}", n / 60 % 60, n % 60), &address(n), "/cart/", 200, agent(n)))
            .collect()
    };
    // The addresses of a proxy of the same machine, of one with a public address, and of a content network.
    for log in [
        requests(&|_| "10.0.0.1".to_owned(), 10),
        requests(&|_| "198.51.100.1".to_owned(), 1_000),
        requests(&|n| format!("198.51.100.{}", n % 100 + 1), 200),
    ] {
        let report = report_of(&verifying(), &log);
        assert!(report.impostors.is_empty(), "{report:?}");
        assert!(report.crawlers.iter().all(|row| row.identity.unknown == row.requests));
        assert!(report.warnings.iter().any(|warning| warning.contains("proxy")), "{:?}", report.warnings);
    }
    // Anonymized.
    let report = report_of(&verifying(), &requests(&|n| format!("192.0.{}.0", n % 5), 30));
    assert_eq!(row(&report, "AcmeBot").identity.consistent, row(&report, "AcmeBot").requests);
    assert_eq!(row(&report, "AcmeBot").violations_verified, row(&report, "AcmeBot").violations);
    assert_eq!(report.impostors.iter().map(|row| row.requests).sum::<u64>(), 24);
    // One address that ends in 0 is not anonymized, and not called an impostor either.
    let report = report_of(
        &verifying(),
        &(requests(&|_| "192.0.2.70".to_owned(), 40) + &requests(&|_| "192.0.2.0".to_owned(), 2)),
    );
    assert!(report.impostors.is_empty() && row(&report, "AcmeBot").identity.unknown == 1, "{report:?}");
}

#[test]
fn a_pause_is_too_short_only_if_it_was_so_in_whole_seconds() {
    let log: String = ["09:30:00", "09:30:10", "09:30:10", "09:30:19", "09:31:00", "09:31:08"]
        .iter()
        .map(|time| line(time, "192.0.2.1", "/", 200, "AcmeBot/1.0"))
        .collect();
    let report = report(&log);
    let pace = row(&report, "AcmeBot").crawl_delay.as_ref().unwrap();
    assert_eq!((pace.delay, pace.line, pace.gaps, pace.kept, pace.shortest), (10.0, 2, 4, 2, 8));
    assert_eq!(row(&report, "AcmeBot").violations, 0);
}

#[test]
fn nothing_of_a_client_is_shown_by_default() {
    let log = line("09:30:00", "192.0.2.1", "/cart/?token=secret", 200, "AcmeBot/1.0");
    let mut audit = Audit::new(Timeline::assumed(ROBOTS.as_bytes()), table());
    audit.shown = Some("acmebot".to_owned());
    let mut auditor = Auditor::new(&audit);
    let mut reader = LogReader::open(log.as_bytes(), &LogOptions::default()).unwrap();
    while let Some(block) = reader.next_block() {
        block.unwrap().lines().for_each(|line| auditor.read(&line));
    }
    let tally = auditor.into_tally();
    let text = |privacy| serde_json::to_string(&AuditReport::new(&audit, &tally, privacy)).unwrap();
    let hidden = text(Privacy::default());
    assert!(!hidden.contains("secret") && !hidden.contains("192.0.2.1") && hidden.contains("/cart/?…"), "{hidden}");
    let shown = text(Privacy { shows_addresses: true, shows_queries: true });
    assert!(shown.contains("/cart/?token=secret") && shown.contains("192.0.2.1"), "{shown}");
}

#[test]
fn a_log_of_another_site_or_without_agents_is_suspected() {
    let other: String =
        (0..120).map(|n| line("09:30:00", "192.0.2.1", &format!("/blog/{n}"), 200, "AcmeBot/1.0")).collect();
    assert!(report(&other).warnings.iter().any(|warning| warning.contains("another site")));
    let common = "192.0.2.1 - - [01/Nov/2026:09:30:00 +0000] \"GET /cart/ HTTP/1.1\" 200 5\n";
    let report = report(common);
    assert!(report.crawlers.is_empty() && report.warnings.iter().any(|warning| warning.contains("User-Agent")));
}

#[test]
fn decoded_and_rewritten_targets_are_judged_only_if_that_is_certain() {
    let iis = "#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-status\n\
               2026-11-01 09:30:00 GET /cart/ 192.0.2.1 AcmeBot/1.0 200\n\
               2026-11-01 09:30:01 GET /cart/a+b 192.0.2.1 AcmeBot/1.0 200\n";
    let found = report(iis);
    assert_eq!(row(&found, "AcmeBot").violations, 1);
    assert_eq!(row(&found, "AcmeBot").not_judged.get(&UnjudgedReason::TargetNotLogged), Some(&1));
    let nginx = r#"{"time_iso8601":"2026-11-01T09:30:00+00:00","remote_addr":"192.0.2.1","request_method":"GET","uri":"/cart/","status":"200","http_user_agent":"AcmeBot/1.0"}"#;
    let found = report(nginx);
    assert_eq!((row(&found, "AcmeBot").violations, row(&found, "AcmeBot").not_judged.len()), (0, 1));
}
