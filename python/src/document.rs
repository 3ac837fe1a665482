//! The classes `Group`, `Rule` and `Record`: the contents of a file.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A rule of a group: an `Allow` or `Disallow` line.
#[pyclass(frozen, eq, hash, get_all, module = "comity")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    /// The line number, from 1.
    line: u32,
    /// `"allow"` or `"disallow"`.
    kind: &'static str,
    /// The pattern as written in the file.
    value: String,
    /// The pattern in normal form. Its length ranks the rule.
    pattern: String,
}

impl Rule {
    pub(crate) fn new(rule: &comity::Rule<'_>) -> Self {
        let kind = kind(rule.kind());
        Self { line: rule.line(), kind, value: lossy(rule.value()), pattern: lossy(rule.pattern()) }
    }

    /// Returns the rule from its [`fields`](Self::fields).
    pub(crate) fn restored((line, kind, value, pattern): (u32, &str, String, String)) -> Self {
        Self { line, kind: if kind == "allow" { "allow" } else { "disallow" }, value, pattern }
    }

    pub(crate) fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.line, self.kind, &self.value, &self.pattern).into_pyobject(py)
    }
}

#[pymethods]
impl Rule {
    fn __str__(&self) -> String {
        let name = if self.kind == "allow" { "Allow" } else { "Disallow" };
        format!("{name}: {}", comity::Escaped(self.value.as_bytes()))
    }

    fn __repr__(&self) -> String {
        format!("<Rule in line {}: {}>", self.line, self.__str__())
    }
}

/// A group: user-agent lines, and the rules for the crawlers that they name.
#[pyclass(frozen, get_all, module = "comity")]
#[derive(Debug)]
pub(crate) struct Group {
    /// The line number of the first user-agent line, from 1.
    line: u32,
    /// The product tokens of the user-agent lines; `"*"` for every crawler.
    agents: Vec<String>,
    /// The rules, in file order, without those that have no effect.
    rules: Vec<Rule>,
}

impl Group {
    pub(crate) fn new(group: comity::Group<'_>) -> Self {
        Self {
            line: group.agents().next().map_or(0, |agent| agent.line()),
            agents: group.agents().map(|agent| lossy(agent.token())).collect(),
            rules: group.rules().map(|rule| Rule::new(&rule)).collect(),
        }
    }
}

#[pymethods]
impl Group {
    fn __repr__(&self) -> String {
        format!("<Group of line {}: {}, {} rules>", self.line, self.agents.join(", "), self.rules.len())
    }
}

/// A record that is neither a user-agent line nor a rule, such as `Sitemap`.
#[pyclass(frozen, eq, hash, get_all, module = "comity")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    /// The line number, from 1.
    line: u32,
    /// The name: in its usual spelling, or as written in the file if it is unknown.
    name: String,
    /// The value as written in the file.
    value: String,
}

impl Record {
    pub(crate) fn new(record: comity::Record<'_>) -> Self {
        Self { line: record.line(), name: lossy(record.name()), value: lossy(record.value()) }
    }
}

#[pymethods]
impl Record {
    fn __str__(&self) -> String {
        format!("{}: {}", comity::Escaped(self.name.as_bytes()), comity::Escaped(self.value.as_bytes()))
    }

    fn __repr__(&self) -> String {
        format!("<Record in line {}: {}>", self.line, self.__str__())
    }
}

/// Returns the name of a kind of rule.
pub(crate) fn kind(kind: comity::RuleKind) -> &'static str {
    if kind == comity::RuleKind::Allow { "allow" } else { "disallow" }
}

/// Returns text of the file as a string, with U+FFFD for bytes that are not UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
