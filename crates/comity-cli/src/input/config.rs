//! The configuration of lints and of the watcher, `comity.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use comity::spelling::edit_distance;
use comity_lint::{Linter, Severity};
use comity_watch::WatchConfig;
use serde::Deserialize;

use crate::input::file;

/// The configuration of comity.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The lints that run, and their severities.
    #[serde(default)]
    lint: Section,
    /// The sites that `comity watch` looks at, and the receivers of its alerts.
    watch: Option<WatchConfig>,
    /// The folder of the file.
    #[serde(skip)]
    folder: PathBuf,
}

/// The configuration of lints.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Section {
    /// The lints that run: codes, names, `default` or `all`. Defaults to `default`.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "tests::lints"))]
    select: Option<Vec<String>>,
    /// The lints that do not run.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "tests::lints"))]
    ignore: Vec<String>,
    /// The severities of lints.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "tests::severities"))]
    severity: BTreeMap<String, Severity>,
    /// The lowest severity with which `comity lint` fails. Defaults to `warning`.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "tests::severity"))]
    fail_on: Option<Severity>,
}

impl Config {
    /// Reads the file with this name, or else the `comity.toml` in the current folder or the nearest one above. Returns
    /// the default if there is no such file.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self> {
        let nearest = || nearest(&std::env::current_dir().unwrap_or_default());
        let Some(path) = named.map(Path::to_owned).or_else(nearest) else { return Ok(Self::default()) };
        let name = file::name(&path);
        file::refuse_link_out(&path)?;
        let text = String::from_utf8(file::read(&path)?).with_context(|| format!("{name} is not UTF-8"))?;
        let config = Self::parse(&text).with_context(|| format!("{name} is not a valid configuration"))?;
        Ok(Self { folder: path.parent().map(Path::to_owned).unwrap_or_default(), ..config })
    }

    fn parse(text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|error| match meant(error.message()) {
            Some(meant) => anyhow!("{}; did you mean `{meant}`?", error.to_string().trim_end()),
            None => anyhow!(error),
        })?;
        config.linter()?;
        Ok(config)
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

    /// Returns the configuration of the watcher, and the folder that its paths are relative to.
    pub(crate) fn into_watch(self) -> Result<(WatchConfig, PathBuf)> {
        let Some(watch) = self.watch else {
            bail!("expected a comity.toml with the section [watch], found none: `comity watch --help` shows one")
        };
        Ok((watch, self.folder))
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
    use std::borrow::Cow;

    use comity_lint::ALL;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::*;
    use crate::schema;

    /// The name of a lint, or of a set of lints, as the pages of the lints write it.
    struct LintName;

    impl JsonSchema for LintName {
        fn schema_name() -> Cow<'static, str> {
            "Lint".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let names = ALL.iter().flat_map(|lint| [lint.code, lint.name]);
            let words: Vec<&str> = ["default", "all"].into_iter().chain(names).collect();
            json_schema!({ "type": "string", "enum": words })
        }
    }

    pub(super) fn lints(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<LintName>() })
    }

    pub(super) fn severity(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": [Severity::Note, Severity::Warning, Severity::Error] })
    }

    pub(super) fn severities(generator: &mut SchemaGenerator) -> Schema {
        let (names, severity) = (generator.subschema_for::<LintName>(), severity(generator));
        json_schema!({ "type": "object", "propertyNames": names, "additionalProperties": severity })
    }

    #[test]
    fn the_schema_is_that_of_the_types() {
        schema::compare::<Config>("comity.schema.json", "comity.toml");
        let lint = r#"
            [lint]
            select = ["default", "L015"]
            ignore = ["secret-disclosure"]
            severity = { L004 = "error" }
            fail-on = "warning"
        "#;
        let watch = r#"
            [watch]
            every = "1h"
            after = "30m"
            [[watch.site]]
            origins = ["https://shop.example"]
            every = "5m"
            expected = "public/robots.txt"
            known = ["sitemap.xml"]
            staging = ["https://staging.shop.example"]
            [[watch.site]]
            list = "sites.txt"
            [[watch.to]]
            webhook = "https://hooks.example/robots"
            secret_file = "secret"
            only = ["blocked", "not-text"]
            [[watch.to]]
            jsonl = "alerts.jsonl"
        "#;
        schema::agree::<Config>(
            "comity.schema.json",
            &["", "[lint]", lint, watch],
            &[
                "[lints]\nselect = []",
                "[lint]\nfail_on = \"error\"",
                "[lint]\nfail-on = \"fatal\"",
                "[lint]\nignore = \"L004\"",
                "[lint.severity]\nL004 = 1",
                "[lint.severity]\nL004 = \"fatal\"",
                "[watch]\nevry = \"1h\"",
                "[watch]\nevery = 60",
                "[watch]\n[[watch.site]]\norigin = \"https://shop.example\"\nlist = \"sites.txt\"",
                "[watch]\n[[watch.to]]\nwebhook = \"https://hooks.example/\"\nsecret-file = \"secret\"",
                "[watch]\n[[watch.to]]\njsonl = \"alerts.jsonl\"\nonly = [\"bloked\"]",
            ],
        );
    }

    #[test]
    fn errors_state_the_line_and_what_was_expected() {
        for (text, parts) in [
            ("[lint]\nfail_on = \"error\"", ["line 2", "unknown field `fail_on`", "did you mean `fail-on`?"]),
            ("[lints]\nselect = [\"all\"]", ["line 1", "`lints`", "did you mean `lint`?"]),
            ("[lint.severity]\nL004 = \"fatal\"", ["line 2", "unknown variant `fatal`", "`note`"]),
        ] {
            let error = format!("{:#}", Config::parse(text).unwrap_err());
            assert!(parts.iter().all(|part| error.contains(part)), "{text}\n{error}");
        }
    }
}
