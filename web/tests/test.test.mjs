/** The view Test: verdicts as one types, and why. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { open } = await start();

async function reads(locator, words) {
  await locator.filter({ hasText: words }).waitFor();
}

test("the first visit shows an example with verdicts and reasons", async () => {
  const tester = await open();
  const { page } = tester;
  await reads(page.locator(".summary"), "12 verdicts: 6 allowed, 2 blocked, 4 perhaps.");
  await reads(page.locator("#reasoning-title"), "Googlebot may fetch https://shop.example/internal/press/2026.html");
  await reads(page.locator("#reasoning"), "Line 11 decides: its path is longer (16 characters) than that of line 10 (10 characters).");
  await reads(page.locator(".cm-line.decides-allow"), "Allow: /internal/press/");
  await reads(page.locator(".cm-line.runner-up"), "Disallow: /internal/");
  await tester.close();
});

test("verdicts follow the typed text", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.urls("https://shop.example/cart/", "https://shop.example/cart/help");
  await tester.crawlers("bingbot", "Googlebot");
  await reads(tester.verdict(0, 0), "Blocked line 2");
  await reads(tester.verdict(0, 1), "Allowed");
  await reads(tester.verdict(1, 0), "Allowed line 3");
  await tester.page.keyboard.press("Escape");
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+End");
  await tester.page.keyboard.type("Disallow: /cart/");
  await reads(tester.verdict(0, 1), "Blocked line 8");
  await tester.close();
});

test("a click on a verdict shows the group, the rules and the rule that decides", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.urls("https://shop.example/cart/help");
  await tester.crawlers("bingbot", "Googlebot-Image");
  await reads(tester.verdict(0, 0), "Allowed line 3");
  await tester.verdict(0, 0).getByRole("button").click();
  const reasoning = page.locator("#reasoning");
  await reads(reasoning, "bingbot is a crawler of Microsoft, for search. Without its own group it uses that of msnbot.");
  await reads(reasoning, "No group names bingbot or msnbot, so the group for everyone applies (line 1).");
  await reads(reasoning, "2 of 2 rules in that group match /cart/help.");
  await reads(page.locator(".rules tr.wins"), "Allow: /cart/help");
  await reads(page.locator(".rules tr.wins"), "decides");
  await reads(page.locator(".rules"), "runner-up");
  await tester.verdict(0, 1).getByRole("button").click();
  await reads(reasoning, "No group names Googlebot-Image. It uses the group of Googlebot (line 5): this group applies.");
  await reads(reasoning, "No rule of the group matches this path, so it is allowed.");
  await page.locator(".cm-line.decides").first().waitFor({ state: "detached" });
  await tester.close();
});

test("verdicts differ by dialect, site, and crawlers that do not obey robots.txt", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.urls("https://shop.example/internal/press/", "https://other.example/cart/", "/cart/");
  await tester.crawlers("Googlebot", "FeedFetcher-Google");
  await reads(tester.verdict(0, 0), "Allowed line 7");
  await reads(tester.verdict(0, 1), "Does not obey");
  await reads(tester.verdict(1, 0), "Other site");
  await page.getByLabel("Read as").selectOption("norobots-1996");
  await reads(tester.verdict(0, 0), "Blocked line 6");
  await tester.verdict(0, 0).getByRole("button").click();
  await reads(page.locator("#reasoning"), "in the draft of 1996 the first rule that matches decides");
  await tester.close();
});

test("text that is no URL is listed, and the others are answered", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.crawlers("*");
  await tester.urls("ftp://shop.example/", "shop.example/cart/");
  await reads(tester.page.locator("#urls-note"), "“ftp://shop.example/” is no URL");
  await reads(tester.verdict(0, 0), "Blocked line 2");
  await tester.close();
});

test("a path of two slashes is listed, and the others are answered", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.crawlers("*");
  await tester.urls("//shop.example/x", "https://shop.example/cart/", "cart");
  await reads(tester.page.locator("#urls-note"), "“//shop.example/x” is no URL, and is left out");
  await reads(tester.page.locator("#urls-note"), "1 more line is left out, too.");
  await reads(tester.verdict(0, 0), "Blocked line 2");
  await tester.panel().getByText("No answer.").first().waitFor({ state: "detached" });
  await tester.close();
});

test("a URL that only the service refuses is listed, and the others are answered", async () => {
  const tester = await open();
  const { page } = tester;
  await page.route("**/v1/check", (route) => {
    if (!route.request().postDataJSON().urls.includes("https://odd.example/")) return route.fallback();
    const problem = { title: "Unprocessable Content", status: 422, detail: "an odd URL", url: "https://odd.example/" };
    return route.fulfill({ status: 422, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(problem) });
  });
  tester.forgives = /422/;
  await tester.paste(SHOP);
  await tester.crawlers("*");
  await tester.urls("https://shop.example/cart/", "https://odd.example/");
  await reads(page.locator("#urls-note"), "“https://odd.example/” is left out: an odd URL.");
  await reads(tester.verdict(0, 0), "Blocked line 2");
  await tester.panel().getByText("No answer.").first().waitFor({ state: "detached" });
  await tester.close();
});

