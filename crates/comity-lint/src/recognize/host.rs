//! Recognizes URLs, and host names, also where a path should be.

use crate::words::{self, is_listed};

/// Returns the length of the scheme and host at the start of a value.
pub(crate) fn host_len(value: &[u8]) -> Option<usize> {
    let first = *value.first()?;
    let end_of_host =
        |from: usize| value[from..].iter().position(|b| matches!(b, b'/' | b'?')).map_or(value.len(), |at| from + at);
    if let Some(rest) = value.strip_prefix(b"//") {
        let host = &value[2..end_of_host(2)];
        return (rest.len() > 2 && is_host_name(host)).then_some(2 + host.len());
    }
    if first == b'/' || first == b'*' {
        return None;
    }
    for scheme in ["http://", "https://", "ftp://"] {
        if value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())) {
            return Some(end_of_host(scheme.len()));
        }
    }
    let host = &value[..end_of_host(0)];
    let has_path = value.get(host.len()) == Some(&b'/');
    (is_host_name(host) || has_path && (is_address(host) || is_in_country(host))).then_some(host.len())
}

/// Returns true if a host is an IPv4 address.
fn is_address(host: &[u8]) -> bool {
    std::str::from_utf8(host).is_ok_and(|host| host.parse::<std::net::Ipv4Addr>().is_ok())
}

/// Returns true if a host name ends in the domain of a country that is never used as the extension of a script. After a
/// script, a slash may follow as well: `index.pl/login`.
fn is_in_country(host: &[u8]) -> bool {
    let is_label = |label: &[u8]| !label.is_empty() && label.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let last = host.iter().rposition(|b| *b == b'.').map(|at| &host[at + 1..]);
    last.is_some_and(|last| is_listed(last, words::COUNTRY)) && host.split(|b| *b == b'.').all(is_label)
}

/// Returns true if the host of a URL, whose path is cut off, is only known on one machine or in a private network.
pub(crate) fn is_local(url: &[u8]) -> bool {
    use std::net::{IpAddr, Ipv6Addr};
    let Some(host) = std::str::from_utf8(url).ok().and_then(|url| Some(url.split_once("://")?.1)) else { return false };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address == Ipv6Addr::LOCALHOST,
        Err(_) => {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            host == "localhost" || [".localhost", ".local", ".internal"].iter().any(|last| host.ends_with(last))
        }
    }
}

fn is_host_name(host: &[u8]) -> bool {
    host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        && (host.len() > 4 && host[..4].eq_ignore_ascii_case(b"www.") && host[4..].contains(&b'.')
            || is_under_known_domain(host))
}

/// Returns true if a host name ends in a top-level domain that is never used as a file extension.
fn is_under_known_domain(host: &[u8]) -> bool {
    const DOMAINS: [&[u8]; 8] = [b".com", b".org", b".net", b".edu", b".gov", b".co.uk", b".com.au", b".com.br"];
    DOMAINS
        .iter()
        .any(|domain| host.len() > domain.len() && host[host.len() - domain.len()..].eq_ignore_ascii_case(domain))
}

/// Returns true if a host has the name of a test system, which is not meant for visitors.
pub(crate) fn is_test_host(host: &str) -> bool {
    /// The domains under which hosting services publish every branch of a project.
    const SUFFIXES: [&str; 6] =
        [".vercel.app", ".netlify.app", ".pages.dev", ".herokuapp.com", ".web.app", ".azurewebsites.net"];
    // The last two labels are usually a registered name, so `www.test.com` is not a test host. If there are only two
    // labels, the first one is examined, as in `test.example`.
    let labels: Vec<&str> = host.split('.').collect();
    let own = &labels[..labels.len().saturating_sub(2)];
    let is_word = |label: &&str| label.split('-').any(|word| is_listed(word.as_bytes(), words::TEST_HOST));
    own.iter().any(is_word)
        || labels.len() <= 2 && labels.first().is_some_and(is_word)
        || SUFFIXES.iter().any(|suffix| host.ends_with(suffix))
        || labels.last() == Some(&"local")
}

pub(crate) fn is_url(text: &[u8]) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())))
}
