/** A file of 500 KiB: typing in it stays light, and its verdicts come. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, service, Tester } from "./stage.mjs";

let chrome, comity;
before(async () => {
  [chrome, comity] = [await browser(), await service()];
});
after(async () => {
  await chrome?.close();
  await comity?.stop();
});

/** Nothing on the page may hold the browser up for longer. A quarter of it is what we saw on two busy cores. */
const LONGEST_TASK_MS = 200;

function large() {
  const lines = ["User-agent: *"];
  let size = 0;
  for (let n = 0; size < 500 * 1024 - 40; n++) {
    const line = n % 40 === 39 ? `User-agent: bot-${n}` : `Disallow: /shop/${(n * 7919) % 100_003}/*?page=`;
    size += line.length + 1;
    lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

for (const view of ["Test", "Lint"]) {
  test(`typing in 500 KiB, with the view ${view} open`, async () => {
    const tester = await Tester.open(chrome, comity.url);
    const { page } = tester;
    await tester.urls("/shop/0/x?page=", "/typed/here");
    await tester.crawlers("*");
    if (view !== "Test") await tester.view(/^Lint/);
    await tester.paste(large());
    await page.locator(".status-facts", { hasText: /5\d\d\.\d KB/ }).waitFor();
    await page.waitForTimeout(2_500);
    await page.evaluate(() => {
      globalThis.tasks = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) globalThis.tasks.push(Math.round(entry.duration));
      }).observe({ type: "longtask" });
    });
    await tester.editor().focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    const took = [];
    for (const key of "\nDisallow: /typed/") {
      const start = performance.now();
      if (key === "\n") await page.keyboard.press("Enter");
      else await page.keyboard.type(key);
      took.push(performance.now() - start);
      await page.waitForTimeout(40);
    }
    if (view === "Test") await tester.verdict(1, 0).filter({ hasText: "Blocked line 2" }).waitFor({ timeout: 20_000 });
    await page.waitForTimeout(2_500);
    const tasks = await page.evaluate(() => globalThis.tasks);
    const middle = took.sort((a, b) => a - b)[took.length >> 1];
    console.log(`a key takes ${middle.toFixed(1)} ms (median); tasks over 50 ms: ${tasks.join(", ") || "none"}`);
    tasks.sort((a, b) => b - a);
    // One hiccup may be another program's; two are ours.
    assert.ok((tasks[1] ?? 0) <= LONGEST_TASK_MS && (tasks[0] ?? 0) <= 3 * LONGEST_TASK_MS, `tasks of ${tasks} ms`);
    assert.ok(middle <= 100, `a key takes ${middle} ms`);
    await tester.close();
  });
}
