/** Placeholders: what a view shows until the first answer to its question arrives. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HTML, SHOP, start, TEXT } from "./harness.mjs";

const { shop, open } = await start({
  sites: { shop: { "/robots.txt": [200, TEXT, SHOP], "/": [200, HTML, "<title>Shop</title>"] } },
});

/** Reloads the page, and opens the view again: the link may not name it yet. */
async function reload(tester, name) {
  await tester.page.reload();
  await tester.view(name);
}

/** Returns what a function reads from an element. A view may replace the element between finding and reading it. */
async function read(locator, look) {
  for (let tries = 0; tries < 20; tries++) {
    const found = await locator.evaluate(look);
    if (found !== null) return found;
  }
  throw new Error("the element is replaced all the time");
}

/** The views, the endpoint that answers each, and what has to be done before it is asked. */
const VIEWS = [
  ["Test", "/v1/check", reload],
  ["Compare", "/v1/diff", async (tester) => {
    await tester.paste(SHOP);
    await tester.keepAsOriginal();
    await tester.paste(`${SHOP}Disallow: /new/\n`);
  }],
  ["By engine", "/v1/matrix"],
  [/^Mistakes/, "/v1/lint", reload],
  ["Fetch", "/v1/fetch", (tester) => tester.askSite(shop.url)],
  // The view Overview asks for it, too.
  ["AI", "/v1/ai", reload],
  ["Page", "/v1/page", (tester) => tester.checkPage(`${shop.url}/`)],
  ["Sitemaps", "/v1/sitemaps", (tester) => tester.readSitemaps(shop.url)],
  ["Write", "/v1/generate"],
];

for (const [name, path, prepare] of VIEWS) {
  test(`${path} shows three bars until the answer arrives`, async () => {
    const tester = await open({ width: 390, height: 844 });
    const { page } = tester;
    await page.locator("#reasoning .rules").waitFor();
    const send = await tester.hold(path);
    await tester.view(name);
    await prepare?.(tester, name);
    const waiting = tester.panel().getByRole("status").filter({ hasText: "Asking…" }).first();
    await waiting.waitFor();
    const bars = await read(waiting, (element) => {
      if (!element.isConnected) return null;
      const room = element.getBoundingClientRect().width;
      return [...element.querySelectorAll("i")].map((bar) => {
        const { width, height, bottom, top } = bar.getBoundingClientRect();
        const { backgroundColor, animationName } = getComputedStyle(bar);
        return { share: Math.round((100 * width) / room), height, top, bottom, backgroundColor, animationName };
      });
    });
    const all = JSON.stringify(bars);
    assert.deepEqual(bars.map(({ share }) => share), [100, 80, 60], all);
    assert.ok(bars.every(({ height }) => height >= 12), all);
    assert.ok(bars.every(({ top }, nth) => nth === 0 || top > bars[nth - 1].bottom), `they overlap: ${all}`);
    assert.ok(bars.every(({ backgroundColor }) => !/transparent|, 0\)/.test(backgroundColor)), all);
    assert.ok(bars.every(({ animationName }) => animationName === "breathe"), all);
    assert.equal(await tester.overflows(), false);
    send();
    await waiting.waitFor({ state: "detached" });
    await tester.close();
  });
}

test("placeholders do not move with reduced motion", async () => {
  const tester = await open({ reducedMotion: "reduce" });
  const send = await tester.hold("/v1/matrix");
  await tester.view("By engine");
  const bar = tester.panel().locator(".waiting i").first();
  await bar.waitFor();
  const animation = await read(bar, (element) => (element.isConnected ? getComputedStyle(element).animationName : null));
  assert.equal(animation, "none");
  assert.deepEqual(await tester.violations(), []);
  send();
  await bar.waitFor({ state: "detached" });
  await tester.close();
});
