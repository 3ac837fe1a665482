//! `GET /v1/check`: may this crawler fetch this URL? What a fleet asks most, so it is to cost little more than nothing.

use std::borrow::Cow;

use axum::response::Response;
use comity::{Answer, Basis, Crawler, Origin, Reason, RuleKind};
use comity_fetch::{Access, Event, Row, Rung};
use comity_report::{CrawlerQuery, deciding_line, json, json_object, why_without_rules};
use http::Uri;
#[cfg(test)]
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::admission::AdmissionPermit;
use crate::admission::scheduler::Waiting;
use crate::api::ask;
use crate::api::copy::Copy;
#[cfg(test)]
use crate::api::copy::as_text;
use crate::api::document::respond;
use crate::api::query;
use crate::problem::Problem;
use crate::state::State;

pub(crate) fn routes() -> OpenApiRouter<State> {
    OpenApiRouter::new().routes(routes!(check_one))
}

/// An answer with all that it rests on. One flat object: [`comity_report::Row`] with what matters of its site.
#[derive(ToSchema)]
#[cfg_attr(test, derive(Serialize))]
struct OneAnswer<'a> {
    /// The URL as it was given.
    url: &'a str,
    /// What was asked: what a browser would send.
    asked: &'a str,
    /// The crawler's token.
    agent: &'a str,
    /// Whether it is in the table of crawlers.
    known: bool,
    /// The site.
    #[cfg_attr(test, serde(serialize_with = "as_text"))]
    #[schema(value_type = String)]
    origin: &'a Origin,
    /// allowed, disallowed or not-governed.
    #[schema(value_type = String)]
    answer: Answer,
    /// The same as yes, no or neither.
    allowed: Option<bool>,
    /// Why.
    #[schema(value_type = String)]
    reason: Why,
    /// The line of the deciding rule, from 1; 0 if no line decides.
    line: u32,
    /// The kind of the deciding rule.
    #[schema(value_type = Option<String>)]
    rule: Option<RuleKind>,
    /// The octets of its pattern, which rank it.
    priority: Option<u16>,
    /// Which groups the answer rests on.
    #[schema(value_type = String)]
    basis: Basis,
    /// Whether the file names the crawler, by any of its tokens.
    seen: bool,
    /// Whether the crawler's operator does not promise to obey.
    advisory: bool,
    /// The deciding line as it stands.
    text: Option<Cow<'a, str>>,
    /// Seconds that the crawler is asked to wait between requests.
    crawl_delay: Option<f64>,
    /// How the file was read.
    dialect: &'static str,
    /// Which policy says what counts.
    policy: &'static str,
    /// What counts: rules, allow-all or disallow-all.
    #[schema(value_type = String)]
    access: Access,
    /// What happened when the file was asked for.
    #[cfg_attr(test, serde(serialize_with = "as_text"))]
    #[schema(value_type = String)]
    event: Event,
    /// Which row of the policy decided.
    #[schema(value_type = String)]
    row: Row,
    /// How long the file has been unreachable; none if it is not.
    #[schema(value_type = Option<String>)]
    rung: Option<Rung>,
    copy: Option<Copy>,
}

impl OneAnswer<'_> {
    /// As JSON, as serde would write it.
    fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1024);
        json_object!(out, {
            "url": json::text(self.url),
            "asked": json::text(self.asked),
            "agent": json::text(self.agent),
            "known": json::value(&self.known),
            "origin": json::text(self.origin.as_str()),
            "answer": json::variant(Some(&self.answer)),
            "allowed": json::value(&self.allowed),
            "reason": Why::append(&self.reason),
            "line": json::value(&self.line),
            "rule": json::variant(self.rule.as_ref()),
            "priority": json::value(&self.priority),
            "basis": json::variant(Some(&self.basis)),
            "seen": json::value(&self.seen),
            "advisory": json::value(&self.advisory),
            "text": json::text_or_null(self.text.as_deref()),
            "crawl_delay": json::value(&self.crawl_delay),
            "dialect": json::word(self.dialect),
            "policy": json::word(self.policy),
            "access": json::variant(Some(&self.access)),
            "event": json::shown(&self.event),
            "row": json::variant(Some(&self.row)),
            "rung": json::variant(self.rung.as_ref()),
            "copy": Copy::write_option(self.copy.as_ref()),
        });
        out
    }
}

