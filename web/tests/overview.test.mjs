/** The first view: one page of answers, and that nothing of a former file looks current. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { HTML, start, TEXT } from "./harness.mjs";

const XML = { "content-type": "application/xml" };
const at = (request) => `http://${request.headers.host}`;

const CLOSED = "User-agent: *\nDisallow: /\n";

const { shop, closed, open } = await start({
  sites: {
    shop: {
      "/robots.txt": (request) => [
        200,
        TEXT,
        `User-agent: *\nDisallow: /cart/\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: ${at(request)}/sitemap.xml\n`,
      ],
      "/sitemap.xml": (request) => [
        200,
        XML,
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${at(request)}/</loc></url><url><loc>${at(request)}/cart/</loc></url></urlset>`,
      ],
      "/": [200, HTML, '<link rel=stylesheet href="/style.css"><script src="/cart/x.js"></script>'],
      "/somethingthatishidden.html": [200, { ...HTML, "x-robots-tag": "noindex" }, "Hidden."],
    },
    closed: { "/robots.txt": [200, TEXT, CLOSED], "/": [404, HTML, "Nothing."] },
  },
});

/** Waits until a part says this. */
const says = (tester, part, words) =>
  tester.page.locator(".part-row").filter({ has: tester.page.getByText(part, { exact: true }) }).filter({ hasText: words }).waitFor();

test("the first view asks for a site, and answers for the example", async () => {
  const tester = await open({ staysFirst: true });
  await tester.page.getByText("Which site is it about?").waitFor();
  await says(tester, "The site", "Open to Google, Bing");
  await says(tester, "Mistakes", "in the file. Line 15");
  await says(tester, "Sitemaps", "Not asked: it needs the address of the site.");
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("an empty text leaves no part loading", async () => {
  const tester = await open({ staysFirst: true });
  await tester.page.getByRole("button", { name: "Clear", exact: true }).click();
  for (const part of ["The site", "Mistakes", "AI"]) await says(tester, part, "The file is empty, so everything may be fetched.");
  await tester.settled();
  await tester.close();
});

test("after one address, each part has its sentence and leads to its view", async () => {
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(shop.url);
  await tester.page.getByRole("heading", { name: `The answers for ${shop.url}` }).waitFor();
  await says(tester, "The site", "The whole site is blocked for GPTBot.");
  await says(tester, "Mistakes", "No mistakes in the file.");
  await says(tester, "Sitemaps", "1 of 2 sitemap pages is blocked for Google.");
  await says(tester, "AI", "AI: ");
  await says(tester, "Front page", "Googlebot may fetch this page and show it in search results.");
  await says(tester, "Its styles and scripts", "Googlebot may not load 1 of 2 files of this page");
  await says(tester, "Addresses", "www.shop.test");
  await says(tester, "Last change", "No earlier version is stored.");
  assert.deepEqual(await tester.violations(), []);
  const sent = shop.asked.length;
  await tester.page.getByRole("button", { name: "See Sitemaps" }).click();
  await tester.page.getByText("/cart/").first().waitFor();
  assert.equal(shop.asked.length, sent, "the view shows what was read");
  await tester.close();
});

test("a closed site is said to be closed, and a front page without an answer is an answer", async () => {
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(closed.url);
  await says(tester, "The site", "The whole site is blocked for every crawler");
  await says(tester, "Front page", "Googlebot may not fetch this page");
  await says(tester, "Sitemaps", "The robots.txt names no sitemap.");
  await tester.view("Test");
  await tester.page.locator(".open-words", { hasText: "The whole site is blocked for every crawler" }).waitFor();
  await tester.close();
});

test("a file from the disk has no site, and shows what it proves", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "comity-"));
  const name = path.join(folder, "mine.txt");
  writeFileSync(name, "Sitemap: /sitemap.xml\nUser agent: *\nDisallow: /wp-admin\nDisalow: /wp-includes/\n");
  const tester = await open({ staysFirst: true });
  await tester.page.locator("[data-open]").setInputFiles(name);
  await tester.page.getByText("The answers for this text").waitFor();
  await says(tester, "Mistakes", "in the file. Line");
  await says(tester, "Front page", "Not asked: it needs the address of the site.");
  assert.equal((await tester.text()).includes("shop.example"), false);
  await tester.view("Test");
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), "/\n");
  await tester.view("Mistakes");
  await tester.page.getByRole("button", { name: "Say which site this file is for" }).first().waitFor();
  await tester.close();
});

