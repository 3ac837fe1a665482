/** Everything by keyboard: in, through, and out again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { service, site, start, Tester, TEXT } from "./harness.mjs";

const { chrome, open } = await start();

/** Returns the role and the name of the element that has the focus, also in the editor's shadow tree. */
function focused(page) {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const name = element?.getAttribute("aria-label") ?? element?.labels?.[0]?.innerText ?? element?.innerText ?? "";
    return `${element?.getAttribute("role") ?? element?.localName}: ${name.trim().replaceAll(/\s+/g, " ").slice(0, 60)}`;
  });
}

test("a whole visit works without a mouse", async () => {
  const tester = await open({ staysFirst: true });
  const { page } = tester;
  const { keyboard } = page;
  await page.locator(".part-row .verdict").first().waitFor();
  await keyboard.press("Tab");
  assert.match(await focused(page), /Skip to the verdicts/);
  // Tab goes through the editor, in and out.
  const seen = [];
  for (let n = 0; n < 18; n++) {
    await keyboard.press("Tab");
    seen.push(await focused(page));
  }
  const at = seen.indexOf("textbox: The robots.txt");
  assert.ok(at > 0, seen.join("\n"));
  assert.notEqual(seen[at + 1], seen[at], seen.join("\n"));
  assert.ok(seen.some((what) => what.startsWith("tab: Overview")), seen.join("\n"));
  assert.equal(seen.filter((what) => what.startsWith("tab: ")).length, 1, seen.join("\n"));

  await keyboard.press("Alt+Digit2");
  await page.locator(".summary").waitFor();
  // Type a rule, go to the verdicts, walk to one, and ask why.
  await page.getByRole("textbox", { name: "The robots.txt" }).focus();
  await keyboard.press("Control+End");
  await keyboard.type("\nUser-agent: bingbot\nDisallow: /");
  await tester.verdict(0, 1).filter({ hasText: "Blocked line 24" }).waitFor();
  await keyboard.press("Control+.");
  assert.match(await focused(page), /^button: Allowed line 11/);
  await keyboard.press("Home");
  await keyboard.press("ArrowRight");
  assert.match(await focused(page), /^button: Blocked line 24/);
  await keyboard.press("Enter");
  await page.locator("#reasoning-title", { hasText: "bingbot may not fetch" }).waitFor();
  assert.match(await focused(page), /^button: Blocked line 24/);
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await page.locator("#reasoning-title", { hasText: "/cart/checkout" }).waitFor();
  await keyboard.press("Tab");
  assert.match(await focused(page), /line 24/);
  await keyboard.press("Enter");
  assert.equal(await focused(page), "textbox: The robots.txt");
  await tester.close();
});

test("arrows move between tabs, and shortcuts open views", async () => {
  const tester = await open();
  const { page } = tester;
  await page.getByRole("tab", { name: "Test" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(page), "tab: Compare");
  await page.keyboard.press("End");
  assert.equal(await focused(page), "tab: Write");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(page), "tab: Overview");
  for (const [key, name] of [["4", "By engine"], ["5", "Mistakes"], ["0", "Write"], ["1", "Overview"], ["2", "Test"]]) {
    await page.keyboard.press(`Alt+Digit${key}`);
    assert.match(await page.getByRole("tab", { selected: true }).innerText(), new RegExp(`^${name}`));
  }
  await page.keyboard.press("F1");
  await page.getByRole("heading", { name: "How it works" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "How it works" }).waitFor({ state: "hidden" });
  await page.keyboard.press("Tab");
  await tester.close();
});

test("the combobox opens, moves, chooses, closes and removes by keyboard", async () => {
  const tester = await open();
  const { page } = tester;
  const box = page.getByRole("combobox", { name: "Crawlers" });
  await box.focus();
  await page.keyboard.type("perplex");
  await page.getByRole("listbox", { name: "Crawlers" }).getByRole("option").first().waitFor();
  assert.equal(await box.getAttribute("aria-expanded"), "true");
  const active = await box.getAttribute("aria-activedescendant");
  assert.match(await page.locator(`[id="${active}"]`).innerText(), /Perplexity/);
  await page.keyboard.press("Enter");
  const chips = page.getByRole("list", { name: "Chosen crawlers" });
  await chips.filter({ hasText: "PerplexityBot" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await box.getAttribute("aria-expanded"), "false");
  await page.keyboard.press("Backspace");
  await chips.filter({ hasNotText: "PerplexityBot" }).waitFor();
  await tester.close();
});

test("the focus moves on when a pressed button disappears", async () => {
  const held = await site({ "/robots.txt": [200, TEXT, "User-agent: *\n"] });
  const fetching = await service({ sites: [held.port] });
  const tester = await Tester.open(chrome, fetching.url, { fragment: "1xxxxbroken" });
  const { page } = tester;
  const press = async (name) => {
    await page.getByRole("button", { name, exact: true }).press("Enter");
    await page.waitForFunction(() => document.activeElement !== document.body);
  };
  await press("Close");
  await tester.paste("User-agent: *\nDisallow: /mine/\n");
  const ask = async () => {
    await page.getByLabel("Fetch a site’s robots.txt").fill(`http://shop.test:${held.port}`);
    await page.getByLabel("Fetch a site’s robots.txt").press("Enter");
    await page.getByRole("button", { name: "Keep mine", exact: true }).waitFor();
  };
  await ask();
  await press("Keep mine");
  assert.equal(await focused(page), "button: Open a file…");
  await ask();
  await press("Show the fetched file");
  await press("Put my former text back");
  assert.equal(await focused(page), "button: Open a file…");
  await ask();
  await press("Keep mine, and compare the two");
  assert.equal(await focused(page), "tab: Compare");
  // The service takes its time, and one need not wait.
  await page.route("**/v1/fetch", () => {});
  await page.getByLabel("Fetch a site’s robots.txt").press("Enter");
  await press("Cancel");
  assert.match(await focused(page), /^input: Fetch a site/);
  await page.getByRole("button", { name: "Fetch", exact: true }).waitFor();
  await tester.close();
  await fetching.stop();
  await held.stop();
});

test("F8 goes from finding to finding", async () => {
  const tester = await open();
  const { page } = tester;
  await page.locator(".cm-lintRange-warning").waitFor();
  await tester.editor().focus();
  await page.keyboard.press("F8");
  await page.locator(".cm-activeLine", { hasText: "Disalow: /" }).waitFor();
  await page.locator(".status-about", { hasText: "Line 15" }).waitFor();
  await tester.close();
});

test("the tooltip of a finding closes when the focus leaves the editor, or another view opens", async () => {
  const tester = await open();
  const { page } = tester;
  await page.locator(".cm-lintRange-warning").waitFor();
  const tooltip = page.locator(".cm-tooltip .cm-diagnostic", { hasText: "L0" });
  for (const key of ["Tab", "Alt+Digit4"]) {
    await tester.editor().focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F8");
    await tooltip.first().waitFor();
    await page.keyboard.press(key);
    // A tab key may reach the button of the tooltip first.
    if (key === "Tab") for (let more = 0; more < 4 && (await tooltip.count()) > 0; more++) await page.keyboard.press("Tab");
    await tooltip.first().waitFor({ state: "detached", timeout: 5_000 });
  }
  await tester.close();
});
