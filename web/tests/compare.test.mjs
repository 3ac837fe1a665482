/** The view Compare: which verdicts an edit changes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start, TEXT } from "./harness.mjs";

const { shop, open: openTester } = await start({
  sites: { shop: { "/robots.txt": [200, TEXT, "User-agent: *\nDisallow: /\n"] } },
});

async function open() {
  const tester = await openTester();
  await tester.paste(SHOP);
  await tester.urls("/cart/", "/internal/press/", "/");
  await tester.crawlers("bingbot", "Googlebot");
  await tester.keepAsOriginal();
  return tester;
}

test("Compare shows the verdicts that an edit changes, and no others", async () => {
  const tester = await open();
  await tester.paste(SHOP.replace("Disallow: /cart/\n", "").replace("Allow: /internal/press/", "Allow: /press/"));
  const table = tester.panel().getByRole("region", { name: "Verdicts that change" }).getByRole("table");
  await tester.panel().getByText("2 of 6 verdicts change. 1 newly allowed. 1 newly blocked.").waitFor();
  const rows = await table.locator("tbody tr").allInnerTexts();
  assert.deepEqual(
    rows.map((row) => row.replaceAll(/\s+/g, " ")),
    ["/cart/ bingbot Blocked line 2 Allowed", "/internal/press/ Googlebot Allowed line 7 Blocked line 5"],
  );
  const lines = tester.panel().getByRole("region", { name: "Lines that differ" });
  await lines.locator("tr.removed", { hasText: "Disallow: /cart/" }).waitFor();
  await lines.locator("tr.added", { hasText: "Allow: /press/" }).waitFor();
  // Two numbers, a sign and a text are side by side.
  const same = lines.locator("tr.same").first().locator("td");
  const [number, , , text] = await same.evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().toJSON()));
  assert.ok(text.left > number.left && Math.abs(text.top - number.top) < 4, JSON.stringify([number, text]));
  await tester.close();
});

test("Compare tests all known crawlers, and restores the original", async () => {
  const tester = await open();
  await tester.paste(SHOP.replace("Disallow: /cart/\n", ""));
  await tester.panel().getByText("1 of 6 verdicts changes.").waitFor();
  await tester.panel().getByLabel("Test all").check();
  await tester.panel().getByRole("rowheader", { name: "/cart/ GPTBot" }).waitFor();
  await tester.panel().getByRole("button", { name: "Put the original into the editor" }).click();
  await tester.panel().getByText("No difference yet").waitFor();
  assert.match(await tester.text(), /Disallow: \/cart\//);
  await tester.close();
});

test("Compare keeps the draft when the live file is fetched", async () => {
  const tester = await open();
  const panel = tester.panel();
  await panel.getByLabel("Compare with the live file of").fill(shop.url);
  await panel.getByRole("button", { name: "Fetch it" }).click();
  await panel.getByText(`Original: the live file, ${shop.url}/robots.txt, 2 lines.`).waitFor();
  await panel.getByText(/5 of 6 verdicts change\./).waitFor();
  assert.equal((await tester.text()).trim(), SHOP.trim());
  await tester.close();
});

test("Compare takes a pasted original", async () => {
  const tester = await open();
  const panel = tester.panel();
  await panel.getByText("Paste another original").click();
  await panel.getByLabel("The file that is live now").fill("User-agent: *\nDisallow: /\n");
  await panel.getByRole("button", { name: "Compare with this", exact: true }).click();
  await panel.getByText("Original: what you pasted, 2 lines.").waitFor();
  await panel.getByText(/5 of 6 verdicts change\. 5 newly allowed\./).waitFor();
  await tester.close();
});

test("an original of another site gets a warning", async () => {
  const tester = await open();
  await tester.page.getByRole("button", { name: "Name a site" }).click();
  await tester.page.getByLabel("Which site is this file for?").fill("https://mine.example");
  await tester.page.getByRole("button", { name: "Use it" }).click();
  const panel = tester.panel();
  await panel.getByLabel("Compare with the live file of").fill(shop.url);
  await panel.getByRole("button", { name: "Fetch it" }).click();
  await panel
    .getByText(`The original is the file of ${shop.url}. The draft is tested as that of https://mine.example, and so is the original.`)
    .waitFor();
  await tester.page.locator(".site-of-file").getByText("Tested as the robots.txt of https://mine.example. Your site does not change.").waitFor();
  await tester.close();
});
