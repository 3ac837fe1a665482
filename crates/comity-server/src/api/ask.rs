//! Builds questions from the fields of requests.

use std::borrow::Cow;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Dialect, Escaped, Origin};
use comity_fetch::{Access, CheckError, Policy, SiteRobots};
use comity_report::{AskError, CopyFacts, CrawlerQuery, FileDocument, MAX_URL_BYTES, Question, crawler_queries};

use crate::api::extract::Caller;
use crate::problem::Problem;
use crate::state::State;

/// The reason why there is no answer about a site that the address rules of the service refuse.
pub(crate) const REFUSED: &str =
    "the address rules of this service refuse to connect there, so the site has not answered";

/// The maximum size of a host as typed, with its port and user name, in bytes. Names in DNS have at most 253, but each
/// may be percent-encoded. The time to decode an international name grows with the square of its length.
const MAX_HOST_BYTES: usize = 1 << 10;

/// The maximum size of all URLs of a request that are parsed without delaying others.
const MAX_QUICK_URL_BYTES: usize = 64 << 10;

/// Returns the dialect of this name; `None` without a name.
pub(crate) fn dialect(name: Option<&str>) -> Result<Option<Dialect>, Problem> {
    named("dialect", Dialect::ALL, |dialect| dialect.name, name)
}

/// Returns the policy of this name; `None` without a name.
pub(crate) fn policy(name: Option<&str>) -> Result<Option<Policy>, Problem> {
    named("policy", Policy::ALL, |policy| policy.name, name)
}

/// Returns the one of `all` that a field names; `None` without a name. Case matters.
pub(crate) fn named<T: Copy>(
    field: &str,
    all: &[T],
    name_of: fn(&T) -> &'static str,
    name: Option<&str>,
) -> Result<Option<T>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let found = all.iter().find(|value| name_of(value) == name);
    found.map(|value| Some(*value)).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(name_of).collect();
        let found = Escaped(name.as_bytes());
        Problem::bad_request(format!("expected one of {} in `{field}`, found `{found}`", names.join(", ")))
    })
}

/// Returns the file in the request; `None` if there is none.
pub(crate) fn given(robots: Option<String>, encoded: Option<String>) -> Result<Option<Vec<u8>>, Problem> {
    bytes(["robots", "robots_b64"], robots, encoded)
}

/// Returns the bytes of a text field, or of its counterpart in base64.
pub(crate) fn bytes(
    [name, name_b64]: [&str; 2],
    text: Option<String>,
    encoded: Option<String>,
) -> Result<Option<Vec<u8>>, Problem> {
    match (text, encoded) {
        (Some(_), Some(_)) => Err(Problem::bad_request(format!("expected `{name}` or `{name_b64}`, found both"))),
        (Some(text), None) => Ok(Some(text.into_bytes())),
        (None, Some(encoded)) => {
            let bytes = BASE64.decode(encoded);
            Ok(Some(bytes.map_err(|error| Problem::bad_request(format!("expected base64 in `{name_b64}`: {error}")))?))
        }
        (None, None) => Ok(None),
    }
}

/// Returns one or many values as a list, which may have at most `max` items.
fn list(
    one: Option<String>,
    many: Option<Vec<String>>,
    [name, names]: [&str; 2],
    max: usize,
) -> Result<Vec<String>, Problem> {
    let list = match (one, many) {
        (Some(_), Some(_)) => {
            return Err(Problem::bad_request(format!("expected `{name}` or `{names}`, found both")));
        }
        (Some(one), None) => vec![one],
        (None, many) => many.unwrap_or_default(),
    };
    if list.len() > max {
        let found = list.len();
        return Err(Problem::too_large(format!("expected at most {max} in `{names}`, found {found}")).with_max(max));
    }
    Ok(list)
}

