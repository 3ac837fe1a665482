/** Fetching: with the field above the editor, and in the view Fetch. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HTML, service, SHOP, site, start, Tester, TEXT } from "./harness.mjs";

const CAFE = "User-agent: *\nDisallow: /caf\u00e9/\n";

/** A file that is too long: comments, since thousands of rules take the linter long. */
const LONG = `User-agent: *\n${`# ${"shelf ".repeat(166)}\n`.repeat(720)}`;

const { chrome, open, shop, gone, broken, odd, wide, page, long } = await start({
  sites: {
    shop: { "/robots.txt": [301, { location: "/moved/robots.txt" }, ""], "/moved/robots.txt": [200, TEXT, SHOP] },
    gone: {},
    broken: { "/robots.txt": [503, { "retry-after": "120" }, "Busy."] },
    odd: { "/robots.txt": [200, TEXT, Buffer.from(CAFE, "latin1")] },
    wide: { "/robots.txt": [200, TEXT, Buffer.from(`\uFEFF${CAFE}`, "utf16le")] },
    page: { "/robots.txt": [200, HTML, "<!doctype html><title>Shop</title>Hello"] },
    long: { "/robots.txt": [200, { ...TEXT, "content-length": LONG.length }, LONG] },
  },
});

test("a fetched file replaces the text in the editor, and is tested", async () => {
  const tester = await open();
  await tester.fetchFile(`${shop.url}/any/page`);
  await tester.page.locator(".cm-line").first().filter({ hasText: "User-agent: *" }).waitFor();
  assert.equal((await tester.text()).trim(), SHOP.trim());
  assert.ok(shop.asked.includes("/moved/robots.txt"));
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), `${shop.url}/any/page\n`);
  await tester.page.locator(".summary", { hasText: "3 verdicts: 3 allowed, 0 blocked." }).waitFor();
  await tester.view("Compare");
  await tester.panel().getByText(`the live file, ${shop.url}/moved/robots.txt`).first().waitFor();
  await tester.close();
});

test("a typed URL fetches the file of its site, and is tested", async () => {
  const tester = await open();
  const list = tester.page.getByLabel("URLs, one on each line");
  const here = shop.url;
  await tester.fetchFile(`${here}/internal/plan?draft=1#top`);
  await tester.page.locator("#reasoning-title", { hasText: `Googlebot may not fetch ${here}/internal/plan?draft=1` }).waitFor();
  assert.equal(await list.inputValue(), `${here}/internal/plan?draft=1\n`);
  // Another page of the site comes first, and the list is kept.
  await tester.fetchFile(`shop.test:${shop.port}/cart/`);
  const other = `https://shop.test:${shop.port}/cart/`;
  await tester.page.locator(".site-bar .warn").waitFor();
  assert.equal(await list.inputValue(), `${other}\n`, "another scheme is another site");
  await tester.fetchFile(`${here}/cart/`);
  await tester.page.locator("#reasoning-title", { hasText: `Googlebot may fetch ${here}/cart/` }).waitFor();
  await tester.fetchFile(`${here}/cart/help`);
  await tester.page.locator("#reasoning-title", { hasText: `Googlebot may fetch ${here}/cart/help` }).waitFor();
  const all = `${here}/cart/help\n${here}/cart/\n${here}/internal/plan?draft=1\n`;
  assert.equal(await list.inputValue(), all);
  // A page that is in the list is not repeated, and the bare site adds nothing.
  await tester.fetchFile(`${here}/cart/`);
  await tester.page.locator("#reasoning-title", { hasText: /\/cart\/$/ }).waitFor();
  await tester.fetchFile(here);
  assert.equal(await list.inputValue(), all);
  await tester.close();
});