test("a verdict for a former question is gray, and highlights no line", async () => {
  const tester = await open();
  const { page } = tester;
  await reads(page.locator(".cm-line.decides-allow"), "Allow: /internal/press/");
  const refuse = { title: "Unprocessable Content", status: 422, detail: "not now" };
  await page.route("**/v1/check", (route) =>
    route.fulfill({ status: 422, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(refuse) }),
  );
  tester.forgives = /422/;
  await tester.editor().focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# one\n# two\n");
  await reads(tester.panel(), "What follows is the last answer, to what was asked before your last change.");
  assert.equal(await page.locator(".line-number").first().isVisible(), false, "its lines are others by now");
  await page.locator("#reasoning").first().waitFor({ state: "detached" });
  assert.deepEqual(await tester.violations(), []);
  await tester.view("AI");
  await tester.view("Test");
  await reads(tester.panel(), "What follows is the last answer");
  assert.equal(await page.locator(".cm-line.decides").count(), 0, "no line lights up that did not decide");
  await page.unroute("**/v1/check");
  await page.keyboard.press("Escape");
  await tester.editor().focus();
  await page.keyboard.type("#");
  await reads(page.locator(".cm-line.decides-allow"), "Allow: /internal/press/");
  await tester.close();
});

test("the reasons are shown for a crawler that does not obey robots.txt", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.urls("https://shop.example/cart/");
  await tester.crawlers("Google-Read-Aloud");
  await reads(tester.verdict(0, 0), "Does not obey");
  const reasoning = page.locator("#reasoning");
  await reads(reasoning, "Google-Read-Aloud does not obey robots.txt");
  await reads(reasoning, "None, not even one that names it: Google says that this crawler does not obey robots.txt.");
  await reads(reasoning, "Google decides. To block this crawler, the web server has to refuse its requests");
  assert.equal(await reasoning.locator(".steps > li").count(), 3);
  assert.doesNotMatch(await reasoning.innerText(), /Loading/);
  await tester.close();
});

test("crawlers are found by company, added by group, and may have any name", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.crawlers("bingbot");
  const box = page.getByRole("combobox", { name: "Crawlers" });
  await box.fill("openai");
  const options = page.getByRole("listbox", { name: "Crawlers" }).getByRole("option");
  await reads(options.first(), "OpenAI");
  assert.ok((await options.count()) >= 3);
  await box.fill("AI search");
  await page.getByRole("option", { name: "All: AI search and answers" }).click();
  const chips = page.getByRole("list", { name: "Chosen crawlers" });
  await reads(chips, "PerplexityBot");
  await box.fill("MyOwnBot");
  await page.keyboard.press("Enter");
  await reads(chips, "MyOwnBot");
  await page.getByRole("button", { name: "Remove MyOwnBot" }).click();
  await chips.filter({ hasNotText: "MyOwnBot" }).waitFor();
  await page.getByRole("status").filter({ hasText: /verdicts: / }).waitFor({ state: "attached" });
  await tester.close();
});

test("an empty file, no URLs and no crawlers each show the next step", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.urls("");
  await reads(tester.panel(), "Which URLs?");
  await tester.crawlers();
  await reads(tester.panel(), "Which crawlers?");
  await page.locator(".file").getByRole("button", { name: "Clear" }).click();
  await reads(page.locator(".status"), "An empty file allows everything.");
  await tester.view("Mistakes");
  await reads(tester.panel(), "Nothing to check");
  await tester.close();
});

test("hovering and the cursor explain a line", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await reads(page.locator(".status-about"), "Blocks URLs that start with /cart/. For every crawler that has no rules of its own.");
  await page.locator(".cm-line", { hasText: "User-agent: Googlebot" }).locator("span").last().hover();
  await reads(page.locator(".about"), "For Googlebot");
  await reads(page.locator(".about"), "Googlebot is a crawler of Google, for search.");
  await tester.close();
});

test("hovering and the cursor show the effect of removing a rule", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(`${SHOP}Disallow: /internal/old/\n`);
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await reads(page.locator(".status-about"), /Without this line: URLs such as \/cart\/ become allowed for every crawler except \d+, for which other rules decide, with or without it\./);
  // A line that is no rule has no such sentence.
  await page.locator(".cm-line", { hasText: "User-agent: Googlebot" }).locator("span").last().hover();
  await reads(page.locator(".about"), "For Googlebot");
  assert.doesNotMatch(await page.locator(".about").innerText(), /Without this line/);
  await page.locator(".cm-line", { hasText: "Allow: /internal/press/" }).locator("span").last().hover();
  await reads(page.locator(".about"), /Without this line: URLs such as \/internal\/press\/ become blocked for .*Googlebot.* and \d+ more\./);
  await page.locator(".cm-line", { hasText: "Disallow: /internal/old/" }).locator("span").last().hover();
  await reads(page.locator(".about"), "Without this line, every URL gets the same answer, for every crawler.");
  await tester.close();
});
