//! Ranges of addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use comity::Escaped;

/// A range of addresses: those that begin with the same bits (RFC 4632 §3.1, RFC 4291 §2.3).
///
/// ```
/// use comity_fetch::IpRange;
///
/// let range: IpRange = "10.1.2.3/8".parse()?;
/// assert_eq!(range.to_string(), "10.0.0.0/8");
/// assert!(range.contains("10.200.0.1".parse()?));
/// assert!(!range.contains("::ffff:10.0.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IpRange {
    first: IpAddr,
    length: u8,
}

impl IpRange {
    /// Returns the range of all addresses that have the first `length` bits of this one, or `None` if it has fewer bits.
    pub fn new(address: IpAddr, length: u8) -> Option<Self> {
        match address {
            IpAddr::V4(address) if length <= 32 => Some(Self::v4(address, length)),
            IpAddr::V6(address) if length <= 128 => Some(Self::v6(address, length)),
            _ => None,
        }
    }

    /// Panics if `length` is larger than 32.
    pub(super) const fn v4(address: Ipv4Addr, length: u8) -> Self {
        assert!(length <= 32, "addresses of IPv4 have 32 bits");
        let mask = if length == 0 { 0 } else { u32::MAX << (32 - length) };
        Self { first: IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask)), length }
    }

    /// Panics if `length` is larger than 128.
    pub(super) const fn v6(address: Ipv6Addr, length: u8) -> Self {
        assert!(length <= 128, "addresses of IPv6 have 128 bits");
        let mask = if length == 0 { 0 } else { u128::MAX << (128 - length) };
        Self { first: IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask)), length }
    }

    /// Returns the first address of the range.
    pub fn first(&self) -> IpAddr {
        self.first
    }

    /// Returns the number of bits that its addresses have in common.
    pub fn prefix_length(&self) -> u8 {
        self.length
    }

    /// Returns true if an address is in the range. An IPv4 address within IPv6 is an address of IPv6.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                Self::new(address, self.length).is_some_and(|range| range.first == self.first)
            }
            _ => false,
        }
    }
}

impl From<IpAddr> for IpRange {
    /// Returns the range of one address.
    fn from(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::v4(address, 32),
            IpAddr::V6(address) => Self::v6(address, 128),
        }
    }
}

impl fmt::Display for IpRange {
    /// Formats the range in CIDR notation, as it is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.length)
    }
}

impl FromStr for IpRange {
    type Err = IpRangeError;

    /// Parses CIDR notation, or a single address.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = match text.split_once('/') {
            None => text.parse::<IpAddr>().ok().map(Self::from),
            Some((address, length)) => {
                let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
                let length = length.parse().ok().filter(|_| is_number);
                address.parse().ok().zip(length).and_then(|(address, length)| Self::new(address, length))
            }
        };
        parsed.ok_or_else(|| IpRangeError(text.to_owned()))
    }
}

/// A text that is not a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpRangeError(String);

impl IpRangeError {
    pub(super) fn found(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IpRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a range such as `10.0.0.0/8` or an address, found `{}`", Escaped(self.0.as_bytes()))
    }
}

impl std::error::Error for IpRangeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_what_they_say() {
        for (text, range, inside, outside) in [
            ("10.1.2.3/8", "10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("192.0.2.7", "192.0.2.7/32", "192.0.2.7", "192.0.2.6"),
            ("0.0.0.0/0", "0.0.0.0/0", "255.255.255.255", "::"),
            ("2001:db8::1/33", "2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"),
            ("::1", "::1/128", "::1", "::2"),
            ("::/0", "::/0", "ffff::", "0.0.0.0"),
        ] {
            let parsed: IpRange = text.parse().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(parsed.to_string(), range);
            assert_eq!(range.parse(), Ok(parsed));
            assert!(parsed.contains(inside.parse().unwrap()), "{text}: {inside}");
            assert!(!parsed.contains(outside.parse().unwrap()), "{text}: {outside}");
        }
        for text in
            ["", "/", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "10.0.0.0/-1", "10.0.0/8", "a/8", "/8"]
        {
            assert!(text.parse::<IpRange>().is_err(), "{text}");
        }
    }
}
