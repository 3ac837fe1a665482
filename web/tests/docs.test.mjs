/** The description of the API, and the page of addresses that do not exist. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, Tester } from "./harness.mjs";

const { chrome, comity, open } = await start();

test("Help links to the description of the API", async () => {
  const tester = await open();
  const link = tester.page.locator('a[href="/openapi.json"]');
  assert.equal(await link.count(), 1);
  await tester.close();
});

test("a mistyped address shows a page with a link to the tester", async () => {
  const tester = await Tester.open(chrome, `${comity.url}tseter`, { forgives: /404/ });
  assert.deepEqual(await tester.violations(), []);
  await tester.page.getByRole("link", { name: "Open the tester" }).click();
  await tester.editor().waitFor();
  await tester.close();
});
