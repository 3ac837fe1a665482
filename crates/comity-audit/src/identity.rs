//! The identity of a request: whether it is from the crawler that it claims to be from.

use std::collections::HashMap;
use std::net::IpAddr;

use comity::Profile;
use comity_fetch::special;
use serde::Serialize;

use crate::ranges::{RangeList, RangeLists};

/// The answer of the DNS about an address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DnsAnswer {
    /// The address has this name, and the name has this address.
    Named(String),
    /// The address has no name, or a name that does not have this address.
    Unnamed,
    /// There was no answer. It says nothing about the address.
    Failed,
}

/// The answers of the DNS, and the time when they were asked for.
#[derive(Clone, Debug, Default)]
pub struct DnsAnswers {
    answers: HashMap<IpAddr, DnsAnswer>,
    asked: i64,
}

impl DnsAnswers {
    /// Creates answers that were asked for at this time, in seconds since 1970.
    pub fn new(answers: HashMap<IpAddr, DnsAnswer>, asked: i64) -> Self {
        Self { answers, asked }
    }

    /// Returns the date on which it was asked; `None` if it was not.
    pub(crate) fn date(&self) -> Option<String> {
        (!self.answers.is_empty()).then(|| crate::ranges::rfc3339(self.asked)[..10].to_owned())
    }
}

/// The evidence of an address about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Evidence {
    /// The address is the operator's.
    Verified,
    /// The address may be one of an anonymized log, and its network has addresses of the operator.
    Near,
    /// The operator states how to verify its addresses, and this one is not its own.
    Refuted,
    /// Nothing is known.
    Unknown,
}

impl Evidence {
    pub(crate) const ALL: [Self; 4] = [Self::Verified, Self::Near, Self::Refuted, Self::Unknown];
}

/// The means to verify the requests of one crawler.
#[derive(Clone, Debug)]
pub(crate) struct Verifier<'a> {
    profile: &'a Profile,
    lists: Vec<&'a RangeList>,
    dns: &'a DnsAnswers,
}

impl<'a> Verifier<'a> {
    pub(crate) fn new(profile: &'a Profile, ranges: &'a RangeLists, dns: &'a DnsAnswers) -> Self {
        let lists = profile.verification.ranges.iter().filter_map(|url| ranges.get(&**url)).collect();
        Self { profile, lists, dns }
    }

    /// Returns true if the operator documents DNS names.
    pub(crate) fn has_names(&self) -> bool {
        !self.profile.verification.hosts.is_empty()
    }

    /// Returns the evidence of an address at a time, in seconds since 1970.
    pub(crate) fn evidence(&self, address: Option<IpAddr>, at: Option<i64>) -> Evidence {
        /// Addresses change their owners.
        const MAX_DNS_AGE: i64 = 30 * 86_400;
        let (Some(address), Some(at)) = (address, at) else { return Evidence::Unknown };
        let stated = &self.profile.verification;
        let usable = |list: &&&RangeList| list.is_of(at) || !list.is_dated();
        if self.lists.iter().filter(usable).any(|list| list.contains(address)) {
            return Evidence::Verified;
        }
        let is_of_dns = self.has_names() && (self.dns.asked - at).abs() <= MAX_DNS_AGE;
        let is_refuted = match self.dns.answers.get(&address).filter(|_| is_of_dns) {
            Some(DnsAnswer::Named(name)) if stated.hosts.iter().any(|host| is_below(name, host)) => {
                return Evidence::Verified;
            }
            // Names that only others report do not refute anything; a list of the operator does, since it is its own statement.
            Some(DnsAnswer::Named(_) | DnsAnswer::Unnamed) => stated.confirmed,
            Some(DnsAnswer::Failed) => false,
            // A list without a time may be older than the log.
            None if stated.ranges.is_empty() || self.lists.len() < stated.ranges.len() => false,
            None => self.lists.iter().all(|list| list.is_of(at)),
        };
        if is_anonymous(address) && self.lists.iter().filter(usable).any(|list| list.is_near(address)) {
            return Evidence::Near;
        }
        if is_refuted { Evidence::Refuted } else { Evidence::Unknown }
    }
}

/// Returns true if an address has the form that programs leave when they anonymize logs.
pub(crate) fn is_anonymous(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[3] == 0,
        IpAddr::V6(address) => address.segments()[4..] == [0; 4],
    }
}

/// Returns true if an address can't be reached from everywhere, as those of proxies.
pub(crate) fn is_private(address: IpAddr) -> bool {
    // Examples have addresses for documentation.
    special(address).is_some_and(|special| special.purpose() != "documentation")
}

