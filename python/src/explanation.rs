//! The classes `Explanation` and `Considered`.

use pyo3::prelude::*;

use crate::document::kind;
use crate::verdict::Verdict;

/// A verdict with its reasons: the groups that apply, the rules that were considered, and how they rank.
///
/// >>> robots = comity.Robots.parse("User-agent: *\nAllow: /page\nDisallow: /*.htm\n")
/// >>> why = robots.explain("/page.htm", crawler="ExampleBot")
/// >>> why.because
/// 'line 3 is longer (6 bytes) than line 2 (5)'
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Explanation {
    explanation: comity::Explanation,
    robots: comity::Robots,
}

impl Explanation {
    pub(crate) fn new(explanation: comity::Explanation, robots: &comity::Robots) -> Self {
        Self { explanation, robots: robots.clone() }
    }
}

#[pymethods]
impl Explanation {
    /// The verdict.
    #[getter]
    fn verdict(&self) -> Verdict {
        Verdict::new(self.explanation.verdict, &self.robots)
    }

    /// The product tokens that were looked up before `*`, in order.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.explanation.tokens.clone()
    }

    /// The token that selected the groups, if any.
    #[getter]
    fn token(&self) -> Option<&str> {
        self.explanation.token.as_deref()
    }

    /// The path that the rules were matched against, in the dialect's normal form.
    #[getter]
    fn path(&self) -> &str {
        &self.explanation.path
    }

    /// The groups that apply and the reason, as a sentence without its period.
    #[getter]
    fn basis(&self) -> String {
        self.explanation.basis()
    }

    /// The reason why the deciding rule decides, as a sentence without its period.
    #[getter]
    fn because(&self) -> String {
        self.explanation.why_it_wins()
    }

    /// All rules of the groups that apply, in file order.
    #[getter]
    fn rules(&self) -> Vec<Considered> {
        self.explanation.rules.iter().map(Considered::new).collect()
    }

    /// The rule that decides, if any.
    #[getter]
    fn deciding(&self) -> Option<Considered> {
        self.explanation.deciding().map(Considered::new)
    }

    /// The rule that would decide without the deciding one, if any.
    #[getter]
    fn runner_up(&self) -> Option<Considered> {
        self.explanation.runner_up().map(Considered::new)
    }

    fn __str__(&self) -> String {
        self.explanation.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Explanation: {}>", self.explanation.verdict)
    }
}

/// A rule that was considered for a verdict.
#[pyclass(frozen, eq, hash, get_all, module = "comity")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Considered {
    /// The line number, from 1.
    line: u32,
    /// `"allow"` or `"disallow"`.
    kind: &'static str,
    /// The pattern as written in the file.
    value: String,
    /// The pattern in normal form.
    pattern: String,
    /// The number of bytes that ranks it.
    priority: u16,
    /// True if it matches the path.
    matches: bool,
    /// The rank among the matching rules; the rule with rank 1 decides.
    rank: Option<u32>,
}

impl Considered {
    fn new(rule: &comity::Considered) -> Self {
        Self {
            line: rule.line,
            kind: kind(rule.kind),
            value: rule.value.clone(),
            pattern: rule.pattern.clone(),
            priority: rule.priority,
            matches: rule.matches,
            rank: rule.rank,
        }
    }
}

#[pymethods]
impl Considered {
    fn __repr__(&self) -> String {
        format!("<Considered: line {}, {} {}>", self.line, self.kind, comity::Escaped(self.value.as_bytes()))
    }
}
