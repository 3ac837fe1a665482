/** A service that goes away, and comes back. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, Tester } from "./harness.mjs";

let chrome;
before(async () => {
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
});

const AWAY = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/;

/** A page whose service has gone away while somebody typed, and says so. */
async function deserted() {
  const comity = await service();
  const tester = await Tester.open(chrome, comity.url, { forgives: AWAY });
  const { page } = tester;
  await page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  await page.clock.install();
  await comity.stop();
  await tester.paste("User-agent: *\nDisallow: /\n");
  const notice = page.getByRole("alert").filter({ hasText: "The service does not answer." });
  await notice.waitFor();
  return { tester, page, notice, port: comity.port };
}

test("typed text is kept, and sent again when the service is back", async () => {
  const { tester, page, notice, port } = await deserted();
  assert.deepEqual(await tester.violations(), []);
  // The last verdicts stay, and nothing claims that they are about the new text.
  await page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  const comity = await service({ port });
  await notice.waitFor({ state: "hidden" });
  await page.locator(".summary", { hasText: "3 verdicts: 0 allowed, 3 blocked." }).waitFor();
  await tester.close();
  await comity.stop();
});

test("the button Try now reconnects before the page does by itself", async () => {
  const { tester, page, notice, port } = await deserted();
  // From here on, the page does not look by itself, since its clock is stopped. Its earlier requests find no service.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  await page.waitForTimeout(500);
  const comity = await service({ port });
  await notice.getByRole("button", { name: "Try now" }).click();
  // A connection of the old service may be tried first. All these steps are less than the page waits by itself.
  for (let step = 0; step < 200 && (await notice.isVisible()); step++) {
    await page.clock.runFor(1);
    await page.waitForTimeout(20);
  }
  assert.equal(await notice.isVisible(), false, "the button does nothing");
  await page.clock.resume();
  await page.locator(".summary", { hasText: "3 verdicts: 0 allowed, 3 blocked." }).waitFor();
  await tester.close();
  await comity.stop();
});

test("requests to an overloaded service are repeated after the time that it states", async () => {
  const comity = await service();
  const tester = await Tester.open(chrome, comity.url, { forgives: /503/ });
  const { page } = tester;
  await page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  let refused = 0;
  await page.route("**/v1/check", (route) => {
    if (refused++ >= 2) return route.fallback();
    return route.fulfill({
      status: 503,
      headers: { "content-type": "application/problem+json", "retry-after": "1" },
      body: JSON.stringify({ title: "Service Unavailable", status: 503, detail: "too much to do" }),
    });
  });
  await tester.paste("User-agent: *\nDisallow: /\n");
  await page.getByText("The service is busy.").waitFor();
  await page.locator(".summary", { hasText: "3 verdicts: 0 allowed, 3 blocked." }).waitFor();
  await page.getByText("The service is busy.").waitFor({ state: "hidden" });
  await tester.close();
  await comity.stop();
});

test("a service with a token shows a form for it", async () => {
  const comity = await service({ env: { COMITY_TOKEN: "s3cret-enough-for-a-test" } });
  const tester = await Tester.open(chrome, comity.url, { forgives: /401/ });
  const { page } = tester;
  const field = page.getByLabel("This service asks for a password, its token.");
  await field.fill("wrong");
  assert.deepEqual(await tester.violations(), []);
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByText("The token that you gave is not the right one.").waitFor();
  await field.fill("s3cret-enough-for-a-test");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.locator(".summary", { hasText: "12 verdicts: 6 allowed, 2 blocked, 4 perhaps." }).waitFor();
  await field.waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Crawlers" }).fill("perplex");
  await page.getByRole("listbox", { name: "Crawlers" }).getByText("PerplexityBot").waitFor();
  await tester.close();
  await comity.stop();
});

for (const width of [1280, 390, 320]) {
  test(`the field for the token and its button are side by side, ${width} pixels wide`, async () => {
    const comity = await service({ env: { COMITY_TOKEN: "s3cret-enough-for-a-test" } });
    const tester = await Tester.open(chrome, comity.url, { forgives: /401/, width });
    const { page } = tester;
    const form = page.getByRole("form", { name: "Token" });
    const box = (locator) => locator.evaluate((element) => element.getBoundingClientRect().toJSON());
    const [banner, words, field, button] = await Promise.all(
      [form, form.locator("label"), form.getByLabel("This service asks for a password, its token."), form.getByRole("button")].map(box),
    );
    const all = JSON.stringify({ banner, words, field, button });
    const middle = ({ top, bottom }) => (top + bottom) / 2;
    assert.ok(Math.abs(middle(field) - middle(button)) <= 2, `the button is not beside its field: ${all}`);
    assert.ok(field.right < button.left && button.right <= banner.right && field.left >= banner.left, all);
    assert.ok(field.width >= 120, `the field is too narrow: ${all}`);
    assert.ok(words.bottom <= field.top || words.right <= field.left, `the words are over the field: ${all}`);
    assert.equal(await tester.overflows(), false);
    await tester.close();
    await comity.stop();
  });
}