/// Returns true if a DNS name is this one or one below it.
fn is_below(name: &str, host: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.strip_suffix(&host.to_ascii_lowercase()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use comity::{Profile, Purpose};

    use super::*;

    const NOW: i64 = 1_793_525_400;
    const DAY: i64 = 86_400;

    fn profile(ranges: &[&'static str], hosts: &[&'static str], confirmed: bool) -> Profile {
        let mut profile = Profile::new("AcmeBot", "Acme", Purpose::Search);
        profile.verification.ranges = ranges.iter().map(|url| (*url).into()).collect();
        profile.verification.hosts = hosts.iter().map(|host| (*host).into()).collect();
        profile.verification.confirmed = confirmed;
        profile
    }

    fn lists(dated: bool) -> RangeLists {
        let text = if dated {
            r#"{"creationTime": "2026-11-01T09:30:00", "prefixes": [{"ipv4Prefix": "192.0.2.16/28"}]}"#
        } else {
            "192.0.2.16/28"
        };
        let mut lists = RangeLists::default();
        lists.insert("acme.example/a".to_owned(), RangeList::parse(text).unwrap().0);
        lists
    }

    fn evidence(profile: &Profile, lists: &RangeLists, dns: &[(&str, DnsAnswer)], address: &str, at: i64) -> Evidence {
        let answers = dns.iter().map(|(address, answer)| (address.parse().unwrap(), answer.clone())).collect();
        let dns = DnsAnswers::new(answers, NOW);
        Verifier::new(profile, lists, &dns).evidence(address.parse().ok(), Some(at))
    }

    #[test]
    fn lists_verify_and_refute_only_around_their_time() {
        let acme = profile(&["acme.example/a"], &[], true);
        for (address, day, dated, expected) in [
            ("192.0.2.17", 0, true, Evidence::Verified),
            ("192.0.3.17", 0, true, Evidence::Refuted),
            ("192.0.2.17", 99, true, Evidence::Unknown),
            ("192.0.3.17", -99, true, Evidence::Unknown),
            ("192.0.2.17", 99, false, Evidence::Verified),
            ("192.0.3.17", 0, false, Evidence::Unknown),
            ("192.0.2.0", 0, true, Evidence::Near),
            ("192.0.3.0", 0, true, Evidence::Refuted),
            ("crawl.example", 0, true, Evidence::Unknown),
        ] {
            let found = evidence(&acme, &lists(dated), &[], address, NOW + day * DAY);
            assert_eq!(found, expected, "{address} {day} {dated}");
        }
        // The list is the operator's own, whoever reported where it is.
        let reported = profile(&["acme.example/a"], &[], false);
        assert_eq!(evidence(&reported, &lists(true), &[], "192.0.3.17", NOW), Evidence::Refuted);
        let partly = profile(&["acme.example/a", "acme.example/b"], &[], true);
        assert_eq!(evidence(&partly, &lists(true), &[], "192.0.3.17", NOW), Evidence::Unknown);
        assert_eq!(evidence(&partly, &lists(true), &[], "192.0.2.17", NOW), Evidence::Verified);
    }

    #[test]
    fn no_failure_of_the_dns_refutes() {
        let named = |name: &str| DnsAnswer::Named(name.to_owned());
        for (ranges, answer, day, expected) in [
            (false, Some(named("crawl-1.Bot.acme.example.")), 0, Evidence::Verified),
            (false, Some(named("bot.acme.example")), 0, Evidence::Verified),
            (false, Some(named("evilbot.acme.example")), 0, Evidence::Refuted),
            (false, Some(named("bot.acme.example.evil.example")), 0, Evidence::Refuted),
            (false, Some(DnsAnswer::Unnamed), 0, Evidence::Refuted),
            (false, Some(DnsAnswer::Unnamed), -99, Evidence::Unknown),
            (false, Some(DnsAnswer::Failed), 0, Evidence::Unknown),
            (false, None, 0, Evidence::Unknown),
            (true, Some(named("bot.acme.example")), 0, Evidence::Verified),
            (true, Some(DnsAnswer::Failed), 0, Evidence::Unknown),
            (true, None, 0, Evidence::Refuted),
        ] {
            let acme = profile(&["acme.example/a"], &["bot.acme.example"], true);
            let lists = if ranges { lists(true) } else { RangeLists::default() };
            let dns: Vec<_> = answer.iter().map(|answer| ("198.51.100.1", answer.clone())).collect();
            let found = evidence(&acme, &lists, &dns, "198.51.100.1", NOW + day * DAY);
            assert_eq!(found, expected, "{ranges} {answer:?} {day}");
        }
        let reported = profile(&[], &["bot.acme.example"], false);
        for (answer, expected) in
            [(named("bot.acme.example"), Evidence::Verified), (named("evil.example"), Evidence::Unknown)]
        {
            let none = RangeLists::default();
            assert_eq!(evidence(&reported, &none, &[("198.51.100.1", answer)], "198.51.100.1", NOW), expected);
        }
    }
}