test("dictation over the whole text is another file, too", async () => {
  const tester = await open();
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+a");
  await tester.page.keyboard.insertText("User-agent: *\nDisallow: /x\n");
  await tester.page.locator(".site-of-file").filter({ hasText: "no site in particular" }).waitFor();
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), "/\n");
  await tester.close();
});

test("answers about a former file fade, and say what they are about", async () => {
  const tester = await open({ staysFirst: true });
  const { page } = tester;
  await tester.fetchFile(shop.url);
  await says(tester, "Sitemaps", "1 of 2 sitemap pages is blocked for Google.");
  await tester.view("Sitemaps");
  await page.getByText("1 of 2 sitemap pages is blocked").waitFor();
  await tester.fetchFile(closed.url);
  await page.getByText(`This is about the text that was here before, and ${shop.url}. Read the sitemaps again.`).waitFor();
  assert.equal(await page.getByText("the text before your changes").count(), 0, "nobody changed anything");
  await page.locator(".answered.stale", { hasText: "1 of 2 sitemap pages" }).waitFor();
  await tester.view("Page");
  await page.getByText("was checked before another text took the place of the former one").waitFor();
  await tester.close();
});

test("after an edit, what is about the live file fades, and says so", async () => {
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(shop.url);
  await says(tester, "Front page", "Googlebot may fetch this page");
  await says(tester, "Sitemaps", "1 of 2 sitemap pages is blocked for Google.");
  await tester.settled();
  assert.equal(await tester.page.getByText("About the live file").count(), 0);
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+End");
  await tester.page.keyboard.insertText("Disallow: /");
  for (const part of ["Front page", "Its styles and scripts"]) await says(tester, part, "About the live file, not the text in the editor.");
  await says(tester, "Sitemaps", "About the text before your changes.");
  assert.equal(await tester.page.locator(".part-row.stale", { hasText: "About the live file" }).count(), 2);
  await tester.close();
});

test("marks and sizes of a former file are gone at once", async () => {
  const tester = await open({ staysFirst: true });
  const { page } = tester;
  await page.locator(".cm-lintRange").first().waitFor();
  const send = await tester.hold("/v1/lint");
  const sendSizes = await tester.hold("/v1/inspect");
  await tester.fetchFile(closed.url);
  await page.getByText("The editor shows the file of").waitFor();
  await page.locator(".cm-lintRange").first().waitFor({ state: "detached" });
  assert.equal(await page.locator(".status-facts > span").first().textContent(), "2 lines");
  send();
  sendSizes();
  await page.locator(".status-facts", { hasText: "2 lines, 26 bytes" }).waitFor();
  await tester.close();
});

test("a fetched file stays the original when a draft is opened", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "comity-"));
  const name = path.join(folder, "draft.txt");
  writeFileSync(name, "User-agent: *\nDisallow:\n");
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(closed.url);
  await tester.page.getByText("The editor shows the file of").waitFor();
  await tester.page.locator("[data-open]").setInputFiles(name);
  await tester.view("Compare");
  await tester.panel().getByRole("radio", { name: "What does my draft change?" }).check();
  await tester.page.getByText(`the live file, ${closed.url}/robots.txt`).waitFor();
  await tester.page.locator(".difference .summary", { hasText: "The whole site is now open to" }).waitFor();
  await tester.close();
});

