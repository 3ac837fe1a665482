//! The addresses of clients.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use comity_fetch::IpRange;
use http::HeaderMap;
use http::header::{FORWARDED, HeaderName};

/// The header in which proxies state the address of the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProxyHeader {
    /// `X-Forwarded-For`: addresses, separated by commas.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The proxies that are trusted to state the address of the client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    pub(crate) networks: Vec<IpRange>,
    pub(crate) header: ProxyHeader,
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl Proxies {
    /// Returns the address of the client: the peer, or the address that a trusted proxy states.
    ///
    /// Each proxy appends the address of its peer. So entries can be trusted, from the last one backward, as long as a
    /// trusted proxy wrote them. The first address that is not a proxy's is the client; the entries before it may be
    /// forged.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.is_proxy(peer) {
            return peer;
        }
        let name = match self.header {
            ProxyHeader::XForwardedFor => X_FORWARDED_FOR,
            ProxyHeader::Forwarded => FORWARDED,
        };
        let mut client = peer;
        // Several fields of one name are one list (RFC 9110 §5.3). A field that is not text counts as an element, and
        // the elements before it are not trusted.
        let fields: Vec<_> =
            headers.get_all(name).iter().map(|field| String::from_utf8_lossy(field.as_bytes())).collect();
        for hop in fields.iter().rev().flat_map(|field| field.rsplit(',')) {
            let address = match self.header {
                ProxyHeader::XForwardedFor => address(hop.trim()),
                ProxyHeader::Forwarded => for_of(hop).and_then(address),
            };
            let Some(address) = address else { break };
            client = address;
            if !self.is_proxy(address) {
                break;
            }
        }
        client
    }

    /// Returns true if an address is that of a proxy, which represents many clients.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }
}

/// Returns the `for` parameter of an element of `Forwarded`.
fn for_of(element: &str) -> Option<&str> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then(|| value.trim().trim_matches('"'))
    })
}

/// Parses an address, with or without brackets and port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.strip_prefix('[')?.split(']').next()?.parse().ok();
    let with_port = || text.split_once(':')?.0.parse().ok();
    let address: Option<IpAddr> = text.parse().ok().or_else(bare).or_else(with_port);
    address.map(|address| address.to_canonical())
}

/// The address of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddr {
    pub(crate) address: IpAddr,
}

impl ClientAddr {
    pub(crate) fn nobody() -> Self {
        Self { address: Ipv4Addr::UNSPECIFIED.into() }
    }

    /// Returns the key for limits: with IPv6 the /64 network, since each client has 2^64 addresses.
    pub(crate) fn key(self) -> IpAddr {
        match self.address {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                [a, b, c, d, 0, 0, 0, 0].into()
            }
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

impl fmt::Display for ClientAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, fields: &[&str]) -> HeaderMap {
        fields
            .iter()
            .map(|field| (HeaderName::from_static(name), http::HeaderValue::from_bytes(field.as_bytes()).unwrap()))
            .collect()
    }

    fn client(proxies: &Proxies, peer: &str, headers: &HeaderMap) -> String {
        proxies.client(peer.parse().unwrap(), headers).to_string()
    }

    #[test]
    fn only_proxies_that_are_named_are_believed() {
        let networks = vec!["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let proxies = Proxies { networks, header: ProxyHeader::XForwardedFor };
        for (peer, fields, who) in [
            ("203.0.113.1", &["192.0.2.1"][..], "203.0.113.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1"], "192.0.2.1"),
            ("::ffff:10.0.0.1", &["192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.9, 192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.9", "192.0.2.1"], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.9", "192.0.2.1, 10.7.7.7"], "192.0.2.1"),
            ("10.0.0.1", &["10.1.1.1, 10.7.7.7"], "10.1.1.1"),
            ("10.0.0.1", &["192.0.2.1, junk"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1", "j\u{fc}nk, 198.51.100.9"], "198.51.100.9"),
            ("10.0.0.1", &["192.0.2.1", "j\u{fc}nk"], "10.0.0.1"),
            ("10.0.0.1", &["junk, 10.0.0.9"], "10.0.0.9"),
            ("::1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("::1", &["2001:db8::1"], "2001:db8::1"),
            ("::1", &["192.0.2.1:5555"], "192.0.2.1"),
            ("::1", &["::ffff:192.0.2.1"], "192.0.2.1"),
            ("::1", &[""], "::1"),
        ] {
            assert_eq!(client(&proxies, peer, &headers("x-forwarded-for", fields)), who, "{peer} {fields:?}");
            assert_eq!(client(&Proxies::default(), "::1", &headers("x-forwarded-for", fields)), "::1");
        }
        assert_eq!(client(&proxies, "10.0.0.1", &headers("forwarded", &["for=192.0.2.1"])), "10.0.0.1");
        let proxies = Proxies { header: ProxyHeader::Forwarded, ..proxies };
        for (fields, who) in [
            (&["for=192.0.2.1"][..], "192.0.2.1"),
            (&["for=198.51.100.9, For=\"[2001:db8::1]:80\";proto=http"], "2001:db8::1"),
            (&["proto=https; for=192.0.2.1 ;by=10.0.0.1", "for=10.0.0.3"], "192.0.2.1"),
            (&["for=192.0.2.1, for=_hidden"], "10.0.0.1"),
            (&["for=192.0.2.1, by=10.0.0.1"], "10.0.0.1"),
        ] {
            assert_eq!(client(&proxies, "10.0.0.1", &headers("forwarded", fields)), who, "{fields:?}");
        }
        assert_eq!(client(&proxies, "10.0.0.1", &headers("x-forwarded-for", &["192.0.2.1"])), "10.0.0.1");
    }
}
