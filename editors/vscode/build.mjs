/** Bundles the extension into one file, so that its package needs no other packages, with their licenses beside it. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  metafile: true,
  platform: "node",
  format: "cjs",
  // The oldest VS Code that is supported has this one.
  target: "node18",
  external: ["vscode"],
});

const folders = Object.keys(metafile.inputs).map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
const licenses = [...new Set(folders)].filter(Boolean).sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!file) throw new Error(`expected a license in ${folder}, found none`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("dist/licenses.txt", licenses.join("\n\n"));
// For the package, and for the report of the tests.
mkdirSync("../../target/vscode", { recursive: true });
