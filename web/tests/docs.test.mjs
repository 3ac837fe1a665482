/** The reference of the API, in both themes and on narrow screens. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, Tester } from "./harness.mjs";

const { chrome, comity, open } = await start();

test("the reference can be read in both themes and on narrow screens", async () => {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 320], ["dark", 320]]) {
    const tester = await Tester.open(chrome, `${comity.url}docs`, { colorScheme, width });
    assert.deepEqual(await tester.violations(), [], `${colorScheme} ${width}`);
    assert.ok(!(await tester.overflows()), `${width}`);
    await tester.page.getByRole("link", { name: "POST /v1/batch" }).click();
    assert.match(tester.page.url(), /#checkBatch$/);
    await tester.close();
  }
});

test("Help links to the reference", async () => {
  const tester = await open();
  const link = tester.page.locator('a[href="/docs"]');
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
