/**
 * Tests in Firefox, over WebDriver BiDi, of all that can differ between browsers: the editor, keys, history, storage,
 * links, layout, and axe. The logic of the views is the same code in every browser, and is tested in Chromium.
 *
 * Not here, because they need the protocol of Chromium or Playwright: long tasks and memory (`large.test.mjs`), the
 * clock (`offline.test.mjs`), the clipboard and downloads (`files.test.mjs`), and touch (`access.test.mjs`).
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FIREFOX, missing } from "./browsers.mjs";
import { firefox, Visit } from "./firefox.mjs";
import { service, site } from "./harness.mjs";

const VIEWS = ["test", "compare", "matrix", "lint", "fetch", "ai", "page", "sitemaps", "generate"];
const skip = missing(FIREFOX);

let browser, forced, comity, shop;
before(async () => {
  if (skip) return;
  shop = await site({ "/robots.txt": [200, { "content-type": "text/plain" }, "User-agent: *\nDisallow: /cart/\n"] });
  [browser, comity] = await Promise.all([firefox(), service({ sites: [shop.port] })]);
});
after(async () => {
  await browser?.close();
  await forced?.close();
  await comity?.stop();
  await shop?.stop();
});

test("Firefox: typing, undoing, reasons, going back, reloading", { skip }, async () => {
  const visit = await Visit.open(browser, comity.url);
  const { page } = visit;
  await visit.edit();
  await visit.chord("Control", "End");
  await page.keyboard.type("\nUser-agent: bingbot\nDisallow: /");
  await visit.see(".cell", "Blocked line 24");
  await visit.chord("Control", "z");
  await page.waitForFunction(() => ![...document.querySelectorAll(".cell")].some((cell) => cell.textContent.includes("line 24")));
  await visit.chord("Control", "y");
  await visit.see(".cell", "Blocked line 24");
  // Tab leaves the editor.
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.shadowRoot === null));
  await visit.click(".cell", "Blocked line 24");
  await visit.see("#reasoning-title", "bingbot may not fetch");
  await visit.see(".cm-line.decides", "Disallow: /");
  // Keys: to the editor and back, and between the verdicts.
  await visit.chord("Control", ".");
  assert.ok(await page.evaluate(() => document.activeElement.shadowRoot !== null));
  await visit.chord("Control", ".");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("cell")));
  // Back moves between the views, and keeps the work; so does a reload.
  await visit.click("#tab-matrix", "By engine");
  await visit.see('[aria-selected="true"]', "By engine");
  await page.goBack();
  await visit.see('[aria-selected="true"]', "Test");
  await page.reload();
  await visit.see(".cm-line", "User-agent: bingbot");
  await visit.see(".cell", "Blocked line 24");
  await visit.close();
});

test("Firefox: a list of URLs that fits has no scrollbar", { skip }, async () => {
  const visit = await Visit.open(browser, comity.url);
  const { page } = visit;
  const bar = () => page.$eval("#urls", (list) => list.offsetWidth - list.clientWidth - 2 * list.clientLeft);
  assert.equal(await bar(), 0);
  await visit.fill("#urls", Array.from({ length: 30 }, (_, nth) => `/${nth}`).join("\n"));
  assert.notEqual(await page.$eval("#urls", (list) => getComputedStyle(list).overflowY), "hidden", "a longer one scrolls");
  await visit.close();
});

test("Firefox: a pasted text replaces the whole file, and a shared link carries it", { skip }, async () => {
  const visit = await Visit.open(browser, comity.url);
  const { page } = visit;
  await visit.edit();
  await visit.chord("Control", "a");
  await page.evaluate(() => {
    const [content] = globalThis.findAll(".cm-content");
    // Firefox takes the text of a synthetic event in this form.
    const text = { dataType: "text/plain", data: "User-agent: *\nDisallow: /caf\u00e9/\n" };
    content.dispatchEvent(new ClipboardEvent("paste", { ...text, bubbles: true, cancelable: true }));
  });
  await visit.see(".cm-line", "Disallow: /caf\u00e9/");
  await visit.fill(".asked textarea", "/caf\u00e9/x");
  await visit.see(".cell", "Blocked line 2");
  await visit.click("button", "Share");
  await visit.see("dialog[open]");
  const link = await page.waitForFunction(() => [...document.querySelectorAll("dialog input")].map(({ value }) => value).find((value) => value.includes("#1")));
  const url = await link.jsonValue();
  await visit.close();
  const other = await Visit.open(browser, url);
  await other.see(".cm-line", "Disallow: /caf\u00e9/");
  await other.see(".cell", "Blocked line 2");
  await other.close();
});

test("Firefox: one address fetches the file of its site, and tests the page", { skip }, async () => {
  const visit = await Visit.open(browser, comity.url);
  await visit.fill("#site", `http://shop.test:${shop.port}/cart/1`);
  await visit.click("button.primary", "Fetch");
  await visit.see("#reasoning-title", `Googlebot may not fetch http://shop.test:${shop.port}/cart/1`);
  await visit.close();
});

test("Firefox: axe in both themes, and nothing wider than the window, also at 320 pixels and with 200 % zoom", { skip }, async () => {
  const found = [];
  for (const [theme, width, height, scale] of [["light", 1280, 800, 1], ["dark", 320, 640, 1], ["dark", 640, 400, 2]]) {
    const visit = await Visit.open(browser, comity.url, { theme, width, height, scale });
    for (const view of VIEWS) {
      await visit.page.$eval(`#tab-${view}`, (tab) => tab.click());
      await visit.see(`.view-${view}`);
      if (await visit.overflows()) found.push(`${view}: wider than ${width}`);
      // With zoom, only the layout differs.
      if (scale === 1) found.push(...(await visit.violations()).map((one) => `${view}, ${theme}: ${one}`));
    }
    await visit.close();
  }
  assert.deepEqual(found, []);
});

test("Firefox: with forced colors, the chosen verdict and the deciding line have an outline", { skip }, async () => {
  forced = await firefox({ "browser.display.document_color_use": 2 });
  const visit = await Visit.open(forced, comity.url);
  assert.ok(await visit.page.evaluate(() => matchMedia("(forced-colors: active)").matches));
  await visit.see("#reasoning .rules");
  await visit.see(".cm-line.decides");
  for (const selector of [".cell[aria-pressed='true']", ".cm-line.decides"]) {
    const style = await visit.page.evaluate((selector) => getComputedStyle(globalThis.findAll(selector)[0]).outlineStyle, selector);
    assert.notEqual(style, "none", selector);
  }
  assert.deepEqual(await visit.violations(), []);
  await visit.close();
});
