//! Compares the groups of commands in `comity --help` with those in the README.

use std::process::Command;

/// Returns the groups of the help, each with its commands. A group is a line that ends with a colon.
fn groups_of_help(help: &str) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let lines = help.lines().skip_while(|line| *line != "Ask:").take_while(|line| !line.starts_with("More:"));
    for line in lines.filter(|line| !line.is_empty()) {
        match line.strip_suffix(':') {
            Some(group) if !line.starts_with(' ') => groups.push((group, Vec::new())),
            _ => groups.last_mut().unwrap().1.extend(line.split_whitespace().next()),
        }
    }
    groups
}

/// Returns the groups of the README's table: rows such as "| **Ask** | |", followed by rows of commands.
fn groups_of_readme(readme: &str) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in readme.lines() {
        if let Some((group, _)) = line.strip_prefix("| **").and_then(|rest| rest.split_once("** | |")) {
            groups.push((group, Vec::new()));
        } else if let Some((command, _)) = line.strip_prefix("| `comity ").and_then(|rest| rest.split_once('`')) {
            groups.last_mut().unwrap().1.push(command);
        }
    }
    groups
}

#[test]
fn readme_has_the_groups_of_the_help() {
    let output = Command::new(env!("CARGO_BIN_EXE_comity")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let groups = groups_of_help(&help);
    assert_eq!(groups.len(), 4, "{help}");
    assert_eq!(groups_of_readme(include_str!("../../../../README.md")), groups);
    assert!(help.contains("More: health"), "{help}");
}
