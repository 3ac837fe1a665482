//! `comity lsp`.

use std::path::PathBuf;

const LSP_HELP: &str = "\
Speaks the Language Server Protocol over standard input and output. An editor starts it for files called robots.txt:
  Neovim    vim.lsp.config('comity', { cmd = { 'comity', 'lsp' }, filetypes = { 'robots' } })
  Helix     [language-server.comity]
            command = \"comity\"
            args = [\"lsp\"]

It shows what `comity lint` finds while you type, offers the fixes, tells what a rule matches and whom a token names, \
and completes directives and crawlers' names. comity.toml counts for it, too. A message may have 64 MiB; a longer one ends it \
with exit code 2.";

#[derive(clap::Args, Debug)]
#[command(after_help = LSP_HELP)]
pub(crate) struct Lsp {
    /// Crawlers of your own, as TOML; see `comity crawlers --help`
    #[arg(long, value_name = "FILE")]
    pub(crate) crawlers: Option<PathBuf>,

    /// Ignored, for editors that always pass it
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
