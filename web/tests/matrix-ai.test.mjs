/** The views By engine and AI. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { open } = await start();

test("By engine shows the questions on which dialects differ, and the reasons", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.urls("/internal/press/", "/cart/");
  await tester.crawlers("Googlebot");
  await tester.view("By engine");
  const panel = tester.panel();
  await panel.getByText("The readings differ on 1 of 2 questions.").waitFor();
  const table = panel.getByRole("table");
  assert.deepEqual(await table.getByRole("columnheader").allInnerTexts(), [
    "URL, and the crawler that asks",
    "By the standard",
    "As Google reads it",
    "As Google’s parser reads it",
    "As Bing reads it",
    "As Yandex reads it",
    "By the 1996 draft",
  ]);
  const row = table.locator("tbody").first();
  assert.match((await row.locator("td.other").innerText()).replaceAll(/\s+/g, " "), /^Blocked line 6$/);
  await row.getByText("By the 1996 draft: The first rule that matches decides, not the longest.").waitFor();
  await panel.getByLabel("Only where they differ").check();
  assert.equal(await table.locator("tbody").count(), 1);
  await panel.getByLabel(/All \d+ known crawlers/).check();
  await panel.getByText(/The readings differ on \d+ of 5\d\d questions\./).waitFor();
  await tester.close();
});

test("By engine says how many of many URLs it compares", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.urls(...Array.from({ length: 60 }, (_, nth) => `/cart/${nth}`));
  await tester.crawlers("Googlebot");
  await tester.view("By engine");
  const panel = tester.panel();
  await panel.getByText("These are about the first 50 of 60 URLs.").waitFor();
  await panel.getByText("50 questions.").waitFor();
  await tester.close();
});

test("AI shows the crawlers that may train, search and answer", async () => {
  const tester = await open();
  await tester.paste(`User-agent: GPTBot
Disallow: /

User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /cart/
`);
  await tester.view("AI");
  const panel = tester.panel();
  await panel.getByRole("region", { name: "Training", exact: true }).getByText("may fetch nothing").waitFor();
  const training = panel.getByRole("region", { name: "Training: crawlers" }).first();
  const row = (name) => training.getByRole("row").filter({ has: panel.page().getByText(name, { exact: true }) });
  await row("GPTBot").filter({ hasText: "Nothing" }).filter({ hasText: "line 2" }).filter({ hasText: "none for it" }).filter({ hasText: "line 2 blocks everything" }).waitFor();
  await row("Google-Extended").filter({ hasText: "Its company may use most" }).waitFor();
  await panel.locator(".summary", { hasText: /^AI: may search and fetch pages that people ask for; of \d+ crawlers for training, 1 is blocked and \d+ are asked not to train\.$/ }).waitFor();
  // Without a wish of the owner, no answer is good news.
  const color = (answer) => panel.locator(`.card .verdict.${answer}`).first().evaluate((element) => getComputedStyle(element).color);
  assert.equal(await color("allowed"), await color("disallowed"));
  await panel.getByRole("radio", { name: "Keep AI out" }).check();
  const [open_, shut] = [await color("allowed"), await color("disallowed")];
  assert.notEqual(open_, shut);
  await panel.getByRole("radio", { name: "Let AI in" }).check();
  assert.deepEqual([await color("allowed"), await color("disallowed")], [shut, open_]);
  await row("ClaudeBot").filter({ hasText: "Most" }).filter({ hasText: "ai-train: no" }).waitFor();
  await panel.getByText("Content-Signal: search=yes, ai-train=no").waitFor();
  await panel.getByRole("region", { name: "Agents", exact: true }).getByText("do not obey the file").waitFor();
  await row("GPTBot").getByRole("button", { name: "line 2" }).click();
  await tester.page.locator(".cm-activeLine", { hasText: "Disallow: /" }).waitFor();
  await tester.close();
});

test("whoever keeps AI out gets rules that do, and a preference that both records state is shown once", async () => {
  const tester = await open();
  await tester.view("AI");
  const panel = tester.panel();
  await panel.getByRole("button", { name: "Write rules against AI training" }).waitFor({ state: "detached" });
  await panel.getByLabel("Keep AI out").check();
  await panel.getByRole("button", { name: "Write rules against AI training" }).click();
  await tester.page.getByRole("tab", { name: "Write", selected: true }).waitFor();
  assert.ok(await panel.getByLabel("No AI training").isChecked());
  await panel.getByLabel("The written file").filter({ hasText: "User-agent: GPTBot" }).filter({ hasText: "Content-Usage" }).waitFor();
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await tester.view("AI");
  const row = panel.getByRole("region", { name: "Training: crawlers" }).getByRole("row", { name: /Googlebot/ }).first();
  await row.getByText("search: yes").first().waitFor();
  assert.equal(await row.getByText("search: yes").count(), 1);
  await tester.close();
});

test("training out, but search in, is a wish, whose bad news are open trainers and blocked searchers", async () => {
  const tester = await open();
  await tester.paste("User-agent: GPTBot\nDisallow: /\n\nUser-agent: OAI-SearchBot\nDisallow: /\n");
  await tester.view("AI");
  const panel = tester.panel();
  const color = (card, answer) =>
    panel.getByRole("region", { name: card, exact: true }).locator(`.verdict.${answer}`).first().evaluate((element) => getComputedStyle(element).color);
  await panel.getByRole("radio", { name: "Keep AI out" }).check();
  const [bad, good] = [await color("Training", "allowed"), await color("Training", "disallowed")];
  await panel.getByRole("radio", { name: "Training out, search in" }).check();
  assert.deepEqual([await color("Training", "allowed"), await color("Training", "disallowed")], [bad, good]);
  assert.deepEqual([await color("Search", "allowed"), await color("Search", "disallowed")], [good, bad]);
  // The wish says nothing about agents.
  assert.ok(![good, bad].includes(await color("Agents", "allowed")));
  await panel.getByText(/fetch(es)? for both/).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await panel.getByRole("button", { name: "Write rules against AI training" }).click();
  assert.ok(await panel.getByLabel("No AI training").isChecked());
  await tester.close();
});

test("the numbers of the cards are those of the first sentence, which the overview has, too", async () => {
  const tester = await open();
  await tester.paste("User-agent: GPTBot\nDisallow: /\n\nUser-agent: OAI-SearchBot\nDisallow: /\n");
  await tester.view("AI");
  const panel = tester.panel();
  const said = await panel.locator(".summary", { hasText: /for AI search, \d+ (is|are) blocked/ }).first().innerText();
  for (const [card, whom] of [["Training", "for training"], ["Search", "for AI search"]]) {
    const [, all, blocked] = new RegExp(`of (\\d+) crawlers ${whom}, (\\d+) (?:is|are) blocked`).exec(said);
    const region = panel.getByRole("region", { name: card, exact: true });
    await region.getByText(`Of ${all} AI crawlers that obey robots.txt:`).waitFor();
    const counted = await region.locator("ul").first().locator("strong").allInnerTexts();
    assert.equal(counted.reduce((sum, number) => sum + Number(number), 0), Number(all), said);
    await region.locator("ul").first().getByText(`${blocked} may fetch nothing`).waitFor();
  }
  await panel.getByRole("region", { name: "Search", exact: true }).getByText(/Not counted as AI crawlers: \d+ crawlers of search engines/).waitFor();
  await tester.view("Overview");
  await panel.getByText(said).waitFor();
  await tester.close();
});
