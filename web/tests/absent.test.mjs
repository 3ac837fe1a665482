/** A site that fails, or has no file: no view judges it by another text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOP, start } from "./harness.mjs";

const { gone, broken, closed, plain, open } = await start({
  sites: { gone: {}, plain: { "/robots.txt": [200, {}, SHOP] }, broken: { "/robots.txt": [503, {}, "Busy."] }, closed: {} },
});
// Nobody listens on its port any more.
await closed.stop();

/** The body of each question that the page sends from now on. */
function questions(page) {
  const bodies = [];
  page.on("request", (request) => {
    if (request.method() === "POST") bodies.push([new URL(request.url()).pathname, request.postDataJSON()]);
  });
  return bodies;
}

test("a site that answers 503 is blocked, whatever text is in the editor", async () => {
  const tester = await open();
  const { page } = tester;
  const origin = broken.url;
  await tester.fetchFile(origin);
  const panel = tester.panel();
  await panel.getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  const asked = questions(page);
  await tester.urls(`${origin}/cart/`, `${origin}/internal/press/2026.html`, `${origin}/robots.txt`);
  await tester.crawlers("Googlebot", "Google-Read-Aloud");
  await tester.verdict(0, 0).filter({ hasText: /^Blocked$/ }).waitFor();
  await tester.verdict(1, 0).filter({ hasText: /^Blocked$/ }).waitFor();
  await tester.verdict(2, 0).filter({ hasText: /^Allowed$/ }).waitFor();
  await tester.verdict(0, 1).filter({ hasText: "Does not obey" }).waitFor();
  await tester.verdict(1, 0).getByRole("button").click();
  const reasoning = page.locator("#reasoning");
  await reasoning.filter({ hasText: `Googlebot may not fetch ${origin}/internal/press/2026.html` }).waitFor();
  await reasoning.filter({ hasText: `${origin}/robots.txt answered 503.` }).waitFor();
  await reasoning.filter({ hasText: "Crawlers stay away for now. No line decides." }).waitFor();
  assert.equal(await page.locator(".cm-line.decides").count(), 0, "no line of another text lights up");
  // No question about the site brings the text of another one.
  const wrong = asked.filter(([, body]) => body.origin === origin && ("robots" in body || "robots_b64" in body));
  assert.deepEqual(wrong, []);
  assert.ok(asked.some(([path, body]) => path === "/v1/check" && body.access === "disallow-all"));
  await tester.close();
});

test("a site without a file is open, whatever text is in the editor", async () => {
  const tester = await open();
  const origin = gone.url;
  await tester.fetchFile(origin);
  await tester.panel().getByRole("heading", { name: "No file: everything is allowed" }).waitFor();
  assert.equal(await tester.page.getByLabel("URLs, one on each line").inputValue(), `${origin}/\n`);
  await tester.urls(`${origin}/cart/`);
  await tester.crawlers("bingbot");
  await tester.verdict(0, 0).filter({ hasText: /^Allowed$/ }).waitFor();
  await tester.page.locator("#reasoning").filter({ hasText: "The site has no robots.txt, so everything is allowed." }).waitFor();
  assert.doesNotMatch(await tester.page.locator(".file").innerText(), /still yours/);
  await tester.close();
});

for (const theme of ["light", "dark"]) {
  test(`all views show the same ruling for a site that fails, and axe finds nothing, ${theme}`, async () => {
    const tester = await open({ colorScheme: theme });
    await tester.fetchFile(broken.url);
    const title = tester.panel().getByRole("heading", { name: "Crawlers stay away for now" });
    for (const name of ["Test", "Compare", "By engine", /^Mistakes/, "AI"]) {
      await tester.view(name);
      await title.waitFor();
      assert.deepEqual(await tester.violations(), [], `${name}`);
      if (name !== "Test") assert.equal(await tester.panel().locator(".verdict, .finding, table").count(), 0, `${name}`);
    }
    await tester.page.getByText("This text is not that site’s file, and is not tested.").waitFor();
    await tester.view("Fetch");
    await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
    await tester.close();
  });
}