test("Fetch shows each request with its status, and the consequence", async () => {
  const tester = await open();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByText("No site was asked yet").waitFor();
  await tester.askSite(shop.url);
  const hops = panel.locator(".hop");
  await hops.nth(1).waitFor();
  assert.match(await hops.nth(0).innerText(), /301 Moved for good/);
  assert.match(await hops.nth(0).innerText(), /It redirects/);
  assert.match(await hops.nth(1).innerText(), /200 OK/);
  await hops.nth(1).getByText("Header fields").click();
  await hops.nth(1).getByText("text/plain").waitFor();
  await panel.getByRole("heading", { name: "There is a robots.txt, and its rules apply" }).waitFor();
  // The fetch changes nothing in the editor before the button is pressed.
  assert.match(await tester.text(), /A shop's robots\.txt/);
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await tester.page.locator(".cm-line").first().filter({ hasText: "User-agent: *" }).waitFor();
  await tester.close();
});

test("a missing file allows everything, and a broken server forbids everything, by the policy", async () => {
  const tester = await open();
  await tester.fetchFile(gone.url);
  await tester.page.locator(".site-bar").getByText("No file: everything is allowed").waitFor();
  // The example is still there, and nobody takes it for that site's.
  assert.match(await tester.text(), /A shop's robots\.txt/);
  await tester.fetchFile(broken.url);
  await tester.page.locator(".site-bar").getByText("Crawlers stay away for now").waitFor();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  assert.match(await panel.locator(".hop").innerText(), /503 Not available/);
  await panel.getByLabel("What failures mean").selectOption("strict");
  await panel.getByRole("button", { name: "Ask the site" }).click();
  await panel.getByText("Who says so?").click();
  await panel.locator(".facts").getByText("Strict: when in doubt, no").waitFor();
  await tester.close();
});

test("a file that is not UTF-8 is shown with replacement characters and a note", async () => {
  const tester = await open();
  await tester.fetchFile(odd.url);
  await tester.page.getByText("The file is not UTF-8, as crawlers expect.").waitFor();
  await tester.page.locator(".cm-line", { hasText: /^Disallow: \/caf\uFFFD\/$/ }).waitFor();
  await tester.close();
});

test("text that is no site is refused without a request", async () => {
  const tester = await open();
  await tester.fetchFile("not a site");
  await tester.page.getByText("Write a site such as example.com").waitFor();
  await tester.close();
});

test("the other views work with fetching switched off", async () => {
  const offline = await service({ more: ["--offline"] });
  const tester = await Tester.open(chrome, offline.url);
  await tester.page.getByText("Paste a robots.txt below.").waitFor();
  await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  await tester.view("Fetch");
  await tester.panel().getByText("Fetching is switched off").waitFor();
  await tester.close();
  await offline.stop();
});

test("a UTF-16 file is named as one, and is read as it was sent", async () => {
  const tester = await open();
  const asked = [];
  tester.page.on("request", (request) => {
    if (request.url().endsWith("/v1/check")) asked.push(request.postDataJSON());
  });
  await tester.fetchFile(wide.url);
  await tester.page.getByText("The file is UTF-16, which many crawlers cannot read. It is shown decoded").waitFor();
  assert.doesNotMatch(await tester.page.locator(".site-bar").innerText(), /\uFFFD/);
  await tester.page.locator(".cm-line", { hasText: /^Disallow: \/caf\u00e9\/$/ }).waitFor();
  await tester.page.locator(".summary", { hasText: "3 verdicts" }).waitFor();
  assert.equal(Buffer.from(asked.at(-1).robots_b64, "base64").subarray(0, 2).toString("hex"), "fffe");
  // Google reads no rules in it, and both answers are shown.
  await tester.urls("/caf\u00e9/");
  await tester.crawlers("Googlebot", "bingbot");
  await tester.verdict(0, 0).filter({ hasText: /Blocked line 2\s*As Google reads it: Allowed/ }).waitFor();
  await tester.verdict(0, 1).filter({ hasText: /^Blocked line 2$/ }).waitFor();
  await tester.verdict(0, 0).getByRole("button").click();
  const differs = tester.page.locator("#reasoning .differs");
  await differs.filter({ hasText: "Google's own dialect (google) answers differently, allowed: it does not decode UTF-16" }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("a web page in place of a robots.txt gets a warning", async () => {
  const tester = await open();
  await tester.fetchFile(page.url);
  await tester.page.locator(".site-bar").getByText("This is a web page, not a robots.txt.").waitFor();
  await tester.page.locator(".main-answer", { hasText: "No robots.txt: the site sends a web page instead, so everything is allowed." }).waitFor();
  await tester.view("Fetch");
  await tester.panel().getByRole("heading", { name: "There is a web page where the robots.txt should be" }).waitFor();
  assert.deepEqual(await tester.violations(), []);
  await tester.close();
});

test("a file that is too long is shown in part, with its full size", async () => {
  const tester = await open();
  await tester.fetchFile(long.url);
  const size = LONG.length.toLocaleString("en");
  await tester.page.getByText(`The file has ${size} bytes; crawlers read the first 512,000 bytes. Shown is that part`).waitFor();
  await tester.view(/^Mistakes/);
  await tester.panel().getByText("The file has more than 512,000 bytes: crawlers ignore the text after 512,000 bytes").waitFor();
  await tester.view("Fetch");
  await tester.panel().getByText(`${size} bytes, of which crawlers read the first 512,000`).waitFor();
  await tester.close();
});

test("a refusal of the service is not shown as a failure of the site", async () => {
  const careful = await service({ addresses: "public" });
  const tester = await Tester.open(chrome, careful.url);
  await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  await tester.fetchFile(`http://127.0.0.1:${shop.port}`);
  const times = shop.asked.length;
  const words = "This service connects only to public addresses. The person who runs it can start it with --addresses any.";
  await tester.page.locator(".site-bar").getByText(words).waitFor();
  // Nothing follows from it: the example is still what is tested.
  await tester.page.locator(".summary", { hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor();
  await tester.view("Fetch");
  await tester.panel().getByRole("heading", { name: "The service refused to ask" }).waitFor();
  await tester.panel().getByText(words).waitFor();
  await tester.panel().getByText("Crawlers stay away for now").first().waitFor({ state: "detached" });
  assert.deepEqual(await tester.violations(), []);
  assert.equal(shop.asked.length, times);
  await tester.close();
  await careful.stop();
});

test("a redirect to a forbidden address is shown as a refusal of the service", async () => {
  const away = await site({ "/robots.txt": [302, { location: "http://10.0.0.1/robots.txt" }, ""] });
  const careful = await service({ addresses: "127.0.0.0/8" });
  const tester = await Tester.open(chrome, careful.url);
  await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  await tester.fetchFile(`http://127.0.0.1:${away.port}`);
  const note = tester.page.locator(".site-bar");
  await note.getByText("The site redirects to http://10.0.0.1/robots.txt, to which this service may not connect").waitFor();
  await note.getByText("The person who runs this service chose its addresses, with --addresses.").waitFor();
  await tester.close();
  await careful.stop();
  await away.stop();
});
