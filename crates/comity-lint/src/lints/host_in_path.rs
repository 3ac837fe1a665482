use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A rule names a host or a whole address where a path belongs.
    ///
    /// ## What it does
    ///
    /// Finds rules whose values are URLs (`https://example.com/a`), or start with a host name (`www.example.com/a`).
    ///
    /// ## Why is this bad?
    ///
    /// Rules are compared with the path, which starts with a slash. Such a rule matches nothing, and a few crawlers take
    /// only the path out of it. A file speaks of its own host alone: each host needs a robots.txt of its own.
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
    for (line, _, value) in file.rules() {
        let Some(host) = host_len(value) else { continue };
        let path = if value.len() > host { &value[host..] } else { b"/" };
        let found = out.add(
            line.number,
            file.span(value),
            format!("`{}` is an address; a rule is a path and matches no host", shown(value)),
        );
        // A whole host becomes a whole site: that is for its owner to decide.
        if path == b"/" {
            found.help("a file speaks of its own host alone; to close that one, close it in its own robots.txt");
        } else {
            found.unsafe_fix(format!("keep the path `{}`", shown(path)), file.with_values(line.number, &[path]));
        }
    }
}

/// How much of a value is scheme and host.
pub(crate) fn host_len(value: &[u8]) -> Option<usize> {
    let first = *value.first()?;
    if first == b'/' || first == b'*' {
        return None;
    }
    let end_of_host = |from: usize| {
        value[from..].iter().position(|b| matches!(b, b'/' | b'?')).map_or(value.len(), |at| from + at)
    };
    for scheme in ["http://", "https://", "ftp://"] {
        if value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())) {
            return Some(end_of_host(scheme.len()));
        }
    }
    let host = &value[..end_of_host(0)];
    let is_host = host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        && (host.len() > 4 && host[..4].eq_ignore_ascii_case(b"www.") && host[4..].contains(&b'.')
            || is_under_known_domain(host));
    is_host.then_some(host.len())
}

/// Names that end in what files never end in.
fn is_under_known_domain(host: &[u8]) -> bool {
    const DOMAINS: [&[u8]; 8] = [b".com", b".org", b".net", b".edu", b".gov", b".co.uk", b".com.au", b".com.br"];
    DOMAINS.iter().any(|domain| {
        host.len() > domain.len() && host[host.len() - domain.len()..].eq_ignore_ascii_case(domain)
    })
}
