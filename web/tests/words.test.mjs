/** The texts of the page about the file itself: its size, the part that is not read, and that it is no robots.txt. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { broken, open } = await start({ sites: { broken: { "/robots.txt": [503, {}, "Busy."] } } });

const choose = (tester, content) =>
  tester.page.locator("input[type=file]").setInputFiles({ name: "robots.txt", mimeType: "text/plain", buffer: Buffer.from(content) });

test("the size is in bytes of the file's own encoding", async () => {
  const tester = await open();
  const status = tester.page.locator(".status");
  await tester.paste("# é→😀\n");
  await status.getByText("1 line, 12 bytes").waitFor();
  const utf16 = Buffer.from("\uFEFFUser-agent: *\n", "utf16le");
  await choose(tester, utf16);
  await status.getByText(`1 line, ${utf16.length} bytes`).waitFor();
  await tester.close();
});

test("a file that is too long has a link to the last line that crawlers read", async () => {
  const tester = await open();
  const line = `# ${"x".repeat(997)}\n`;
  await choose(tester, `User-agent: *\n${line.repeat(600)}Disallow: /late/\n`);
  const note = tester.page.locator(".status .warn");
  await note.getByText("The file has 600,031 bytes. Crawlers read the first 512,000, up to line 513 of 602. The rest has no effect.").waitFor();
  await note.getByRole("button", { name: "line 513" }).click();
  await tester.page.locator(".status-about", { hasText: "Line 513" }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("a pasted web page gets a warning", async () => {
  const tester = await open();
  await tester.paste("<!doctype html>\n<title>Shop</title>\n");
  await tester.page.locator(".status").getByText("This looks like a web page, not a robots.txt.").waitFor();
  await tester.paste(SHOP);
  await tester.page.locator(".status").getByText("This looks like a web page").waitFor({ state: "detached" });
  await tester.close();
});

test("the first visit shows how to begin", async () => {
  const tester = await open();
  const call = tester.page.getByText("This is an example. Put yours in its place: fetch it, open it, or paste it over this text.");
  await call.waitFor();
  await tester.paste(SHOP);
  await call.waitFor({ state: "detached" });
  await tester.close();
});

test("a failure shows its consequence if it lasts, by the policy", async () => {
  const tester = await open();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByLabel("Site").fill(broken.url);
  await panel.getByLabel("What failures mean").selectOption("google");
  await panel.getByRole("button", { name: "Ask the site" }).click();
  await panel.getByText("Until it sends the file, crawlers stay away; no rule is the cause. Ask the site’s host").waitFor();
  await panel.getByText("Who says so?").click();
  await panel.getByText("After 12 hours, the last copy of the file decides; without one, everything is allowed. After 30 days,").waitFor();
  await tester.close();
});

test("a policy that allows everything on a failure does not turn it into a missing file", async () => {
  const tester = await open();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByLabel("Site").fill(broken.url);
  await panel.getByLabel("What failures mean").selectOption("archive");
  await panel.getByRole("button", { name: "Ask the site" }).click();
  const words = "This policy allows everything although the file could not be fetched.";
  await panel.getByText(words).waitFor();
  await panel.getByText("the site has no robots.txt").first().waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Show the verdicts" }).click();
  await panel.getByText(words).first().waitFor();
  await panel.getByText("It has not answered for so long").first().waitFor({ state: "detached" });
  await tester.close();
});

test("the tab and the view show the same number of problems", async () => {
  const tester = await open();
  // A misspelled name is a problem, and a rule that another one covers is a note.
  await tester.paste("User-agent: *\nDisalow: /cart/\nDisallow: /internal/\nDisallow: /internal/press/\n");
  await tester.page.getByRole("tab", { name: /^Mistakes ?: ?1 problem$/ }).click();
  await tester.panel().getByText("1 problem and 1 note.").waitFor();
  await tester.close();
});

test("many findings of one lint are folded", async () => {
  const tester = await open();
  await tester.paste(`User-agent: *\n${Array.from({ length: 12 }, (_, nth) => `Disallow: p${nth}/`).join("\n")}\n`);
  await tester.view(/^Mistakes/);
  const fold = tester.panel().locator("details.like");
  await fold.getByText("9 more findings of missing-leading-slash").click();
  await fold.getByRole("button", { name: "line 13", exact: true }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("safe fixes leave the focus in the editor, so that Ctrl Z undoes them", async () => {
  const tester = await open();
  await tester.view(/^Mistakes/);
  await tester.panel().getByRole("button", { name: /^Apply/ }).press("Enter");
  await tester.page.locator(".cm-line", { hasText: /^Disallow: \/$/ }).waitFor();
  await tester.page.keyboard.press("Control+z");
  await tester.page.locator(".cm-line", { hasText: /^Disalow: \/$/ }).waitFor();
  await tester.close();
});

test("wide tables show in which direction they scroll", async () => {
  const tester = await open({ width: 390, height: 844 });
  await tester.urls("/cart/");
  await tester.view("By engine");
  const region = tester.panel().getByRole("region", { name: "Answers by engine" });
  await region.waitFor();
  const hint = region.locator("xpath=..").locator(".scroll-hint");
  await hint.filter({ hasText: "Scroll sideways for more columns" }).waitFor();
  await region.evaluate((box) => (box.scrollLeft = box.scrollWidth));
  await hint.filter({ hasText: "Scroll back for more columns" }).waitFor();
  await tester.close();
});

test("on a phone, the cells of a crawler are below each other, and have names", async () => {
  const tester = await open({ width: 390, height: 844 });
  await tester.view("AI");
  const region = tester.panel().getByRole("region", { name: "Training: crawlers" });
  const cells = region.getByRole("row").filter({ hasText: "GPTBot" }).locator("th, td");
  await cells.first().waitFor();
  const boxes = await cells.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().toJSON()));
  assert.equal(boxes.length, 4);
  assert.ok(boxes.every(({ top, right }, nth) => right <= 390 && (nth === 0 || top >= boxes[nth - 1].bottom)), JSON.stringify(boxes));
  const name = await cells.nth(1).evaluate((cell) => getComputedStyle(cell, "::before").content);
  assert.match(name, /May fetch/);
  assert.ok(await region.evaluate((box) => box.scrollWidth <= box.clientWidth));
  await tester.close();
});

test("no view uses words that only programmers know", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste("User-agent: *\nDisalow: /cart/\nno colon\nDisallow: /internal/\nAllow: /*.html$\nUser-agent: GPTBot\nDisallow: /\n");
  await tester.urls("/cart/", "/internal/a.html");
  for (const name of ["Test", "Compare", "By engine", /^Mistakes/, "Fetch", "AI", "Page", "Sitemaps", "Write"]) {
    await tester.view(name);
    await tester.settled();
    if (name === "Test") await page.locator("#reasoning .steps").waitFor();
    if (name === "Compare") {
      await tester.panel().getByLabel("Before: the file without your changes").fill("User-agent: *\n");
      await tester.panel().getByRole("button", { name: "Compare with this" }).click();
    }
    if (name === "Compare") await tester.panel().getByRole("region", { name: "For all URLs" }).locator("li.change").first().waitFor();
    const said = await page.locator("main").innerText();
    assert.doesNotMatch(said, /octet|dialect|\brow\b|token|no record|leave to fetch|who care|§/i, `${name}`);
  }
  await tester.close();
});

test("after a long URL was typed, the list is not scrolled to the side", async () => {
  const tester = await open();
  const list = tester.page.getByLabel("URLs, one on each line");
  await list.fill("");
  await list.pressSequentially(`/${"long/".repeat(60)}`);
  assert.ok((await list.evaluate((list) => list.scrollLeft)) > 0, "it scrolls while one types");
  await list.press("Tab");
  assert.equal(await list.evaluate((list) => list.scrollLeft), 0);
  await tester.close();
});

test("crawlers are found by other spellings of their names", async () => {
  const tester = await open();
  const box = tester.page.getByRole("combobox", { name: "Crawlers" });
  const options = tester.page.getByRole("listbox", { name: "Crawlers" }).getByRole("option");
  for (const [typed, name] of [["Chat GPT", "ChatGPT-User"], ["google mobile", "Googlebot"]]) {
    await box.fill(typed);
    await options.filter({ hasText: name }).first().waitFor();
  }
  await box.fill("Gogglebot");
  await options.filter({ hasText: "not a known crawler: your own, by this name" }).waitFor();
  await tester.close();
});

test("crawlers with the same answer share a row, and the card shows the preference", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /cart/\n");
  await tester.view("AI");
  const card = tester.panel().getByRole("region", { name: "Training", exact: true });
  await card.getByText("ai-train: no").waitFor();
  const table = tester.panel().getByRole("region", { name: "Training: crawlers" });
  assert.ok((await table.getByRole("row").count()) < 12);
  await table.getByText("ClaudeBot", { exact: true }).waitFor();
  await tester.close();
});

test("with forced colors, only the deciding line and the runner-up have a bar", async () => {
  const tester = await open({ forcedColors: "active" });
  await tester.page.locator(".cm-line.decides").waitFor();
  const bars = await tester.editor().evaluate((content) => {
    const page = getComputedStyle(content.closest(".cm-editor")).backgroundColor;
    return [...content.querySelectorAll(".cm-line")].flatMap((line, nth) => {
      const { borderLeftColor } = getComputedStyle(line);
      return borderLeftColor === page ? [] : [nth + 1];
    });
  });
  assert.deepEqual(bars, [10, 11]);
  await tester.close();
});
