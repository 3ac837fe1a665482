/** Fetching: from the bar above the editor, and as a story. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, SHOP, site, Tester } from "./stage.mjs";

let chrome, comity, shop, gone, broken, odd;
before(async () => {
  const text = { "content-type": "text/plain" };
  shop = await site({
    "/robots.txt": [301, { location: "/moved/robots.txt" }, ""],
    "/moved/robots.txt": [200, text, SHOP],
  });
  gone = await site({});
  broken = await site({ "/robots.txt": [503, { "retry-after": "120" }, "Busy."] });
  odd = await site({ "/robots.txt": [200, text, Buffer.from("User-agent: *\nDisallow: /caf\u00e9/\n", "latin1")] });
  chrome = await browser();
  comity = await service({ sites: [shop.port, gone.port, broken.port, odd.port] });
});
after(async () => {
  await chrome?.close();
  await comity?.stop();
  for (const one of [shop, gone, broken, odd]) await one?.stop();
});

const open = () => Tester.open(chrome, comity.url);

async function fetchHere(tester, host) {
  await tester.page.getByLabel("Fetch a site’s robots.txt").fill(host);
  await tester.page.getByRole("button", { name: "Fetch", exact: true }).click();
}

test("a site's file comes into the editor, and is asked about", async () => {
  const tester = await open();
  await fetchHere(tester, `http://shop.test:${shop.port}/any/page`);
  await tester.page.locator(".cm-line").first().filter({ hasText: "User-agent: *" }).waitFor();
  assert.equal((await tester.text()).trim(), SHOP.trim());
  assert.ok(shop.asked.includes("/moved/robots.txt"));
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), `http://shop.test:${shop.port}/\n`);
  await tester.page.locator(".summary", { hasText: "3 verdicts: 3 allowed, 0 blocked." }).waitFor();
  await tester.view("Compare");
  await tester.panel().getByText(`the live file, http://shop.test:${shop.port}/moved/robots.txt`).first().waitFor();
  await tester.close();
});

test("the story of a fetch: hops, status, and what follows", async () => {
  const tester = await open();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByText("No site was asked yet").waitFor();
  await panel.getByLabel("Site").fill(`http://shop.test:${shop.port}`);
  await panel.getByRole("button", { name: "Ask the site" }).click();
  const hops = panel.locator(".hop");
  await hops.nth(1).waitFor();
  assert.match(await hops.nth(0).innerText(), /301 Moved for good/);
  assert.match(await hops.nth(0).innerText(), /It redirects/);
  assert.match(await hops.nth(1).innerText(), /200 OK/);
  await hops.nth(1).getByText("Header fields").click();
  await hops.nth(1).getByText("text/plain").waitFor();
  await panel.getByRole("heading", { name: "There is a robots.txt, and its rules count" }).waitFor();
  // The story changes nothing in the editor until one says so.
  assert.match(await tester.text(), /A shop's robots\.txt/);
  await panel.getByRole("button", { name: "Put this file into the editor" }).click();
  await tester.page.locator(".cm-line").first().filter({ hasText: "User-agent: *" }).waitFor();
  await tester.close();
});

test("no file means yes, a broken server means no, by the policy", async () => {
  const tester = await open();
  await fetchHere(tester, `http://gone.test:${gone.port}`);
  await tester.page.getByText(/crawlers take that as leave to fetch everything/).waitFor();
  // The example is still there, and nobody takes it for that site's.
  assert.match(await tester.text(), /A shop's robots\.txt/);
  await fetchHere(tester, `http://broken.test:${broken.port}`);
  await tester.page.getByText(/crawlers that care then fetch nothing/).waitFor();
  await tester.view("Fetch");
  const panel = tester.panel();
  await panel.getByRole("heading", { name: "Nothing may be fetched" }).waitFor();
  assert.match(await panel.locator(".hop").innerText(), /503 Not available/);
  await panel.getByLabel("Policy: what failures mean").selectOption("strict");
  await panel.getByRole("button", { name: "Ask the site" }).click();
  await panel.locator(".facts").getByText("Strict: when in doubt, no").waitFor();
  await tester.close();
});

test("a file that is no UTF-8 is shown as far as it can be, and said to be so", async () => {
  const tester = await open();
  await fetchHere(tester, `http://odd.test:${odd.port}`);
  await tester.page.getByText("The file is no UTF-8.").waitFor();
  await tester.page.locator(".cm-line", { hasText: /^Disallow: \/caf\uFFFD\/$/ }).waitFor();
  await tester.close();
});

test("what is no site is said before anybody is asked", async () => {
  const tester = await open();
  await fetchHere(tester, "not a site");
  await tester.page.getByText("Write a site such as example.com").waitFor();
  await tester.close();
});

test("with fetching switched off, the rest works", async () => {
  const offline = await service({ more: ["--offline"] });
  const tester = await Tester.open(chrome, offline.url);
  await tester.page.getByText("Paste a robots.txt below.").waitFor();
  await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  await tester.view("Fetch");
  await tester.panel().getByText("Fetching is switched off").waitFor();
  await tester.close();
  await offline.stop();
});
