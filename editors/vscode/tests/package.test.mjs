/** The package that `vsce` makes: its files, and that the manifest agrees with them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Module from "node:module";
import { test } from "node:test";
import { promisify } from "node:util";
import yauzl from "yauzl";

const folder = new URL("..", import.meta.url);
const text = (file) => readFileSync(new URL(file, folder), "utf8");
const manifest = JSON.parse(text("package.json"));

/** Returns the names and the contents of the files in the package. */
async function files() {
  const zip = await promisify(yauzl.open)(new URL("../../target/vscode/comity.vsix", folder).pathname, { lazyEntries: true });
  const found = new Map();
  await new Promise((resolve, reject) => {
    zip.on("error", reject).on("end", resolve);
    zip.on("entry", async (entry) => {
      const stream = await promisify(zip.openReadStream).call(zip, entry);
      found.set(entry.fileName, Buffer.concat(await stream.toArray()));
      zip.readEntry();
    });
    zip.readEntry();
  });
  return found;
}

test("the package contains the extension, and nothing else", async () => {
  const found = await files();
  const names = [...found.keys()].filter((name) => name.startsWith("extension/")).map((name) => name.slice("extension/".length));
  assert.deepEqual(names.sort(), [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "dist/extension.js",
    "dist/licenses.txt",
    "language-configuration.json",
    "package.json",
    "readme.md",
    "snippets/robots.json",
    "syntaxes/robots.tmLanguage.json",
  ]);
  const { contributes, main } = manifest;
  const named = [main, ...[contributes.languages, contributes.grammars, contributes.snippets].flat().map((part) => part.path ?? part.configuration)];
  for (const path of named) assert.ok(names.includes(path.replace("./", "")), path);
  assert.match(found.get("extension/dist/licenses.txt").toString(), /^vscode-languageclient 9\.0\.1$/m);
});

test("the bundle loads without other packages", async () => {
  const code = (await files()).get("extension/dist/extension.js").toString();
  // Any name of the editor's API is a class, since the client extends some when it is loaded.
  const editor = new Proxy({}, { get: (_, name) => (name === "version" ? "1.82.0" : class {}) });
  const load = (name) => {
    if (name === "vscode") return editor;
    assert.ok(Module.isBuiltin(name), `the bundle needs ${name}`);
    return Module.createRequire(import.meta.url)(name);
  };
  const module = { exports: {} };
  new Function("module", "exports", "require", code)(module, module.exports, load);
  assert.deepEqual(Object.keys(module.exports).sort(), ["activate", "deactivate"]);
});

test("the manifest has the version of the workspace, and each setting is documented", () => {
  const version = /^\[workspace\.package\]\nversion = "(.*)"/m.exec(text("../../Cargo.toml"))[1];
  assert.equal(manifest.version, version);
  const settings = Object.keys(manifest.contributes.configuration.properties);
  for (const name of settings) assert.ok(text("README.md").includes(`\`${name}\``), name);
  const read = /SETTINGS = \[(.*)\]/.exec(text("src/server.ts"))[1].match(/\w+/g).map((name) => `comity.${name}`);
  assert.deepEqual(settings.filter((name) => name !== "comity.trace.server"), read);
  // A folder that is not trusted must not choose the program that runs.
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, read);
});
