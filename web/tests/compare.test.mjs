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
  await tester.panel().getByRole("button", { name: "Put Before into the editor" }).click();
  await tester.panel().getByText("No difference yet").waitFor();
  assert.match(await tester.text(), /Disallow: \/cart\//);
  await tester.close();
});

test("Compare keeps the draft when the live file is fetched", async () => {
  const tester = await open();
  const panel = tester.panel();
  await panel.getByLabel("Compare with the live file of").fill(shop.url);
  await panel.getByRole("button", { name: "Fetch it" }).click();
  await panel.getByRole("radio", { name: "What does my draft change?" }).check();
  await panel.getByText(new RegExp(`Before: the live file, ${shop.url}/robots.txt, fetched \\d\\d:\\d\\d, 2 lines\\.`)).waitFor();
  await panel.getByText(/5 of 6 verdicts change\./).waitFor();
  assert.equal((await tester.text()).trim(), SHOP.trim());
  await tester.close();
});

test("Compare takes a pasted original", async () => {
  const tester = await open();
  const panel = tester.panel();
  await panel.getByText("Paste the file from before").click();
  await panel.getByLabel("Before: the file without your changes").fill("User-agent: *\nDisallow: /\n");
  await panel.getByRole("button", { name: "Compare with this", exact: true }).click();
  await panel.getByText(/Before: what you pasted at \d\d:\d\d, 2 lines\./).waitFor();
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
    .getByText(`Before is the file of ${shop.url}. After is tested as that of https://mine.example, and so is Before.`)
    .waitFor();
  await tester.page.locator(".site-of-file").getByText("Tested as the robots.txt of https://mine.example. Nothing is written to your site.").waitFor();
  // A draft from a test copy can be tested as that of the live site.
  await panel.getByRole("button", { name: "Choose another site" }).click();
  await tester.page.getByLabel("Which site is this file for?").waitFor();
  await tester.page.keyboard.press("Escape");
  await panel.getByRole("button", { name: `Test both as the file of ${shop.url}` }).click();
  await panel.getByText("Before is the file of").waitFor({ state: "detached" });
  await tester.page.locator(".site-of-file").getByText(`Tested as the robots.txt of ${shop.url}`).waitFor();
  await tester.close();
});

test("the example goes as the original, too, when another text takes its place", async () => {
  for (const screen of [{}, { width: 390, height: 844, hasTouch: true, isMobile: true }]) {
    const tester = await openTester(screen);
    await tester.paste(SHOP);
    await tester.view("Compare");
    const panel = tester.panel();
    await panel.getByText("No original yet: paste the file from before").waitFor();
    await panel.getByText("now blocked").waitFor({ state: "detached" });
    assert.deepEqual(await tester.violations(), []);
    await panel.getByLabel("Before: the file without your changes").fill(`${SHOP}Disallow: /new/\n`);
    await panel.getByRole("button", { name: "Compare with this", exact: true }).click();
    await panel.getByText(/Before: what you pasted at \d\d:\d\d, 8 lines\. After: your text in the editor, 7 lines\./).waitFor();
    await panel.getByText("1 change: 1 newly allowed.").waitFor();
    await tester.close();
  }
});

test("the example that comes back by undoing is compared with itself", async () => {
  const tester = await openTester();
  await tester.paste(SHOP);
  await tester.view("Compare");
  await tester.panel().getByText("No original yet").waitFor();
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+z");
  await tester.panel().getByText("Before: the example").waitFor();
  await tester.close();
});

test("both texts have names, a file is opened as the one before, and the two are swapped", async () => {
  const tester = await open();
  const panel = tester.panel();
  await tester.page.getByRole("region", { name: "The file" }).getByText("After: your text in the editor. It is compared with Before: ").waitFor();
  const buffer = Buffer.from(`${SHOP}Disallow: /new/\n`);
  await panel.locator("input[type=file]").setInputFiles({ name: "old.txt", mimeType: "text/plain", buffer });
  await panel.getByText(/Before: the file “old\.txt”, saved .+, 8 lines\. After: your text in the editor, 7 lines\./).waitFor();
  assert.equal((await tester.text()).trim(), SHOP.trim());
  await panel.getByText("1 change: 1 newly allowed.").waitFor();
  await panel.getByRole("button", { name: "Swap Before and After" }).click();
  await panel.getByText("1 change: 1 newly blocked.").waitFor();
  assert.match(await tester.text(), /Disallow: \/new\//);
  await panel.locator("input[type=file]").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0, 0]) });
  await panel.getByRole("alert").filter({ hasText: "“logo.png” is no text file" }).waitFor();
  await tester.view("Test");
  await tester.page.getByText("After: your text").waitFor({ state: "detached" });
  await tester.close();
});
