/** The view Compare: what an edit changes for all URLs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { open: openTester } = await start();

/** Opens Compare with `text` as the original and as the draft. */
async function open(text = SHOP, options = {}) {
  const tester = await openTester(options);
  await tester.paste(text);
  await tester.urls("/cart/", "/");
  await tester.keepAsOriginal();
  return tester;
}

function section(tester) {
  return tester.panel().getByRole("region", { name: "For all URLs" });
}

/** The sentences of a direction, with their crawlers. */
async function sentences(tester, heading) {
  const group = section(tester).locator("section.changes", { has: tester.page.getByRole("heading", { name: heading }) });
  const texts = await group.locator("li.change").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

const EDITED = SHOP.replace("Disallow: /cart/\n", "Disallow: /shop/\nAllow: /shop/help/\n").replace(
  "Allow: /internal/press/\n",
  "",
);

test("changes are grouped by direction, with lines and crawlers", async () => {
  const tester = await open();
  await tester.paste(EDITED);
  await section(tester).getByText("3 changes: 2 newly blocked, 1 newly allowed.").waitFor();
  const blocked = await sentences(tester, "Newly blocked");
  assert.match(blocked[0], /^URLs that start with \/internal\/press\/ \(line 7 before\) Example: ✓?\+? ?\/internal\/press\/ for Applebot .*Googlebot .* and \d+ more$/);
  assert.match(blocked[1], /^URLs that start with \/shop\/ \(line 2\) But not \(another line allows them\) those that start with \/shop\/help\/ \(line 3\) Example: \+ ?\/shop\/ for every crawler except Applebot /);
  assert.match((await sentences(tester, "Newly allowed"))[0], /^URLs that start with \/cart\/ \(line 2 before\) But not \(allowed before already\) those that start with \/cart\/help \(line 3 before\) Example: ✓ ?\/cart\/ for every crawler except/);
  await section(tester).getByText("These are all changes, for all URLs and all crawlers.").waitFor();
  await section(tester).getByText("How is that known?").click();
  await section(tester).getByText(/^\d+ URLs were checked, chosen so that no change can be missed\. Each crawler reads the files as its operator documents\./).waitFor();
  const more = section(tester).getByRole("button", { name: /^and \d+ more$/ }).first();
  const chips = section(tester).locator("li.change").first().locator(".chip");
  assert.equal(await chips.count(), 6);
  await more.press("Enter");
  assert.ok((await chips.count()) > 6);
  await tester.close();
});

test("an exception has exceptions of its own, and what nobody sends is marked", async () => {
  const tester = await open("User-agent: *\nDisallow: /w/\nAllow: /w/load.php\nDisallow: /a b\n");
  await tester.paste("User-agent: *\nDisallow: /\n");
  await section(tester).getByText("1 change: 1 newly blocked.").waitFor();
  assert.match(
    (await sentences(tester, "Newly blocked"))[0],
    /^Every URL of the site \(line 2\) But not \(blocked before already\) .*those that start with \/w\/ \(line 2 before\) Of those, newly blocked, too those that start with \/w\/load\.php \(line 3 before\) Example: ✓ ?\/ /,
  );
  await tester.paste("User-agent: *\nDisallow: /w/\nAllow: /w/load.php\n");
  await section(tester).getByText("1 change: 1 newly allowed.").waitFor();
  await section(tester).getByText("No browser or crawler sends such a URL.").waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("an edit without effect is proven to change nothing", async () => {
  const tester = await open();
  await tester.paste(`# Moved\n${SHOP}\nUser-agent: *\nDisallow: /cart/old/\n`);
  await section(tester).getByText("Proven: nothing changes.").waitFor();
  await section(tester).getByText(/No URL has another answer, for any crawler/).waitFor();
  await section(tester).locator("li.change").first().waitFor({ state: "detached" });
  await tester.page.getByRole("status").filter({ hasText: /For all URLs: From a draft that you kept at .* to your text in the editor: Proven: nothing changes\./ }).waitFor({ state: "attached" });
  // In another dialect.
  await tester.page.getByLabel("Read as").selectOption("bing");
  await section(tester).getByText("How is that known?").click();
  await section(tester).getByText(/Every crawler reads the files as Bing\./).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("the lines of a change light up on both sides, by pointer and by keyboard", async () => {
  const tester = await open();
  await tester.paste(EDITED);
  const change = section(tester).locator("li.change", { hasText: "/shop/help/" });
  await change.waitFor();
  const lit = () =>
    tester.editor().evaluate((content) =>
      [...content.querySelectorAll(".decides, .runner-up")].map((line) => `${line.matches(".decides-block") ? "blocks" : line.matches(".decides") ? "allows" : "also"} ${line.textContent}`),
    );
  const rows = async () =>
    (await tester.panel().locator(".diff tr.pointed td:last-child").allInnerTexts()).map((text) => text.trim());
  const until = async (expected) => {
    const end = Date.now() + 20_000;
    for (;;) {
      const found = { editor: await lit(), lines: await rows() };
      if (JSON.stringify(found) === JSON.stringify(expected)) return;
      if (Date.now() > end) assert.deepEqual(found, expected);
      await tester.page.waitForTimeout(50);
    }
  };
  await change.hover();
  await until({
    editor: ["blocks Disallow: /shop/", "also Allow: /shop/help/"],
    lines: ["Disallow: /shop/", "Allow: /shop/help/"],
  });
  await tester.page.mouse.move(0, 0);
  await until({ editor: [], lines: [] });
  // Lines of the original, which the editor does not have.
  const freed = section(tester).locator("li.change", { hasText: "/cart/help" });
  await freed.getByRole("button", { name: /\/cart\// }).focus();
  await until({ editor: [], lines: ["Disallow: /cart/", "Allow: /cart/help"] });
  await change.getByRole("button", { name: "line 2" }).focus();
  await until({
    editor: ["blocks Disallow: /shop/", "also Allow: /shop/help/"],
    lines: ["Disallow: /shop/", "Allow: /shop/help/"],
  });
  // A line link moves to the editor.
  await tester.page.keyboard.press("Enter");
  assert.ok(await tester.editor().evaluate((content) => content.getRootNode().activeElement === content));
  await tester.close();
});

test("an example is added to the tested URLs once", async () => {
  const tester = await open();
  await tester.paste(EDITED);
  const panel = tester.panel();
  const example = section(tester).getByRole("button", { name: "Add /shop/ to the tested URLs" });
  await example.press("Enter");
  const list = panel.getByLabel("URLs, one on each line");
  assert.equal(await list.inputValue(), "/shop/\n/cart/\n/");
  const added = section(tester).getByRole("button", { name: "/shop/ is tested" });
  assert.ok(await added.evaluate((button) => document.activeElement === button), "the focus stays");
  await added.press("Enter");
  assert.equal(await list.inputValue(), "/shop/\n/cart/\n/");
  await panel.getByRole("region", { name: "Verdicts that change" }).locator("tr", { hasText: "/shop/" }).first().waitFor();
  // With a site, the example is a whole URL.
  await tester.urls("https://shop.example/");
  await section(tester).getByRole("button", { name: "Add /shop/ to the tested URLs" }).click();
  assert.equal(await list.inputValue(), "https://shop.example/shop/\nhttps://shop.example/");
  await tester.close();
});

test("a comparison without an answer is never called the same", async () => {
  const letters = (seed) => Array.from({ length: 14 }, (_, bit) => (((seed >> bit) & 1) === 0 ? "*a" : "*b")).join("");
  const rules = Array.from({ length: 300 }, (_, nth) => `${nth % 2 === 0 ? "Allow" : "Disallow"}: /${letters(nth * 37)}`);
  const hostile = `User-agent: *\n${rules.join("\n")}\n`;
  const tester = await open(hostile);
  await tester.paste(hostile.replace("Disallow", "Allow"));
  await section(tester).getByText(/Not everything was decided/).waitFor();
  await section(tester).getByText("nothing changes").first().waitFor({ state: "detached" });
  await tester.close();
});

test("a web page is compared, with a warning", async () => {
  const tester = await open();
  await tester.paste("<!DOCTYPE html>\n<title>Shop</title>\n<p>Closed.</p>\n");
  await section(tester).getByText("After looks like a web page, not like a robots.txt. It is compared anyway.").waitFor();
  await section(tester).getByRole("heading", { name: "Newly allowed" }).waitFor();
  await tester.close();
});

test("changes of other records are listed beside the rules", async () => {
  const tester = await open();
  await tester.paste(SHOP.replace("User-agent: *\n", "User-agent: *\nContent-Signal: ai-train=no\nCrawl-delay: 9\n") + "Sitemap: https://shop.example/s.xml\n");
  await section(tester).getByText("1 change: 1 in what may be done with content.").waitFor();
  const beside = await sentences(tester, "Beside the rules");
  assert.match(beside[0], /^Content-Signal for .*: ai-train is refused \(line 2\)\. Before: not stated\. Example: \/$/);
  assert.equal(beside[1], "Sitemap added: https://shop.example/s.xml");
  assert.match(beside[2], /^Crawl-delay for .*: 9 s, before none$/);
  await tester.close();
});

test("the comparison of a former draft is gray, and marks no lines", async () => {
  const tester = await open(SHOP, { forgives: /Failed to load resource|ERR_/ });
  await tester.paste(EDITED);
  const change = section(tester).locator("li.change", { hasText: "/shop/help/" });
  await change.hover();
  await tester.page.locator(".diff tr.pointed").first().waitFor();
  const answer = await tester.hold("/v1/diff");
  await tester.paste(`# Another line\n${EDITED}`);
  await section(tester).locator(".stale").waitFor();
  await tester.panel().locator(".diff tr.pointed").first().waitFor({ state: "detached" });
  assert.equal(await change.getByRole("button", { name: "line 2" }).isVisible(), false);
  answer();
  await section(tester).locator(".stale").waitFor({ state: "detached" });
  await change.getByRole("button", { name: "line 3" }).waitFor();
  await tester.close();
});

test("a change with the focus stays pointed at when another answer arrives", async () => {
  const tester = await open();
  await tester.paste(EDITED);
  const change = section(tester).locator("li.change", { hasText: "/shop/help/" });
  await change.waitFor();
  const answer = await tester.hold("/v1/diff");
  await tester.paste(`${EDITED}# A comment that changes nothing\n`);
  await section(tester).locator(".stale").waitFor();
  const button = change.getByRole("button", { name: "Add /shop/" });
  await button.focus();
  await tester.page.locator(".change.pointed").waitFor();
  answer();
  await section(tester).locator(".stale").waitFor({ state: "detached" });
  assert.equal(await button.evaluate((node) => node === document.activeElement), true);
  assert.equal(await section(tester).locator(".change.pointed").count(), 1);
  await tester.close();
});

test("most of many changes are only counted", async () => {
  const file = (word) => `User-agent: *\n${Array.from({ length: 200 }, (_, nth) => `Disallow: /${word}-${nth}/`).join("\n")}\n`;
  const tester = await open(file("old"));
  await tester.paste(file("new"));
  await section(tester).getByText("400 changes: 200 newly blocked, 200 newly allowed.").waitFor();
  await section(tester).getByText("and 180 more changes.").first().waitFor();
  assert.equal(await section(tester).locator("li.change").count(), 40);
  await tester.close();
});

for (const [name, options] of [
  ["on a phone", { width: 360, height: 740, hasTouch: true, isMobile: true }],
  ["in forced colors", { forcedColors: "active" }],
  ["in the dark", { colorScheme: "dark" }],
]) {
  test(`the comparison fits and is accessible ${name}`, async () => {
    const tester = await open(SHOP, options);
    await tester.paste(EDITED);
    const change = section(tester).locator("li.change", { hasText: "/shop/help/" });
    await change.getByRole("button", { name: "Add /shop/" }).focus();
    await tester.page.locator(".change.pointed").waitFor();
    if (options.forcedColors) {
      const outline = await change.evaluate((item) => getComputedStyle(item).outlineStyle);
      assert.equal(outline, "solid", "colors alone do not show which change is meant");
    }
    assert.equal(await tester.overflows(), false);
    assert.deepEqual(await tester.violations(), []);
    await tester.close();
  });
}
