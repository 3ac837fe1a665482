/** The views about a live site: a page with its rules and files, sitemaps, and fetched versions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HTML, service, start, Tester } from "./harness.mjs";

const RULES = "User-agent: *\nDisallow: /private/\nDisallow: /closed\n";

const PAGE = `<!doctype html><meta name="robots" content="noindex, nonsense"><meta name="bingbot" content="nofollow">
<link rel="stylesheet" href="/shop.css"><script src="/private/shop.js"></script><img src="/private/a.png">`;

const { chrome, shop, open: openTester } = await start({
  sites: {
    shop: {
      "/robots.txt": ({ headers: { host } }) => [200, {}, `${RULES}Sitemap: http://${host}/sitemap.xml\n`],
      "/": [200, { ...HTML, "x-robots-tag": "nosnippet" }, PAGE],
      "/closed": [200, HTML, '<meta name="robots" content="noindex">'],
      "/moved": [301, { location: "/closed" }, ""],
      "/old": [301, { location: "/plain" }, ""],
      "/private/plain": [200, HTML, "<title>Plain</title>"],
      "/plain": [200, HTML, "<title>Plain</title>"],
      "/copy": [200, HTML, '<link rel="canonical" href="/plain">'],
      "/cut": [200, HTML, "<title>Never closed"],
      "/other.xml": [200, {}, "http://elsewhere.test/a\n"],
      "/empty.xml": [200, {}, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'],
      "/sitemap.xml": ({ headers: { host } }) => [
        200,
        {},
        ["", "private/a", "shoes"].map((path) => `http://${host}/${path}`).join("\n"),
      ],
    },
  },
});

/** Opens the tester in a view. */
async function open(view, options = {}) {
  const tester = await openTester(options);
  await tester.view(view);
  return tester;
}

test("a page has permissions, its own rules, and the files that it loads", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  await panel.getByText("No page was checked yet").waitFor();
  await tester.checkPage(`${shop.url}/`, "Googlebot");
  await panel.getByRole("heading", { name: "Googlebot may fetch this page, but it is not shown in search results" }).waitFor();
  await panel.getByText("The page answered with status 200.").waitFor();
  const uses = panel.getByRole("region", { name: "What the crawler may do with the page" });
  assert.match(await uses.getByRole("row", { name: "Show it in search results" }).innerText(), /No[\s\S]*a meta tag of the page, line 1: .*noindex/);
  const rules = panel.getByRole("region", { name: "Rules on the page" });
  assert.match(await rules.getByRole("row", { name: /nosnippet/ }).innerText(), /header X-Robots-Tag[\s\S]*every crawler[\s\S]*in force/);
  assert.match(await rules.getByRole("row", { name: /nonsense/ }).innerText(), /no effect/);
  assert.match(await rules.getByRole("row", { name: /nofollow/ }).innerText(), /bingbot[\s\S]*for another crawler/);
  await panel.getByText("Googlebot may not load 2 of 3 files of this page, and may see another page than people do.").waitFor();
  const files = panel.getByRole("region", { name: "Files of the page" });
  assert.equal(await files.locator("tbody tr").count(), 2);
  assert.match(await files.getByRole("row", { name: /shop\.js/ }).innerText(), /script[\s\S]*Blocked\s+by line 2 of the site’s own file, http:\/\/shop\.test:\d+\/robots\.txt/);
  await panel.getByLabel("Only those that are not allowed").uncheck();
  assert.equal(await files.locator("tbody tr").count(), 3);
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("a noindex on a blocked page gets a warning", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  await tester.checkPage(`${shop.url}/closed`, "Googlebot");
  await panel.getByRole("heading", { name: "Googlebot may not fetch this page" }).waitFor();
  await panel.getByText("The page says “noindex”, but Googlebot may not fetch it, so it never sees that.").waitFor();
  assert.equal(await panel.getByText("To get it indexed").count(), 0, "the page forbids it, too");
  const rules = panel.getByRole("region", { name: "Rules on the page" });
  await rules.getByRole("row", { name: /noindex/ }).getByText("none: the crawler may not fetch the page, so it never reads this").waitFor();
  await tester.close();
});

