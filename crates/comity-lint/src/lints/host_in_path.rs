use crate::closing::names_something;
use crate::diagnostic::Diagnostics;
use crate::evidence;
use crate::file::File;
use crate::text::shown;
use crate::lint::lint;

lint! {
    /// A rule contains a host or a whole URL, so it matches no page.
    ///
    /// Write only the path: `/private/` for `https://example.com/private/`. A rule for another host belongs in the
    /// robots.txt of that host.
    ///
    /// ## What it does
    ///
    /// Finds rules with values that are URLs (`https://example.com/a`) or that start with a host name
    /// (`www.example.com/a`, `//example.com/a`).
    ///
    /// ## Why is this bad?
    ///
    /// Rules are compared with the path of a URL, which starts with a slash, so such a rule matches nothing. A few
    /// crawlers use only its path. A robots.txt applies only to its own host, so the fix keeps the path only if the
    /// host is that of the file, which `--url` states. A rule for another host never becomes a rule for this one.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: https://example.com/private/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    /// - Portent, The Complete Guide to Robots.txt: don't put the host into a rule
    "L006" "host-in-path", Error, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let own = file.evidence.location.as_deref().and_then(evidence::site).map(|(_, host)| host);
    for (line, _, value) in file.rules() {
        let Some(host) = host_len(value) else { continue };
        let (address, path) = value.split_at(host);
        let found = out.add(
            line.number,
            file.span(value),
            format!("`{}` contains a host, so it matches nothing: a rule is a path", shown(value)),
        );
        // There is no fix for a rule about another host, which states nothing about this one, and none for a host
        // without a path, which would become a rule for the whole site.
        match own {
            Some(own) if is_host(address, own) && names_something(path) => {
                found.unsafe_fix(format!("keep the path `{}`", shown(path)), file.with_values(line.number, &[path]));
            }
            Some(own) if is_host(address, own) => {
                found.help("to block the whole site, write `/`");
            }
            Some(_) => {
                found.help("a robots.txt applies only to its own host; this rule belongs in the robots.txt of the other one");
            }
            None => {
                found.help("if the file is for this host, keep only the path (with --url, --unsafe-fixes does that); otherwise, the rule belongs in the robots.txt of that host");
            }
        }
    }
}

/// Returns true if an address, with or without a scheme, is this host. Hosts are compared in lower case, without `www.`
/// and the port that their scheme implies.
fn is_host(address: &[u8], own: &str) -> bool {
    let lower = |host: &[u8]| String::from_utf8_lossy(host).to_ascii_lowercase();
    let address = lower(address);
    let host = address.split_once("//").map_or(&*address, |(_, host)| host);
    let bare = |host: &str| {
        let host = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(host);
        // One of the two usually redirects to the other, and both have the same file.
        host.strip_prefix("www.").unwrap_or(host).trim_end_matches('.').to_owned()
    };
    bare(host) == bare(&lower(own.as_bytes()))
}

/// Returns the length of the scheme and host at the start of a value.
pub(crate) fn host_len(value: &[u8]) -> Option<usize> {
    let first = *value.first()?;
    let end_of_host = |from: usize| {
        value[from..].iter().position(|b| matches!(b, b'/' | b'?')).map_or(value.len(), |at| from + at)
    };
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
    const COUNTRIES: [&str; 40] = [
        "ae", "ar", "at", "au", "be", "br", "ca", "ch", "cl", "cn", "cz", "de", "dk", "es", "eu", "fi", "fr", "gr", "hk", "hu",
        "ie", "il", "in", "it", "jp", "kr", "mx", "nl", "no", "nz", "pt", "ro", "ru", "se", "sg", "tr", "tw", "ua", "uk", "za",
    ];
    let is_label = |label: &[u8]| !label.is_empty() && label.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let last = host.iter().rposition(|b| *b == b'.').map(|at| &host[at + 1..]);
    let has_country = last.is_some_and(|last| COUNTRIES.iter().any(|country| country.as_bytes().eq_ignore_ascii_case(last)));
    has_country && host.split(|b| *b == b'.').all(is_label)
}

fn is_host_name(host: &[u8]) -> bool {
    host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        && (host.len() > 4 && host[..4].eq_ignore_ascii_case(b"www.") && host[4..].contains(&b'.')
            || is_under_known_domain(host))
}

/// Returns true if a host name ends in a top-level domain that is never used as a file extension.
fn is_under_known_domain(host: &[u8]) -> bool {
    const DOMAINS: [&[u8]; 8] = [b".com", b".org", b".net", b".edu", b".gov", b".co.uk", b".com.au", b".com.br"];
    DOMAINS.iter().any(|domain| {
        host.len() > domain.len() && host[host.len() - domain.len()..].eq_ignore_ascii_case(domain)
    })
}