test("the text is tested again after a button or an edit", async () => {
  const tester = await open();
  const { page } = tester;
  const example = await page.getByLabel("URLs, one on each line").inputValue();
  for (const back of ["button", "typing"]) {
    await tester.fetchFile(broken.url);
    await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
    if (back === "button") {
      await page.getByRole("button", { name: "Test this text instead" }).click();
    } else {
      await tester.editor().focus();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("# mine");
    }
    await page.locator(".summary", { hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor();
    // A failed fetch leaves the file's site and the list as they were.
    assert.equal(await page.getByLabel("URLs, one on each line").inputValue(), example);
    await page.getByText("Tested as the robots.txt of https://shop.example, the site of the first URL. Nothing is written to your site.").waitFor();
  }
  await tester.close();
});

for (const [how, siteOf, words] of [
  ["a refused connection", () => closed.url, "could not be connected to"],
  ["a failed TLS handshake", () => `https://plain.test:${gone.port}`, "gave no secure connection"],
]) {
  test(`after ${how}, the text keeps its site, and the site can be changed`, async () => {
    const tester = await open();
    const { page } = tester;
    const origin = siteOf();
    const urls = page.getByLabel("URLs, one on each line");
    const before = [await urls.inputValue(), await tester.text()];
    await tester.fetchFile(origin);
    await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
    await tester.panel().locator(".meaning").filter({ hasText: `${origin}/robots.txt ${words}. Until the site sends the file` }).waitFor();
    await tester.verdict(0, 0).filter({ hasText: /^Blocked$/ }).waitFor();
    await page.getByText("Other site").first().waitFor({ state: "detached" });
    await page.getByText("This text is not that site’s file, and is not tested.").waitFor();
    assert.deepEqual(await tester.violations(), []);

    await page.getByRole("button", { name: "Test this text instead" }).click();
    await page.locator(".summary", { hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor();
    assert.deepEqual([await urls.inputValue(), await tester.text()], before);
    await page.getByText("Tested as the robots.txt of https://shop.example, the site of the first URL. Nothing is written to your site.").waitFor();
    await page.getByRole("button", { name: "Change the site" }).click();
    const field = page.getByLabel("Which site is this file for?");
    await field.fill("other.example");
    await field.press("Enter");
    await page.getByText("Tested as the robots.txt of https://other.example. Nothing is written to your site.").waitFor();
    await tester.verdict(0, 0).filter({ hasText: "Other site" }).waitFor();
    await tester.close();
  });
}

test("a host without https is asked with http at one click", async () => {
  const tester = await open();
  const { page } = tester;
  const bar = page.locator(".site-bar");
  // As people write the address of a program on their own computer.
  await tester.fetchFile(`localhost:${plain.port}`);
  await bar.getByText(`https://localhost:${plain.port}/robots.txt gave no secure connection.`).waitFor();
  const button = bar.getByRole("button", { name: `Try http://localhost:${plain.port}`, exact: true });
  await button.waitFor();
  assert.deepEqual(await tester.violations(), []);
  await button.click();
  await page.locator(".cm-line", { hasText: "Disallow: /cart/" }).waitFor();
  await button.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Fetch a site’s robots.txt").inputValue(), `http://localhost:${plain.port}`);
  assert.equal(await tester.text(), SHOP);
  await tester.close();
});

test("the view Fetch offers http, too, and leaves the text as it is", async () => {
  const tester = await open();
  const before = await tester.text();
  await tester.view("Fetch");
  await tester.askSite(`localhost:${plain.port}`);
  const panel = tester.panel();
  await panel.locator(".meaning").getByRole("button", { name: `Try http://localhost:${plain.port}`, exact: true }).click();
  await panel.getByRole("heading", { name: "There is a robots.txt, and its rules apply" }).waitFor();
  assert.equal(await tester.text(), before);
  await tester.close();
});

test("http is offered if no https connection was made, and only then", async () => {
  const tester = await open();
  const { page } = tester;
  const offers = page.getByRole("button", { name: /^Try http/ });
  for (const [address, number] of [
    [`https://closed.test:${closed.port}/shoes`, 1],
    [closed.url, 0],
    [broken.url, 0],
  ]) {
    await tester.fetchFile(address);
    await page.locator(".site-bar .note.warn", { hasText: `${new URL(address).origin}/robots.txt` }).waitFor();
    assert.equal(await offers.count(), number, address);
  }
  await tester.close();
});

test("a reload shows no verdict until the site is fetched again", async () => {
  const tester = await open();
  const { page } = tester;
  const origin = broken.url;
  await tester.fetchFile(origin);
  await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  await page.waitForFunction(() => location.hash.length > 10);
  await page.reload();
  await tester.panel().getByText(`What does ${origin} answer?`).waitFor();
  await page.getByRole("grid").first().waitFor({ state: "detached" });
  const times = broken.asked.length;
  await page.getByRole("button", { name: "Fetch it again" }).click();
  await tester.verdict(0, 0).filter({ hasText: "Blocked" }).waitFor();
  assert.equal(broken.asked.length, times + 1);
  await tester.close();
});

test("a live file that cannot be fetched is no original, and a missing one is empty", async () => {
  const tester = await open();
  await tester.view("Compare");
  const panel = tester.panel();
  const fetchLive = async (host) => {
    await panel.getByLabel("Compare with the live file of").fill(host);
    await panel.getByRole("button", { name: "Fetch it" }).click();
  };
  await fetchLive(broken.url);
  await panel.getByText(`${broken.url}/robots.txt answered 503, so there is no file to compare with now.`).waitFor();
  await panel.getByText("Before: the example").waitFor();
  await fetchLive(gone.url);
  await panel.getByRole("radio", { name: "What does my draft change?" }).check();
  await panel.getByText(`Before: no file: ${gone.url}/robots.txt answered 404`).waitFor();
  await tester.urls("/cart/");
  await panel.getByText("2 of 3 verdicts change. 2 newly blocked.").waitFor();
  await tester.close();
});

test("Fetch changes no verdict before its button is pressed", async () => {
  const tester = await open();
  const panel = tester.panel();
  await tester.view("Fetch");
  await tester.askSite(broken.url);
  await panel.getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  await tester.view("Test");
  await tester.page.locator(".summary", { hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor();
  await tester.view("Fetch");
  await panel.getByRole("button", { name: "Show the verdicts" }).click();
  await panel.getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  await tester.close();
});

test("no verdict of the text is shown for the site while the service is asked", async () => {
  const tester = await open();
  const { page } = tester;
  const origin = broken.url;
  await tester.paste(SHOP);
  await tester.urls(`${origin}/cart/help`);
  await tester.crawlers("bingbot");
  await tester.verdict(0, 0).filter({ hasText: "Allowed line 3" }).waitFor();
  const answer = await tester.hold("/v1/check", (request) => "access" in request.postDataJSON());
  await tester.fetchFile(origin);
  await tester.panel().getByRole("heading", { name: "Crawlers stay away for now" }).waitFor();
  await page.getByRole("grid").first().waitFor({ state: "detached" });
  answer();
  await tester.verdict(0, 0).filter({ hasText: /^Blocked$/ }).waitFor();
  await tester.close();
});
