/** The extension, with stand-ins for the editor and for the client, which need a running VS Code. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { build } from "esbuild";

/** Returns the exports of the extension, built with stand-ins. `editor` has the settings, and gets what happens. */
async function extension(editor) {
  const modules = {
    vscode: "const e = globalThis.editor; module.exports = { commands: e.commands, window: e.window, workspace: e.workspace };",
    "vscode-languageclient/node": "module.exports = { LanguageClient: globalThis.editor.LanguageClient };",
  };
  const standIns = {
    name: "stand-ins",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^vscode/ }, ({ path }) => ({ path, namespace: "stand-in" }));
      onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path }) => ({ contents: modules[path] }));
    },
  };
  const entryPoints = [new URL("../src/extension.ts", import.meta.url).pathname];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, platform: "node", format: "cjs", plugins: [standIns] });
  globalThis.editor = editor;
  const module = { exports: {} };
  new Function("module", "exports", "require", outputFiles[0].text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}

/** An editor that writes down what happens in it. */
function editorWith(settings) {
  const editor = { settings, log: [], shown: [], fails: false, registered: {} };
  editor.commands = {
    registerCommand: (name, run) => (editor.registered[name] = run),
    executeCommand: async (...words) => editor.log.push(words.join(" ")),
  };
  editor.window = {
    showErrorMessage: async (message, button) => {
      editor.shown.push(message);
      return button;
    },
  };
  editor.workspace = {
    workspaceFolders: [{ uri: { fsPath: "/site" } }],
    getConfiguration: () => ({ get: (name) => editor.settings[name] }),
    onDidChangeConfiguration: (listener) => (editor.change = (name) => listener({ affectsConfiguration: (asked) => asked === name })),
  };
  editor.LanguageClient = class {
    constructor(_id, _name, { command, args, options }, { documentSelector }) {
      Object.assign(this, { started: [command, ...args].join(" "), cwd: options.cwd, documentSelector });
    }
    async start() {
      if (editor.fails) throw new Error("spawn ENOENT");
      editor.log.push(`start ${this.started} in ${this.cwd}`);
      editor.selector = this.documentSelector;
    }
    async stop() {
      editor.log.push("stop");
    }
  };
  return editor;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 10));

test("the server starts, restarts with other settings, and stops", async () => {
  const editor = editorWith({ path: "comity", config: "", crawlers: "" });
  const { activate, deactivate } = await extension(editor);
  await activate({ subscriptions: [] });
  assert.deepEqual(editor.selector, [{ language: "robots", scheme: "file" }, { language: "robots", scheme: "untitled" }]);
  Object.assign(editor.settings, { path: " /opt/comity ", config: "lint/comity.toml", crawlers: "own.toml" });
  editor.change("comity.path");
  // Two changes at once leave one server.
  editor.change("comity.config");
  await settle();
  editor.change("editor.fontSize");
  await settle();
  await editor.registered["comity.restart"]();
  await deactivate();
  const other = "start /opt/comity lsp --config lint/comity.toml --crawlers own.toml in /site";
  assert.deepEqual(editor.log, ["start comity lsp in /site", "stop", other, "stop", other, "stop", other, "stop"]);
  assert.deepEqual(editor.shown, []);
});

test("a command that is missing is named, and the setting is offered", async () => {
  const editor = editorWith({});
  editor.fails = true;
  const { activate, deactivate } = await extension(editor);
  await activate({ subscriptions: [] });
  await settle();
  assert.match(editor.shown[0], /^The language server `comity lsp` did not start: spawn ENOENT\. Install comity, or name/);
  assert.deepEqual(editor.log, ["workbench.action.openSettings comity.path"]);
  // After it is installed, a restart is enough.
  editor.fails = false;
  await editor.registered["comity.restart"]();
  await deactivate();
  assert.deepEqual(editor.log.slice(1), ["start comity lsp in /site", "stop"]);
});
