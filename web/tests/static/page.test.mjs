/** The page without a service in Chromium and Firefox, from a plain host with a strict policy, below a path. */

import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import puppeteer from "puppeteer-core";
import { CHROMIUM, FIREFOX, missing } from "../browsers.mjs";
import { firefox, Visit } from "../firefox.mjs";
import { BUILT, host } from "./host.mjs";

const BROWSERS = {
  Chromium: { skip: missing(CHROMIUM), launch: () => puppeteer.launch(CHROMIUM) },
  // As for users: an automated Firefox otherwise loads modules from files.
  Firefox: { skip: missing(FIREFOX), launch: () => firefox({ "security.fileuri.strict_origin_policy": true }) },
};

/** Replaces the text in the editor. */
async function type(visit, ...lines) {
  await visit.edit();
  await visit.chord("Control", "a");
  await visit.page.keyboard.press("Delete");
  for (const [nth, line] of lines.entries()) {
    if (nth > 0) await visit.page.keyboard.press("Enter");
    await visit.page.keyboard.type(line);
  }
}

/** Returns true for a request of the page. The browser requests the icon: when it wants to, or never. */
const isOwn = (url) => !url.includes("favicon");

/** Returns the addresses of the files that the page has requested from its host. */
const requested = ({ url: base, asked }) => asked.map(({ url }) => new URL(url, base).href).filter(isOwn);

for (const [name, { skip, launch }] of Object.entries(BROWSERS)) {
  describe(name, { skip }, () => {
    let browser, files;
    before(async () => {
      [browser, files] = await Promise.all([launch(), host()]);
    });
    after(async () => {
      await browser?.close();
      await files?.stop();
    });

    test("the page answers, and requests nothing after it was loaded but the parts of large views", async () => {
      const visit = await Visit.open(browser, files.url);
      const { page } = visit;
      await visit.see(".summary", "12 verdicts: 6 allowed, 2 blocked, 4 perhaps.");
      await visit.see("#reasoning .rules");
      // The verdicts need all files: the scripts, the worker and its module.
      const loaded = requested(files);
      assert.equal(new Set(loaded).size, loaded.length, `requested twice: ${loaded}`);
      const seen = [];
      page.on("request", (request) => seen.push(request.url()));
      await type(visit, "User-agent: *", "Disallow: /cart/");
      await visit.see(".summary", "blocked");
      await visit.fill(".asked textarea", "/cart/1\n/open\nhttps://m\u00fcller.example/cart/2");
      await visit.see(".cell", "Blocked line 2");
      await visit.see(".cell", "Allowed");
      await visit.click("#tab-compare", "Compare");
      await visit.see(".view-compare", "No original yet");
      await visit.fill("#pasted", "User-agent: *\n");
      await visit.click(".original details button", "Compare with this");
      await visit.see(".view-compare .change", "/cart/");
      await visit.click("#tab-matrix", "By engine");
      await visit.see(".view-matrix table");
      await visit.click("#tab-ai", "AI");
      await visit.see(".view-ai", "GPTBot");
      for (const view of ["fetch", "page", "sitemaps"]) {
        await visit.click(`#tab-${view}`, "");
        await visit.see(`.view-${view}`, "This view needs the service");
      }
      assert.deepEqual(await visit.violations(), []);
      await visit.click("#tab-test", "Test");
      await visit.see(".cell", "Blocked line 2");
      assert.deepEqual(requested(files), loaded);
      await type(visit, "User-agent: *", "Disalow: /cart/");
      await visit.click("#tab-lint", "Mistakes");
      await visit.see(".view-lint .summary", "1 problem");
      await visit.click(".view-lint button.primary", "Apply the safe fix");
      await visit.see(".cm-line", "Disallow: /cart/");
      await visit.see(".view-lint", "No mistakes found");
      const withMistakes = requested(files).slice(loaded.length);
      assert.equal(withMistakes.filter((url) => url.endsWith(".wasm")).length, 1, `${withMistakes}`);
      await visit.click("#tab-generate", "Write");
      await visit.see(".view-generate [aria-label=\"The written file\"]", "User-agent");
      await visit.click("#tab-overview", "Overview");
      await visit.see(".view-overview", "See Mistakes");
      const parts = requested(files).slice(loaded.length);
      assert.equal(parts.filter((url) => url.endsWith(".wasm")).length, 1, `${parts}`);
      assert.deepEqual(await visit.violations(), []);
      loaded.push(...parts);
      // Requests to others do not reach the host. The icons of axe are in its text.
      const others = seen.filter((url) => isOwn(url) && !url.startsWith("data:") && !loaded.includes(url));
      assert.deepEqual(others, []);
      // Nothing was sent with the requests.
      assert.ok(files.asked.every(({ url, method }) => method === "GET" && !url.includes("?")), JSON.stringify(files.asked));
      await visit.close();
    });

    test("the overview looks for mistakes in the user's file, and loads their module for no example", async () => {
      const visit = await Visit.open(browser, files.url);
      await visit.click("#tab-overview", "Overview");
      await visit.see(".view-overview", "Not checked yet: open the view Mistakes.");
      const before = requested(files).filter((url) => /changes.*[.]wasm$/.test(url)).length;
      await type(visit, "User-agent: *", "Disalow: /cart/");
      await visit.see(".part-row", "1 mistake in the file.");
      assert.equal(requested(files).filter((url) => /changes.*[.]wasm$/.test(url)).length, before + 1);
      assert.deepEqual(await visit.violations(), []);
      await visit.close();
    });

    test("a link opens the file below the same path", async () => {
      const visit = await Visit.open(browser, files.url);
      await type(visit, "User-agent: GPTBot", "Disallow: /for-people/");
      await visit.click("button", "Share");
      const link = await visit.page.waitForFunction(() => [...document.querySelectorAll("dialog input")].map(({ value }) => value).find((value) => value.includes("#1")));
      const url = await link.jsonValue();
      assert.ok(url.startsWith(`${files.url}#`), url);
      await visit.close();
      const other = await Visit.open(browser, url);
      await other.see(".cm-line", "Disallow: /for-people/");
      await other.close();
    });

    test("the page opened as a file shows why it does not run", async () => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(pathToFileURL(path.join(BUILT, "index.html")).href);
      await page.waitForFunction(() => document.body.innerText.includes("browsers do not run it as a file"));
      await context.close();
    });

    test("a host that forbids WebAssembly is named as the reason", async () => {
      const strict = await host({ policy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'" });
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(strict.url);
      await page.waitForFunction(() => document.querySelector(".notice")?.textContent.includes("does not allow WebAssembly"));
      await context.close();
      await strict.stop();
    });
  });
}
