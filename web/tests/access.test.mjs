/** For everybody: axe in each view, theme and width; phones; forced colors. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, SHOP, site, Tester } from "./stage.mjs";

let chrome, comity, shop;
before(async () => {
  shop = await site({ "/robots.txt": [200, { "content-type": "text/plain" }, SHOP] });
  [chrome, comity] = [await browser(), await service({ sites: [shop.port] })];
});
after(async () => {
  await chrome?.close();
  await comity?.stop();
  await shop?.stop();
});

const VIEWS = ["Test", "Compare", "Matrix", /^Lint/, "Fetch", "AI"];

/** Goes through all views, each filled with something to see. */
async function eachView(tester, look) {
  const { page } = tester;
  await page.locator("#reasoning .rules").waitFor();
  for (const name of VIEWS) {
    await tester.view(name);
    const panel = tester.panel();
    if (name === "Compare") {
      await look("Compare, no difference");
      await tester.paste(`${SHOP}\nUser-agent: bingbot\nDisallow: /\n`);
      await panel.getByText(/verdicts? changes?\./).waitFor();
      await panel.getByText("Paste another original").click();
    }
    if (name === "Matrix") await panel.getByRole("table").waitFor();
    if (String(name).includes("Lint")) {
      await tester.paste("User-agent: *\nDisalow: /x\nDisallow: y/\n");
      await panel.getByText("Why?").first().click();
    }
    if (name === "Fetch") {
      await look("Fetch, nothing asked");
      await panel.getByLabel("Site").fill(`http://shop.test:${shop.port}`);
      await panel.getByRole("button", { name: "Ask the site" }).click();
      await panel.getByText("Header fields").first().click();
    }
    if (name === "AI") await panel.getByRole("table").first().waitFor();
    await look(String(name));
  }
}

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[1280, 800], [390, 844], [320, 640]]) {
    test(`axe finds nothing: ${colorScheme}, ${width} wide`, async () => {
      const tester = await Tester.open(chrome, comity.url, { colorScheme, width, height });
      const found = [];
      await eachView(tester, async (what) => {
        found.push(...(await tester.violations()).map((one) => `${what}: ${one}`));
      });
      await tester.view("Test");
      await tester.urls("");
      found.push(...(await tester.violations()).map((one) => `no URLs: ${one}`));
      await tester.page.getByRole("combobox", { name: "Crawlers" }).click();
      found.push(...(await tester.violations()).map((one) => `combobox: ${one}`));
      await tester.page.keyboard.press("Escape");
      await tester.page.keyboard.press("F1");
      found.push(...(await tester.violations()).map((one) => `help: ${one}`));
      await tester.page.keyboard.press("Escape");
      await tester.page.getByRole("button", { name: "Share" }).click();
      await tester.page.getByLabel("The link").waitFor();
      found.push(...(await tester.violations()).map((one) => `share: ${one}`));
      assert.deepEqual(found, []);
      await tester.close();
    });
  }
}

test("axe finds nothing with forced colors", async () => {
  const tester = await Tester.open(chrome, comity.url, { forcedColors: "active" });
  const found = [];
  await eachView(tester, async (what) => {
    found.push(...(await tester.violations()).map((one) => `${what}: ${one}`));
  });
  assert.deepEqual(found, []);
  await tester.close();
});

test("with 200 % zoom, no view is wider than the window, and the main sentence is there", async () => {
  // A window of 1440 x 900 has half as many pixels then, each twice as large.
  const tester = await Tester.open(chrome, comity.url, { width: 720, height: 450, deviceScaleFactor: 2 });
  const sentence = tester.page.locator(".main-answer");
  await sentence.waitFor();
  assert.ok(await sentence.evaluate((element) => element.getBoundingClientRect().bottom < innerHeight));
  const wide = [];
  await eachView(tester, async (what) => {
    if (await tester.overflows()) wide.push(what);
  });
  assert.deepEqual(wide, []);
  await tester.close();
});

for (const width of [320, 390, 768, 1920]) {
  test(`no view is wider than ${width} pixels`, async () => {
    const tester = await Tester.open(chrome, comity.url, { width, height: 700 });
    const wide = [];
    await eachView(tester, async (what) => {
      if (await tester.overflows()) wide.push(what);
    });
    assert.deepEqual(wide, []);
    await tester.close();
  });
}

test("a phone: type, choose, read why", async () => {
  const tester = await Tester.open(chrome, comity.url, { width: 390, height: 844, hasTouch: true, isMobile: true });
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.urls("/cart/");
  await tester.crawlers("bingbot", "Googlebot");
  const table = page.getByRole("grid", { name: "Verdicts" });
  await table.getByRole("row", { name: /bingbot/ }).getByRole("button", { name: "Blocked line 2" }).tap();
  await page.locator("#reasoning-title", { hasText: "bingbot may not fetch /cart/" }).waitFor();
  assert.ok(await page.locator("#reasoning-title").isVisible());
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, summary")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 24)
      .map((element) => element.outerHTML.slice(0, 90)),
  );
  assert.deepEqual(small, [], "WCAG 2.5.8 wants 24 pixels");
  await tester.close();
});

test("the theme can be switched, and stays", async () => {
  const tester = await Tester.open(chrome, comity.url, { colorScheme: "light" });
  const { page } = tester;
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await page.getByRole("button", { name: /^Theme: dark/ }).waitFor();
  assert.equal(await paper(), dark);
  await tester.close();
});

test("forced colors and reduced motion", async () => {
  const tester = await Tester.open(chrome, comity.url, { forcedColors: "active", reducedMotion: "reduce" });
  const { page } = tester;
  await page.locator("#reasoning .rules").waitFor();
  const chosen = page.locator(".cell[aria-pressed='true']");
  assert.notEqual(await chosen.evaluate((cell) => getComputedStyle(cell).outlineStyle), "none");
  const line = page.locator(".cm-line.decides");
  assert.notEqual(await line.evaluate((line) => getComputedStyle(line).outlineStyle), "none");
  await tester.close();
});

test("what changes is said aloud", async () => {
  const tester = await Tester.open(chrome, comity.url);
  const said = tester.page.locator("[aria-live='polite']");
  await said.filter({ hasText: "12 verdicts: 6 allowed, 6 blocked." }).waitFor({ state: "attached" });
  await tester.urls("/cart/x");
  await said.filter({ hasText: "3 verdicts: " }).waitFor({ state: "attached" });
  await tester.close();
});
