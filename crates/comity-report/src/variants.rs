//! The addresses of one site: http and https, with and without `www`. Each of them has a robots.txt of its own.

use comity::{Crawlers, Origin};
use comity_fetch::{Access, SiteRobots};
use serde::Serialize;

use crate::headline::{Headline, Tone, listed, site_headline};

/// The addresses of a site, and the robots.txt of each.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Variants {
    /// The result in words: the addresses that differ from the first one.
    pub headline: Headline,
    /// The addresses, the site itself first.
    pub sites: Vec<SiteVariant>,
}

/// An address of a site.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SiteVariant {
    /// The address.
    pub origin: String,
    /// The result of the fetch in words; `null` if the address was not asked.
    pub event: Option<String>,
    /// The SHA-256 hash of its file, if it sent one.
    pub hash: Option<String>,
    /// True if crawlers are treated as on the site itself; `null` if one of the two is not known.
    pub same: Option<bool>,
    /// For whom the address is open, in words; `null` if it is not known.
    pub open: Option<Headline>,
}

/// Returns a site, and the other sites that people take for the same: another scheme, and with or without `www`. A port
/// of its own belongs to one scheme, and neither subdomains nor addresses of numbers have a `www`.
#[must_use]
pub fn site_variants(origin: &Origin) -> Vec<Origin> {
    let Some((scheme, authority)) = origin.as_str().split_once("://") else { return vec![origin.clone()] };
    let labels: Vec<&str> = authority.split(':').next().unwrap_or_default().split('.').collect();
    let other = match (authority.strip_prefix("www."), labels.as_slice()) {
        (Some(bare), [_, _, _, ..]) => Some(bare.to_owned()),
        // Three labels that end in a suffix such as `co.uk` are a whole domain; other names of three labels are
        // subdomains.
        (None, [_, _] | [_, "ac" | "co" | "com" | "gov" | "net" | "or" | "org", _]) => Some(format!("www.{authority}")),
        _ => None,
    };
    let hosts = std::iter::once(authority).chain(other.as_deref());
    let has_port = authority.rsplit(':').next().is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let schemes = ["https", "http"].into_iter().filter(|other| !has_port || *other == scheme);
    let schemes: Vec<&str> = schemes.collect();
    let all = hosts.flat_map(|host| schemes.iter().map(move |scheme| format!("{scheme}://{host}")));
    let others = all.filter_map(|url| Origin::of(&url).ok()).filter(|other| other != origin);
    std::iter::once(origin.clone()).chain(others).collect()
}

impl Variants {
    /// Compares the addresses of a site. The first is the site itself; one without a result was not asked.
    pub fn new(found: Vec<(Origin, Option<SiteRobots>)>, table: &Crawlers) -> Self {
        let mut sites: Vec<SiteVariant> = Vec::new();
        let known = |site: &SiteRobots| !crate::is_refused(site);
        let first = found.first().and_then(|(_, site)| site.clone()).filter(known);
        for (origin, site) in found {
            let site = site.filter(known);
            let same = first.as_ref().zip(site.as_ref()).map(|(first, site)| is_same(first, site));
            let in_force = site.as_ref().filter(|site| site.ruling().access == Access::Rules);
            sites.push(SiteVariant {
                origin: origin.to_string(),
                event: site.as_ref().map(|site| site.ruling().event.to_string()),
                hash: in_force.and_then(SiteRobots::hash).map(|hash| hash.to_string()),
                same,
                open: site.as_ref().map(|site| site_headline(site, table)),
            });
        }
        Self { headline: headline(&sites), sites }
    }
}

/// Returns true if two addresses treat crawlers alike: by the same bytes, or by the same result without a file.
fn is_same(one: &SiteRobots, other: &SiteRobots) -> bool {
    let (a, b) = (one.ruling(), other.ruling());
    match (a.access, b.access) {
        (Access::Rules, Access::Rules) => one.hash() == other.hash(),
        (a, b) => a == b,
    }
}

