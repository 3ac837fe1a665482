/** The settings of other editors in `docs/editors.md`, in the editors that are installed. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { COMITY } from "./client.mjs";

const guide = readFileSync(new URL("../../../docs/editors.md", import.meta.url), "utf8");

/** Returns the code blocks of a language below a heading of the guide. */
function blocks(heading, language) {
  const section = guide.split(`\n## ${heading}\n`)[1].split("\n## ")[0];
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, name]) => name === language).map(([, , text]) => text);
}

/** Runs an editor in a folder with a robots.txt, the settings and a check. Returns what it prints, or null without it. */
function run(t, command, args, settings, check) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "comity-editor-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "robots.txt"), "User-agent: *\nDisalow: /a\nDisallow: /x/\n");
  writeFileSync(path.join(folder, `settings${path.extname(check)}`), settings);
  copyFileSync(new URL(check, import.meta.url), path.join(folder, check));
  const env = { ...process.env, HOME: folder, PATH: `${path.dirname(COMITY)}:${process.env.PATH}` };
  const { error, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: 40_000 });
  if (error?.code === "ENOENT") {
    t.skip(`${command} is not installed`);
    return null;
  }
  assert.equal(error, undefined, `${stdout}${stderr}`);
  return stdout;
}

test("Neovim", (t) => {
  // The other block is for versions that Debian does not have.
  const [, settings] = blocks("Neovim", "lua");
  const printed = run(t, "nvim", ["--headless", "-u", "settings.lua", "robots.txt", "-c", "luafile check.lua"], settings, "check.lua");
  if (printed === null) return;
  assert.match(printed, /^2: `Disalow` is misspelled/m);
  assert.match(printed, /^Blocks URLs that start with `\/x\/`, for `\*`\.$/m);
});

test("Emacs", (t) => {
  const [settings] = blocks("Emacs", "elisp");
  const printed = run(t, "emacs", ["--batch", "-l", "check.el"], settings, "check.el");
  if (printed === null) return;
  if (printed.includes("no eglot")) return t.skip("eglot is not installed");
  assert.match(printed, /^robots-mode #$/m);
  assert.match(printed, /`Disalow` is misspelled/);
});
