//! Checks the examples in the documentation of each lint: the lint has a finding in the first example, and none in the
//! example of what to use instead.

use comity_lint::{ALL, Evidence, Lint, Linter, Served};

const SECTIONS: [&str; 5] = ["What it does", "Why is this bad?", "Example", "Use instead", "Sources"];

/// Returns the number of findings in the example of a section, or `None` if it contains no robots.txt.
fn findings(lint: &Lint, section: &str) -> Option<usize> {
    let mut evidence = Evidence::default();
    let mut robots = None;
    for (language, text) in lint.examples(section) {
        match language.as_str() {
            "robots" => robots = Some(text),
            // This example is too long to be printed in the documentation.
            "robots-long" => robots = Some(format!("User-agent: *\n{}", "# 16 bytes here\n".repeat(32_000))),
            _ => add(&mut evidence, lint, &language, &text),
        }
    }
    // The evidence of the bad example also applies to the good one.
    if section == "Use instead" && evidence.pages.is_empty() {
        for (language, text) in lint.examples("Example") {
            if matches!(language.as_str(), "urls" | "sitemap" | "noindex" | "lost") {
                add(&mut evidence, lint, &language, &text);
            }
        }
    }
    let mut linter = Linter::none();
    linter.select(lint.code).unwrap();
    Some(linter.lint(robots?.as_bytes(), &evidence).diagnostics.len())
}

fn add(evidence: &mut Evidence, lint: &Lint, language: &str, text: &str) {
    let asked = "https://example.com/robots.txt";
    match language {
        "location" => evidence.location = Some(text.trim().to_owned()),
        "urls" => text.lines().for_each(|url| evidence.add_url(url, 0)),
        "sitemap" => text.lines().for_each(|url| evidence.add_sitemap_url(url)),
        "noindex" => text.lines().for_each(|url| evidence.add_noindex(url)),
        "status" => evidence.served = Some(Served::new(asked, text.trim().parse().unwrap())),
        "redirects" => {
            let mut served = Served::new(asked, 200);
            served.redirects = text.lines().skip(1).map(str::to_owned).collect();
            evidence.served = Some(served);
        }
        "variant" => {
            let (url, body) = text.split_once('\n').unwrap();
            evidence.add_variant(url, 200, body);
        }
        "lost" => {
            let (url, problem) = text.trim().split_once(' ').unwrap();
            evidence.add_lost_sitemap(url, problem, url);
        }
        other => panic!("{}: `{other}` is no language of an example", lint.code),
    }
}

#[test]
fn examples_are_true() {
    for lint in ALL {
        assert!(findings(lint, "Example").is_some_and(|found| found > 0), "{}: its example is clean", lint.code);
        assert!(
            findings(lint, "Use instead").is_none_or(|found| found == 0),
            "{}: it dislikes its own advice",
            lint.code
        );
    }
}

#[test]
fn documentation_has_its_headings_in_order() {
    for lint in ALL {
        let docs = lint.docs();
        let titles: Vec<&str> = docs.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(titles, SECTIONS, "{}", lint.code);
        assert!(lint.summary().ends_with(['.']), "{}: {}", lint.code, lint.summary());
    }
}

#[test]
fn codes_and_names_are_unique_and_in_order() {
    for (i, lint) in ALL.iter().enumerate() {
        assert_eq!(lint.code, format!("L{:03}", i + 1));
        assert!(ALL[..i].iter().all(|other| other.name != lint.name), "{} is there twice", lint.name);
    }
}

/// It is not a unit test: a program of tests with the list of all lints takes as long to compile as the library.
#[test]
fn lints_import_no_other_lint() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lints");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), ALL.len());
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        let imports = |path: &str| source.contains(path);
        assert!(!imports("lints::") && !imports("super::"), "{}: move it to `recognize`", file.display());
    }
}
