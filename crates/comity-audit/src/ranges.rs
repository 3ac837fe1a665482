//! The lists of addresses that operators publish for their crawlers.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;

use comity_fetch::IpRange;
use comity_page::Moment;
use serde::{Deserialize, Serialize};

/// The maximum number of networks in a list. The largest one has a few thousand.
const MAX_NETWORKS: usize = 100_000;

/// A published list of addresses, and the time for which it is known to be right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeList {
    /// Sorted, without those that are within another. All of IPv4 are before those of IPv6.
    networks: Vec<IpRange>,
    /// The times when the operator made the list, and when it was fetched, in seconds since 1970. If only one is known, it is
    /// both.
    times: Option<(i64, i64)>,
}

/// A list as operators publish it: `{"creationTime": "…", "prefixes": [{"ipv4Prefix": "…"}, {"ipv6Prefix": "…"}]}`. The
/// file of [`RangeList::document`] has the time when it was fetched as well.
#[derive(Default, Serialize, Deserialize)]
struct Document {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fetched: Option<String>,
    #[serde(default, rename = "creationTime", skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    prefixes: Vec<Prefix>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prefix {
    #[serde(alias = "ip_prefix", skip_serializing_if = "Option::is_none")]
    ipv4_prefix: Option<String>,
    #[serde(alias = "ipv6_prefix", skip_serializing_if = "Option::is_none")]
    ipv6_prefix: Option<String>,
}

/// A file that is not a list of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAList(String);

impl fmt::Display for NotAList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a JSON object with `prefixes`, or a network such as 192.0.2.0/24 in each line; {}", self.0)
    }
}

impl std::error::Error for NotAList {}

impl RangeList {
    /// Parses a list: JSON with `prefixes`, as the large operators publish it, or plain text with a network or an address in
    /// each line. Returns the URL that [`document`](Self::document) wrote, too.
    pub fn parse(text: &str) -> Result<(Self, Option<String>), NotAList> {
        let (mut networks, document) = read(text)?;
        networks.sort_unstable();
        networks.dedup_by(|next, kept| kept.contains(next.first()));
        let (created, fetched) = (time(document.created.as_deref()), time(document.fetched.as_deref()));
        let times = created.or(fetched).zip(fetched.or(created));
        Ok((Self { networks, times }, document.url))
    }

    /// Returns a published list as a file that states its URL and when it was fetched, in seconds since 1970: without that
    /// time, a list that changed since would accuse a crawler of being an impostor.
    pub fn document(text: &str, url: &str, fetched: i64) -> Result<String, NotAList> {
        let (_, published) = read(text)?;
        let (url, fetched) = (Some(url.to_owned()), Some(rfc3339(fetched)));
        let document = Document { url, fetched, ..published };
        serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| NotAList(error.to_string()))
    }

    /// Returns true if an address is in the list.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.overlaps(IpRange::from(address))
    }

    /// Returns true if the network of an address has an address of the list: the network that is left after a log is
    /// anonymized, /24 or /48.
    pub(crate) fn is_near(&self, address: IpAddr) -> bool {
        IpRange::new(address, if address.is_ipv4() { 24 } else { 48 }).is_some_and(|network| self.overlaps(network))
    }

    fn overlaps(&self, asked: IpRange) -> bool {
        // Of two networks that overlap, one has the first address of the other.
        let after = self.networks.partition_point(|network| network.first() < asked.first());
        self.networks.get(after).is_some_and(|next| asked.contains(next.first()))
            || after > 0 && self.networks[after - 1].contains(asked.first())
    }

    /// Returns true if the list is known to have been right, or nearly so, at a time.
    pub(crate) fn is_of(&self, seconds: i64) -> bool {
        /// Operators add networks every few weeks, and remove few.
        const MAX_AGE: i64 = 30 * 86_400;
        self.times.is_some_and(|(from, to)| (from.min(to) - MAX_AGE..=to + MAX_AGE).contains(&seconds))
    }

    /// Returns the date of the list in words that follow its URL; empty if it is not known.
    pub(crate) fn dated(&self) -> String {
        self.times.map(|(_, at)| format!(" of {}", &rfc3339(at)[..10])).unwrap_or_default()
    }

    /// Returns true if the time of the list is known.
    pub(crate) fn is_dated(&self) -> bool {
        self.times.is_some()
    }
}

/// The lists of operators, by their URLs in the crawler table, which have no scheme.
pub type RangeLists = HashMap<String, RangeList>;

