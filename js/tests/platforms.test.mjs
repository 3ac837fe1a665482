/** The package in Deno and in workerd. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { QUESTIONS, VERDICTS } from "./questions.mjs";
import { PACKAGE, program, project } from "./platforms.mjs";
import { content, jsonLines, needsReference, reference, ROOT } from "./reference.mjs";

/** The tests of the package that run on both platforms. */
const TESTS = ["arguments", "cases", "errors", "lint-diff", "url"];

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
  const files = [...TESTS, "golden", "robots-parser"].map((name) => `tests/${name}.test.mjs`);
  const printed = execFileSync(deno, ["test", "--allow-all", "--no-check", ...DENO, ...files], { ...PLAIN, cwd: PACKAGE });
  const [, passed] = /^ok \| (\d+) passed .*\| 0 failed/m.exec(printed) ?? [];
  assert.ok(Number(passed) > 40, printed);
});

const [workerd, needsWorkerd] = program("workerd");
const [esbuild] = program("esbuild");

/**
 * Runs a program, which has a function `answer`, in workerd, and asks it with a body. Returns its answer. esbuild bundles
 * it, as it does for the command that publishes Workers. `data` has the texts that the program may read as files.
 */
async function askWorker(name, main, body, { options = [], data = {} } = {}) {
  const folder = project(name);
  const handler = "export default { fetch: async (request) => Response.json(await answer(await request.json())) };";
  writeFileSync(path.join(folder, "program.mjs"), `${main}\n${handler}`);
  const bundled = ["--bundle", "--format=esm", "--conditions=workerd", "--external:node:*", "--loader:.wasm=copy", "--asset-names=[name]"];
  execFileSync(esbuild, ["program.mjs", "--outfile=main.js", "--log-level=error", ...bundled, ...options], { cwd: folder });
  const modules = ['(name = "main.js", esModule = embed "main.js")'];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".wasm"))) {
    modules.push(`(name = "${name}", wasm = embed "${name}")`);
  }
  for (const [at, [name, text]] of Object.entries(data).entries()) {
    writeFileSync(path.join(folder, `${at}.txt`), text);
    modules.push(`(name = "${name}", text = embed "${at}.txt")`);
  }
  const config = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker)],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (
      modules = [${modules.join(",\n")}],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ["nodejs_compat"],
    );`;
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
      sleep(60_000, undefined, { ref: false }).then(() => Promise.reject(new Error("workerd does not listen"))),
    ]);
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(body) });
    return await response.json();
  } finally {
    child.kill();
  }
}

test("workerd", needsWorkerd, async () => check(await askWorker("worker", PROGRAM, QUESTIONS)));

test("workerd runs the tests of the package", needsWorkerd, async () => {
  const tests = path.join(PACKAGE, "tests");
  const imports = TESTS.map((name) => `import ${JSON.stringify(path.join(tests, `${name}.test.mjs`))};`);
  const main = `${imports.join("\n")}\nimport { run } from "node:test";\nconst answer = run;`;
  const aliases = ["test", "vm", "child_process"].map((name) => `--alias:node:${name}=${path.join(tests, "workerd-test.mjs")}`);
  // The manifest says that only files of `dist` have side effects, so the imports of tests would be dropped. And workerd
  // shows the modules of a Worker as files in `/bundle`.
  const options = ["--ignore-annotations", ...aliases, '--define:import.meta.dirname="/bundle/js/tests"'];
  const cases = "testdata/cases";
  const data = Object.fromEntries(
    readdirSync(path.join(ROOT, cases)).map((name) => [`${cases}/${name}`, readFileSync(path.join(ROOT, cases, name), "utf8")]),
  );
  const { passed, unavailable, failed } = await askWorker("worker-tests", main, null, { options, data });
  assert.deepEqual(failed, []);
  assert.deepEqual(unavailable, ["bytes of another realm", "answers without WebAssembly are errors"]);
  assert.ok(passed.length > 40, `${passed.length}`);
});

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
