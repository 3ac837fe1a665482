/** The package in Deno and in workerd, where `cargo xtask test` could install them. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { QUESTIONS, VERDICTS } from "./questions.mjs";
import { ROOT } from "./reference.mjs";

const PACKAGE = path.join(ROOT, "js");
const FOLDER = path.join(ROOT, "target/js/platforms");

/** Returns a program of a package of the registry, and the option of a test that needs it. */
function program(name) {
  const file = path.join(FOLDER, "node_modules/.bin", name);
  return [file, { skip: existsSync(file) ? false : `${name} is not there; cargo xtask test installs it` }];
}

/** Returns an empty folder. */
function empty(name) {
  const folder = path.join(FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const PROGRAM = `
  import { Robots } from "comity";
  import { diff } from "comity/diff";
  import { lint } from "comity/lint";
  const answer = (questions) => ({
    verdicts: questions.map(([body, url, crawler]) => new Robots(body).check(url, crawler)),
    findings: lint("User-agent: *\\nDisallow: private/\\n").length,
    outcome: diff("", "User-agent: *\\nDisallow: /\\n").outcome,
  });`;

function check({ verdicts, findings, outcome }) {
  assert.deepEqual(verdicts, VERDICTS);
  assert.ok(findings > 0);
  assert.equal(outcome, "differs");
}

const [deno, needsDeno] = program("deno");
test("Deno, without permissions", needsDeno, () => {
  const folder = empty("deno-project");
  const installed = path.join(folder, "node_modules/comity");
  for (const name of ["package.json", "dist"]) cpSync(path.join(PACKAGE, name), path.join(installed, name), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{"type": "module", "dependencies": {"comity": "*"}}');
  writeFileSync(path.join(folder, "main.js"), `${PROGRAM}\nconsole.log(JSON.stringify(answer(${JSON.stringify(QUESTIONS)})));`);
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } };
  const printed = execFileSync(deno, ["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual", "main.js"], options);
  check(JSON.parse(printed));
});

const [workerd, needsWorkerd] = program("workerd");
test("workerd", needsWorkerd, async () => {
  const folder = empty("worker");
  // As a bundler for workerd resolves what the package imports.
  const sources = { "main.js": `${PROGRAM}\nexport default { fetch: async (request) => Response.json(answer(await request.json())) };` };
  const dist = path.join(PACKAGE, "dist");
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".js"))) {
    sources[`comity/${name}`] = readFileSync(path.join(dist, name), "utf8");
  }
  for (const module of ["check", "lint", "diff"]) {
    sources[`comity/load/workerd/${module}.js`] = readFileSync(path.join(dist, "load/workerd", `${module}.js`), "utf8");
  }
  const resolved = (text) =>
    text.replace(/"#(\w+)"/g, '"./load/workerd/$1.js"').replace(/"comity"/g, '"./comity/index.js"').replace(/"comity\/(\w+)"/g, '"./comity/$1.js"');
  const modules = [];
  for (const [name, text] of Object.entries(sources)) {
    const file = name.replaceAll("/", "-");
    writeFileSync(path.join(folder, file), resolved(text));
    modules.push(`(name = "${name}", esModule = embed "${file}")`);
  }
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".wasm"))) {
    cpSync(path.join(dist, name), path.join(folder, name));
    modules.push(`(name = "comity/${name}", wasm = embed "${name}")`);
  }
  const config = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker)],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (modules = [${modules.join(",\n")}], compatibilityDate = "2026-01-01");`;
  writeFileSync(path.join(folder, "config.capnp"), config);
  const child = spawn(workerd, ["serve", "config.capnp", "--control-fd=3"], { cwd: folder, stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    const port = await Promise.race([
      new Promise((resolve) => {
        let told = "";
        child.stdio[3].on("data", (bytes) => {
          told += bytes;
          const found = /"port":\s*(\d+)/.exec(told);
          if (found) resolve(Number(found[1]));
        });
      }),
      new Promise((_, reject) => child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)))),
      sleep(30_000, undefined, { ref: false }).then(() => Promise.reject(new Error("workerd does not listen"))),
    ]);
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(QUESTIONS) });
    check(await response.json());
  } finally {
    child.kill();
  }
});