/// Why the answer is what it is: by rules, or without any.
#[cfg_attr(test, derive(Serialize))]
#[cfg_attr(test, serde(untagged))]
enum Why {
    Rules(Reason),
    Without(&'static str),
}

impl Why {
    fn append(out: &mut Vec<u8>, why: &Self) {
        match why {
            Self::Rules(reason) => json::variant(out, Some(reason)),
            Self::Without(why) => json::word(out, why),
        }
    }
}

/// What the query asks.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked<'q> {
    url: Option<Cow<'q, str>>,
    agent: Option<Cow<'q, str>>,
    dialect: Option<Cow<'q, str>>,
    literal: Option<Cow<'q, str>>,
}

impl<'q> Asked<'q> {
    fn parse(query: &'q str) -> Result<Self, Problem> {
        let mut asked = Self::default();
        for (name, value) in query::pairs(query) {
            let place = match &*name {
                "url" => &mut asked.url,
                "agent" => &mut asked.agent,
                "dialect" => &mut asked.dialect,
                "literal" => &mut asked.literal,
                _ => {
                    let name = comity::Escaped(name.as_bytes());
                    let expected = "expected `url`, `agent`, `dialect` or `literal` in the query";
                    return Err(Problem::bad_request(format!("{expected}, found `{name}`")));
                }
            };
            if place.replace(value).is_some() {
                return Err(Problem::bad_request(format!(
                    "expected `{name}` once in the query, found it several times"
                )));
            }
        }
        Ok(asked)
    }

    fn is_literal(&self) -> Result<bool, Problem> {
        match self.literal.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Problem::bad_request("expected true or false in `literal`")),
        }
    }
}

