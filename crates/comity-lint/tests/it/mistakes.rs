//! Checks that the default lints find each mistake of `mistakes.toml`, in the right line.

use std::collections::BTreeSet;

use comity_lint::{Evidence, Linter};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistakes {
    mistake: Vec<Mistake>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    name: String,
    robots: String,
    /// The name of the lint.
    lint: String,
    line: u32,
    /// The URL of the file, if the lint needs it.
    location: Option<String>,
    /// URLs of the site, if the lint needs them.
    #[serde(default)]
    urls: Vec<String>,
    /// True if the lint only runs when it is selected.
    #[serde(default)]
    opt_in: bool,
}

fn mistakes() -> Vec<Mistake> {
    toml::from_str::<Mistakes>(include_str!("../mistakes.toml")).unwrap().mistake
}

#[test]
fn every_mistake_is_found() {
    let missed: Vec<String> = mistakes()
        .into_iter()
        .filter_map(|mistake| {
            let mut evidence = Evidence::default();
            evidence.location.clone_from(&mistake.location);
            mistake.urls.iter().for_each(|url| evidence.add_url(url, 1));
            let mut linter = Linter::new();
            if mistake.opt_in {
                linter.select(&mistake.lint).unwrap();
            }
            let report = linter.lint(mistake.robots.as_bytes(), &evidence);
            let found: Vec<_> = report.diagnostics.iter().map(|found| (found.lint.name, found.line)).collect();
            let is_found = found.contains(&(&mistake.lint, mistake.line));
            (!is_found).then(|| format!("{}: {found:?}", mistake.name))
        })
        .collect();
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

#[test]
fn mistakes_have_names_of_their_own() {
    let mistakes = mistakes();
    let names: BTreeSet<&str> = mistakes.iter().map(|mistake| &*mistake.name).collect();
    assert_eq!(names.len(), mistakes.len());
    assert!(mistakes.len() >= 60, "{}", mistakes.len());
}
