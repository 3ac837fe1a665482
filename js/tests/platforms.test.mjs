/** The package in Deno and in workerd. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { QUESTIONS, VERDICTS } from "./questions.mjs";
import { empty, PACKAGE, program, project } from "./platforms.mjs";
import { content, jsonLines, needsReference, reference } from "./reference.mjs";

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
const DENO = ["--no-prompt", "--cached-only", "--node-modules-dir=manual"];
const PLAIN = { encoding: "utf8", env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } };

test("Deno, without permissions", needsDeno, () => {
  const folder = project("deno-project");
  writeFileSync(path.join(folder, "package.json"), '{"type": "module", "dependencies": {"comity": "*"}}');
  writeFileSync(path.join(folder, "main.js"), `${PROGRAM}\nconsole.log(JSON.stringify(answer(${JSON.stringify(QUESTIONS)})));`);
  const printed = execFileSync(deno, ["run", ...DENO, "main.js"], { ...PLAIN, cwd: folder });
  check(JSON.parse(printed));
});

test("Deno runs the tests of the package", needsDeno, () => {
  const files = ["arguments", "cases", "errors", "golden", "lint-diff", "robots-parser", "url"].map((name) => `tests/${name}.test.mjs`);
  const printed = execFileSync(deno, ["test", "--allow-all", "--no-check", ...DENO, ...files], { ...PLAIN, cwd: PACKAGE });
  const [, passed] = /^ok \| (\d+) passed .*\| 0 failed/m.exec(printed) ?? [];
  assert.ok(Number(passed) > 40, printed);
});

const [workerd, needsWorkerd] = program("workerd");

/** Runs a program in workerd, which asks it with a body. Returns its answer. */
async function askWorker(name, main, body) {
  const folder = empty(name);
  // As a bundler for workerd resolves what the package imports.
  const sources = { "main.js": `${main}\nexport default { fetch: async (request) => Response.json(await answer(await request.json())) };` };
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
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(body) });
    return await response.json();
  } finally {
    child.kill();
  }
}

test("workerd", needsWorkerd, async () => check(await askWorker("worker", PROGRAM, QUESTIONS)));

test("workerd answers recorded questions", needsReference.skip ? needsReference : needsWorkerd, async () => {
  const main = `
    import { Robots } from "comity";
    const answer = (files) =>
      files.map(({ body, cases }) => {
        const robots = new Robots(body, { dialect: "google-parser" });
        return cases.map(([agents, url]) => {
          const { allowed, line } = robots.rulesFor(agents, { literal: true }).checkAsIs(url);
          return [allowed, line ?? 0];
        });
      });`;
  const files = [...jsonLines("verdicts")].slice(0, 200).map(({ file, cases }) => {
    // JSON has text, not bytes.
    const isText = (value) => typeof value === "string" && value.isWellFormed();
    const asked = cases.map((found) => ({ agents: found.agent ?? found.agents, url: content(found, "url"), expected: [found.allowed, found.line] }));
    return { bytes: reference(`corpus/${file}`), asked: asked.filter(({ url }) => isText(url)) };
  });
  const texts = files.filter(({ bytes }) => Buffer.from(bytes.toString()).equals(bytes));
  const body = texts.map(({ bytes, asked }) => ({ body: bytes.toString(), cases: asked.map(({ agents, url }) => [agents, url]) }));
  const expected = texts.map(({ asked }) => asked.map(({ expected }) => expected));
  assert.ok(expected.flat().length > 10_000, `${expected.flat().length}`);
  assert.deepEqual(await askWorker("worker-recorded", main, body), expected);
});

test("workerd starts no module from bytes, and the error says so", needsWorkerd, async () => {
  const main = `
    import { NoWebAssembly, Robots } from "comity/inline";
    const answer = () => {
      try {
        return new Robots("").check("/", "ExampleBot");
      } catch (error) {
        return { refused: error instanceof NoWebAssembly, message: error.message };
      }
    };`;
  const { refused, message } = await askWorker("worker-inline", main, null);
  assert.equal(refused, true);
  assert.match(message, /a Worker needs `comity`, not `comity\/inline`/);
});
