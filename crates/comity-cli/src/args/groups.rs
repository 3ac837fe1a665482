//! The groups of commands in `comity --help`. clap has no groups of subcommands, so the help has a template with the list.

use std::fmt::Write as _;

use clap::builder::Styles;
use clap::{CommandFactory, builder::StyledStr};

use super::Arguments;

/// The groups, in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Ask", &["check", "page", "ai", "matrix", "inspect", "crawlers"]),
    ("Change", &["lint", "diff", "prove", "minimize", "test", "generate", "sitemaps"]),
    ("Live", &["fetch", "report", "history", "audit", "cache", "watch"]),
    ("Run", &["serve", "batch", "lsp"]),
];

/// The commands that few people need. The help names them in one line.
const OTHERS: &[&str] = &["health", "warc", "man", "completions"];

/// Returns the parser of all commands, with the groups in its help.
pub(super) fn command() -> clap::Command {
    let command = Arguments::command();
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &clap::Command) -> StyledStr {
    let (heading, literal) = (*Styles::default().get_header(), *Styles::default().get_literal());
    let mut out = StyledStr::new();
    let _ = write!(out, "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n");
    for (group, names) in GROUPS {
        let _ = writeln!(out, "{heading}{group}:{heading:#}");
        for found in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = found.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "  {literal}{:<8}{literal:#}  {about}", found.get_name());
        }
        let _ = writeln!(out);
    }
    let others: Vec<&str> = OTHERS.iter().copied().filter(|name| command.find_subcommand(name).is_some()).collect();
    let _ = writeln!(out, "{heading}More:{heading:#} {}", others.join(", "));
    let _ = writeln!(out, "`comity COMMAND --help` has examples of a command.\n");
    let _ = write!(out, "{heading}Options:{heading:#}\n{{options}}{{after-help}}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let command = Arguments::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
        let mut visible: Vec<&str> = visible.collect();
        let listed = GROUPS.iter().flat_map(|(_, names)| *names).chain(OTHERS).copied();
        // It needs a feature.
        let mut listed: Vec<&str> = listed.filter(|name| *name != "warc" || cfg!(feature = "parquet")).collect();
        visible.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, visible);
    }

    #[test]
    fn the_list_fits_into_80_columns() {
        let help = command().render_long_help().to_string();
        let end = help.find("Options:").unwrap();
        for line in help[help.find("Ask:").unwrap()..end].lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(help.contains("\n  minimize  Removes the rules"), "{help}");
    }
}
