/** The package in Chromium and Firefox, from a static host with a strict content security policy. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import puppeteer from "puppeteer-core";
import { CHROMIUM, FIREFOX, missing } from "../../web/tests/browsers.mjs";
import { QUESTIONS, VERDICTS } from "./questions.mjs";

const DIST = path.resolve(import.meta.dirname, "../dist");
const TYPES = { ".js": "text/javascript", ".wasm": "application/octet-stream" };

// What a bundler resolves, for a page without one.
const MAP = JSON.stringify({
  imports: {
    comity: "./dist/index.js",
    "comity/diff": "./dist/diff.js",
    "comity/lint": "./dist/lint.js",
    "#check": "./dist/load/web/check.js",
    "#lint": "./dist/load/web/lint.js",
    "#diff": "./dist/load/web/diff.js",
  },
});
const HASH = createHash("sha256").update(MAP).digest("base64");
const PAGE = `<!doctype html><title>comity</title><script type="importmap">${MAP}</script><script type="module" src="page.js"></script>`;
const PROGRAM = `
  import { NoWebAssembly, Robots } from "comity";
  globalThis.answer = async (questions) => {
    const { lint } = await import("comity/lint");
    const { diff } = await import("comity/diff");
    try {
      return {
        verdicts: questions.map(([body, url, crawler]) => new Robots(body).check(url, crawler)),
        findings: lint("User-agent: *\\nDisallow: private/\\n").length,
        outcome: diff("", "User-agent: *\\nDisallow: /\\n").outcome,
      };
    } catch (error) {
      return { refused: error instanceof NoWebAssembly, message: error.message };
    }
  };`;

let server;
let origin;
before(async () => {
  server = http.createServer(({ url }, response) => {
    const allows = url.startsWith("/strict/") ? "" : " 'wasm-unsafe-eval'";
    response.setHeader("content-security-policy", `default-src 'none'; connect-src 'self'; script-src 'self'${allows} 'sha256-${HASH}'`);
    const name = url.replace(/^\/[a-z]+\//, "");
    const file = path.join(DIST, name.replace(/^dist\//, ""));
    if (name === "") response.setHeader("content-type", "text/html").end(PAGE);
    else if (name === "page.js") response.setHeader("content-type", "text/javascript").end(PROGRAM);
    else if (name.startsWith("dist/") && existsSync(file)) {
      response.setHeader("content-type", TYPES[path.extname(name)]).end(readFileSync(file));
    } else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

for (const options of [CHROMIUM, FIREFOX]) {
  describe(options.browser, { skip: missing(options) }, () => {
    let browser;
    before(async () => {
      browser = await puppeteer.launch(options);
    });
    after(() => browser?.close());

    const ask = async (folder) => {
      const page = await browser.newPage();
      await page.goto(`${origin}/${folder}/`);
      await page.waitForFunction(() => globalThis.answer !== undefined);
      return page.evaluate((questions) => globalThis.answer(questions), QUESTIONS);
    };

    test("verdicts are those of Node", async () => {
      const { verdicts, findings, outcome } = await ask("sub");
      assert.deepEqual(verdicts, VERDICTS);
      assert.ok(findings > 0);
      assert.equal(outcome, "differs");
    });

    test("a policy that forbids WebAssembly is an error", async () => {
      const { refused, message } = await ask("strict");
      assert.equal(refused, true);
      assert.match(message, /'wasm-unsafe-eval'/);
    });
  });
}
