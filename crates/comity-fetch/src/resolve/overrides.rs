//! Addresses that the user sets for names, like curl's `--resolve`.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use comity::Escaped;
use url::Host;

use super::{Resolve, ResolveError, Resolving};

/// A resolver with fixed addresses for some hosts and ports, and another resolver for all others.
///
/// The address rules apply to these addresses as to any other.
#[derive(Debug)]
pub struct Overrides {
    given: Vec<Given>,
    others: Arc<dyn Resolve>,
}

/// An override, parsed from `HOST:PORT:ADDRESS[,ADDRESS]...`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    /// `None` is any host.
    host: Option<String>,
    port: u16,
    addresses: Vec<IpAddr>,
}

impl Overrides {
    /// Returns a resolver without overrides, which uses `others` for all names.
    pub fn new(others: Arc<dyn Resolve>) -> Self {
        Self { given: Vec::new(), others }
    }

    /// Adds an override as `HOST:PORT:ADDRESS[,ADDRESS]...`; `*` is any host, and IPv6 addresses may be in brackets.
    /// Later overrides of the same host and port take precedence, and named hosts take precedence over `*`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use comity_fetch::{Overrides, SystemResolver};
    ///
    /// let mut overrides = Overrides::new(Arc::new(SystemResolver::default()));
    /// overrides.add("example.com:443:127.0.0.1,[::1]")?;
    /// overrides.add("*:80:192.0.2.1")?;
    /// assert!(overrides.add("example.com:127.0.0.1").is_err());
    /// # Ok::<(), comity_fetch::OverrideError>(())
    /// ```
    pub fn add(&mut self, text: &str) -> Result<(), OverrideError> {
        self.given.push(text.parse()?);
        Ok(())
    }

    fn find(&self, host: &str, port: u16) -> Option<&Given> {
        let named = |given: &&Given| given.port == port && given.host.as_deref() == Some(host);
        let any = |given: &&Given| given.port == port && given.host.is_none();
        self.given.iter().rev().find(named).or_else(|| self.given.iter().rev().find(any))
    }
}

impl Resolve for Overrides {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        match self.find(host.strip_suffix('.').unwrap_or(host), port) {
            Some(given) => {
                let addresses = given.addresses.iter().map(|address| SocketAddr::new(*address, port)).collect();
                Box::pin(std::future::ready(Ok::<_, ResolveError>(addresses)))
            }
            None => self.others.resolve(host, port),
        }
    }
}

impl FromStr for Given {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| OverrideError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Given> {
    let (host, rest) = text.split_once(':')?;
    let (port, addresses) = rest.split_once(':')?;
    let host = match host {
        "*" => None,
        // In the form of URLs: lower case, IDN as punycode.
        name => match Host::parse(name).ok()? {
            Host::Domain(domain) => Some(domain.strip_suffix('.').unwrap_or(&domain).to_owned()),
            // Addresses are never looked up.
            Host::Ipv4(_) | Host::Ipv6(_) => return None,
        },
    };
    let port = port.parse().ok().filter(|port| *port != 0)?;
    let addresses = addresses.split(',').map(address).collect::<Option<_>>()?;
    Some(Given { host, port, addresses })
}

fn address(text: &str) -> Option<IpAddr> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.map_or_else(|| text.parse().ok(), |text| text.parse().ok().map(IpAddr::V6))
}

/// A text that does not say where a host leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverrideError(String);

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Escaped(self.0.as_bytes());
        write!(f, "expected HOST:PORT:ADDRESS, such as `example.com:443:127.0.0.1` or `*:80:[::1]`, found `{found}`")
    }
}

impl std::error::Error for OverrideError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::Fixed;

    async fn ask(overrides: &Overrides, host: &str, port: u16) -> String {
        let addresses = overrides.resolve(host, port).await.expect("all of them have an address");
        addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[tokio::test]
    async fn the_last_word_on_a_host_counts_and_its_name_before_the_star() {
        let others = Arc::new(Fixed::new(["203.0.113.1:0".parse().expect("an address")]));
        let mut overrides = Overrides::new(others);
        for text in ["A.test:80:127.0.0.1", "*:80:127.0.0.9", "a.test.:80:127.0.0.2,[::1],::2", "müller.test:443:[::1]"]
        {
            overrides.add(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        assert_eq!(ask(&overrides, "a.test", 80).await, "127.0.0.2:80 [::1]:80 [::2]:80");
        assert_eq!(ask(&overrides, "a.test.", 80).await, "127.0.0.2:80 [::1]:80 [::2]:80");
        assert_eq!(ask(&overrides, "b.test", 80).await, "127.0.0.9:80");
        assert_eq!(ask(&overrides, "xn--mller-kva.test", 443).await, "[::1]:443");
        assert_eq!(ask(&overrides, "a.test", 443).await, "203.0.113.1:443");
    }

    #[test]
    fn invalid_override_is_an_error() {
        let mut overrides = Overrides::new(Arc::new(Fixed::new([])));
        let wrong = [
            "",
            ":",
            "::",
            "a.test",
            "a.test:80",
            "a.test:80:",
            "a.test:0:127.0.0.1",
            "a.test:99999:127.0.0.1",
            "a.test:x:127.0.0.1",
            ":80:127.0.0.1",
            "a.test:80:b.test",
            "a.test:80:[127.0.0.1]",
            "a.test:80:127.0.0.1,",
            "a.test:80:127.0.0.1:81",
            "127.0.0.1:80:127.0.0.2",
            "a b:80:127.0.0.1",
            "+a.test:80:[::1",
        ];
        for text in wrong {
            let error = overrides.add(text).expect_err(text);
            assert!(error.to_string().contains(&format!("found `{text}`")), "{error}");
        }
    }
}
