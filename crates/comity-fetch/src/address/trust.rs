//! Hosts that are exempt from the address rules.

use std::collections::BTreeMap;

use comity::Origin;
use url::Url;

use super::{Addresses, not_http};

/// Hosts of URLs that the user typed. They may be connected to at any address: on the ports that were typed, and on 80
/// and 443, the usual targets of redirects.
///
/// The trust only applies to fetches of a typed origin. If another site redirects to such a host, the address rules
/// apply as for any host.
///
/// ```
/// use comity_fetch::Trust;
///
/// let mut trust = Trust::default();
/// trust.add(&"http://intranet.example:8080/page".parse()?);
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The ports by host.
    typed: BTreeMap<String, Vec<u16>>,
}

impl Trust {
    /// Trusts the host of a URL, on its port. A URL without a host changes nothing.
    pub fn add(&mut self, url: &Url) {
        let (Some(origin), Some(port)) = (Origin::of_url(url), port_of(url)) else { return };
        let ports = self.typed.entry(origin.host().to_owned()).or_default();
        if !ports.contains(&port) {
            ports.push(port);
        }
    }

    /// Returns true if this origin was typed.
    pub(crate) fn has(&self, origin: &Origin) -> bool {
        self.ports(origin).is_some()
    }

    /// Returns the ports that were typed for the host of this origin, if the origin itself was typed.
    fn ports(&self, origin: &Origin) -> Option<&[u16]> {
        let ports = self.typed.get(origin.host())?;
        ports.contains(&port_of_origin(origin)?).then_some(ports)
    }
}

/// The addresses that a request may connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way<'a> {
    /// These addresses.
    Open(&'a Addresses),
    /// None, for this reason.
    Closed(String),
}

/// Returns the addresses that a request for the robots.txt of `origin` may connect to: the origin itself, or the
/// targets of its redirects.
pub(crate) fn way<'a>(addresses: &'a Addresses, trust: &Trust, origin: &Origin, url: &Url) -> Way<'a> {
    let (Some(target), Some(port)) = (Origin::of_url(url), port_of(url)) else {
        return Way::Closed("the URL has no host to connect to".to_owned());
    };
    let is_web_port = matches!(port, 80 | 443);
    if let Some(typed) = trust.ports(origin)
        && target.host() == origin.host()
        && (is_web_port || typed.contains(&port))
    {
        return Way::Open(&Addresses::Any);
    }
    let is_ftp = url.scheme() == "ftp" && port == 21;
    if let Some(what) = not_http(port).filter(|_| !is_ftp) {
        return Way::Closed(format!("port {port} is not for web servers ({what})"));
    }
    let is_own_port = Some(port) == port_of_origin(origin);
    if !is_web_port && !is_own_port && *addresses != Addresses::Any {
        return Way::Closed(format!(
            "redirects may lead to the ports 80 and 443 and to the first URL's, not to {port}"
        ));
    }
    Way::Open(addresses)
}

fn port_of(url: &Url) -> Option<u16> {
    url.port_or_known_default()
}

fn port_of_origin(origin: &Origin) -> Option<u16> {
    origin.port().or(match origin.scheme() {
        "http" => Some(80),
        "https" => Some(443),
        "ftp" => Some(21),
        _ => None,
    })
}