/// Returns the URLs of a request as questions. Many URLs are parsed on another thread.
pub(crate) async fn questions(
    caller: &Caller,
    url: Option<String>,
    urls: Option<Vec<String>>,
    raw: bool,
) -> Result<Vec<Question>, Problem> {
    let urls = list(url, urls, ["url", "urls"], caller.state.limits.urls)?;
    if urls.iter().map(String::len).sum::<usize>() <= MAX_QUICK_URL_BYTES {
        return parse(&urls, raw);
    }
    caller.compute(move || parse(&urls, raw)).await?
}

fn parse(urls: &[String], raw: bool) -> Result<Vec<Question>, Problem> {
    urls.iter()
        .map(|url| {
            check_size(url)?;
            Question::new(url, raw).map_err(|error| unanswerable(&error).with("url", url.as_str()))
        })
        .collect()
}

/// Refuses a URL that is too long, or whose host is.
fn check_size(url: &str) -> Result<(), Problem> {
    if url.len() > MAX_URL_BYTES {
        let text = format!("expected a URL of at most {MAX_URL_BYTES} bytes, found one of {}", url.len());
        return Err(Problem::too_large(text).with_max(MAX_URL_BYTES));
    }
    long_host(url).map_or(Ok(()), |text| Err(Problem::too_large(text).with_max(MAX_HOST_BYTES)))
}

/// Returns the message for a URL whose host is too long; `None` for other URLs.
pub(crate) fn long_host(url: &str) -> Option<String> {
    // Most URLs are shorter than the longest host.
    if url.len() <= MAX_HOST_BYTES {
        return None;
    }
    let found = authority(url).len();
    (found > MAX_HOST_BYTES).then(|| format!("expected a host of at most {MAX_HOST_BYTES} bytes, found one of {found}"))
}

/// Returns the part of a URL that names its host, as typed: with user name and port. It is empty for a path.
fn authority(url: &str) -> &str {
    let start = match url.find([':', '/', '\\', '?', '#']) {
        Some(at) if url[at..].starts_with(':') => at + 1,
        _ if url.starts_with("//") => 0,
        _ => return "",
    };
    // URL parsers ignore tabs and line ends, and any number of slashes.
    let rest = url[start..].trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    &rest[..rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len())]
}

/// Returns the crawlers of a request. Defaults to one that no group names.
pub(crate) fn who(
    state: &State,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    literal: bool,
) -> Result<Vec<CrawlerQuery>, Problem> {
    if agents.as_ref().is_some_and(Vec::is_empty) {
        return Err(Problem::unprocessable("expected at least one crawler in `agents`, found an empty list"));
    }
    let names = list(agent, agents, ["agent", "agents"], state.limits.agents)?;
    let table = (!literal).then(|| &state.crawlers);
    let found = if names.is_empty() { crawler_queries(&["*"], table) } else { crawler_queries(&names, table) };
    found.map_err(|error| unanswerable(&error))
}

/// Refuses more questions than one request may have.
pub(crate) fn bound(state: &State, urls: usize, agents: usize) -> Result<(), Problem> {
    let (max, found) = (state.limits.questions, urls.saturating_mul(agents));
    if found <= max {
        return Ok(());
    }
    let text = format!("expected at most {max} questions, URLs times crawlers, found {found}: ask in several requests");
    Err(Problem::too_large(text).with_max(max))
}

/// Returns the problem for a site without an answer.
pub(crate) fn not_known(error: &CheckError) -> Problem {
    if error.is_store() {
        return Problem::store_failed();
    }
    not_answered(error.to_string(), error.retry_after())
}

/// Returns the problem of a site or page without an answer, which may be asked again after some time if nothing was sent.
pub(crate) fn not_answered(detail: String, retry_after: Option<Duration>) -> Problem {
    match retry_after {
        Some(after) => Problem::rate_limited(detail, after),
        None => Problem::unprocessable(detail),
    }
}

/// Returns the problem of a question that is not valid. For the name of a crawler, it lists the product tokens that are
/// probably meant.
pub(crate) fn unanswerable(error: &AskError) -> Problem {
    let problem = Problem::unprocessable(error.to_string());
    if error.is_agent() { problem.with("meant", error.meant()) } else { problem }
}

