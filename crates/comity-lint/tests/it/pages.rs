//! Checks that the reference page of each lint in `docs/lints` matches its documentation.
//!
//! To update the pages: `UPDATE=1 cargo test -p comity-lint --test it pages`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use comity_lint::ALL;

#[test]
fn pages_are_what_the_lints_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints");
    let update = std::env::var_os("UPDATE").is_some();
    let mut pages = vec![("README.md".to_owned(), index())];
    pages.extend(ALL.iter().map(|lint| (format!("{}.md", lint.name), lint.page())));
    for (name, page) in &pages {
        if update {
            std::fs::write(folder.join(name), page).unwrap();
        }
        let written = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert_eq!(written, *page, "{name} is out of date: run UPDATE=1 cargo test -p comity-lint --test it pages");
    }
    let expected: BTreeSet<&str> = pages.iter().map(|(name, _)| name.as_str()).chain(["corpus.md"]).collect();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(expected.contains(name.to_str().unwrap()), "no lint has the page {}", name.display());
    }
}

fn index() -> String {
    let mut page = String::from(
        "# The lints\n\n\
         The mistakes that `comity lint` finds, with a page for each. `comity lint --explain CODE` prints the same pages. \
         [The lints and real files](corpus.md) has the number of findings of each lint in real files, and how many of \
         them are correct.\n\n\
         | lint | severity | mistake |\n|---|---|---|\n",
    );
    for lint in ALL {
        let opt_in = if lint.opt_in { " *(only when selected)*" } else { "" };
        writeln!(
            page,
            "| [{} {}]({}.md) | {} | {}{opt_in} |",
            lint.code,
            lint.name,
            lint.name,
            lint.severity,
            lint.summary()
        )
        .unwrap();
    }
    page
}
