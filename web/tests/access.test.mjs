/** For everybody: axe in each view, theme and width; phones; forced colors. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HTML, SHOP, start, TEXT } from "./harness.mjs";

const { shop, open } = await start({
  sites: {
    shop: {
      "/robots.txt": [200, TEXT, SHOP],
      "/": [200, { ...HTML, "x-robots-tag": "nosnippet" }, '<script src="/cart/shop.js"></script><img src="/a.png">'],
      "/sitemap.txt": ({ headers: { host } }) => [200, {}, `http://${host}/\nhttp://${host}/cart/\n`],
    },
  },
});

const VIEWS = ["Test", "Compare", "By engine", /^Mistakes/, "Fetch", "AI", "Page", "Sitemaps", "Write"];

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
      await panel.getByLabel("Before: the file without your changes").fill(SHOP);
      await panel.getByRole("button", { name: "Compare with this" }).click();
      await panel.getByText(/verdicts? changes?\./).waitFor();
      await panel.getByText("Paste the file from before").click();
    }
    if (name === "By engine") await panel.getByRole("table").waitFor();
    if (String(name).includes("Mistakes")) {
      await tester.paste("User-agent: *\nDisalow: /x\nDisallow: y/\n");
      await panel.getByText("Why?").first().click();
    }
    if (name === "Fetch") {
      await look("Fetch, nothing asked");
      await tester.askSite(shop.url);
      await panel.getByText("Header fields").first().click();
      await panel.getByRole("heading", { name: "Fetched versions" }).waitFor();
    }
    if (name === "AI") await panel.getByRole("table").first().waitFor();
    if (name === "Page") {
      await tester.checkPage(`${shop.url}/`);
      await panel.getByRole("table").first().waitFor();
    }
    if (name === "Sitemaps") {
      await tester.paste(`${SHOP}\nSitemap: ${shop.url}/sitemap.txt\n`);
      await tester.readSitemaps(shop.url);
      await panel.locator(".summary", { hasText: "sitemap pages" }).waitFor();
    }
    if (name === "Write") {
      await panel.getByText("More choices").click();
      await panel.getByLabel("The written file").waitFor();
    }
    await look(String(name));
  }
}

/** The rules whose result depends on the colors, and those that depend on the width of the window. */
const OF_COLORS = ["color-contrast"];
const OF_WIDTHS = ["color-contrast", "target-size", "scrollable-region-focusable"];

test("every view: axe in both themes, narrow and wide, with forced colors, and nothing wider than the window", async () => {
  const tester = await open({ colorScheme: "light", reducedMotion: "reduce" });
  const { page } = tester;
  const found = [];
  const look = async (what) => {
    // 720 is a window of 1440 with 200 % zoom.
    for (const width of [1920, 768, 720, 390, 320, 1280]) {
      await page.setViewportSize({ width, height: width < 640 ? 700 : 800 });
      if (await tester.overflows()) found.push(`${what}: wider than ${width}`);
      if (width !== 320 && width !== 1280) continue;
      for (const [scheme, only] of [["dark", width === 320 ? OF_WIDTHS : OF_COLORS], ["light", null]]) {
        await page.emulateMedia({ colorScheme: scheme });
        found.push(...(await tester.violations({ only })).map((one) => `${what}, ${width}, ${scheme}: ${one}`));
      }
    }
    await page.emulateMedia({ forcedColors: "active" });
    found.push(...(await tester.violations()).map((one) => `${what}, forced colors: ${one}`));
    await page.emulateMedia({ forcedColors: "none" });
  };
  await eachView(tester, look);
  await tester.view("Test");
  await tester.urls("");
  await look("no URLs");
  await page.getByRole("combobox", { name: "Crawlers" }).click();
  await look("combobox");
  await page.keyboard.press("Escape");
  await page.keyboard.press("F1");
  await look("help");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel("The link").waitFor();
  await look("share");
  assert.deepEqual(found, []);
  await tester.close();
});

test("with 200 % zoom, the main sentence is visible without scrolling", async () => {
  // A window of 1440 x 900 has half as many pixels then, each twice as large.
  const tester = await open({ width: 720, height: 450, deviceScaleFactor: 2 });
  const sentence = tester.page.locator(".main-answer");
  await sentence.waitFor();
  assert.ok(await sentence.evaluate((element) => element.getBoundingClientRect().bottom < innerHeight));
  await tester.close();
});

test("a phone shows verdicts and reasons, and has large buttons", async () => {
  const tester = await open({ width: 390, height: 844, hasTouch: true, isMobile: true });
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

test("the theme can be switched, and is kept", async () => {
  const tester = await open({ colorScheme: "light" });
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

test("with forced colors, the chosen verdict and the deciding line have an outline", async () => {
  const tester = await open({ forcedColors: "active", reducedMotion: "reduce" });
  const { page } = tester;
  await page.locator("#reasoning .rules").waitFor();
  const chosen = page.locator(".cell[aria-pressed='true']");
  assert.notEqual(await chosen.evaluate((cell) => getComputedStyle(cell).outlineStyle), "none");
  const line = page.locator(".cm-line.decides");
  assert.notEqual(await line.evaluate((line) => getComputedStyle(line).outlineStyle), "none");
  await tester.close();
});

test("changes are announced to screen readers", async () => {
  const tester = await open();
  const said = tester.page.locator("[aria-live='polite']");
  await said.filter({ hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor({ state: "attached" });
  await tester.urls("/cart/x");
  await said.filter({ hasText: "3 verdicts: " }).waitFor({ state: "attached" });
  await tester.close();
});

test("on a phone, a tap explains a line below the text, and no box covers the lines", async () => {
  const tester = await open({ width: 390, height: 844, hasTouch: true, isMobile: true });
  const { page } = tester;
  await tester.paste(SHOP);
  await page.locator(".cm-line", { hasText: "Disallow: /cart/" }).locator("span").last().tap();
  await page.locator(".status-about", { hasText: /^Line 2 Blocks URLs that start with \/cart\/.*Without this line: URLs/ }).waitFor();
  // The box appears 300 ms after a pointer stops.
  await page.waitForTimeout(600);
  await page.locator(".about").first().waitFor({ state: "detached" });
  await tester.close();
});
