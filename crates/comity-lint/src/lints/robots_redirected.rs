use crate::prelude::*;

lint! {
    /// The robots.txt is redirected too often, or to a file that is not meant for this site.
    ///
    /// Serve the file at `/robots.txt` of the site itself.
    ///
    /// ## What it does
    ///
    /// With `--fetch`, follows the redirects of `/robots.txt`. It reports more than five redirects, redirects to
    /// another site, and redirects to a path other than `/robots.txt`. Redirects from `http:` to `https:`, and from or
    /// to `www.`, are normal.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers follow five redirects, and find no rules after that. The rules that they find apply to the requested
    /// site, even if they were written for another one with other paths. A home page in place of a missing file has no
    /// rules.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ```redirects
    /// https://example.com/robots.txt
    /// https://shop.example.net/robots.txt
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ```redirects
    /// https://example.com/robots.txt
    /// https://www.example.com/robots.txt
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.3.1.2: redirects
    /// - Google, How Google interprets the robots.txt specification: 3xx (redirection)
    "L050" "robots-redirected", Warning, affects: "every crawler"
}

/// The number of redirects that a crawler should follow (RFC 9309 §2.3.1.2). Google does not follow more.
const MAX_REDIRECTS: usize = 5;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some(served) = &file.evidence.served else { return };
    let Some(last) = served.redirects.last() else { return };
    let (at, hops) = (file.record_span(1), served.redirects.len());
    if hops > MAX_REDIRECTS {
        out.add(
            at,
            format!("there are {hops} redirects, but crawlers follow only {MAX_REDIRECTS}: they find no rules"),
        )
        .severity(Severity::Error);
        return;
    }
    let shown = comity::Escaped(last.as_bytes()).to_string();
    let host = |url: &str| {
        let host = evidence::site(url).map_or("", |(_, host)| host).to_ascii_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host).to_owned();
        // The default ports of HTTPS and HTTP are removed.
        host.trim_end_matches(":443").trim_end_matches(":80").to_owned()
    };
    if host(last) != host(&served.url) {
        out.add(at, format!("/robots.txt is redirected to another site, {shown}: these are the rules of that site"));
    } else if evidence::path(last) != "/robots.txt" {
        out.add(at, format!("/robots.txt is redirected to {shown}: not every crawler accepts that"));
    }
}
