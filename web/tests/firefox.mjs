/** Firefox, over WebDriver BiDi: a page of the tester that remembers all that must not happen. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";
import { FIREFOX } from "./browsers.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts Firefox, with further preferences. */
export function firefox(preferences = {}) {
  return puppeteer.launch({ ...FIREFOX, extraPrefsFirefox: { ...FIREFOX.extraPrefsFirefox, ...preferences } });
}

export class Visit {
  #wrong = [];

  static async open(browser, url, { width = 1280, height = 800, scale = 1, theme = "light" } = {}) {
    const visit = new Visit();
    visit.context = await browser.createBrowserContext();
    const page = await visit.context.newPage();
    visit.page = page;
    page.setDefaultTimeout(30_000);
    await page.setViewport({ width, height, deviceScaleFactor: scale });
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) visit.#wrong.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => visit.#wrong.push(`error: ${error}`));
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith("http") && hostname !== "127.0.0.1") visit.#wrong.push(`a request to ${hostname}`);
    });
    await page.evaluateOnNewDocument((theme) => {
      globalThis.violations = [];
      // The editor is in a shadow root.
      globalThis.findAll = (selector) => {
        const roots = [document, ...[...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot).filter(Boolean)];
        return roots.flatMap((root) => [...root.querySelectorAll(selector)]);
      };
      addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
      try {
        localStorage.setItem("theme", theme);
      } catch {
        // A page without storage has no theme.
      }
    }, theme);
    await page.goto(url);
    await visit.see('[role="tab"][aria-selected="true"]');
    // Most tests are about verdicts, as those of `harness.mjs`.
    if ((await page.$('#tab-overview[aria-selected="true"]')) !== null) await visit.click("#tab-test", "Test");
    await visit.see(".summary");
    // The size comes with the sentence above the tabs. A click before it could miss: the sentence moves what is below.
    await visit.see(".status-facts", "bytes");
    return visit;
  }

  /** Waits for an element that contains a text, and returns it. */
  async see(selector, text = "") {
    return this.page.waitForFunction(
      (selector, text) => globalThis.findAll(selector).find((element) => element.checkVisibility() && element.textContent.includes(text)),
      {},
      selector,
      text,
    );
  }

  /** Moves the focus into the editor. */
  async edit() {
    await (await this.see(".cm-content")).focus();
  }

  async click(selector, text) {
    const element = await this.see(selector, text);
    await element.click();
  }

  /** Replaces the content of a field. */
  async fill(selector, text) {
    await this.page.locator(selector).fill(text);
  }

  async chord(...keys) {
    for (const key of keys.slice(0, -1)) await this.page.keyboard.down(key);
    await this.page.keyboard.press(keys.at(-1));
    for (const key of keys.slice(0, -1).reverse()) await this.page.keyboard.up(key);
  }

  /** Returns the findings of axe. Its code is evaluated as a script of the automation, which no policy forbids. */
  async violations() {
    await this.page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    await this.page.evaluate(AXE);
    return this.page.evaluate(async () => {
      const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
      const { violations } = await globalThis.axe.run(document, { runOnly });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
    });
  }

  overflows() {
    return this.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  }

  /** Closes the page, and fails if anything went wrong on it. */
  async close() {
    const violations = await this.page.evaluate(() => globalThis.violations);
    await this.context.close();
    assert.deepEqual([...this.#wrong, ...violations], [], "something happened that must not");
  }
}