/// Reads a list as it was published.
fn read(text: &str) -> Result<(Vec<IpRange>, Document), NotAList> {
    let document: Document = if text.trim_start().starts_with(['{', '[']) {
        serde_json::from_str(text).map_err(|error| NotAList(error.to_string()))?
    } else {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let prefix = |line: &str| {
            let of_version = |is_v6| Some(line.to_owned()).filter(|line| line.contains(':') == is_v6);
            Prefix { ipv4_prefix: of_version(false), ipv6_prefix: of_version(true) }
        };
        Document { prefixes: lines.filter(|line| !line.is_empty()).map(prefix).collect(), ..Document::default() }
    };
    let texts = document.prefixes.iter().flat_map(|prefix| [&prefix.ipv4_prefix, &prefix.ipv6_prefix]);
    let networks = texts.flatten().map(|text| network(text)).collect::<Result<Vec<_>, _>>()?;
    if networks.is_empty() || networks.len() > MAX_NETWORKS {
        return Err(NotAList(format!("found {} networks", networks.len())));
    }
    Ok((networks, document))
}

fn network(text: &str) -> Result<IpRange, NotAList> {
    let start: String = text.chars().take(60).collect();
    text.trim().parse().map_err(|_| NotAList(format!("found `{}`", start.escape_debug())))
}

/// Reads a time of a list, such as `2026-11-01T09:30:00.000000`, which is in UTC if it states no zone.
fn time(text: Option<&str>) -> Option<i64> {
    Moment::parse(text?.as_bytes()).map(Moment::unix_seconds)
}

/// Returns a time as people and programs read it, such as `2026-11-01T09:30:00Z`.
pub fn rfc3339(seconds: i64) -> String {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const JSON: &str = r#"{"creationTime": "2026-11-01T09:30:00.000000",
        "prefixes": [{"ipv4Prefix": "192.0.2.0/28"}, {"ipv6Prefix": "2001:db8::/64"}, {"ipv4Prefix": "192.0.2.8/29"}]}"#;

    #[test]
    fn lists_of_operators_are_read() {
        for text in [JSON, "# Addresses\n192.0.2.0/28 # a\n\n192.0.2.9\n2001:db8::/64\n"] {
            let (list, url) = RangeList::parse(text).unwrap();
            for (address, is_in, is_near) in [
                ("192.0.2.15", true, true),
                ("192.0.2.16", false, true),
                ("192.0.3.0", false, false),
                ("192.0.1.255", false, false),
                ("2001:db8::ffff", true, true),
                ("2001:db8:0:1::", false, true),
                ("2001:db8:1::", false, false),
                ("::192.0.2.1", false, false),
            ] {
                let address = address.parse().unwrap();
                assert_eq!((list.contains(address), list.is_near(address)), (is_in, is_near), "{address}");
            }
            assert_eq!(url, None);
        }
    }

    #[test]
    fn a_list_is_right_around_its_time() {
        const DAY: i64 = 86_400;
        let (created, fetched) = (1_793_525_400, 1_793_525_400 + 100 * DAY);
        let text = RangeList::document(JSON, "a.example/list.json", fetched).unwrap();
        let (list, url) = RangeList::parse(&text).unwrap();
        assert_eq!(url.as_deref(), Some("a.example/list.json"));
        let of = |list: &RangeList| [-31, -29, 50, 129, 131].map(|day| list.is_of(created + day * DAY));
        assert_eq!(of(&list), [false, true, true, true, false]);
        assert_eq!(of(&RangeList::parse(JSON).unwrap().0), [false, true, false, false, false]);
        let plain = RangeList::parse("192.0.2.1").unwrap().0;
        assert!(!plain.is_dated() && of(&plain) == [false; 5]);
    }

    #[test]
    fn other_files_are_refused() {
        for (text, found) in [
            ("<!DOCTYPE html>", "found `<!DOCTYPE html>`"),
            ("{\"prefixes\": []}", "found 0 networks"),
            ("{\"a\": 1}", "missing field `prefixes`"),
            ("[1]", "invalid type"),
            ("192.0.2.1/33", "found `192.0.2.1/33`"),
            ("", "found 0 networks"),
        ] {
            let error = RangeList::parse(text).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    proptest! {
        #[test]
        fn merged_networks_contain_what_each_contains(
            networks in prop::collection::vec((any::<u32>(), 20_u8..=32), 1..20),
            asked in any::<u32>(),
            near in any::<bool>(),
        ) {
            let ranges: Vec<IpRange> = networks
                .iter()
                .map(|(bits, length)| IpRange::new(IpAddr::V4((bits & 0xFFFF).into()), *length).unwrap())
                .collect();
            let text: Vec<String> = ranges.iter().map(ToString::to_string).collect();
            let (list, _) = RangeList::parse(&text.join("\n")).unwrap();
            let asked = IpAddr::V4((if near { asked & 0xFFFF } else { asked }).into());
            prop_assert_eq!(list.contains(asked), ranges.iter().any(|range| range.contains(asked)));
        }
    }
}