test("a blocked page gets advice on how it can be indexed", async () => {
  const tester = await open("Page");
  await tester.checkPage(`${shop.url}/private/plain`, "Googlebot");
  const row = tester.panel().getByRole("row", { name: "Show it in search results" });
  await row.getByText("Googlebot cannot read it, so at most its bare address is shown. To get it indexed, allow it in line 2.").waitFor();
  await tester.close();
});

test("a page that redirects to a blocked one is not shown as allowed", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  await tester.checkPage(`${shop.url}/moved`, "Googlebot");
  await panel.getByRole("heading", { name: `Googlebot may not fetch this page: it redirects to ${shop.url}/closed, which is not allowed.` }).waitFor();
  await panel.getByText(`The page redirects to ${shop.url}/closed, which Googlebot may not fetch.`).waitFor();
  await tester.checkPage(`${shop.url}/cut`, "Googlebot");
  await panel.getByRole("heading", { name: "Googlebot may fetch this page, but not all of its rules are known" }).waitFor();
  const uses = panel.getByRole("region", { name: "What the crawler may do with the page" });
  assert.match(await uses.getByRole("row", { name: "Follow its links" }).innerText(), /Not known[\s\S]*A part of the page was not read/);
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("text that is no address is refused, and a missing page is an answer", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  await tester.checkPage("/cart/", "Googlebot");
  await panel.getByText("Write the whole address of a page").waitFor();
  await tester.checkPage(`${shop.url}/missing`, "Googlebot");
  await panel.getByText("This page answered 404 (there is no such page), so it is not shown in search results.").waitFor();
  const shows = panel.getByRole("row", { name: "Show it in search results" });
  assert.match(await shows.innerText(), /No\s+No rule forbids it, but the page answers 404\.$/);
  await tester.close();
});

test("a page that redirects, or names another one, is not said to be shown", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  const shows = panel.getByRole("row", { name: "Show it in search results" });
  await tester.checkPage(`${shop.url}/old`, "Googlebot");
  await panel.getByText("The page redirects, and the page at the end answered with status 200.").waitFor();
  assert.match(await shows.innerText(), new RegExp(`No\\s+No rule forbids it, but the page redirects to ${shop.url}/plain\\.$`));
  await tester.checkPage(`${shop.url}/copy`, "Googlebot");
  await panel.getByRole("heading", { name: `This page names ${shop.url}/plain as the original` }).waitFor();
  assert.match(await shows.innerText(), new RegExp(`No\\s+No rule forbids it, but the page names ${shop.url}/plain as the original\\.$`));
  await tester.close();
});

test("sitemaps: listed pages that the file blocks", async () => {
  const tester = await open("Sitemaps");
  const panel = tester.panel();
  await panel.getByText("No sitemap was read yet").waitFor();
  await tester.paste(`${RULES}Sitemap: ${shop.url}/sitemap.xml\nSitemap: ${shop.url}/gone.xml\n`);
  await tester.page.getByLabel("URLs, one on each line").waitFor({ state: "detached" });
  await tester.readSitemaps(shop.url, "Googlebot");
  await panel.getByText("1 of 3 sitemap pages is blocked for Google. 1 of 2 sitemaps could not be read, or only in part.").waitFor();
  await panel.getByText("answered 404 (there is no such file)").waitFor();
  const wrong = panel.getByRole("region", { name: "Entries with a problem" });
  assert.match(await wrong.getByRole("row", { name: /private\/a/ }).innerText(), /Blocked\s*line 2$/);
  assert.deepEqual(await tester.violations(), []);
  await panel.getByRole("button", { name: "Open these pages in Test" }).click();
  await tester.page.getByRole("tab", { name: "Test", selected: true }).waitFor();
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), `${shop.url}/private/a\n`);
  await tester.close();
});

test("pages without an answer are not called allowed", async () => {
  const tester = await open("Sitemaps");
  const panel = tester.panel();
  for (const [path, summary] of [
    ["other.xml", "1 of 1 sitemap page has no answer for Google: on another site, or for a crawler that does not obey robots.txt."],
    ["empty.xml", "The sitemaps list no page."],
  ]) {
    await tester.paste(`${RULES}Sitemap: ${shop.url}/${path}\n`);
    await tester.readSitemaps(shop.url, "Googlebot");
    await panel.locator(".summary.partly", { hasText: summary }).waitFor();
  }
  await tester.close();
});

