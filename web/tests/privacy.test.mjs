/** The texts of the page about where the file and the URLs are sent, and the requests that it really sends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, TEXT } from "./harness.mjs";

/** Words of the file and of the URLs that are unlike all others, so that each place that contains them is found. */
const SECRET = "secret-folder-4711";
const FILE = `User-agent: *\nDisallow: /${SECRET}/\n`;

const { chrome, comity, shop, open: openTester } = await start({
  sites: { shop: { "/robots.txt": [200, TEXT, "User-agent: *\nDisallow: /cart/\n"] } },
});

/** Opens the page, and records all requests of the browser. */
async function open() {
  const tester = await openTester();
  const requests = [];
  tester.context.on("request", (request) => requests.push({ url: request.url(), body: request.postData() ?? "" }));
  return { tester, requests };
}

/** Goes through all views that work without fetching. */
async function work(tester) {
  await tester.paste(FILE);
  await tester.urls(`/${SECRET}/a`, "/b");
  for (const view of ["Test", "Compare", "By engine", /^Mistakes/, "AI", "Write", "Test"]) {
    await tester.view(view);
    await tester.settled();
  }
  await tester.page.locator(".summary", { hasText: "6 verdicts" }).waitFor();
}

test("the file and the URLs are sent only to the program that shows the page, as Help says", async () => {
  const { tester, requests } = await open();
  await tester.page.keyboard.press("F1");
  await tester.page.getByRole("dialog").getByText("The file and the URLs go to the program on your own computer that shows this page, and nowhere else.").waitFor();
  await tester.page.keyboard.press("Escape");
  await work(tester);
  const origin = new URL(comity.url).origin;
  assert.deepEqual([...new Set(requests.map(({ url }) => new URL(url).origin))], [origin]);
  // The requests were recorded: some contain the file.
  assert.ok(requests.filter(({ body }) => body.includes(SECRET)).length > 5);
  // Addresses are logged in many places, so neither the file nor the URLs are in one.
  assert.deepEqual(requests.filter(({ url }) => url.includes(SECRET)), []);
  assert.deepEqual(shop.asked, [], "no site is asked");
  await tester.close();
});

test("no address of the service returns what was sent to it", async () => {
  const { tester } = await open();
  await work(tester);
  for (const path of ["metrics", "v1/service", `v1/origins?origin=${encodeURIComponent("https://shop.example")}`, "v1/crawlers"]) {
    const answer = await fetch(comity.url + path);
    assert.doesNotMatch(await answer.text(), new RegExp(SECRET), path);
  }
  await tester.close();
});

test("a site gets a request only after Fetch is pressed, and only for its robots.txt", async () => {
  const { tester, requests } = await open();
  await work(tester);
  assert.deepEqual(shop.asked, []);
  await tester.fetchFile(`${shop.url}/${SECRET}/page?user=me`);
  await tester.page.getByText("has arrived").waitFor();
  assert.deepEqual(shop.asked, ["/robots.txt"]);
  assert.deepEqual([...new Set(requests.map(({ url }) => new URL(url).hostname))], ["127.0.0.1"]);
  await tester.close();
});

test("on a service for others, Help names the host that gets the file", async () => {
  const page = await chrome.newPage();
  // The browser sees another host, and all that it asks for still comes from loopback.
  await page.route("http://tester.test/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: comity.url + pathname.slice(1) }) });
  });
  await page.goto("http://tester.test/");
  await page.getByRole("button", { name: "Help and keyboard shortcuts" }).click();
  await page.getByRole("dialog").getByText("The file and the URLs are sent to tester.test to be answered. They are not stored there.").waitFor();
  // The page may still be asking.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.close();
});
