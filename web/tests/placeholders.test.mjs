/** Placeholders: what a view shows until the first answer to its question arrives. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, SHOP, site, Tester } from "./stage.mjs";

let chrome, comity, shop, here;
before(async () => {
  const html = { "content-type": "text/html" };
  shop = await site({ "/robots.txt": [200, { "content-type": "text/plain" }, SHOP], "/": [200, html, "<title>Shop</title>"] });
  [chrome, comity] = [await browser(), await service({ sites: [shop.port] })];
  here = `http://shop.test:${shop.port}`;
});
after(async () => {
  await chrome?.close();
  await comity?.stop();
  await shop?.stop();
});

/** Holds back the answers of an endpoint. Returns the function that sends them. */
async function hold(page, path) {
  let send;
  const held = new Promise((go) => (send = go));
  await page.route(`**${path}*`, async (route) => {
    await held;
    await route.fallback();
  });
  return send;
}

/** Fills the form of a view, and sends it. */
async function ask(tester, label, text, button) {
  await tester.panel().getByLabel(label, { exact: true }).fill(text);
  await tester.panel().getByRole("button", { name: button }).click();
}

/** The views, the endpoint that answers each, and what has to be done before it is asked. */
const VIEWS = [
  ["Test", "/v1/check", (tester) => tester.page.reload()],
  ["Compare", "/v1/diff", (tester) => tester.paste(`${SHOP}Disallow: /new/\n`)],
  ["By engine", "/v1/matrix"],
  [/^Mistakes/, "/v1/lint", (tester) => tester.page.reload()],
  ["Fetch", "/v1/fetch", (tester) => ask(tester, "Site", here, "Ask the site")],
  ["AI", "/v1/ai"],
  ["Page", "/v1/page", (tester) => ask(tester, "Address of the page", `${here}/`, "Check the page")],
  ["Sitemaps", "/v1/sitemaps", (tester) => ask(tester, "Site of the file", here, "Read the sitemaps")],
  ["Write", "/v1/generate"],
];

for (const [name, path, prepare] of VIEWS) {
  test(`${path}: three bars until the answer arrives`, async () => {
    const tester = await Tester.open(chrome, comity.url, { width: 390, height: 844 });
    const { page } = tester;
    await page.locator("#reasoning .rules").waitFor();
    const send = await hold(page, path);
    await tester.view(name);
    await prepare?.(tester);
    const waiting = tester.panel().getByRole("status").filter({ hasText: "Asking…" }).first();
    await waiting.waitFor();
    const bars = await waiting.evaluate((element) => {
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

test("placeholders do not move where motion is unwanted", async () => {
  const tester = await Tester.open(chrome, comity.url, { reducedMotion: "reduce" });
  const send = await hold(tester.page, "/v1/ai");
  await tester.view("AI");
  const bar = tester.panel().locator(".waiting i").first();
  await bar.waitFor();
  assert.equal(await bar.evaluate((element) => getComputedStyle(element).animationName), "none");
  assert.deepEqual(await tester.violations(), []);
  send();
  await bar.waitFor({ state: "detached" });
  await tester.close();
});