fn headline(sites: &[SiteVariant]) -> Headline {
    let Some((first, others)) = sites.split_first() else { return Headline::new(Tone::Neutral, "") };
    if others.is_empty() {
        return Headline::new(Tone::Neutral, "The site has one address.");
    }
    let of = |same| others.iter().filter(move |site| site.same == same);
    let names = |same| of(same).map(|site| site.origin.clone()).collect::<Vec<_>>();
    let mut sentences = Vec::new();
    for site in of(Some(false)) {
        let open = site.open.as_ref().map_or("", |open| &*open.text);
        let what = match (&site.hash, &site.event) {
            (Some(_), _) => format!("sends another file. {open}"),
            (None, Some(event)) => format!("{event}."),
            (None, None) => continue,
        };
        sentences.push(format!("{} {what}", site.origin));
    }
    let (same, unknown) = (names(Some(true)), names(None));
    if sentences.is_empty() && unknown.is_empty() {
        let text = format!(
            "All {} addresses of the site treat crawlers alike: {}.",
            sites.len(),
            listed(&all(first, &same), "and")
        );
        return Headline::new(Tone::Good, text);
    }
    let tone = if sentences.is_empty() { Tone::Neutral } else { Tone::Caution };
    if !same.is_empty() {
        let verb = if same.len() == 1 { "treats" } else { "treat" };
        sentences.push(format!("{} {verb} crawlers as {} does.", listed(&same, "and"), first.origin));
    }
    if !unknown.is_empty() {
        sentences.push(format!("Not asked, or without an answer: {}.", listed(&unknown, "and")));
    }
    Headline::new(tone, sentences.join(" "))
}

fn all(first: &SiteVariant, same: &[String]) -> Vec<String> {
    std::iter::once(first.origin.clone()).chain(same.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_variants() {
        for (site, others) in [
            ("https://a.test", &["http://a.test", "https://www.a.test", "http://www.a.test"][..]),
            ("http://www.a.test", &["https://www.a.test", "https://a.test", "http://a.test"]),
            ("http://a.test:8080", &["http://www.a.test:8080"]),
            ("http://www.a.co.uk", &["https://www.a.co.uk", "https://a.co.uk", "http://a.co.uk"]),
            ("https://a.co.uk", &["http://a.co.uk", "https://www.a.co.uk", "http://www.a.co.uk"]),
            ("https://shop.a.test", &["http://shop.a.test"]),
            ("https://www.test", &["http://www.test"]),
            ("https://localhost", &["http://localhost"]),
            ("http://192.0.2.1", &["https://192.0.2.1"]),
            ("https://[2001:db8::1]", &["http://[2001:db8::1]"]),
        ] {
            let found: Vec<String> =
                site_variants(&Origin::of(site).unwrap()).iter().map(ToString::to_string).collect();
            assert_eq!(found[0], site);
            assert_eq!(found[1..], *others);
        }
    }

    #[test]
    fn those_that_differ_come_first() {
        let site = |origin: &str, body: &str| {
            let origin = Origin::of(origin).unwrap();
            let site = SiteRobots::given(&origin, body.as_bytes(), &comity::Dialect::STANDARD);
            (origin, Some(site))
        };
        let (open, shut) = ("User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n");
        let text = |found| Variants::new(found, &Crawlers::builtin()).headline.text;
        let alike = text(vec![site("https://a.test", open), site("http://a.test", open)]);
        assert_eq!(alike, "All 2 addresses of the site treat crawlers alike: https://a.test and http://a.test.");
        let differs = text(vec![site("https://a.test", open), site("http://a.test", shut)]);
        assert!(differs.starts_with("http://a.test sends another file. The whole site is blocked"), "{differs}");
        let unknown = text(vec![site("https://a.test", open), (Origin::of("http://a.test").unwrap(), None)]);
        assert_eq!(unknown, "Not asked, or without an answer: http://a.test.");
    }
}
