/** The two sides of a comparison: what they are, since when, and which of them is the older one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, TEXT } from "./harness.mjs";

const OLD = "User-agent: *\nDisallow: /old/\n";
const LIVE = "User-agent: *\nDisallow: /old/\nDisallow: /deployed/\n";

/** A site whose file changes when a test says so. */
let live = LIVE;
const { shop, open } = await start({ sites: { shop: { "/robots.txt": () => [200, TEXT, live], "/": [200, TEXT, "Hello."] } } });

const TIME = String.raw`\d\d:\d\d`;
const says = (tester, part, words) =>
  tester.page.locator(".part-row").filter({ has: tester.page.getByText(part, { exact: true }) }).filter({ hasText: words }).waitFor();

/** Fetches the live file in the view Compare. */
async function fetchLive(tester) {
  await tester.panel().getByLabel("Compare with the live file of").fill(shop.url);
  await tester.panel().getByRole("button", { name: "Fetch it" }).click();
}

const buffer = Buffer.from(OLD);
const headline = (tester, words) => tester.panel().locator(".difference .summary", { hasText: words }).waitFor();

test("an old file and the live one are compared only after the user says which question they answer", async () => {
  const tester = await open();
  const panel = tester.panel();
  await tester.page.locator("[data-open]").setInputFiles({ name: "old.txt", mimeType: "text/plain", buffer });
  await tester.view("Compare");
  await fetchLive(tester);
  await panel.getByRole("group", { name: "What do you want to know?" }).waitFor();
  const since = panel.getByRole("radio", { name: "What has changed since my old file?" });
  const draft = panel.getByRole("radio", { name: "What does my draft change?" });
  assert.deepEqual([await since.isChecked(), await draft.isChecked()], [false, false]);
  assert.equal(await panel.locator(".difference").count(), 0, "no result without a direction");
  assert.equal(await panel.locator("strong", { hasText: "Before:" }).count(), 0);
  assert.deepEqual(await tester.violations(), []);

  await since.check();
  await headline(tester, new RegExp(`^From the file “old.txt”, saved .+ to the live file, fetched ${TIME}:`));
  await panel.getByText(new RegExp(`Before: the file “old.txt”, saved .*, 2 lines\\. After: the live file, ${shop.url}/robots.txt, fetched ${TIME}, 3 lines\\.`)).waitFor();
  await panel.getByText("1 change: 1 newly blocked.").waitFor();
  assert.match(await tester.text(), /deployed/);
  assert.ok(await since.isChecked());

  await draft.check();
  await headline(tester, new RegExp(`^From the live file, fetched ${TIME}, to the file “old.txt”`));
  await panel.getByText("1 change: 1 newly allowed.").waitFor();
  assert.doesNotMatch(await tester.text(), /deployed/);

  await panel.getByRole("button", { name: "Swap Before and After" }).click();
  await panel.getByText("1 change: 1 newly blocked.").waitFor();
  assert.ok(await since.isChecked());
  const table = panel.getByRole("region", { name: "Lines that differ" });
  await table.locator("tr.added", { hasText: "Disallow: /deployed/" }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("an old file that is pasted over the live one has no silent direction, either", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.paste(OLD);
  await tester.view("Compare");
  await tester.panel().getByRole("radio", { name: "What has changed since my old file?" }).check();
  await headline(tester, new RegExp(`^From your old file to the live file, fetched ${TIME}:`));
  await tester.panel().getByText("1 change: 1 newly blocked.").waitFor();
  await tester.close();
});

test("a draft that was made from the live file is compared with it at once", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+End");
  await tester.page.keyboard.insertText("Disallow: /mine/");
  await tester.view("Compare");
  await headline(tester, new RegExp(`^From the live file, fetched ${TIME}, to your text in the editor:`));
  assert.ok(await tester.panel().getByRole("radio", { name: "What does my draft change?" }).isChecked());
  // After a reload, Before is the live file still.
  await tester.page.waitForFunction(() => location.hash.length > 10);
  await tester.page.waitForTimeout(700);
  await tester.page.reload();
  await headline(tester, new RegExp(`^From the live file, fetched ${TIME}, to your text in the editor:`));
  await tester.close();
});

test("the last change is the one since the first fetch, and Compare proves it", async () => {
  const tester = await open({ staysFirst: true });
  live = OLD;
  await tester.fetchFile(shop.url);
  await says(tester, "Last change", "No earlier version is stored.");
  live = LIVE;
  await tester.fetchFile(shop.url);
  await says(tester, "Last change", new RegExp(`Changed since you first fetched it \\(${TIME}\\): .*/deployed/`));
  await tester.fetchFile(shop.url);
  await says(tester, "Last change", new RegExp(`Changed since you first fetched it \\(${TIME}\\): .*/deployed/`));
  assert.deepEqual(await tester.violations(), []);
  await tester.page.getByRole("button", { name: "See Compare" }).click();
  await headline(tester, new RegExp(`^From the earlier file of the site, fetched ${TIME}, to the live file, fetched ${TIME}:`));
  await tester.panel().getByText("1 change: 1 newly blocked.").waitFor();
  await tester.close();
});

test("after fixes, Before is the file before them", async () => {
  const mistaken = "User-agent: *\nDisalow: /a/\nDisalow: /b/\n";
  for (const isEach of [false, true]) {
    const tester = await open();
    await tester.paste(mistaken);
    await tester.view("Mistakes");
    const panel = tester.panel();
    if (isEach) {
      for (const left of [1, 0]) {
        await panel.getByRole("button", { name: /^Fix: / }).first().click();
        await tester.page.waitForFunction((left) => document.querySelectorAll(".finding .fix button:not(.quiet)").length === left, left);
      }
    } else await panel.getByRole("button", { name: /safe fixes/ }).click();
    await tester.view("Compare");
    await panel.getByText("Before: your file before the fixes, 3 lines.").waitFor();
    const lines = panel.getByRole("region", { name: "Lines that differ" });
    await lines.locator("tr.removed", { hasText: "Disalow: /a/" }).waitFor();
    await lines.locator("tr.removed", { hasText: "Disalow: /b/" }).waitFor();
    await tester.close();
  }
});

test("fixes of a draft leave the live file within reach", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.paste("User-agent: *\nDisalow: /a/\n");
  await tester.view("Mistakes");
  await tester.panel().getByRole("button", { name: /^Fix: / }).first().click();
  await tester.view("Compare");
  await tester.panel().getByText("Before: your file before the fixes, 2 lines.").waitFor();
  await tester.panel().getByRole("button", { name: new RegExp(`Compare with the live file, ${shop.url}/robots.txt, fetched ${TIME}`) }).click();
  await tester.panel().getByRole("radio", { name: "What does my draft change?" }).check();
  await headline(tester, new RegExp(`^From the live file, fetched ${TIME}, to your text in the editor:`));
  await tester.close();
});
