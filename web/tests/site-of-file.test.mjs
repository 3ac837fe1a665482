/** The site of the text: shown, changed, and cleared with another file. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start, TEXT } from "./harness.mjs";

const { shop, open } = await start({ sites: { shop: { "/robots.txt": [200, TEXT, SHOP] } } });

const taken = (tester, words) => tester.page.locator(".site-of-file").filter({ hasText: words }).waitFor();

test("a pasted file does not belong to the fetched site", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.paste("User-agent: *\nDisallow: /a\n");
  await tester.urls("https://mysite.example/a");
  await tester.verdict(0, 0).filter({ hasText: "Blocked line 2" }).waitFor();
  await taken(tester, "Tested as the robots.txt of https://mysite.example, the site of the first URL. Nothing is written to your site.");
  await tester.close();
});

test("a pasted file has no site at all, and the URLs of the former site are tested as paths", async () => {
  const tester = await open();
  await tester.fetchFile(`${shop.url}/cart/help`);
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.paste("User-agent: *\nDisallow: /a\n");
  await taken(tester, "Tested as the robots.txt of no site in particular: only paths are tested.");
  assert.equal((await tester.page.getByLabel("URLs, one on each line").inputValue()).trim(), "/cart/help");
  await tester.view("Overview");
  await tester.page.getByRole("heading", { name: "The answers for this text" }).waitFor();
  assert.equal(await tester.panel().getByText(shop.url).count(), 0);
  await tester.close();
});

test("Clear removes the site, and typing does not", async () => {
  const tester = await open();
  await tester.fetchFile(shop.url);
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+End");
  await tester.page.keyboard.type("Disallow: /typed/");
  await tester.urls("https://mysite.example/a");
  await tester.verdict(0, 0).filter({ hasText: "Other site" }).waitFor();
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.page.locator(".file").getByRole("button", { name: "Clear" }).click();
  await taken(tester, "Tested as the robots.txt of https://mysite.example, the site of the first URL. Nothing is written to your site.");
  await tester.verdict(0, 0).filter({ hasText: "Allowed" }).waitFor();
  await tester.close();
});

test("the site can be named, changed, and left to the URLs, and a link contains it", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.urls("/cart/");
  await taken(tester, "Tested as the robots.txt of no site in particular: only paths are tested.");
  await page.getByRole("button", { name: "Name a site" }).click();
  const field = page.getByLabel("Which site is this file for?");
  await field.fill("not a site");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByText("Write a site such as https://example.com, or any URL on it.").waitFor();
  assert.deepEqual(await tester.violations(), []);
  await field.fill("www.shop.example:8443/any/page");
  await field.press("Enter");
  await taken(tester, "Tested as the robots.txt of https://www.shop.example:8443. Nothing is written to your site.");
  await tester.urls("https://shop.example/cart/", "https://www.shop.example:8443/cart/");
  await tester.verdict(0, 0).filter({ hasText: "Other site" }).waitFor();
  await page.waitForFunction(() => location.hash.length > 10);
  await page.waitForTimeout(700);
  await page.reload();
  await taken(tester, "Tested as the robots.txt of https://www.shop.example:8443. Nothing is written to your site.");
  await page.getByRole("button", { name: "Change the site" }).click();
  await page.getByRole("button", { name: "Let the URLs decide" }).click();
  await taken(tester, "Tested as the robots.txt of https://shop.example, the site of the first URL. Nothing is written to your site.");
  await tester.verdict(0, 1).filter({ hasText: "Blocked" }).waitFor();
  await tester.close();
});

test("URLs of other sites get a note that names both sites", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.paste(SHOP);
  await tester.crawlers("Googlebot");
  await tester.urls("https://shop.example:8443/cart/", "https://shop.example/", "http://www.shop.example/cart/");
  await taken(tester, "Tested as the robots.txt of https://shop.example:8443, the site of the first URL. Nothing is written to your site.");
  const note =
    "2 URLs are on other sites (https://shop.example, http://www.shop.example): a robots.txt of https://shop.example:8443 has no say there.";
  for (const name of ["By engine", "Test"]) {
    await tester.view(name);
    await tester.panel().getByText(note).waitFor();
  }
  const reasoning = page.locator("#reasoning");
  const other = tester.verdict(2, 0).filter({ hasText: "Other site" }).getByRole("button");
  const title = reasoning.filter({ hasText: "for http://www.shop.example/cart/" });
  await other.click();
  // Verdicts that arrive between pressing and releasing the button draw it again. A person presses it once more.
  await title.waitFor({ timeout: 10_000 }).catch(() => other.click());
  for (const words of [
    "Googlebot needs another site’s robots.txt for http://www.shop.example/cart/",
    "Googlebot is a crawler of Google, for search.",
    "The text is tested as the robots.txt of https://shop.example:8443, the site of the first URL.",
    "On http://www.shop.example, which has another scheme, host and port.",
    "http://www.shop.example/robots.txt",
    "A robots.txt applies only to the site from which it is fetched. With or without www, http and https: each is a site of its own.",
  ]) {
    await reasoning.filter({ hasText: words }).waitFor();
  }
  assert.equal(await reasoning.locator(".steps > li").count(), 4);
  assert.doesNotMatch(await reasoning.innerText(), /Loading/);
  assert.deepEqual(await tester.violations(), []);
  await reasoning.getByRole("button", { name: "Test it as the file of http://www.shop.example" }).click();
  await taken(tester, "Tested as the robots.txt of http://www.shop.example. Nothing is written to your site.");
  await tester.verdict(2, 0).filter({ hasText: "Allowed" }).waitFor();
  await tester.close();
});

test("a host with a port is a site, localhost too", async () => {
  const tester = await open();
  await tester.page.getByRole("button", { name: "Change the site" }).click();
  await tester.page.getByLabel("Which site is this file for?").fill("localhost:18081");
  await tester.page.getByRole("button", { name: "Use it" }).click();
  await taken(tester, "Tested as the robots.txt of https://localhost:18081. Nothing is written to your site.");
  await tester.close();
});

test("undoing a fetch, or a paste over a fetched file, restores the site", async () => {
  const tester = await open();
  const { page } = tester;
  await tester.fetchFile(shop.url);
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.paste("User-agent: *\nDisallow: /a\n");
  await taken(tester, "Tested as the robots.txt of no site in particular: only paths are tested.");
  await tester.editor().focus();
  await page.keyboard.press("Control+z");
  await page.locator(".cm-line").filter({ hasText: "Allow: /cart/help" }).waitFor();
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await page.keyboard.press("Control+z");
  await page.locator(".cm-line").first().filter({ hasText: "A shop's robots.txt" }).waitFor();
  await taken(tester, "Tested as the robots.txt of no site in particular: only paths are tested.");
  await page.keyboard.press("Control+Shift+z");
  await taken(tester, `Tested as the robots.txt of ${shop.url}. Nothing is written to your site.`);
  await tester.close();
});

test("the focus moves on when the form for the site closes", async () => {
  const tester = await open();
  const { page } = tester;
  await page.getByRole("button", { name: "Change the site" }).press("Enter");
  await page.getByLabel("Which site is this file for?").press("Escape");
  await page.locator(".site-of-file button:focus").waitFor();
  await tester.urls("https://shop.example/", "https://www.shop.example/");
  await tester.verdict(1, 0).filter({ hasText: "Other site" }).getByRole("button").click();
  await page.getByRole("button", { name: "Test it as the file of https://www.shop.example" }).press("Enter");
  await page.locator(".cell:focus").waitFor();
  await tester.close();
});
