/** The package in bundles of esbuild, vite and Next.js: what they answer, and the errors of bundles without the module. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { describe, test } from "node:test";
import puppeteer from "puppeteer-core";
import { CHROMIUM, missing } from "../../web/tests/browsers.mjs";
import { empty, program, project } from "./platforms.mjs";
import { QUESTIONS, VERDICTS } from "./questions.mjs";

const ENV = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };

/** Returns a program that prints its answers, or the error. */
const printing = (name) => `
  import { Robots } from "${name}";
  try {
    console.log(JSON.stringify(${JSON.stringify(QUESTIONS)}.map(([body, url, crawler]) => new Robots(body).check(url, crawler))));
  } catch (error) {
    console.log(error.name + ": " + error.message);
  }`;

const [esbuild, needsEsbuild] = program("esbuild");
describe("esbuild", needsEsbuild, () => {
  /** Bundles a program, and runs it in a folder where nothing else is. Returns what it prints. */
  function run(main, end, options, start = [`main.${end}`]) {
    const folder = project("esbuild-project");
    writeFileSync(path.join(folder, "main.js"), main);
    execFileSync(esbuild, ["main.js", "--bundle", "--log-level=error", `--outfile=out/main.${end}`, ...options], { cwd: folder });
    const alone = empty("esbuild-alone");
    assert.deepEqual(readdirSync(path.join(folder, "out")), [`main.${end}`]);
    cpSync(path.join(folder, "out"), alone, { recursive: true });
    return execFileSync(process.execPath, start, { cwd: alone, encoding: "utf8" });
  }

  for (const [end, options] of [
    ["mjs", ["--platform=node", "--format=esm"]],
    ["cjs", ["--platform=node", "--format=cjs"]],
    ["mjs", ["--platform=browser", "--format=esm", "--minify"]],
    ["cjs", ["--platform=browser", "--format=iife"]],
  ]) {
    test(`comity/inline, ${options.join(" ")}`, () => {
      assert.deepEqual(JSON.parse(run(printing("comity/inline"), end, options)), VERDICTS);
    });
  }

  // As AWS Lambda calls it: the exported function of the only file, with the event.
  for (const end of ["mjs", "cjs"]) {
    test(`a handler of AWS Lambda in one file, ${end}`, () => {
      const main = `
        import { Robots } from "comity/inline";
        export const handler = async ({ body, url }) => ({ statusCode: new Robots(body).isAllowed(url, "ExampleBot") ? 200 : 403 });`;
      const event = { body: "User-agent: *\nDisallow: /private/\n", url: "https://example.com/private/" };
      const call = `import("./main.${end}").then(({ handler }) => handler(${JSON.stringify(event)})).then(({ statusCode }) => console.log(statusCode))`;
      const options = ["--platform=node", `--format=${end === "mjs" ? "esm" : "cjs"}`, "--minify"];
      assert.equal(run(main, end, options, ["--eval", call]), "403\n");
    });
  }

  for (const [end, ...options] of [
    ["mjs", "--platform=node", "--format=esm"],
    ["cjs", "--platform=node", "--format=cjs"],
    ["mjs", "--platform=browser", "--format=esm"],
  ]) {
    test(`comity without its file, ${options.join(" ")}`, () => {
      const printed = run(printing("comity"), end, options);
      assert.match(printed, /^NoWebAssembly: .* found an error: .*imports `comity\/inline`, which contains it$/m);
      assert.doesNotMatch(printed, /policy/);
    });
  }
});

/** Serves a folder on loopback. Calls a function with the address. */
async function served(folder, call) {
  const types = { ".html": "text/html", ".js": "text/javascript" };
  const server = http.createServer(({ url }, response) => {
    const file = path.join(folder, url === "/" ? "index.html" : url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-type", types[path.extname(file)] ?? "application/octet-stream").end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await call(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    // A browser keeps connections that it never used, for which the server would wait for minutes.
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const [vite, needsVite] = program("vite");
const needsChromium = { skip: missing(CHROMIUM) };
for (const name of ["comity", "comity/inline"]) {
  test(`vite, ${name} in Chromium`, needsVite.skip ? needsVite : needsChromium, async () => {
    const folder = project("vite-project");
    writeFileSync(path.join(folder, "index.html"), '<!doctype html><title>comity</title><script type="module" src="/main.js"></script>');
    writeFileSync(
      path.join(folder, "main.js"),
      `import { Robots } from "${name}";
       globalThis.answer = (questions) => questions.map(([body, url, crawler]) => new Robots(body).check(url, crawler));`,
    );
    execFileSync(vite, ["build", "--logLevel", "error"], { cwd: folder, env: ENV });
    const browser = await puppeteer.launch(CHROMIUM);
    try {
      await served(path.join(folder, "dist"), async (address) => {
        const page = await browser.newPage();
        await page.goto(address);
        await page.waitForFunction(() => globalThis.answer !== undefined, { timeout: 20_000 });
        assert.deepEqual(await page.evaluate((questions) => globalThis.answer(questions), QUESTIONS), VERDICTS);
      });
    } finally {
      await browser.close();
    }
  });
}

const [next, needsNext] = program("next");
for (const [bundler, external] of [["turbopack", false], ["webpack", true]]) {
  const title = external ? "with comity in serverExternalPackages" : "without configuration";
  test(`Next.js with ${bundler}, ${title}`, needsNext, async () => {
    const folder = project(`next-${bundler}`);
    const files = {
      "package.json": '{"private": true, "dependencies": {"comity": "*"}}',
      "next.config.mjs": `export default {
        serverExternalPackages: ${external ? '["comity"]' : "[]"},
        turbopack: { root: ${JSON.stringify(path.dirname(folder))} },
      };`,
      "app/layout.js": "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
      "app/page.js": 'import { Answer } from "./answer.js";\nexport default function Page() { return <Answer />; }',
      "app/answer.js": `"use client";
        import { Robots } from "comity/inline";
        export function Answer() {
          return <p>{new Robots("User-agent: *\\nDisallow: /private/\\n").check("/private/", "ExampleBot").answer}</p>;
        }`,
    };
    for (const [route, name] of [["plain", "comity"], ["inline", "comity/inline"]]) {
      files[`app/${route}/route.js`] = `import { Robots } from "${name}";
        export async function POST(request) {
          const questions = await request.json();
          return Response.json(questions.map(([body, url, crawler]) => new Robots(body).check(url, crawler)));
        }`;
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    execFileSync(next, ["build", `--${bundler}`], { cwd: folder, env: ENV, stdio: ["ignore", "ignore", "inherit"] });
    // The program itself, not the link to it: its end is the end of the server.
    const child = spawn(process.execPath, [next, "start", "--hostname", "127.0.0.1", "--port", "0"], { cwd: folder, env: ENV, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const address = await new Promise((resolve, reject) => {
        let printed = "";
        child.stdout.on("data", (bytes) => {
          printed += bytes;
          const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed);
          if (found) resolve(found[0]);
        });
        child.once("exit", (code) => reject(new Error(`next ended with ${code}: ${printed}`)));
      });
      for (const route of ["plain", "inline"]) {
        const response = await fetch(`${address}/${route}`, { method: "POST", body: JSON.stringify(QUESTIONS) });
        assert.deepEqual(await response.json(), VERDICTS, route);
      }
      assert.match(await (await fetch(address)).text(), /<p>disallowed<\/p>/);
    } finally {
      child.kill();
    }
  });
}
