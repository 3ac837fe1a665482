/** Answers beside the question: reasons below the row, long lists, many crawlers, and files for spreadsheets. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { open } = await start();

/** Returns where an element is in the window. */
const box = (locator) => locator.evaluate((element) => element.getBoundingClientRect().toJSON());

for (const [width, height] of [[1440, 900], [390, 844]]) {
  test(`the main sentence is visible without scrolling, ${width} wide`, async () => {
    const tester = await open({ width, height });
    for (const words of ["12 verdicts: 6 allowed, 2 blocked, 4 perhaps.", "Googlebot may fetch /internal/press/2026.html, by line 11."]) {
      const sentence = tester.page.locator(".answer-bar").getByText(words);
      await sentence.waitFor();
      assert.ok((await box(sentence)).bottom < height / 4, words);
    }
    // Of the reasons, what decides comes first.
    await tester.page.locator("#reasoning").getByText("Line 11 decides: its path is longer (16 characters) than that of line 10 (10 characters).").waitFor();
    const first = await box(tester.page.locator(".because-first"));
    assert.ok(first.top < (await box(tester.page.locator(".steps"))).top);
    if (width > 1000) assert.ok(first.bottom < height, "the deciding sentence needs no scrolling");
    await tester.close();
  });
}

test("a click on a verdict opens its reasons below its row, and in view", async () => {
  const tester = await open({ width: 1440, height: 900, reducedMotion: "reduce" });
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.crawlers("bingbot");
  await tester.urls(...Array.from({ length: 200 }, (_, nth) => `/cart/${nth}`));
  await page.locator(".summary", { hasText: "200 verdicts: 0 allowed, 200 blocked." }).waitFor();
  assert.equal(await page.locator("#reasoning").count(), 0, "nothing is explained before it is asked");
  await tester.verdict(150, 0).getByRole("button").click();
  await page.locator("#reasoning", { hasText: "Line 2 is the only rule that matches, so it decides." }).waitFor();
  const row = await box(tester.verdict(150, 0));
  const title = await box(page.locator("#reasoning-title"));
  assert.ok(title.top >= row.bottom && title.top - row.bottom < 60, "they are below the row");
  assert.ok(row.top > 0 && title.bottom < 900, "both are in view");
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("10,000 URLs are answered, filtered, sorted and saved", async () => {
  const tester = await open({ acceptDownloads: true });
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.crawlers("bingbot");
  const urls = Array.from({ length: 10_000 }, (_, nth) => `/${nth % 4 === 0 ? "cart" : "shoes"}/${nth}`);
  await tester.urls(...urls);
  await page.locator(".summary", { hasText: "10,000 verdicts: 7,500 allowed, 2,500 blocked." }).waitFor();
  await page.getByRole("button", { name: "Show more: 8,500 URLs are left" }).waitFor();
  const status = page.locator(".sift").getByRole("status");
  await page.getByLabel("Show").selectOption("Blocked");
  await status.filter({ hasText: "2,500 URLs of 10,000, with 2,500 verdicts “Blocked”." }).waitFor();
  await page.getByLabel("URL contains").fill("/999");
  await status.filter({ hasText: "2 URLs of 10,000, with 2 verdicts “Blocked”." }).waitFor();
  await page.getByLabel("Sort").selectOption("By URL");
  assert.deepEqual(await page.locator("tr.ask .url-path").allInnerTexts(), ["/cart/9992", "/cart/9996"]);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download as CSV" }).click()]);
  assert.equal(file.suggestedFilename(), "verdicts.csv");
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  assert.equal(lines[0], '\uFEFF"URL","Crawler","Answer","Line","Rule","Asked as"');
  assert.equal(lines[1], '"/cart/9992","bingbot","Blocked","2","Disallow: /cart/","/cart/9992"');
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("CSV contains formulas of spreadsheets as text", async () => {
  const tester = await open({ acceptDownloads: true });
  await tester.paste("User-agent: *\nDisallow: /a\nDisallow: /b\n");
  await tester.crawlers("-cmd", "bingbot");
  await tester.urls('/a";=cmd|x', "/b");
  await tester.page.locator(".summary", { hasText: "4 verdicts: 0 allowed, 4 blocked." }).waitFor();
  const [file] = await Promise.all([
    tester.page.waitForEvent("download"),
    tester.page.getByRole("button", { name: "Download as CSV" }).click(),
  ]);
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  assert.match(lines[1], /^"\/a"";'=cmd\|x","'-cmd","Blocked","2",/);
  for (const line of lines) assert.doesNotMatch(line, /(^|[",;])\s*[=+@-]/, line);
  await tester.close();
});

test("more questions than the service answers at once are named", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: /a\n");
  await tester.crawlers("bingbot", "Googlebot", "GPTBot", "*", "CCBot", "ClaudeBot");
  await tester.urls(...Array.from({ length: 8_500 }, (_, nth) => `/${nth}`));
  await tester.page.getByText("The first 8,333 of 8,500 URLs are tested: with 6 crawlers, the service answers no more at once.").waitFor();
  await tester.close();
});

for (const [width, colorScheme] of [[1440, "light"], [390, "dark"]]) {
  test(`many crawlers are a grid of signs, ${width} wide, ${colorScheme}`, async () => {
    const tester = await open({ width, height: 900, colorScheme });
    const { page } = tester;
    await tester.paste(SHOP);
    await tester.urls("/cart/", "/cart/help", "/internal/");
    await tester.crawlers();
    const box = page.getByRole("combobox", { name: "Crawlers" });
    await box.fill("all known");
    await page.getByRole("option", { name: "All known crawlers" }).click();
    await page.keyboard.press("Escape");
    const grid = page.getByRole("grid", { name: "Verdicts" });
    await grid.locator("thead th").nth(60).waitFor({ state: "attached" });
    assert.equal(await grid.locator("tr.ask").count(), 3);
    const names = await grid.locator("thead th").allInnerTexts();
    const bingbot = names.indexOf("bingbot") - 1;
    const cell = tester.verdict(0, bingbot).getByRole("button");
    assert.equal((await cell.innerText()).trim(), "Blocked line 2");
    assert.match(await cell.getAttribute("title"), /^bingbot: Blocked line 2$/);
    await cell.click();
    await page.locator("#reasoning-title", { hasText: "bingbot may not fetch /cart/" }).waitFor();
    // The reasons stay in the window, though the grid is wider.
    const reasons = await page.locator("#reasoning").evaluate((element) => element.getBoundingClientRect().toJSON());
    assert.ok(reasons.left >= 0 && reasons.right <= width, JSON.stringify(reasons));
    assert.equal(await tester.overflows(), false);
    await cell.press("ArrowRight");
    assert.deepEqual(await tester.violations(), []);
    await tester.close();
  });
}
