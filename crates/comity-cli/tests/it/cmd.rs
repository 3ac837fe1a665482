//! Checks the output of the commands in `cmd/*.trycmd` and in the README.

#[test]
fn commands_print_what_their_documentation_says() {
    // The README's commands run in the folder of the README.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    trycmd::TestCases::new()
        .case("crates/comity-cli/tests/cmd/*.trycmd")
        .case("README.md")
        .case("docs/audit.md")
        .case("docs/meaning.md")
        .case("docs/site-owners.md")
        .case("docs/crawler-authors.md")
        .case("docs/dialects.md");
}