test("a long text that comes as one input event is inserted at once", async () => {
  const tester = await open();
  await tester.editor().focus();
  await tester.page.keyboard.press("Control+a");
  const text = `User-agent: *\n${Array.from({ length: 14_000 }, (_, nth) => `Disallow: /${nth}/x/y/z`).join("\n")}\n`;
  assert.ok(text.length > 300_000);
  const client = await tester.context.newCDPSession(tester.page);
  await client.send("Input.insertText", { text });
  await tester.page.locator(".status-facts", { hasText: "14,001 lines" }).waitFor();
  await tester.close();
});

test("on a phone, the file folds after a fetch, and a view is scrolled to", async () => {
  const tester = await open({ staysFirst: true, width: 390, height: 844 });
  const { page } = tester;
  await tester.fetchFile(shop.url);
  await page.locator(".folded-line", { hasText: "7 lines, no mistakes" }).waitFor();
  assert.equal(await tester.editor().isVisible(), false);
  await tester.view("AI");
  await page.waitForFunction(() => document.querySelector(".tabs").getBoundingClientRect().top < 50);
  assert.equal(await tester.overflows(), false);
  assert.deepEqual(await tester.violations(), []);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await tester.editor().waitFor();
  await tester.close();
});

test("on a phone, a tap on a line unfolds the file and shows the line", async () => {
  const tester = await open({ staysFirst: true, width: 390, height: 844, hasTouch: true, isMobile: true });
  const { page } = tester;
  for (const view of ["Test", "Sitemaps"]) {
    await tester.fetchFile(shop.url);
    await page.locator(".folded-line", { hasText: "7 lines" }).waitFor();
    await tester.view(view);
    if (view === "Test") await tester.urls("/cart/x");
    await tester.panel().getByRole("button", { name: "line 2", exact: true }).first().tap();
    const line = page.locator(".cm-activeLine", { hasText: "Disallow: /cart/" });
    await line.waitFor();
    await tester.page.waitForFunction((line) => {
      const { top, bottom } = line.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }, await line.elementHandle());
    assert.equal(await tester.editor().evaluate((content) => content.getRootNode().activeElement === content), true);
    await tester.view("Overview");
  }
  await tester.close();
});

test("on paper, the answers are alone", async () => {
  const tester = await open({ staysFirst: true });
  await says(tester, "The site", "Open to Google, Bing");
  await tester.page.emulateMedia({ media: "print" });
  assert.equal(await tester.editor().isVisible(), false);
  assert.equal(await tester.page.getByRole("tablist").isVisible(), false);
  await says(tester, "The site", "Open to Google, Bing");
  await tester.close();
});

test("another site gets none of the answers of the former one", async () => {
  const tester = await open({ staysFirst: true });
  const { page } = tester;
  await tester.fetchFile(shop.url);
  await says(tester, "Sitemaps", "1 of 2 sitemap pages is blocked for Google.");
  await says(tester, "Last change", "No earlier version is stored.");
  const sent = closed.asked.length;
  await page.getByRole("button", { name: "Change the site" }).click();
  await page.getByLabel("Which site is this file for?").fill(closed.url);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `The answers for ${closed.url}` }).waitFor();
  for (const part of ["Sitemaps", "Front page", "Its styles and scripts", "Addresses", "Last change"]) {
    await says(tester, part, "Not asked yet: the text was not fetched from the site.");
  }
  assert.equal(closed.asked.length, sent, "a site that is only named is not asked");
  await page.getByRole("button", { name: "Ask the site" }).click();
  await says(tester, "Front page", "Googlebot may not fetch this page");
  await tester.close();
});

test("answers that other views got about another site are not those of this one", async () => {
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(shop.url);
  await says(tester, "Front page", "Googlebot may fetch this page");
  await says(tester, "Sitemaps", "1 of 2 sitemap pages is blocked");
  await tester.view("Page");
  await tester.checkPage(`${closed.url}/other`);
  await tester.panel().getByRole("heading", { name: "may not fetch this page" }).waitFor();
  await tester.view("Overview");
  await says(tester, "Front page", `The view Page is about ${closed.url} now.`);
  await tester.close();
});

