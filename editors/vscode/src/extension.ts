/** Starts the language server for robots.txt files, and restarts it when its settings change. */

import { commands, type ExtensionContext, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { SETTINGS, server } from "./server";

let client: LanguageClient | undefined;
/** The end of the last start or stop. Each waits for the one before it, so that no server is left over. */
let done = Promise.resolve();

export function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("comity.restart", restart),
    workspace.onDidChangeConfiguration((event) => {
      if (SETTINGS.some((name) => event.affectsConfiguration(`comity.${name}`))) void restart();
    }),
  );
  return next(start);
}

export function deactivate(): Promise<void> {
  return next(stop);
}

function restart(): Promise<void> {
  return next(async () => {
    await stop();
    await start();
  });
}

function next(action: () => Promise<void>): Promise<void> {
  done = done.then(action);
  return done;
}

async function start(): Promise<void> {
  const settings = workspace.getConfiguration("comity");
  const { command, args } = server((name) => settings.get<string>(name));
  // The server looks for comity.toml from this folder on, and paths of settings are relative to it.
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const documentSelector = ["file", "untitled"].map((scheme) => ({ language: "robots", scheme }));
  const started = new LanguageClient("comity", "comity", { command, args, options: { cwd } }, { documentSelector });
  try {
    await started.start();
    client = started;
  } catch (error) {
    void explain(command, error);
  }
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  await stopped?.stop().catch(() => undefined);
}

/** Shows how to get the command or to name it, and offers the setting. */
async function explain(command: string, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const open = "Open the setting";
  const chosen = await window.showErrorMessage(
    `The language server \`${command} lsp\` did not start: ${reason}. Install comity, or name the command in the setting comity.path.`,
    open,
  );
  if (chosen === open) await commands.executeCommand("workbench.action.openSettings", "comity.path");
}
