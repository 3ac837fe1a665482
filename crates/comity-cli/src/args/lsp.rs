//! `comity lsp`.

use std::path::PathBuf;

const LSP_HELP: &str = "\
Speaks the Language Server Protocol over standard input and output. An editor starts it for files called robots.txt; \
docs/editors.md has an extension for VS Code and the settings of older versions and other editors:
  Neovim    vim.lsp.config('comity', { cmd = { 'comity', 'lsp' }, filetypes = { 'robots' } })
  Helix     [language-server.comity]
            command = \"comity\"
            args = [\"lsp\"]

It shows the findings of `comity lint` while you type, offers fixes, explains rules and crawlers on hover, and completes \
directives and crawlers' names. A crawler that is in no table gets a hint. It reads comity.toml. A message of more than \
64 MiB ends it with exit code 2.";

#[derive(clap::Args, Debug)]
#[command(after_help = LSP_HELP)]
pub(crate) struct Lsp {
    /// The configuration of lints [default: comity.toml in this folder or one above it]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// A file with your own crawlers, in TOML or JSON; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Ignored; some editors always pass it
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