/// Returns the site of a URL in a request.
pub(crate) fn origin(url: &str) -> Result<Origin, Problem> {
    sent(url).map(|(_, origin)| origin)
}

/// Returns a URL in the form in which a browser sends it, and its site.
pub(crate) fn sent(url: &str) -> Result<(Cow<'_, str>, Origin), Problem> {
    check_size(url)?;
    Origin::parse_url(url).map_err(|error| Problem::unprocessable(error.to_string()))
}

/// Returns the robots.txt of a site. While it is fetched, the request's slot is free.
pub(crate) async fn robots(Caller { state, permit, .. }: &Caller, origin: &Origin) -> Result<SiteRobots, Problem> {
    let site = permit.aside(origin, state.robots(permit.account(), origin)).await?;
    site.map_err(|error| not_known(&error))
}

/// A robots.txt that is examined as a whole: the one in the request, or that of a site.
pub(crate) struct File {
    /// The name of the file in reports.
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// The site of the file, if it is from one.
    pub(crate) site: Option<SiteRobots>,
}

impl File {
    /// Returns the file in the request, or that of the URL's site. A site without a file has an empty one. It is a
    /// problem if the file is not available, whatever a policy would decide.
    pub(crate) async fn of(caller: &Caller, given: Option<Vec<u8>>, url: Option<&str>) -> Result<Self, Problem> {
        let url = match (given, url) {
            (Some(body), None) => return Ok(Self { name: "robots.txt".to_owned(), body, site: None }),
            (None, Some(url)) => url,
            (Some(_), Some(_)) => return Err(Problem::bad_request("expected `robots` or `url`, found both")),
            (None, None) => {
                return Err(Problem::bad_request(
                    "expected a file in `robots` or `robots_b64`, or a site in `url`, found none",
                ));
            }
        };
        let origin = origin(url)?;
        let site = robots(caller, &origin).await?;
        let ruling = site.ruling();
        let robots_txt = site.origin().robots_url();
        let (name, body) = match (ruling.access, ruling.rung, site.copy()) {
            (Access::Rules, None, Some(copy)) => (copy.url.clone(), copy.body.to_vec()),
            (Access::AllowAll, None, _) => (robots_txt, Vec::new()),
            _ => {
                let detail = format!("{robots_txt} {}: POST /v1/fetch tells more", ruling.event);
                return Err(Problem::unprocessable(detail));
            }
        };
        Ok(Self { name, body, site: Some(site) })
    }

    /// Returns a report as a document that states where the file came from.
    pub(crate) fn document<R>(&self, report: R) -> FileDocument<'_, R> {
        let policy = self.site.as_ref().map(|site| site.ruling().policy);
        let copy = match &self.site {
            Some(site) => CopyFacts::of(site),
            None => Some(CopyFacts::given(&self.body)),
        };
        FileDocument { policy, copy, report }
    }

    /// Returns the origin of the file's site, if it is from one.
    pub(crate) fn origin(&self) -> Option<String> {
        self.site.as_ref().map(|site| site.origin().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_measured_as_typed() {
        for (url, expected) in [
            ("http://a.test/b", "a.test"),
            ("HTTP:\\\\u:p@a.test:80?b", "u:p@a.test:80"),
            ("https:\t/\n//a.test#/b", "a.test"),
            ("http:a.test\\b", "a.test"),
            ("//a.test/b:c", "a.test"),
            ("/a:b", ""),
            ("/b?http://a.test", ""),
            ("a?b:c", ""),
            ("a", ""),
            ("", ""),
        ] {
            assert_eq!(authority(url), expected, "{url}");
        }
        let (most, more) = ("a".repeat(MAX_HOST_BYTES), "a".repeat(MAX_HOST_BYTES + 1));
        assert_eq!(long_host(&format!("http://{most}/{more}")), None);
        assert_eq!(long_host(&format!("/{more}")), None);
        let message = long_host(&format!("http://{more}")).unwrap();
        assert_eq!(message, "expected a host of at most 1024 bytes, found one of 1025");
    }
}
