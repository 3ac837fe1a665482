//! Which addresses are public, by the registries of special-purpose addresses (RFC 6890).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

const V4: [(Ipv4Net, &str); 16] = [
    (v4(0, 0, 0, 0, 8), "this network"),
    (v4(10, 0, 0, 0, 8), "private network"),
    (v4(100, 64, 0, 0, 10), "shared by a provider's customers"),
    (v4(127, 0, 0, 0, 8), "this machine"),
    (v4(169, 254, 0, 0, 16), "link-local"),
    (v4(172, 16, 0, 0, 12), "private network"),
    (v4(192, 0, 0, 0, 24), "protocol assignments"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "6to4 relays"),
    (v4(192, 168, 0, 0, 16), "private network"),
    (v4(198, 18, 0, 0, 15), "benchmarks"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(255, 255, 255, 255, 32), "broadcast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
];

/// Some lie outside of [`GLOBAL`], and are here for the words: "not assigned" tells less.
const V6: [(Ipv6Net, &str); 13] = [
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128), "no address"),
    (Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128), "this machine"),
    (v6(0x64, 0xff9b, 1, 48), "translation within a network"),
    (v6(0x100, 0, 0, 64), "discarded"),
    (v6(0x2001, 2, 0, 48), "benchmarks"),
    (v6(0x2001, 0x10, 0, 28), "identifiers"),
    (v6(0x2001, 0x20, 0, 28), "identifiers"),
    (v6(0x2001, 0xdb8, 0, 32), "documentation"),
    (v6(0x3fff, 0, 0, 20), "documentation"),
    (v6(0xfc00, 0, 0, 7), "private network"),
    (v6(0xfe80, 0, 0, 10), "link-local"),
    (v6(0xfec0, 0, 0, 10), "site-local"),
    (v6(0xff00, 0, 0, 8), "multicast"),
];

/// All that was ever given out to be routed (RFC 4291 §2.4). What lies outside is not public, whatever may become of it.
const GLOBAL: Ipv6Net = v6(0x2000, 0, 0, 3);

const NAT64: Ipv6Net = v6(0x64, 0xff9b, 0, 96);
const SIX_TO_FOUR: Ipv6Net = v6(0x2002, 0, 0, 16);
const TEREDO: Ipv6Net = v6(0x2001, 0, 0, 32);

/// Why an address is not public: the range that it is in, and what that is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    range: IpNet,
    purpose: &'static str,
    /// The IPv4 address that it is about, if that stands within one of IPv6.
    embedded: Option<Ipv4Addr>,
}

impl Special {
    /// The range.
    pub fn range(&self) -> IpNet {
        self.range
    }

    /// What the range is for, in a word or two.
    pub fn purpose(&self) -> &'static str {
        self.purpose
    }
}

impl fmt::Display for Special {
    /// `private network, 10.0.0.0/8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(embedded) = self.embedded {
            write!(f, "leads to {embedded}: ")?;
        }
        write!(f, "{}, {}", self.purpose, self.range)
    }
}

/// Whether an address can be reached from everywhere, as far as its number tells.
pub fn is_public(address: IpAddr) -> bool {
    special(address).is_none()
}

/// Why an address is not public; none if it is.
///
/// IPv6 addresses that lead to one of IPv4 (mapped, NAT64, 6to4, Teredo) are as public as that is.
///
/// ```
/// use comity_fetch::special;
///
/// assert_eq!(special("10.1.2.3".parse()?).unwrap().purpose(), "private network");
/// assert_eq!(
///     special("64:ff9b::a9fe:a9fe".parse()?).unwrap().to_string(),
///     "leads to 169.254.169.254: link-local, 169.254.0.0/16",
/// );
/// assert_eq!(special("64:ff9b::808:808".parse()?), None);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn special(address: IpAddr) -> Option<Special> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<Special> {
    let (range, purpose) = V4.iter().find(|(range, _)| range.contains(&address))?;
    Some(Special { range: IpNet::V4(*range), purpose, embedded: None })
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    if let Some(leads_to) = embedded(address) {
        return leads_to.into_iter().find_map(|to| Some(Special { embedded: Some(to), ..special_v4(to)? }));
    }
    let special = |range, purpose| Some(Special { range: IpNet::V6(range), purpose, embedded: None });
    match V6.iter().find(|(range, _)| range.contains(&address)) {
        Some((range, purpose)) => special(*range, purpose),
        None if GLOBAL.contains(&address) => None,
        None => special(Ipv6Net::new_assert(address, 128), "not assigned"),
    }
}

/// The IPv4 addresses that packets to this one may end up at; none if it is IPv6's own.
fn embedded(address: Ipv6Addr) -> Option<Vec<Ipv4Addr>> {
    let bits = address.to_bits();
    let last = Ipv4Addr::from_bits(bits as u32);
    if let Some(mapped) = address.to_ipv4_mapped() {
        Some(vec![mapped])
    } else if NAT64.contains(&address) {
        Some(vec![last])
    } else if SIX_TO_FOUR.contains(&address) {
        Some(vec![Ipv4Addr::from_bits((bits >> 80) as u32)])
    } else if TEREDO.contains(&address) {
        // The server that helps, and the client, of which every bit is inverted (RFC 4380 §4).
        Some(vec![Ipv4Addr::from_bits((bits >> 64) as u32), Ipv4Addr::from_bits(!(bits as u32))])
    } else {
        None
    }
}
