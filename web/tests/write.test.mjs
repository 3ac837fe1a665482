/** The view Write: a file from choices. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { open: openTester } = await start();

async function open(options) {
  const tester = await openTester(options);
  await tester.view("Write");
  await tester.panel().getByText("More choices").click();
  return tester;
}

test("a file is written from choices, proven, and put into the editor", async () => {
  const tester = await open();
  const panel = tester.panel();
  const written = panel.getByLabel("The written file");
  await panel.getByLabel("A shop").check();
  await panel.getByLabel("Crawlers to block").fill("GPTBot");
  await written.filter({ hasText: "User-agent: GPTBot" }).filter({ hasText: "Disallow: /checkout/" }).waitFor();
  const lines = (await written.innerText()).split("\n");
  assert.ok(lines.includes("User-agent: GPTBot") && lines.includes("Disallow: /"), lines.join("|"));
  await panel.getByText(/[\d,]+ answers were checked/).click();
  await panel.getByText("GPTBot may not fetch anything", { exact: true }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await tester.page.locator(".cm-line", { hasText: "User-agent: GPTBot" }).first().waitFor();
  await tester.page.getByRole("button", { name: "Put my former text back" }).click();
  await tester.page.locator(".cm-line", { hasText: "A shop's robots.txt" }).first().waitFor();
  await tester.close();
});

test("choices are added to the file on the left, which keeps its lines", async () => {
  const tester = await open();
  const panel = tester.panel();
  await tester.paste(SHOP);
  await panel.getByLabel("Paths that no crawler may fetch").fill("/drafts/");
  await panel.getByLabel("My file in the editor").check();
  const written = panel.getByLabel("The written file");
  await written.filter({ hasText: "Disallow: /cart/" }).filter({ hasText: "Disallow: /drafts/" }).waitFor();
  await panel.getByText(/Compared with your file: \d+ changes?\./).waitFor();
  // A preset adds its preferences, too.
  await panel.getByLabel("No AI training").check();
  await written.filter({ hasText: "Disallow: /cart/" }).filter({ hasText: "Content-Signal: search=yes, ai-train=no" }).waitFor();
  // What replaces all rules cannot be added.
  await panel.getByLabel("Nobody: block everything (for a test copy)").check();
  await panel.getByText("so they need a new file").waitFor();
  await written.filter({ hasText: "Disallow: /\n" }).waitFor();
  await tester.close();
});

test("choices that the file already has are not added again", async () => {
  const tester = await open();
  const panel = tester.panel();
  await tester.paste(SHOP);
  await panel.getByLabel("My file in the editor").check();
  const use = panel.getByRole("button", { name: "Put this file into the editor" });
  const isThere = panel.getByText("Your file already says this.");
  await isThere.waitFor();
  await panel.getByRole("checkbox", { name: "Also write down how AI and search may use the pages" }).check();
  await panel.getByLabel("The written file").filter({ hasText: "Content-Signal:" }).waitFor();
  await isThere.waitFor({ state: "detached" });
  await use.click();
  await isThere.waitFor();
  assert.ok(await use.isDisabled());
  assert.equal((await tester.text()).match(/Content-Signal:/g).length, 1);
  await panel.getByLabel("Addresses of sitemaps").fill("https://shop.example/sitemap.xml");
  await isThere.waitFor({ state: "detached" });
  await tester.close();
});

test("choices that contradict each other are explained", async () => {
  const tester = await open({ forgives: /422/ });
  const panel = tester.panel();
  await panel.getByLabel("Paths that no crawler may fetch").fill("drafts");
  await panel.getByRole("alert").filter({ hasText: "expected a path that starts with `/`" }).waitFor();
  await panel.getByLabel("Paths that no crawler may fetch").fill("/drafts/");
  await panel.getByRole("alert").waitFor({ state: "detached" });
  await tester.close();
});

test("crawlers that no file can block are counted and named, next to the file", async () => {
  const tester = await open();
  const panel = tester.panel();
  await panel.getByLabel("No AI training").check();
  const open9 = panel.getByText("9 known AI crawlers are not blocked by name, because a robots.txt cannot contain a name with a space: Datenbank Crawler, ");
  await open9.filter({ hasText: "The rules for everyone (*) apply to them, which ask not to train AI." }).waitFor();
  await panel.getByLabel("Search engines only").check();
  await open9.waitFor({ state: "detached" });
  await tester.close();
});

test("the user's own file keeps its rules, unless a new one is asked for", async () => {
  const tester = await open();
  const panel = tester.panel();
  assert.ok(await panel.getByLabel("A new file").isChecked(), "the example is nobody's file");
  await tester.paste(SHOP);
  const written = panel.getByLabel("The written file");
  await panel.getByLabel("Crawlers to block").fill("GPTBot");
  await written.filter({ hasText: "Allow: /cart/help" }).filter({ hasText: "User-agent: GPTBot" }).waitFor();
  assert.ok(await panel.getByLabel("My file in the editor").isChecked());
  await panel.getByLabel("A new file").check();
  await written.filter({ hasNotText: "Allow: /cart/help" }).filter({ hasText: "User-agent: GPTBot" }).waitFor();
  // The next choices replace those of the written file.
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await panel.getByLabel("Crawlers to block").fill("CCBot");
  await written.filter({ hasNotText: "GPTBot" }).filter({ hasText: "User-agent: CCBot" }).waitFor();
  await tester.close();
});

test("all tabs are visible, and a view opens at its beginning", async () => {
  for (const width of [1280, 1000, 800, 390]) {
    const tester = await open({ width });
    const views = await tester.page.locator(".views").boundingBox();
    const tab = await tester.page.getByRole("tab", { name: "Write" }).boundingBox();
    assert.ok(tab.x + tab.width <= views.x + views.width, `${width}: ${JSON.stringify([tab, views])}`);
    assert.equal(await tester.page.locator(".tabs").evaluate((tabs) => tabs.scrollWidth - tabs.clientWidth), 0);
    await tester.panel().getByText("Where do I paste it?").scrollIntoViewIfNeeded();
    await tester.view("AI");
    await tester.panel().getByText("What do you want?").waitFor();
    await tester.panel().locator(".summary").first().waitFor();
    const top = await tester.panel().locator(".summary").first().boundingBox();
    assert.ok(top.y >= 0 && top.y < 800, `${width}: ${JSON.stringify(top)}`);
    await tester.close();
  }
});
