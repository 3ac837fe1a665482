use crate::blocking::names_something;
use crate::prelude::*;
use crate::recognize::host::host_len;

lint! {
    /// A rule contains a host, a whole URL or a directory of the server, so it matches no page.
    ///
    /// Write only the path: `/private/` for `https://example.com/private/`. A rule for another host belongs in the
    /// robots.txt of that host.
    ///
    /// ## What it does
    ///
    /// Finds rules with values that are URLs (`https://example.com/a`), or that start with a host name
    /// (`www.example.com/a`, `//example.com/a`) or with two slashes and a name (`//wp-admin/`). Rules that
    /// start with the folder from which a server publishes files, such as `/var/www/html/` or
    /// `/public_html/`, are a warning.
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
    "L006" "host-in-path", Error, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let own = file.evidence.location.as_deref().and_then(evidence::site).map(|(_, host)| host);
    for (line, _, value) in file.rules() {
        let Some(host) = host_len(value) else {
            check_two_slashes(file, value, out);
            check_server_path(file, value, out);
            continue;
        };
        let (address, path) = value.split_at(host);
        let found = out.add(
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
                found.help(
                    "a robots.txt applies only to its own host; this rule belongs in the robots.txt of the other one",
                );
            }
            None => {
                found.help("if the file is for this host, keep only the path (with --url, --unsafe-fixes does that); otherwise, the rule belongs in the robots.txt of that host");
            }
        }
    }
}

/// Reports a rule such as `//wp-admin/`, unless the rule with one slash is there as well.
fn check_two_slashes(file: &File<'_>, value: &[u8], out: &mut Diagnostics) {
    let Some(rest) = value.strip_prefix(b"//") else { return };
    let first = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
    // With a dot, the name may be that of a host.
    let is_name = first.first().is_some_and(u8::is_ascii_alphanumeric) && !first.contains(&b'.');
    if !is_name || file.has_rule(&value[1..]) {
        return;
    }
    let (span, path) = (file.span(value), &value[1..]);
    let message = format!("`{}` only matches URLs with two slashes after the host", shown(value));
    out.add(span.clone(), message)
        .severity(Severity::Warning)
        .unsafe_fix(format!("write `{}`", shown(path)), vec![Edit::new(span, path)]);
}

/// Reports a path of the server's file system.
fn check_server_path(file: &File<'_>, value: &[u8], out: &mut Diagnostics) {
    const ROOTS: [&[u8]; 8] = [
        b"/var/www/html/",
        b"/var/www/",
        b"/srv/www/",
        b"/usr/share/nginx/html/",
        b"/usr/local/apache2/htdocs/",
        b"/inetpub/wwwroot/",
        b"/public_html/",
        b"/httpdocs/",
    ];
    let home = || {
        let at = value.strip_prefix(b"/home/")?.windows(13).position(|part| part == b"/public_html/")?;
        Some(b"/home/".len() + at + b"/public_html/".len())
    };
    let known = ROOTS.iter().find(|root| value.starts_with(root)).map(|root| root.len());
    let Some(length) = known.or_else(home) else { return };
    let (root, path) = (&value[..length], &value[length - 1..]);
    let message = format!("`{}` is a folder of the server, and URLs do not contain it", shown(root));
    let found = out.add(file.span(value), message).severity(Severity::Warning);
    if names_something(path) {
        found.unsafe_fix(format!("write `{}`", shown(path)), vec![Edit::new(file.span(value), path)]);
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
