//! Rules for the addresses that may be connected to.
//!
//! A crawler fetches URLs that strangers choose. Those must not lead it to addresses that only it can reach: the
//! machine itself, its own network, the cloud's metadata service. So addresses are checked when a connection is made,
//! after the name has been resolved. [`Trust`] lists the hosts that are exempt.

mod ports;
mod range;
mod ranges;
mod trust;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use comity::Escaped;

pub(crate) use ports::not_http;
pub use range::{IpRange, IpRangeError};
pub use ranges::{Special, is_public, special};
pub use trust::Trust;
pub(crate) use trust::{Way, way};

/// The addresses that may be connected to.
///
/// ```
/// use comity_fetch::Addresses;
///
/// let public = Addresses::default();
/// assert!(public.check("93.184.215.14".parse()?).is_ok());
/// let refused = public.check("169.254.169.254".parse()?).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "169.254.169.254 is not a public address (link-local, 169.254.0.0/16)",
/// );
///
/// let own: Addresses = "10.0.0.0/8,192.168.7.1".parse()?;
/// assert!(own.check("10.1.2.3".parse()?).is_ok());
/// assert!(own.check("93.184.215.14".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Addresses {
    /// Addresses that are reachable from everywhere. [`special`] explains why an address is not.
    #[default]
    Public,
    /// All addresses.
    Any,
    /// Addresses in one of these ranges.
    Only(Vec<IpRange>),
}

impl Addresses {
    /// Checks that an address may be connected to.
    ///
    /// An IPv4 address that is mapped to IPv6 (`::ffff:10.0.0.1`) is checked as the IPv4 address.
    pub fn check(&self, address: IpAddr) -> Result<(), NotAllowed> {
        match self {
            Self::Any => Ok(()),
            Self::Public => match special(address) {
                None => Ok(()),
                Some(special) => Err(NotAllowed { address, special: Some(special) }),
            },
            Self::Only(ranges) if ranges.iter().any(|range| range.contains(address.to_canonical())) => Ok(()),
            Self::Only(_) => Err(NotAllowed { address, special: None }),
        }
    }
}

impl fmt::Display for Addresses {
    /// Formats the addresses in the syntax that is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public => f.write_str("public"),
            Self::Any => f.write_str("any"),
            Self::Only(ranges) => {
                for (nth, range) in ranges.iter().enumerate() {
                    if nth > 0 {
                        f.write_str(",")?;
                    }
                    range.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Addresses {
    type Err = AddressesError;

    /// Parses `public`, `any`, or ranges in CIDR notation and single addresses, separated by commas.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "public" => Ok(Self::Public),
            "any" => Ok(Self::Any),
            list => {
                let ranges = list.split(',').map(|range| range.trim().parse()).collect::<Result<_, IpRangeError>>();
                ranges.map(Self::Only).map_err(|e| AddressesError(e.found().to_owned()))
            }
        }
    }
}

/// A text that is not a list of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressesError(String);

impl fmt::Display for AddressesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Escaped(self.0.as_bytes());
        write!(f, "expected `public`, `any`, or a list of ranges such as `10.0.0.0/8,fd00::/8`, found `{found}`")
    }
}

impl std::error::Error for AddressesError {}

/// An address that may not be connected to, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAllowed {
    address: IpAddr,
    /// The reason why the address is not public. `None` if it is refused because it is not in the list of addresses
    /// that are allowed.
    special: Option<Special>,
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.special {
            Some(special) => write!(f, "{} is not a public address ({special})", self.address),
            None => write!(f, "{} is not in the list of addresses that are allowed", self.address),
        }
    }
}

impl std::error::Error for NotAllowed {}
