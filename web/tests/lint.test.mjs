/** The view Lint, and the squiggles in the editor. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./harness.mjs";

const BAD = `User-agent: *
Disalow: /cart/
Disallow: private/
Useragent: bingbot
Disallow: /é/
Sitemap: /sitemap.xml
`;

const { open: openTester } = await start();

async function open() {
  const tester = await openTester();
  await tester.paste(BAD);
  await tester.view(/^Mistakes/);
  await tester.panel().locator(".finding-name", { hasText: "missing-leading-slash" }).waitFor();
  return tester;
}

test("findings have a line, a code, a reason and a fix", async () => {
  const tester = await open();
  const { page } = tester;
  const finding = tester.panel().getByRole("listitem").filter({ hasText: "L010" });
  await finding.filter({ hasText: "it matches nothing" }).waitFor();
  await finding.filter({ hasText: "Careful: this may change verdicts." }).waitFor();
  await finding.getByRole("button", { name: "See what changes" }).click();
  await finding.getByText(/^With this fix: URLs such as \/private\/ become blocked for every crawler/).waitFor();
  await finding.getByText("Why?").click();
  await finding.getByText("Every path starts with a slash").waitFor();
  await finding.getByRole("heading", { name: "Use instead" }).waitFor();
  assert.equal(await finding.locator("pre").count(), 2);
  await finding.getByRole("button", { name: "line 3" }).click();
  assert.ok(await tester.editor().evaluate((content) => content.getRootNode().activeElement === content));
  await page.locator(".cm-activeLine", { hasText: "Disallow: private/" }).waitFor();
  await tester.close();
});

test("one fix is one edit, and can be undone", async () => {
  const tester = await open();
  await tester.panel().getByRole("button", { name: "Fix: add the slash" }).click();
  await tester.page.locator(".cm-line", { hasText: "Disallow: /private/" }).waitFor();
  await tester.page.keyboard.press("Control+z");
  await tester.page.locator(".cm-line", { hasText: "Disallow: private/" }).waitFor();
  await tester.close();
});

test("a fix that would close the site has no button, and says why", async () => {
  const tester = await open();
  for (const [text, code, title, mark] of [
    ["User-agent: * Disallow: /\n", "L043", "move it to its own line", "Disallow: /"],
    ["User-agent: *\nDisallow: /* */\n", "L012", "write each path on its own line", "/* */"],
  ]) {
    await tester.paste(text);
    const finding = tester.panel().getByRole("listitem").filter({ hasText: code });
    await finding.getByText(`Possible fix: ${title}.`).waitFor();
    await finding.getByText("There is no button for it, because it may block the whole site").waitFor();
    await finding.getByRole("button", { name: /^Fix/ }).first().waitFor({ state: "detached" });
    await finding.getByRole("button", { name: "See what changes" }).click();
    await finding.getByText(/^With this fix: URLs such as \/.* become blocked for/).waitFor();
    await tester.page.locator(".cm-lintRange").filter({ hasText: mark }).first().hover();
    await tester.page.locator(".cm-tooltip .cm-diagnostic").first().waitFor();
    await tester.page.getByRole("button", { name: /^Fix/ }).first().waitFor({ state: "detached" });
    assert.equal(await tester.text(), text);
    assert.deepEqual(await tester.violations(), []);
  }
  await tester.close();
});

test("applying all safe fixes leaves unsafe ones alone", async () => {
  const tester = await open();
  await tester.panel().getByText("Safe fixes change no verdict that this test gives for a known crawler").waitFor();
  await tester.panel().getByText("Crawlers that ignored a misspelled line may follow it afterwards.").waitFor();
  await tester.panel().getByRole("button", { name: /^Apply the \d+ safe fixes \(lines 2.* and \d+\)$/ }).click();
  await tester.page.locator(".cm-line", { hasText: "Disallow: /cart/" }).waitFor();
  const text = await tester.text();
  assert.match(text, /^Disallow: \/cart\/$/m);
  assert.match(text, /^User-agent: bingbot$/m);
  assert.match(text, /^Disallow: private\/$/m);
  await tester.panel().locator(".finding-name", { hasText: "misspelled-field" }).first().waitFor({ state: "detached" });
  await tester.close();
});

test("squiggles are where the mistake is, also after letters of several bytes", async () => {
  const tester = await open();
  await tester.paste(`# ${"é→😀".repeat(5)}\nUser-agent: *\nDisalow: /x\n`);
  const squiggle = tester.page.locator(".cm-lintRange-warning");
  await squiggle.filter({ hasText: /^Disalow$/ }).waitFor();
  await squiggle.hover();
  const words = tester.page.locator(".cm-tooltip .cm-diagnosticText");
  await words.filter({ hasText: /^[A-Z][^`]*[.]$/ }).waitFor();
  await words.locator("code").first().waitFor();
  await tester.page.getByRole("button", { name: "Action: Fix: write Disallow:" }).click();
  await tester.page.locator(".cm-line", { hasText: /^Disallow: \/x$/ }).waitFor();
  await tester.close();
});

test("a file without mistakes gets a message", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: /cart/\n");
  await tester.panel().getByText("No mistakes found").waitFor();
  await tester.close();
});

test("the number of mistakes is gray for a former text, and absent for an empty one", async () => {
  const tester = await open();
  const { page } = tester;
  const badge = page.locator(".badge");
  const look = () => badge.evaluate((element) => [getComputedStyle(element).color, getComputedStyle(element).fontWeight]);
  const [color, weight] = await look();
  const answer = await tester.hold("/v1/lint");
  await tester.paste("User-agent: *\nDisalow: /\n");
  await page.getByRole("tab", { name: /^Mistakes ?: \d problems before the last change$/ }).waitFor();
  const [staleColor, staleWeight] = await look();
  assert.notEqual(staleColor, color);
  assert.ok(Number(staleWeight) < Number(weight));
  answer();
  await page.getByRole("tab", { name: /^Mistakes ?: \d problems?$/ }).waitFor();
  assert.deepEqual(await look(), [color, weight]);
  await tester.paste("");
  await page.keyboard.press("Delete");
  await badge.waitFor({ state: "detached" });
  await tester.close();
});

test("a rule with a host asks for the site of the file, and names no options of the command", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: https://my.example/private/\n");
  await tester.view(/^Mistakes/);
  const finding = tester.panel().getByRole("listitem").filter({ hasText: "L006" });
  await finding.getByText("If the file is for this host, keep only the path; otherwise, the rule belongs in the robots.txt of that host.").waitFor();
  await finding.getByRole("button", { name: "Say which site this file is for" }).click();
  await tester.page.getByLabel("Which site is this file for?").fill("my.example");
  await tester.page.keyboard.press("Enter");
  await finding.getByRole("button", { name: "Fix: keep the path" }).waitFor();
  await tester.close();
});
