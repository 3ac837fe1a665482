/** Sentences and pictures that readers without knowledge of robots.txt misread before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HTML, SHOP, start, TEXT } from "./harness.mjs";

const NOINDEX = '<meta name="robots" content="noindex"><img src="/internal/a.png">';

const { shop, open } = await start({
  sites: {
    shop: {
      "/robots.txt": [200, TEXT, `# The file of the shop.\n${SHOP}`],
      "/hidden": [200, HTML, NOINDEX],
      "/plain": [200, HTML, "<p>A page."],
      "/internal/a": [200, HTML, "<p>A page."],
    },
  },
});

/** Checks a page for Googlebot in the view Page, and waits for the answer. */
async function checkPage(tester, path) {
  await tester.checkPage(shop.url + path, "Googlebot");
  await tester.panel().locator(".meaning").waitFor();
}

test("a misspelled Disallow: Test and Mistakes name the crawlers that understand it", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisalow: /cart/\n");
  await tester.urls("/cart/");
  await tester.crawlers("bingbot");
  await tester.verdict(0, 0).filter({ hasText: "Perhaps blocked line 2 is misspelled" }).waitFor();
  await tester.page.locator(".main-answer", { hasText: "bingbot perhaps may not fetch /cart/, by line 2, which is misspelled: crawlers may ignore it." }).waitFor();
  await tester.page.locator(".results .verdict.disallowed").first().waitFor({ state: "detached" });
  const reasons = tester.page.locator("#reasoning");
  await reasons.getByText("Line 2: “Disalow” is misspelled. Google understands the line anyway, and so does this test. Other crawlers may ignore it").waitFor();
  await tester.view(/^Mistakes/);
  await tester.panel().getByText("The view Test understands this line, as Google does. For other crawlers it says “Perhaps” where the line decides, because they may ignore it.").waitFor();
  await tester.page.getByLabel("Read as").selectOption("norobots-1996");
  await tester.panel().getByText("The view Test ignores this line").waitFor();
  // Many verdicts, of which none is explained, have the sentence above the table.
  await tester.page.getByLabel("Read as").selectOption("standard");
  await tester.view("Test");
  await tester.urls(...Array.from({ length: 20 }, (_, nth) => `/cart/${nth}`));
  await tester.page.locator(".results").getByText("Line 2: “Disalow” is misspelled.").waitFor();
  await tester.paste("User-agent: *\nDisallow: /cart/\n");
  await tester.page.locator(".results").getByText("is misspelled.").waitFor({ state: "detached" });
  await tester.close();
});

test("a misspelled Disallow: AI, By engine and the grid of signs show Perhaps", async () => {
  const tester = await open();
  await tester.paste("User-agent: GPTBot\nUser-agent: CCBot\nDisalow: /\nAllow: /press/\n");
  await tester.urls("/a");
  await tester.crawlers("GPTBot");
  await tester.view("AI");
  const train = tester.panel().getByRole("region", { name: "Training", exact: true });
  await train.locator(".verdict.partly", { hasText: /^2 may fetch little, if they understand line 3, which is misspelled$/ }).waitFor();
  const row = tester.panel().getByRole("region", { name: "Training: crawlers" }).getByRole("row").filter({ hasText: "GPTBot" });
  await row.filter({ hasText: "Perhaps little" }).filter({ hasText: "line 3 blocks the rest" }).waitFor();
  await tester.view("By engine");
  const cells = tester.panel().locator("table.matrix tbody td");
  await cells.nth(0).filter({ hasText: "Perhaps blocked line 3 is misspelled" }).waitFor();
  assert.match(await cells.nth(1).innerText(), /^\s*Blocked\s+line 3\s*$/);
  await tester.view("Test");
  await tester.crawlers("GPTBot", "CCBot", "Googlebot", "bingbot", "ClaudeBot", "Applebot", "YandexBot");
  await tester.page.locator(".legend", { hasText: "Perhaps: the line has a mistake" }).waitFor();
  await tester.page.locator(".verdicts.compact .verdict.partly", { hasText: "Perhaps blocked line 3" }).first().waitFor();
  await tester.page.locator(".verdicts .verdict.disallowed").first().waitFor({ state: "detached" });
  await tester.close();
});

test("a crawler with rules of its own, which differ, is named above the table", async () => {
  const tester = await open();
  const note = tester.page.getByText("Googlebot has rules of its own in the file, so the rules for everyone (*) do not apply to it.");
  await tester.paste(SHOP);
  await tester.urls("/cart/");
  await tester.crawlers("Googlebot", "bingbot");
  await note.waitFor();
  await tester.urls("/shoes/");
  await note.waitFor({ state: "detached" });
  await tester.close();
});

test("Page: a use that nothing forbids has an answer", async () => {
  const tester = await open();
  await tester.view("Page");
  await checkPage(tester, "/plain");
  const row = tester.panel().getByRole("row", { name: /Train AI with it/ });
  await row.getByText("Nothing forbids it", { exact: true }).waitFor();
  await row.getByText("Neither the file nor the page says anything about it to Googlebot.").waitFor();
  await tester.close();
});

