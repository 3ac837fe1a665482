/** The site in Chromium and Firefox, below a path: `SITE` names its folder, which `cargo xtask site` builds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import puppeteer from "puppeteer-core";
import { CHROMIUM, FIREFOX, missing } from "../browsers.mjs";
import { firefox } from "../firefox.mjs";
import { host, ROOT } from "../static/host.mjs";

const SITE = path.resolve(process.env.SITE ?? path.join(ROOT, "target/site/book"));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const BROWSERS = {
  Chromium: { skip: missing(CHROMIUM), launch: () => puppeteer.launch(CHROMIUM) },
  Firefox: { skip: missing(FIREFOX), launch: () => firefox() },
};

/** A page of each kind. */
const PAGES = ["", "docs/site-owners.html", "docs/lints/allow-only-group.html", "docs/crawlers.html", "COMPARE.html", "docs/glossary.html", "api.html", "docs/performance.html", "404.html"];

/** The pages that axe examines in each theme. In the first theme, and in one browser, it examines all. */
const EXAMINED = ["", "docs/lints/allow-only-group.html", "docs/crawlers.html"];

/** The themes that a visitor gets without a choice, by the preference of the system. */
const THEMES = { light: "light", dark: "navy" };

for (const [name, { skip, launch }] of Object.entries(BROWSERS)) {
  describe(name, { skip }, () => {
    let browser, site;
    before(async () => {
      [browser, site] = await Promise.all([launch(), host({ root: SITE, base: "/comity/", policy: null })]);
    });
    after(async () => {
      await browser?.close();
      await site?.stop();
    });

    /** Opens a page of the site, and collects all that must not happen. */
    async function open(address, { width = 1280, scheme = "light" } = {}) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const wrong = [];
      page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => wrong.push(`error: ${error}`));
      page.on("request", (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith("http") && hostname !== "127.0.0.1") wrong.push(`a request to ${hostname}`);
      });
      page.on("response", (response) => response.status() >= 400 && !response.url().endsWith("favicon.ico") && wrong.push(`${response.status()} ${response.url()}`));
      page.setDefaultTimeout(30_000);
      await page.setViewport({ width, height: 800 });
      if (name === "Chromium") await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      else await page.evaluateOnNewDocument((theme) => localStorage.setItem("mdbook-theme", JSON.stringify(theme)), THEMES[scheme]);
      await page.goto(site.url + address);
      return {
        page,
        see: (selector, text = "") =>
          page.waitForFunction((selector, text) => [...document.querySelectorAll(selector)].find((found) => found.checkVisibility() && found.textContent.includes(text)), {}, selector, text),
        async close() {
          await context.close();
          assert.deepEqual(wrong, [], `${address}: something happened that must not`);
        },
      };
    }

    for (const scheme of Object.keys(THEMES)) {
      test(`axe finds nothing on the pages in ${scheme}`, async () => {
        const isFirst = name === "Chromium" && scheme === "light";
        for (const address of isFirst ? PAGES : EXAMINED) {
          const { page, close } = await open(address, { scheme });
          assert.ok(await page.evaluate((theme) => document.documentElement.classList.contains(theme), THEMES[scheme]), `${address} is not in ${scheme}`);
          await page.evaluate(AXE);
          const found = await page.evaluate(async () => {
            const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
            const { violations } = await globalThis.axe.run(document, { runOnly });
            return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
          });
          assert.deepEqual(found, [], address);
          await close();
        }
      });
    }

    test("no page is wider than a phone", async () => {
      for (const address of PAGES) {
        const { page, close } = await open(address, { width: 390 });
        const [shown, whole] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
        assert.ok(whole <= shown, `${address} is ${whole} pixels wide, of ${shown}`);
        await close();
      }
    });

    test("an example opens in the tester, with its file", async () => {
      const { page, see, close } = await open("docs/site-owners.html");
      await (await see(".try a", "Open this in the tester")).click();
      await page.waitForFunction(() => location.pathname === "/comity/try/");
      await see("#tab-ai[aria-selected=true]");
      await see(".view-ai", "GPTBot");
      await close();
    });

    test("the example of a lint opens with that finding", async () => {
      const { see, close } = await open("docs/lints/allow-only-group.html");
      await (await see(".try a", "Open this file")).click();
      await see(".view-lint", "L023");
      await close();
    });

    test("crawlers are found by name and by use", async () => {
      const { page, see, close } = await open("docs/crawlers.html");
      const shown = () => page.evaluate(() => [...document.querySelectorAll("main tbody tr")].filter((row) => row.checkVisibility()).map(({ cells }) => cells[0].textContent));
      const all = await shown();
      assert.ok(all.length > 250, `${all.length}`);
      await page.type("form.crawlers input", "openai");
      await see("form.crawlers p", "crawlers");
      const ofOpenAi = await shown();
      assert.ok(ofOpenAi.includes("GPTBot") && ofOpenAi.length < 15, `${ofOpenAi}`);
      await page.select("form.crawlers select", "Training");
      assert.deepEqual(await shown(), ["GPTBot"]);
      assert.match(page.url(), /\?name=openai&use=Training$/);
      await page.reload();
      await see("form.crawlers p", "1 crawler");
      assert.deepEqual(await shown(), ["GPTBot"]);
      await close();
    });

    test("the search finds a lint", async () => {
      const { page, see, close } = await open("docs/glossary.html");
      await page.click("#mdbook-search-toggle, #search-toggle");
      await page.type("#mdbook-searchbar, #searchbar", "staging leftover");
      await see("#mdbook-searchresults a, #searchresults a", "staging-leftover");
      await close();
    });
  });
}
