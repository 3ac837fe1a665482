//! The configuration, `comity.toml`: lints, and the user's own dialects and policies.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use comity::spelling::edit_distance;
use comity::{Dialect, Escaped};
use comity_fetch::Policy;
use comity_lint::{Linter, Severity};
use serde::Deserialize;

use crate::input::file;

/// The file that `--config` names.
static NAMED: OnceLock<PathBuf> = OnceLock::new();

/// Remembers the file that `--config` names. Dialects are looked up in it by name while the other arguments are parsed.
pub(crate) fn set_file(words: &[OsString]) {
    let mut words = words.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let path = match word.to_str().and_then(|word| word.strip_prefix("--config")) {
            Some("") => words.next().map(PathBuf::from),
            Some(rest) => rest.strip_prefix('=').map(PathBuf::from),
            None => None,
        };
        if let Some(path) = path {
            let _ = NAMED.set(path);
        }
    }
}

/// The content of a configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    #[serde(default)]
    lint: Section,
    #[serde(default)]
    dialect: BTreeMap<String, Dialect>,
    #[serde(default)]
    policy: BTreeMap<String, Policy>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Section {
    select: Option<Vec<String>>,
    #[serde(default)]
    ignore: Vec<String>,
    #[serde(default)]
    severity: BTreeMap<String, Severity>,
    fail_on: Option<Severity>,
}

impl Config {
    /// Reads the file that `--config` names, or else the `comity.toml` in the current folder or the nearest one above.
    /// Returns the default if there is no such file.
    pub(crate) fn find() -> Result<Self> {
        let nearest = || nearest(&std::env::current_dir().unwrap_or_default());
        let Some(path) = NAMED.get().cloned().or_else(nearest) else { return Ok(Self::default()) };
        let name = file::name(&path);
        file::refuse_link_out(&path)?;
        let text = String::from_utf8(file::read(&path)?).with_context(|| format!("{name} is not UTF-8"))?;
        Self::parse(&text).with_context(|| format!("{name} is not a valid configuration"))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut config: Self = toml::from_str(text).map_err(|error| match meant(error.message()) {
            Some(meant) => anyhow!("{}; did you mean `{meant}`?", error.to_string().trim_end()),
            None => anyhow!(error),
        })?;
        config.linter()?;
        for (name, dialect) in &mut config.dialect {
            check_name("dialect", name, Dialect::named(name).is_some())?;
            dialect.name = kept(name);
        }
        for (name, policy) in &mut config.policy {
            check_name("policy", name, Policy::named(name).is_some())?;
            policy.name = kept(name);
        }
        Ok(config)
    }

    /// Returns the dialects that the file defines.
    pub(crate) fn dialects(&self) -> impl Iterator<Item = Dialect> {
        self.dialect.values().copied()
    }

    /// Returns the policies that the file defines.
    pub(crate) fn policies(&self) -> impl Iterator<Item = Policy> {
        self.policy.values().copied()
    }

    pub(crate) fn linter(&self) -> Result<Linter> {
        let mut linter = Linter::new();
        if let Some(select) = &self.lint.select {
            linter = Linter::none();
            for name in select {
                linter.select(name)?;
            }
        }
        for name in &self.lint.ignore {
            linter.ignore(name)?;
        }
        self.set_severities(&mut linter)?;
        Ok(linter)
    }

    pub(crate) fn set_severities(&self, linter: &mut Linter) -> Result<()> {
        for (lint, severity) in &self.lint.severity {
            linter.set_severity(lint, *severity)?;
        }
        Ok(())
    }

    pub(crate) fn fail_on(&self) -> Option<Severity> {
        self.lint.fail_on
    }
}

/// Refuses a name that is already taken by a builtin, or that could not be typed or printed.
fn check_name(kind: &str, name: &str, is_builtin: bool) -> Result<()> {
    let shown = Escaped(name.as_bytes());
    if is_builtin {
        bail!("[{kind}.{shown}]: expected a name of your own, found that of a {kind} of comity");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ensure!(
        !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain),
        "[{kind}.{shown}]: expected a name of at most {MAX_NAME} letters, digits, `-`, `_` or `.`"
    );
    Ok(())
}

/// The maximum length of the name of a dialect or a policy, in bytes.
const MAX_NAME: usize = 40;

/// Keeps a name until the program ends, because dialects and policies are copied into constants and across threads. The
/// configuration is read a few times at most.
fn kept(name: &str) -> &'static str {
    Box::leak(name.into())
}

/// Returns the field that an unknown one is probably a misspelling of. The error message lists all fields.
fn meant(message: &str) -> Option<String> {
    let mut names = message.strip_prefix("unknown field `")?.split('`').step_by(2);
    let unknown = names.next()?;
    let distance = |name: &str| edit_distance(unknown.as_bytes(), name.as_bytes(), (name.len() / 3).max(1));
    let (_, name) = names.filter_map(|name| Some((distance(name)?, name))).min()?;
    Some(name.to_owned())
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("comity.toml")).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_and_policies_differ_from_a_base() {
        let text = "
            [dialect.first-match]
            base = \"google\"
            precedence = \"first-match\"
            [policy.patient]
            base = \"strict\"
            deadline = 90
            unreachable = { last = \"disallow\" }
        ";
        let config = Config::parse(text).unwrap();
        let dialect = config.dialects().next().unwrap();
        let mut expected = Dialect::GOOGLE;
        expected.name = "first-match";
        expected.precedence = comity::dialect::Precedence::FirstMatch;
        assert_eq!(dialect, expected);
        let policy = config.policies().next().unwrap();
        assert_eq!((policy.name, policy.deadline.as_secs()), ("patient", 90));
        assert_eq!(policy.forbidden, Policy::STRICT.forbidden);
    }

    #[test]
    fn errors_say_where_and_what_was_expected() {
        for (text, parts) in [
            (
                "[dialect.mine]\nbase = \"google\"\nwildcard = false",
                ["line 3", "unknown field `wildcard`", "did you mean `wildcards`?"],
            ),
            ("[dialect.mine]\nbase = \"gogle\"", ["line", "expected a dialect", "did you mean `google`?"]),
            ("[dialect.mine]\nescapes = \"none\"", ["line 2", "`none`", "`pattern-only`"]),
            (
                "[policy.mine]\nbase = \"strict\"\nforbiden = \"denied\"",
                ["line 3", "`forbiden`", "did you mean `forbidden`?"],
            ),
            ("[policy.mine]\nbase = \"strict\"\nforbidden = \"never\"", ["line 3", "`never`", "`absent`"]),
            ("[policy.mine]\nforbidden = \"denied\"", ["line", "missing field", "`base`"]),
            ("[dialects.mine]\nbase = \"google\"", ["line 1", "`dialects`", "did you mean `dialect`?"]),
            ("[dialect.google]\nbase = \"bing\"", ["[dialect.google]", "expected a name of your own", "of comity"]),
            ("[policy.\"a b\"]\nbase = \"strict\"", ["[policy.a b]", "expected a name", "digits"]),
        ] {
            let error = format!("{:#}", Config::parse(text).unwrap_err());
            assert!(parts.iter().all(|part| error.contains(part)), "{text}\n{error}");
        }
    }
}
