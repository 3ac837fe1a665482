//! The public addresses, by IANA's registries of special-purpose addresses (RFC 6890) and some more facts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::range::IpRange;

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> IpRange {
    IpRange::v4(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> IpRange {
    IpRange::v6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

/// Addresses with public numbers that a cloud's own machines alone reach, at the cloud's metadata or its host's agent:
/// they hand out credentials.
///
/// Azure: `168.63.129.16`, as its documentation states. Others need no row: `169.254.169.254` and its neighbors (AWS, Google,
/// Azure, Oracle, Hetzner and most others) are link-local, `100.100.100.200` (Alibaba) is in the range that
/// providers share, `192.0.0.192` (Oracle's old one) among protocol assignments, `fd00:ec2::254` (AWS) and `fd20:ce::254`
/// (Google) in private networks.
const METADATA: &str = "metadata of a cloud";

const V4: [(IpRange, &str); 17] = [
    (v4(168, 63, 129, 16, 32), METADATA),
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

/// Some are outside of [`GLOBAL`], and are listed for the message: "not assigned" is less helpful.
const V6: [(IpRange, &str); 15] = [
    (IpRange::v6(Ipv6Addr::UNSPECIFIED, 128), "no address"),
    (IpRange::v6(Ipv6Addr::LOCALHOST, 128), "this machine"),
    (v6(0x64, 0xff9b, 1, 48), "translation within a network"),
    (v6(0x100, 0, 0, 64), "discarded"),
    (v6(0x2001, 2, 0, 48), "benchmarks"),
    (v6(0x2001, 0x10, 0, 28), "identifiers"),
    (v6(0x2001, 0x20, 0, 28), "identifiers"),
    (v6(0x2001, 0x30, 0, 28), "identifiers"),
    (PROTOCOLS, "protocol assignments"),
    (v6(0x2001, 0xdb8, 0, 32), "documentation"),
    (v6(0x3fff, 0, 0, 20), "documentation"),
    (v6(0xfc00, 0, 0, 7), "private network"),
    (v6(0xfe80, 0, 0, 10), "link-local"),
    (v6(0xfec0, 0, 0, 10), "site-local"),
    (v6(0xff00, 0, 0, 8), "multicast"),
];

/// The IPv6 addresses that are assigned for routing between networks (RFC 4291 §2.4). All others are not public, even if
/// they are assigned later.
const GLOBAL: IpRange = v6(0x2000, 0, 0, 3);

/// IETF protocol assignments (RFC 2928).
const PROTOCOLS: IpRange = v6(0x2001, 0, 0, 23);

/// The ranges of `PROTOCOLS` that are public.
const PUBLIC_PROTOCOLS: [IpRange; 2] = [v6(0x2001, 3, 0, 32), v6(0x2001, 4, 0x112, 48)];

const NAT64: IpRange = v6(0x64, 0xff9b, 0, 96);
const SIX_TO_FOUR: IpRange = v6(0x2002, 0, 0, 16);
const TEREDO: IpRange = v6(0x2001, 0, 0, 32);

/// The reason why an address is not public: it is in a range that is reserved for a purpose, such as `10.0.0.0/8` for
/// private networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    range: IpRange,
    purpose: &'static str,
    /// The IPv4 address within the IPv6 address, if that is the reason.
    embedded: Option<Ipv4Addr>,
}

impl Special {
    /// Returns the range that contains the address.
    pub fn range(&self) -> IpRange {
        self.range
    }

    /// Returns the purpose of the range, in a word or two.
    pub fn purpose(&self) -> &'static str {
        self.purpose
    }
}

impl fmt::Display for Special {
    /// Formats it like `private network, 10.0.0.0/8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(embedded) = self.embedded {
            write!(f, "leads to {embedded}: ")?;
        }
        write!(f, "{}, {}", self.purpose, self.range)
    }
}

/// Returns true if an address can be reached from everywhere, as far as its number shows.
pub fn is_public(address: IpAddr) -> bool {
    special(address).is_none()
}

/// Returns the reason why an address is not public; `None` if it is.
///
/// IPv6 addresses that lead to one of IPv4 (mapped, NAT64, 6to4, Teredo, ISATAP) are as public as that is.
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
    let (range, purpose) = V4.iter().find(|(range, _)| range.contains(address.into()))?;
    Some(Special { range: *range, purpose, embedded: None })
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    if let Some(leads_to) = embedded(address) {
        return leads_to.into_iter().find_map(|to| Some(Special { embedded: Some(to), ..special_v4(to)? }));
    }
    let special = |range, purpose| Some(Special { range, purpose, embedded: None });
    let is_public_protocol = PUBLIC_PROTOCOLS.iter().any(|range| range.contains(address.into()));
    match V6.iter().find(|(range, _)| range.contains(address.into())) {
        Some((range, purpose)) if !is_public_protocol => special(*range, purpose),
        _ if GLOBAL.contains(address.into()) => {
            isatap(address).and_then(|to| Some(Special { embedded: Some(to), ..special_v4(to)? }))
        }
        _ => special(IpRange::v6(address, 128), "not assigned"),
    }
}

/// Returns the IPv4 address of an ISATAP interface identifier (RFC 5214 §6.1), in any prefix: `0:5efe` before it, or
/// `200:5efe` for one that is unique. Routers of the prefix send such packets there.
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits() as u64;
    matches!(bits >> 32, 0x0000_5efe | 0x0200_5efe).then(|| Ipv4Addr::from_bits(bits as u32))
}

/// The IPv4 addresses that packets to this one may end up at; none if it is IPv6's own.
fn embedded(address: Ipv6Addr) -> Option<Vec<Ipv4Addr>> {
    let bits = address.to_bits();
    let last = Ipv4Addr::from_bits(bits as u32);
    if let Some(mapped) = address.to_ipv4_mapped() {
        Some(vec![mapped])
    } else if NAT64.contains(address.into()) {
        Some(vec![last])
    } else if SIX_TO_FOUR.contains(address.into()) {
        Some(vec![Ipv4Addr::from_bits((bits >> 80) as u32)])
    } else if TEREDO.contains(address.into()) {
        // The address of the server, and that of the client with all bits inverted (RFC 4380 §4).
        Some(vec![Ipv4Addr::from_bits((bits >> 64) as u32), Ipv4Addr::from_bits(!(bits as u32))])
    } else {
        None
    }
}
