/** Links that carry the page's state, and what hostile ones can't do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { SHOP, start } from "./harness.mjs";

const { comity, open: openTester } = await start();
const open = (fragment = "", options = {}) => openTester({ fragment, ...options });

/** A fragment as the page would write it, of anything. */
function fragment(state) {
  return `1${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;
}

test("a shared link restores the file, the URLs, the crawlers and the view", async () => {
  const tester = await open();
  await tester.paste(SHOP);
  await tester.urls("/cart/", "/internal/press/é?q=1#x");
  await tester.crawlers("bingbot", "My-Bot");
  await tester.page.getByLabel("Read as").selectOption("google");
  await tester.view("By engine");
  await tester.page.getByRole("button", { name: "Share" }).click();
  const link = await tester.page.getByLabel("The link").inputValue();
  await tester.page.getByRole("button", { name: "Close" }).click();
  await tester.close();
  assert.ok(link.startsWith(comity.url), link);
  assert.ok(link.length < 600, link);

  const other = await open(new URL(link).hash.slice(1));
  assert.equal((await other.text()).trim(), SHOP.trim());
  assert.equal(await other.page.getByRole("tab", { selected: true }).innerText(), "By engine");
  assert.equal(await other.page.getByLabel("Read as").inputValue(), "google");
  await other.view("Test");
  assert.equal(await other.page.getByLabel("URLs, one on each line").inputValue(), "/cart/\n/internal/press/é?q=1#x");
  await other.verdict(0, 0).filter({ hasText: "Blocked line 2" }).waitFor();
  await other.page.getByRole("columnheader", { name: "My-Bot" }).waitFor();
  await other.close();
});

test("reloading keeps the work, and a link opened in the same tab replaces it", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: /kept/\n");
  await tester.page.waitForFunction(() => location.hash.length > 10);
  await tester.page.reload();
  await tester.page.locator(".cm-line", { hasText: "Disallow: /kept/" }).waitFor();
  const next = fragment({ r: "User-agent: *\nDisallow: /next/\n", u: "/next/", a: ["*"], v: "test" });
  await tester.page.evaluate((next) => (location.hash = next), next);
  await tester.verdict(0, 0).filter({ hasText: "Blocked line 2" }).waitFor();
  await tester.close();
});

test("Share lists the content of the link, and says that it works only on this computer", async () => {
  const tester = await open();
  await tester.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => tester.page.evaluate(() => navigator.clipboard.readText());
  await tester.page.evaluate(() => navigator.clipboard.writeText("something else"));
  await tester.paste("User-agent: *\n");
  await tester.keepAsOriginal();
  await tester.view("Test");
  await tester.paste(SHOP);
  await tester.urls("/cart/");
  await tester.crawlers("bingbot", "My-Bot");
  await tester.page.getByRole("button", { name: "Share" }).click();
  const dialog = tester.page.getByRole("dialog");
  await dialog.getByText("The link contains the whole file (117 bytes), the original that it is compared with, 1 URL, 2 crawlers and the view Test.").waitFor();
  await dialog.getByText("This link works only on this computer. The page that you see comes from a program that runs here").waitFor();
  // Nobody else can open the link, so the main button saves the file.
  assert.deepEqual(await dialog.locator("button.primary").allInnerTexts(), ["Download the file"]);
  const whole = await dialog.getByLabel("The link").inputValue();
  // Nothing is copied before one asks.
  assert.equal(await clipboard(), "something else");
  await dialog.getByRole("button", { name: "Copy the link" }).click();
  await dialog.getByText("Copied just now.").waitFor();
  assert.equal(await clipboard(), whole);
  await dialog.getByLabel("With the file").uncheck();
  await dialog.getByText("Copied just now.").waitFor({ state: "detached" });
  await dialog.getByText("The link contains 1 URL, 2 crawlers and the view Test.").waitFor();
  const rest = await dialog.getByLabel("The link").inputValue();
  assert.ok(rest.length < whole.length);
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
  const other = await open(new URL(rest).hash.slice(1));
  assert.equal((await other.text()).trim(), "");
  await other.close();
});

test("a link that replaces work can be undone", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: /mine/\n");
  const next = fragment({ r: "User-agent: *\nDisallow: /next/\n", u: "/next/", a: ["*"], v: "test" });
  await tester.page.evaluate((next) => (location.hash = next), next);
  await tester.verdict(0, 0).filter({ hasText: "Blocked line 2" }).waitFor();
  await tester.page.getByRole("button", { name: "Put my former text back" }).click();
  await tester.page.locator(".cm-line", { hasText: "Disallow: /mine/" }).waitFor();
  await tester.close();
});

test("a damaged link in the same tab keeps the work, and shows a message", async () => {
  const tester = await open();
  await tester.paste("User-agent: *\nDisallow: /mine/\n");
  await tester.page.evaluate(() => (location.hash = "1xxxxbroken"));
  await tester.page.getByRole("alert").filter({ hasText: "This link is incomplete or damaged." }).filter({ hasText: "What you see is what was here before." }).waitFor();
  await tester.page.locator(".cm-line", { hasText: "Disallow: /mine/" }).waitFor();
  await tester.page.getByRole("button", { name: "Close" }).first().click();
  await tester.close();
});

test("Share offers a link without the file if the file is too long", async () => {
  const tester = await open();
  const lines = Array.from({ length: 6_000 }, (_, n) => `Disallow: /${Math.sin(n)}`).join("\n");
  await tester.paste(`User-agent: *\n${lines}`);
  await tester.page.getByRole("button", { name: "Share" }).click();
  await tester.page.getByRole("heading", { name: "Too long for a link" }).waitFor();
  await tester.page.getByLabel("With the file").uncheck();
  assert.ok((await tester.page.getByLabel("The link").inputValue()).length < 2_000);
  await tester.close();
});

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(1)</script>"\'`${alert(1)}';

for (const [what, agents, shown] of [
  ["and hostile names", [HOSTILE, "<b>bold", "__proto__", "constructor", "Googlebot"], "is no product token"],
  ["alone", ["__proto__", "constructor", "Googlebot"], /verdicts:/],
]) {
  test(`hostile text ${what} in a link stays text`, async () => {
    const tester = await open(
      fragment({
        r: `User-agent: ${HOSTILE}\nDisallow: ${HOSTILE}\nSitemap: javascript:alert(1)\n\u202Etxt.stobor\u0000\u200B\n`,
        o: HOSTILE,
        s: `javascript:alert(1)//${HOSTILE}`,
        u: `/${HOSTILE}\n/\u202Egnp\njavascript:alert(1)`,
        a: agents,
        d: HOSTILE,
        v: HOSTILE,
      }),
      // Names that no crawler has are refused.
      { forgives: /status of 422/ },
    );
    const { page } = tester;
    await page.getByText(shown).first().waitFor();
    for (const name of ["Compare", "By engine", /^Mistakes/, "AI", "Fetch", "Test"]) {
      await tester.view(name);
      await page.waitForTimeout(500);
      await page.locator("img:not(.cm-widgetBuffer), script:not([src]), iframe").first().waitFor({ state: "detached" });
    }
    // What reorders a line is shown as what it is.
    await page.locator(".cm-specialChar", { hasText: "\\u{202E}" }).waitFor();
    if (what === "alone") assert.match(await page.getByRole("grid").innerText(), /\\u\{202E\}gnp/);
    assert.doesNotMatch(await page.locator("body").innerText(), /[\u202E\u200B]/);
    await tester.close();
  });
}

test("broken, foreign and exploding links open the example with a message", async () => {
  const bomb = `1${deflateRawSync(JSON.stringify({ r: "a".repeat(50_000_000) })).toString("base64url")}`;
  const broken = ["1", "1!!!", `1${Buffer.from("nonsense").toString("base64url")}`, "a=b", bomb];
  for (const one of broken) {
    const tester = await open(one);
    await tester.page.getByRole("alert").filter({ hasText: "This link is incomplete or damaged." }).filter({ hasText: "What you see is the example." }).waitFor();
    const first = await tester.page.locator(".cm-line").first().innerText();
    assert.match(first, /A shop's robots\.txt/, one.slice(0, 40));
    await tester.close();
  }
});

test("fields of other types are left out", async () => {
  const tester = await open(fragment({ r: 5, o: {}, s: [], u: { a: 1 }, a: [1, null, {}, "bingbot"], d: 7, v: "toString" }));
  await tester.page.getByRole("list", { name: "Chosen crawlers" }).filter({ hasText: /^bingbot$/ }).waitFor();
  await tester.page.getByText("Which URLs?").waitFor();
  await tester.close();
});
