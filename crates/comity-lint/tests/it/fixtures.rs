//! Runs each lint on files with the mistake and on similar files without it, in `fixtures`. `at` lists the lines that
//! must have a finding; no other line may have one. The messages, and the files after all fixes, are in `snapshots`.
//!
//! To update them: `UPDATE=1 cargo test -p comity-lint --test it fixtures`. Review the diff.

use std::fmt::Write as _;
use std::path::Path;

use comity_lint::{ALL, Evidence, LeftOutReason, Linter, Safety, Served};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixtures {
    file: Vec<Fixture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixture {
    name: String,
    #[allow(dead_code, reason = "for readers")]
    why: Option<String>,
    robots: String,
    at: Vec<u32>,
    location: Option<String>,
    #[serde(default)]
    urls: Vec<String>,
    #[serde(default)]
    sitemap: Vec<String>,
    #[serde(default)]
    noindex: Vec<String>,
    /// Pairs of a page and a file that it loads: a style sheet (`.css`) or a script.
    #[serde(default)]
    resources: Vec<[String; 2]>,
    served: Option<Answer>,
    #[serde(default)]
    variants: Vec<Variant>,
    /// The URL of a sitemap that can't be read, the problem, and the URL of the sitemap that refers to it.
    #[serde(default)]
    lost: Vec<[String; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: Option<u16>,
    failure: Option<String>,
    content_type: Option<String>,
    #[serde(default)]
    redirects: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    url: String,
    status: u16,
    #[serde(default)]
    body: String,
}

impl Fixture {
    fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        evidence.location.clone_from(&self.location);
        self.urls.iter().for_each(|url| evidence.add_url(url, 0));
        self.sitemap.iter().for_each(|url| evidence.add_sitemap_url(url));
        self.noindex.iter().for_each(|url| evidence.add_noindex(url));
        self.resources.iter().for_each(|[page, url]| evidence.add_resource(page, url, url.contains(".css")));
        self.variants.iter().for_each(|variant| evidence.add_variant(&variant.url, variant.status, &*variant.body));
        self.lost.iter().for_each(|[url, problem, named]| evidence.add_lost_sitemap(url, problem, named));
        evidence.served = self.served.as_ref().map(|answer| {
            let mut served = Served::new("https://example.com/robots.txt", 0);
            (served.status, served.failure) = (answer.status, answer.failure.clone());
            served.content_type.clone_from(&answer.content_type);
            served.redirects.clone_from(&answer.redirects);
            served
        });
        evidence
    }
}

#[test]
fn lints_report_exactly_the_expected_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for lint in ALL {
        let name = format!("{}-{}", lint.code, lint.name);
        let path = folder.join(format!("{name}.toml"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let fixtures: Fixtures = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(fixtures.file.iter().any(|fixture| fixture.at.is_empty()), "{name}: nothing nearly triggers it");
        assert!(fixtures.file.iter().any(|fixture| !fixture.at.is_empty()), "{name}: nothing triggers it");

        let mut linter = Linter::none();
        linter.select(lint.code).unwrap();
        let mut said = String::new();
        for fixture in &fixtures.file {
            let (body, evidence) = (fixture.robots.as_bytes(), fixture.evidence());
            let report = linter.lint(body, &evidence);
            let lines: Vec<u32> = report.diagnostics.iter().map(|found| found.line).collect();
            assert_eq!(lines, fixture.at, "{name}, {}", fixture.name);
            if lines.is_empty() {
                continue;
            }
            writeln!(said, "== {}", fixture.name).unwrap();
            for found in &report.diagnostics {
                let at = String::from_utf8_lossy(&body[found.span.clone()]);
                let at: String = at.chars().take(40).collect();
                writeln!(said, "{} {} at {at:?}: {}", found.line, found.severity, found.message).unwrap();
                for (line, because) in &found.related {
                    writeln!(said, "  line {line}: {because}").unwrap();
                }
                if let Some(help) = &found.help {
                    writeln!(said, "  help: {help}").unwrap();
                }
                if let Some(fix) = &found.fix {
                    writeln!(said, "  {:?} fix: {}", fix.safety, fix.title).unwrap();
                }
            }
            if report.diagnostics.iter().any(|found| found.fix.is_some()) {
                let fixed = linter.fix(body, &evidence, Safety::Unsafe);
                let broken = fixed.left_out.iter().find(|left| !matches!(left.reason, LeftOutReason::BlocksSite(_)));
                assert!(broken.is_none(), "{name}, {}: {broken:?}", fixture.name);
                let text = String::from_utf8_lossy(&fixed.body);
                writeln!(said, "fixed:").unwrap();
                text.split_inclusive('\n').take(12).for_each(|line| {
                    let line: String = line.escape_debug().take(100).collect();
                    writeln!(said, "  {line}").unwrap();
                });
                for left in &fixed.left_out {
                    writeln!(said, "  left out: line {}: {} ({:?})", left.line, left.title, left.reason).unwrap();
                }
                for change in &fixed.changes.examples {
                    let now = if change.allowed { "allowed" } else { "blocked" };
                    writeln!(said, "  now {now}: {} {} ({})", change.agent, change.path, change.dialect).unwrap();
                }
            }
        }
        let snapshot = folder.with_file_name("snapshots").join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&snapshot, &said).unwrap();
        }
        let before = std::fs::read_to_string(&snapshot).unwrap_or_default();
        assert_eq!(said, before, "{name} says something else than {}", snapshot.display());
    }
}