test("AI: crawlers that may fetch but are asked not to train are not green", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /cart/\n");
  await tester.view("AI");
  const card = (name) => tester.panel().getByRole("region", { name, exact: true });
  await card("Training").locator(".verdict.partly", { hasText: /^\d+ may fetch most, but are asked not to train with it$/ }).first().waitFor();
  await card("Training").locator(".verdict.allowed").first().waitFor({ state: "detached" });
  await card("Search").locator(".verdict.allowed", { hasText: "may fetch most" }).first().waitFor();
  const table = tester.panel().getByRole("region", { name: "Training: crawlers" });
  await table.locator(".verdict.partly", { hasText: "Most, but asked not to train with it" }).first().waitFor();
  await table.locator(".verdict.allowed").first().waitFor({ state: "detached" });
  // A preference for one use says nothing about the others.
  await tester.paste("User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n\nUser-agent: ClaudeBot\nAllow: /\n");
  await card("Training").locator(".verdict.allowed", { hasText: /^\d+ may fetch everything$/ }).first().waitFor();
  await card("Training").locator(".verdict.partly", { hasText: "may fetch everything, but are asked not to train with it" }).first().waitFor();
  await card("Search").locator(".verdict.allowed", { hasText: "may fetch everything" }).first().waitFor();
  await tester.paste("User-agent: *\nContent-Signal: ai-input=no\n");
  await card("Agents").locator(".verdict.partly", { hasText: "asked not to answer with it" }).first().waitFor();
  await card("Search").locator(".verdict.partly", { hasText: "asked not to use it for search" }).first().waitFor();
  await card("Training").locator(".verdict.allowed").first().waitFor();
  await tester.close();
});

test("Page: a page with noindex has its own color and sentence", async () => {
  const tester = await open();
  await tester.view("Page");
  const panel = tester.panel();
  await checkPage(tester, "/hidden");
  await panel.getByRole("heading", { name: "Googlebot may fetch this page, but it is not shown in search results" }).waitFor();
  await panel.getByText(/The page asks for that itself, by “.*noindex.*” in a meta tag of the page[.]/).waitFor();
  const border = () => panel.locator(".meaning").evaluate((box) => getComputedStyle(box).borderLeftColor);
  const hidden = await border();
  await checkPage(tester, "/plain");
  await panel.getByRole("heading", { name: "Googlebot may fetch this page and show it in search results." }).waitFor();
  const plain = await border();
  await checkPage(tester, "/internal/a");
  await panel.getByRole("heading", { name: "Googlebot may not fetch this page: line 7 of the robots.txt blocks it." }).waitFor();
  assert.equal(new Set([hidden, plain, await border()]).size, 3);
  await tester.close();
});

test("Page: each line is shown with the file that contains it", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.view("Page");
  const panel = tester.panel();
  await checkPage(tester, "/internal/a");
  await panel.getByText(`Line 7 of the site’s own file, ${shop.url}/robots.txt, decides: Disallow: /internal/. The text in the editor is not used here.`).waitFor();
  await checkPage(tester, "/hidden");
  await panel.getByText(`No line of ${shop.url}/robots.txt is about this page.`).waitFor();
  const row = panel.getByRole("row", { name: /internal\/a\.png/ });
  await row.getByText(`by line 7 of the site’s own file, ${shop.url}/robots.txt`).waitFor();
  await tester.close();
});

test("Page: lines of the file in the editor have no warning", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.view("Page");
  await checkPage(tester, "/internal/a");
  await tester.panel().getByText(`Line 7 of ${shop.url}/robots.txt decides`).waitFor();
  await tester.panel().getByText("the text in the editor is not used here").first().waitFor({ state: "detached" });
  await tester.close();
});

test("Sitemaps: lines of a former text are not links to the editor", async () => {
  const tester = await open();
  await tester.paste(`${SHOP}Sitemap: not an address\nSitemap: ${shop.url}/sitemap.txt\n`);
  await tester.view("Sitemaps");
  const panel = tester.panel();
  await tester.readSitemaps(shop.url);
  await panel.getByRole("button", { name: "line 8" }).waitFor();
  await tester.paste(`# A new first line\n${SHOP}`);
  await panel.getByText("line 8 of the text that was here before: not an address is not a sitemap’s address: expected an absolute URL.").waitFor();
  await panel.getByRole("button", { name: "line 8" }).first().waitFor({ state: "detached" });
  await tester.close();
});

test("Write: the preset for WordPress is about the site's own search, and each question explains itself", async () => {
  const tester = await open();
  await tester.view("Write");
  const panel = tester.panel();
  await panel.getByText("the pages that your site’s own search makes").waitFor();
  assert.doesNotMatch(await panel.innerText(), /out of search results/);
  for (const label of ["Block crawlers for AI training", "Block all AI crawlers", "Also write down how AI and search may use the pages", "Put a comment above each line"]) {
    const choice = panel.locator("label.choice:has([type=checkbox])", { hasText: label });
    assert.ok((await choice.locator(".note").innerText()).length > 20, label);
  }
  await tester.close();
});