/// May this crawler fetch this URL?
///
/// By its site's own robots.txt, fetched or remembered.
#[utoipa::path(
    get, path = "/v1/check", tag = "Questions",
    params(
        ("url" = String, Query, description = "The URL", example = "https://example.com/private/"),
        ("agent" = Option<String>, Query, description = "The crawler: any that no group names if nothing is said", example = "Googlebot"),
        ("dialect" = Option<String>, Query, description = "How the file is read: as the service reads files if nothing is said"),
        ("literal" = Option<bool>, Query, description = "Whether the name is a token, and not looked up"),
    ),
    responses((status = 200, description = "The answer", body = OneAnswer)),
)]
async fn check_one(state: State, permit: AdmissionPermit, uri: Uri) -> Result<Response, Problem> {
    let asked = Asked::parse(uri.query().unwrap_or_default())?;
    let is_literal = asked.is_literal()?;
    let dialect = ask::dialect(asked.dialect.as_deref())?;
    let Some(typed) = asked.url.as_deref() else {
        return Err(Problem::bad_request("expected `url` in the query, found none"));
    };
    let typed = &*comity::without_userinfo(typed);
    let name = asked.agent.as_deref().unwrap_or("*");
    let profile = if is_literal { None } else { state.crawlers().find(name) };
    let literal;
    let (agent, crawler) = if let Some(profile) = profile {
        (&*profile.token, Crawler::from(profile))
    } else {
        // It may be what people take for a name, and is none.
        let table = (!is_literal).then(|| state.crawlers());
        literal = CrawlerQuery::typed(name, table).map_err(|error| ask::unanswerable(&error))?;
        (literal.token(), literal.crawler())
    };
    let is_known = crawler.profile().is_some();

    let (sent, origin) = ask::sent(typed)?;
    let mut known = ask::known(&state, &permit, &origin).await?;
    let own = *state.dialect();
    let dialect = dialect.unwrap_or(own);
    if dialect.name != own.name {
        known = state.compute(permit.client(), Waiting::Bounded, move || known.read_in(&dialect)).await?;
    }
    let asked = if comity_report::accepts_raw_urls(&dialect) { typed } else { &*sent };
    let standing = state.client().standing(&known, crawler);
    let outcome = standing.check(asked);
    let verdict = outcome.verdict();
    let delay = standing.rules().filter(|_| verdict.is_some()).and_then(comity::Rules::crawl_delay);
    let ruling = known.ruling();
    let answer = OneAnswer {
        url: typed,
        asked,
        agent,
        known: is_known,
        origin: &origin,
        answer: outcome.answer(),
        allowed: match outcome.answer() {
            Answer::Allowed => Some(true),
            Answer::Disallowed => Some(false),
            _ => None,
        },
        reason: verdict
            .map_or_else(|| Why::Without(why_without_rules(&outcome)), |verdict| Why::Rules(verdict.reason())),
        line: verdict.and_then(|verdict| verdict.line()).unwrap_or(0),
        rule: verdict.and_then(|verdict| verdict.rule()),
        priority: verdict.and_then(|verdict| verdict.priority()),
        basis: verdict.map_or(Basis::Nothing, |verdict| verdict.basis()),
        seen: verdict.is_some_and(|verdict| verdict.is_seen()),
        advisory: verdict.is_some_and(|verdict| verdict.is_advisory()),
        text: deciding_line(&known, &outcome),
        crawl_delay: delay.map(|delay| delay.delay.as_secs_f64()),
        dialect: dialect.name,
        policy: ruling.policy,
        access: ruling.access,
        event: ruling.event,
        row: ruling.row,
        rung: ruling.rung,
        copy: Copy::of(&known),
    };
    Ok(respond(answer.to_json()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_serde_writes() {
        let origin = Origin::of("http://a.test:8080/").unwrap();
        let copy = || Copy::given(b"User-agent: *\n");
        let with_rules = OneAnswer {
            url: "http://a.test:8080/\u{E9}\"",
            asked: "http://a.test:8080/%C3%A9%22",
            agent: "Googlebot",
            known: true,
            origin: &origin,
            answer: Answer::Disallowed,
            allowed: Some(false),
            reason: Why::Rules(Reason::Rule),
            line: 7,
            rule: Some(RuleKind::Disallow),
            priority: Some(9),
            basis: Basis::OwnToken,
            seen: true,
            advisory: true,
            text: Some(Cow::Borrowed("Disallow: \\x1B\"")),
            crawl_delay: Some(2.5),
            dialect: "standard",
            policy: "standard",
            access: Access::Rules,
            event: Event::Found,
            row: Row::of(Event::Found),
            rung: Some(Rung::First),
            copy: Some(copy()),
        };
        let without = OneAnswer {
            answer: Answer::NotGoverned,
            allowed: None,
            reason: Why::Without("allow-all"),
            rule: None,
            priority: None,
            text: None,
            crawl_delay: None,
            rung: None,
            copy: None,
            ..with_rules
        };
        for answer in [&without, &OneAnswer { copy: Some(copy()), text: Some("a".into()), ..with_rules }] {
            let json = String::from_utf8(answer.to_json()).unwrap();
            assert_eq!(json, serde_json::to_string(answer).unwrap());
        }
    }

    #[test]
    fn a_query_is_taken_apart() {
        let asked = Asked::parse("url=https%3A%2F%2Fa.test%2Fx%3Fa%3Db&agent=Googlebot").unwrap();
        assert_eq!(asked.url.as_deref(), Some("https://a.test/x?a=b"));
        assert!(matches!(asked.agent, Some(Cow::Borrowed("Googlebot"))));
        assert_eq!(Asked::parse("url=a&url=b").unwrap_err().code(), "bad-request");
        assert_eq!(Asked::parse("uri=a").unwrap_err().code(), "bad-request");
        assert_eq!(Asked::parse("").unwrap(), Asked::default());
    }
}