test("a file without sitemaps gets a line that would name one", async () => {
  const tester = await open("Sitemaps");
  const panel = tester.panel();
  await tester.paste(RULES);
  await tester.readSitemaps(shop.url);
  await panel.getByText("The file names no sitemap").waitFor();
  await tester.close();
});

test("fetched versions have a date, a result and a size", async () => {
  const tester = await open("Fetch");
  const panel = tester.panel();
  await panel.getByLabel("Site").fill(`http://versions.test:${shop.port}`);
  const versions = panel.getByRole("region", { name: "Fetched versions" });
  await versions.getByText("not fetched yet").first().waitFor();
  assert.equal(await versions.locator("tbody").count(), 2, "with and without www");
  await panel.getByRole("button", { name: "Ask the site" }).click();
  const row = versions.getByRole("row", { name: new RegExp(`^http://versions.test:${shop.port}`) }).first();
  await row.getByText(/bytes/).waitFor();
  assert.match(await row.innerText(), /sent a robots\.txt/);
  await versions.getByRole("button", { name: /Fetch it.*\/\/www/ }).click();
  await versions.getByText("not fetched yet").first().waitFor({ state: "detached" });
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("on a phone, fetched versions need no scrolling to the side", async () => {
  const tester = await open("Fetch", { width: 390, height: 844, hasTouch: true, isMobile: true });
  const panel = tester.panel();
  await tester.askSite(`http://stacked.test:${shop.port}`);
  const versions = panel.getByRole("region", { name: "Versions of each address" });
  const row = versions.getByRole("row", { name: new RegExp(`^http://stacked.test:${shop.port} .* bytes$`) });
  await row.waitFor();
  await panel.getByText("Scroll sideways for more columns").first().waitFor({ state: "detached" });
  const cells = await row.locator("th, td").evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().toJSON()));
  const [address, seen, result, size] = cells;
  assert.equal(cells.length, 4);
  assert.ok(address.bottom <= seen.top && seen.bottom <= result.top, JSON.stringify(cells));
  assert.ok(result.right <= size.left && size.right <= 390, JSON.stringify(cells));
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("Page and Sitemaps name the reason if fetching is switched off", async () => {
  const offline = await service({ more: ["--offline"] });
  const tester = await Tester.open(chrome, offline.url);
  for (const view of ["Page", "Sitemaps"]) {
    await tester.view(view);
    await tester.panel().getByText("Fetching is switched off").waitFor();
  }
  await tester.close();
  await offline.stop();
});

test("an answer about another address or crawler than the fields name fades, and names its own", async () => {
  const tester = await open("Page");
  const panel = tester.panel();
  const faded = panel.locator(".answered.stale");
  await tester.checkPage(`${shop.url}/plain`, "Googlebot");
  await panel.getByRole("heading", { name: "Googlebot may fetch this page" }).waitFor();
  assert.equal(await faded.count(), 0);
  const words = `This is about ${shop.url}/plain, for Googlebot. Press “Check the page”.`;
  for (const [field, other, own] of [["Address of the page", `${shop.url}/closed`, `${shop.url}/plain`], ["Crawler", "bingbot", "Googlebot"]]) {
    await panel.getByLabel(field, { exact: true }).fill(other);
    await panel.getByText(words).waitFor();
    await faded.waitFor();
    await panel.getByLabel(field, { exact: true }).fill(own);
    await faded.waitFor({ state: "detached" });
    assert.equal(await panel.getByText("This is about").count(), 0);
  }
  await tester.view("Sitemaps");
  await tester.readSitemaps(shop.url, "Googlebot");
  await panel.getByRole("region", { name: "Result" }).or(panel.getByText("The file names no sitemap")).first().waitFor();
  assert.equal(await faded.count(), 0);
  await panel.getByLabel("Crawler", { exact: true }).fill("bingbot");
  await panel.getByText(`This is about ${shop.url}, for Googlebot. Press “Read the sitemaps”.`).waitFor();
  await faded.waitFor();
  await panel.getByLabel("Crawler", { exact: true }).fill("Googlebot");
  await panel.getByLabel("Site of the file").fill("other.example");
  await panel.getByText(`This is about ${shop.url}, for Googlebot. Press “Read the sitemaps”.`).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});