test("Compare: on a phone, both answers are on the screen", async () => {
  const tester = await open({ width: 390, height: 844 });
  await tester.paste(SHOP);
  await tester.urls("https://shop.example/cart/checkout/step-one");
  await tester.crawlers("bingbot");
  await tester.keepAsOriginal();
  await tester.paste("User-agent: *\nDisallow: /shoes/\n");
  const table = tester.panel().getByRole("region", { name: "Verdicts that change" });
  await table.getByRole("rowheader", { name: /bingbot/ }).waitFor();
  for (const cell of await table.locator("tbody td").all()) {
    const { left, right } = await cell.locator(".verdict").evaluate((verdict) => verdict.getBoundingClientRect().toJSON());
    const { left: from, right: to } = await table.evaluate((box) => box.getBoundingClientRect().toJSON());
    assert.ok(left >= from && right <= to, JSON.stringify([from, left, right, to]));
  }
  assert.equal(await tester.panel().locator(".pairs").locator("xpath=ancestor::*[@data-more]").getAttribute("data-more"), "");
  await tester.close();
});

test("the filter Blocked shows blocked verdicts only, and arrows move between them", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.crawlers("Googlebot", "bingbot", "GPTBot");
  const paths = ["cart", "internal", "shoes"];
  await tester.urls(...Array.from({ length: 30 }, (_, nth) => `/${paths[nth % 3]}/${nth}`));
  await page.locator(".summary", { hasText: "90 verdicts: 60 allowed, 30 blocked." }).waitFor();
  await page.getByLabel("Show").selectOption("Blocked");
  const grid = page.getByRole("grid", { name: "Verdicts" });
  await page.locator(".sift").getByText("20 URLs of 30, with 30 verdicts “Blocked”.").waitFor();
  assert.equal(await grid.locator("button.cell").count(), 30);
  await grid.locator(".verdict.allowed").first().waitFor({ state: "detached" });
  await grid.getByRole("row", { name: /cart/ }).first().getByText("filtered out", { exact: true }).waitFor();
  // /cart/0 is blocked for bingbot and GPTBot, /internal/1 for Googlebot.
  await tester.verdict(0, 1).getByRole("button").focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.closest("tr").querySelector(".url-path").textContent), "/cart/3");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => document.activeElement.closest("tr").querySelector(".url-path").textContent), "/internal/1");
  // Columns without such a verdict are left out.
  await page.getByLabel("URL contains").fill("cart");
  await grid.getByRole("columnheader", { name: "Googlebot" }).waitFor({ state: "detached" });
  assert.deepEqual(await grid.getByRole("columnheader").locator(".agent-token").allInnerTexts(), ["bingbot", "GPTBot"]);
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("each view explains its words in a closed box", async () => {
  const tester = await open();
  for (const [view, word] of [
    ["Test", "Verdict"],
    ["Compare", "Before and After"],
    ["By engine", "RFC 9309"],
    [/^Mistakes/, "Safe fix"],
    ["Fetch", "Redirect"],
    ["AI", "Preference"],
    ["Page", "noindex"],
    ["Sitemaps", "Sitemap"],
    ["Write", "Path"],
  ]) {
    await tester.view(view);
    const terms = tester.panel().locator("details.terms");
    assert.equal(await terms.getAttribute("open"), null);
    await terms.getByText("What do the words here mean?").click();
    await terms.locator("dl").getByText(word).first().waitFor();
  }
  assert.match(await tester.page.locator(".select").getAttribute("title"), /RFC 9309/);
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("Fetch: a file that is not in the editor is not called the file of the view Test", async () => {
  const tester = await open();
  await tester.view("Fetch");
  const panel = tester.panel();
  await tester.askSite(shop.url);
  await panel.getByText("To see what its rules allow, put the file into the editor: it still has another text.").waitFor();
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await tester.view("Fetch");
  await panel.getByText("The view Test shows what its rules allow.").waitFor();
  await tester.close();
});

test("only the halves scroll, not the whole page, also with a long view", async () => {
  const tester = await open({ width: 1280, height: 800 });
  await tester.paste(`User-agent: *\n${Array.from({ length: 40 }, (_, nth) => `Disalow: /${nth}/\nDisallow: p${nth}/`).join("\n")}\n`);
  await tester.urls(...Array.from({ length: 12 }, (_, nth) => `/${nth}/`));
  for (const view of [/^Mistakes/, "AI", "Write", "By engine"]) {
    await tester.view(view);
    await tester.panel().locator(".waiting").waitFor({ state: "detached" });
    await tester.settled();
    const scrolled = await tester.panel().evaluate((panel) => {
      panel.scrollTop = panel.scrollHeight;
      panel.lastElementChild.scrollIntoView({ block: "start" });
      return [panel.scrollTop > 0, scrollY];
    });
    assert.deepEqual(scrolled, [true, 0], String(view));
  }
  await tester.close();
});