test("a page that was typed is the first part, in place of the front page", async () => {
  const tester = await open({ staysFirst: true });
  const { page } = tester;
  shop.asked.length = 0;
  await tester.fetchFile(`${shop.url}/somethingthatishidden.html`);
  await says(tester, "The page /somethingthatishidden.html", "but it is not shown in search results");
  await page.locator(".part-row").first().filter({ hasText: "The page /somethingthatishidden.html" }).waitFor();
  assert.ok(await page.locator(".part-row dt").first().evaluate((title) => title.scrollWidth <= title.clientWidth), "a long path is wrapped");
  await says(tester, "Last change", "No earlier version is stored.");
  await tester.settled();
  assert.equal(await page.getByText("Front page", { exact: true }).count(), 0);
  assert.deepEqual(shop.asked.filter((path) => path === "/" || path === "/somethingthatishidden.html"), ["/somethingthatishidden.html"], "one page is requested, as for each site");
  assert.deepEqual(await tester.violations(), []);
  await page.getByRole("button", { name: "See Page" }).first().click();
  await tester.panel().getByText("X-Robots-Tag").first().waitFor();
  await tester.close();
});

test("a file without mistakes has no green sign if its sitemaps have pages, against which nobody checked it", async () => {
  const tester = await open({ staysFirst: true });
  const row = tester.page.locator(".part-row").filter({ hasText: "No mistakes in the file." });
  await tester.fetchFile(shop.url);
  await row.filter({ hasText: "Not checked against the pages of the sitemap: see Sitemaps." }).waitFor();
  assert.equal(await row.locator(".tone-good").count(), 0);
  // A site without sitemaps leaves nothing to check.
  await tester.fetchFile(closed.url);
  await says(tester, "Sitemaps", "The robots.txt names no sitemap.");
  assert.equal(await tester.page.getByText("Not checked against the pages").count(), 0);
  await tester.close();
});

test("a pasted file is of no site before somebody names one", async () => {
  const tester = await open({ staysFirst: true });
  await tester.fetchFile(shop.url);
  await tester.page.getByRole("heading", { name: `The answers for ${shop.url}` }).waitFor();
  await tester.paste("User-agent: *\nDisallow: /mine/\n");
  await tester.page.getByRole("heading", { name: "The answers for this text" }).waitFor();
  await says(tester, "Sitemaps", "Not asked: it needs the address of the site.");
  await tester.close();
});

test("a site whose file could not be fetched is not said to have none, and http is offered first", async () => {
  const tester = await open({ staysFirst: true, forgives: /status of 422/ });
  const { page } = tester;
  await tester.fetchFile(`localhost:${shop.port}/somethingthatishidden.html`);
  for (const part of ["Mistakes", "Sitemaps", "AI", "Front page"]) {
    await says(tester, part, "Not asked: the site’s robots.txt could not be fetched.");
  }
  assert.equal(await page.getByText("the site has no robots.txt").count(), 0);
  const http = page.locator(".site-bar").getByRole("button", { name: /^Try http:/ });
  assert.ok((await http.getAttribute("class")).includes("primary"));
  const ask = page.getByRole("button", { name: "Ask the site" });
  assert.ok(!(await ask.getAttribute("class"))?.includes("primary"));
  assert.deepEqual(await tester.violations(), []);
  await ask.click();
  await says(tester, "The page /somethingthatishidden.html", "No answer: ");
  assert.equal(await page.getByText("POST /v1").count(), 0);
  // The page that was typed is meant with http, too.
  await http.click();
  await says(tester, "The page /somethingthatishidden.html", "but it is not shown in search results");
  await tester.close();
});
