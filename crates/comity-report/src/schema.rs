//! How the values of other crates look as JSON: they know nothing of schemas, so theirs are here.

use utoipa::ToSchema;

/// An answer of rules, or what counts without any.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Verdict {
    /// None where nothing could even be asked.
    pub(crate) answer: Option<Answer>,
    /// The same as yes, no or neither.
    pub(crate) allowed: Option<bool>,
    /// Why.
    pub(crate) reason: Reason,
    /// The line of the deciding rule, from 1; 0 if no line decides.
    pub(crate) line: u32,
    /// The kind of the deciding rule.
    pub(crate) rule: Option<Kind>,
    /// The octets of its pattern, which rank it.
    pub(crate) priority: Option<u16>,
    /// Which groups the answer rests on.
    pub(crate) basis: Basis,
    /// Whether the file names the crawler, by any of its tokens.
    pub(crate) seen: bool,
    /// Whether the crawler's operator does not promise to obey.
    pub(crate) advisory: bool,
}

/// Only `allowed` and `disallowed` are verdicts.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum Answer {
    Allowed,
    Disallowed,
    NotGoverned,
    OutOfScope,
}

/// Why the answer is what it is. `allow-all`, `disallow-all` and `no-answer` are of sites where no rules count.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum Reason {
    Rule,
    EmptyRule,
    NoRuleMatches,
    NoGroup,
    StarIgnored,
    RobotsTxt,
    FileRefused,
    NotGoverned,
    OutOfScope,
    AllowAll,
    DisallowAll,
    NoAnswer,
}

/// The kind of a rule.
#[derive(ToSchema)]
#[schema(as = RuleKind, rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum Kind {
    Allow,
    Disallow,
}

/// Which groups an answer rests on.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum Basis {
    OwnToken,
    FallbackToken,
    MergedTokens,
    Star,
    StarIgnored,
    Nothing,
}

/// The reasons of a verdict.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Explanation {
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// The dialect's name.
    pub(crate) dialect: String,
    /// The product tokens that were tried before `*`, in order.
    pub(crate) tokens: Vec<String>,
    /// The token that chose the groups, if one did.
    pub(crate) token: Option<String>,
    /// What the rules were matched against, in the dialect's comparable form.
    pub(crate) path: String,
    /// The groups that count, in the order of the file.
    pub(crate) groups: Vec<GroupUsed>,
    /// Every rule of those groups, in the order of the file.
    pub(crate) rules: Vec<Considered>,
}

/// A group that counts.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct GroupUsed {
    /// The user-agent line that made it count.
    pub(crate) line: u32,
    /// That line's value.
    pub(crate) value: String,
}

/// A rule that was considered.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Considered {
    /// Its line.
    pub(crate) line: u32,
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its pattern as it stands.
    pub(crate) value: String,
    /// Its pattern in the comparable form.
    pub(crate) pattern: String,
    /// The octets that rank it.
    pub(crate) priority: u16,
    /// Whether it matches.
    pub(crate) matches: bool,
    /// Its place among those that match: 1 decides.
    pub(crate) rank: Option<u32>,
}

/// The reasons of a verdict as sentences without their full stops; only where they were asked for.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Sentences {
    /// Which groups count, and why.
    pub(crate) basis_text: Option<String>,
    /// Why the deciding rule decides.
    pub(crate) arithmetic: Option<String>,
}

/// How much of a site a crawler may fetch.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Extent {
    /// How much.
    pub(crate) reach: Reach,
    /// The line of the rule that matches every URL, if there is one.
    pub(crate) line: Option<u32>,
    /// How many rules make exceptions.
    pub(crate) exceptions: u32,
    /// Which groups it rests on.
    pub(crate) basis: Basis,
}

/// How much of a site: everything, all but some, only some, nothing; or robots.txt does not govern the crawler.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum Reach {
    All,
    Most,
    Some,
    Nothing,
    NotGoverned,
}

/// What is said of a use, and where.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Granted {
    pub(crate) says: bool,
    /// The line, from 1.
    pub(crate) line: u32,
}

/// What is said of a use, and where.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Preferred {
    /// `allow`, `disallow` or `unknown`.
    pub(crate) says: String,
    /// The line, from 1.
    pub(crate) line: u32,
}

/// A place in a file, in bytes.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes")]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: usize,
    /// The first one behind it.
    pub(crate) end: usize,
}

/// Verdicts by dialect.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) struct ByDialect {
    pub(crate) standard: Verdict,
    pub(crate) google: Verdict,
    pub(crate) google_parser: Verdict,
    pub(crate) bing: Verdict,
    pub(crate) yandex: Verdict,
    #[schema(rename = "norobots-1996")]
    pub(crate) norobots_1996: Verdict,
}

/// What AI a crawler fetches for.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[allow(dead_code, reason = "describes")]
pub(crate) enum AiUse {
    /// Models are trained on it.
    Training,
    /// Models search in it, and answer with it.
    Search,
    /// A person asked for this page, and a model reads it for them.
    UserTriggered,
}
