/** The command that starts the language server. */

/** The settings that the command depends on. A change of one of them restarts the server. */
export const SETTINGS = ["path", "config", "crawlers"];

export interface Command {
  command: string;
  args: string[];
}

/** Returns the command by a function that reads settings, of which any may be empty. */
export function server(setting: (name: string) => string | undefined): Command {
  const args = ["lsp"];
  for (const name of ["config", "crawlers"]) {
    const file = setting(name)?.trim();
    if (file) args.push(`--${name}`, file);
  }
  return { command: setting("path")?.trim() || "comity", args };
}
