/** A file of 500 KiB: typing in it stays light, and its verdicts come. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./harness.mjs";

// Optimized code is not counted block by block.
const { comity, open } = await start({ flags: ["--js-flags=--no-opt --no-maglev"] });

/**
 * A key may make the page do this many times what it does in a small file. Moving a thousand squiggles doubles it;
 * a walk over all lines would take it to five.
 */
const KEY = 3;

/** The maximum number of blocks that run for each line of the file when typing rests and answers come. */
const ANSWER = 30;

/** A list of findings, a table and an editor draw what can be seen and some more, not ten thousand lines. */
const ELEMENTS = 6_000;

function file(most) {
  const lines = ["User-agent: *"];
  let size = 0;
  for (let n = 0; size < most - 40; n++) {
    const line = n % 40 === 39 ? `User-agent: bot-${n}` : `Disallow: /shop/${(n * 7919) % 100_003}/*?page=`;
    size += line.length + 1;
    lines.push(line);
  }
  return lines;
}

/**
 * Returns the cost of typing into a file. It is counted and not timed, since the machine may be busy: the number of
 * times that the blocks of the page's code ran.
 */
async function typing(view, lines) {
  const tester = await open();
  const { page } = tester;
  const profiler = await page.context().newCDPSession(page);
  await profiler.send("Profiler.enable");
  await profiler.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  // Only what is compiled from now on is counted block by block.
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();

  await tester.urls("/shop/0/x?page=", "/typed/here");
  await tester.crawlers("*");
  await tester.view(view);
  await tester.paste(`${lines.join("\n")}\n`);
  const settled = async () => {
    await page.waitForTimeout(1_000);
    await tester.settled();
  };
  await settled();
  // Compare shows what is typed from here on.
  if (view === "Compare") await tester.panel().getByRole("button", { name: "Keep my text as Before" }).click();

  const ran = async () => {
    const { result } = await profiler.send("Profiler.takePreciseCoverage");
    const ours = result.filter(({ url }) => url.startsWith(comity.url));
    const ranges = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return ranges.reduce((sum, { count }) => sum + count, 0);
  };
  await tester.editor().focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await ran();
  const keys = [];
  for (const key of "\nDisallow: /typed/") {
    if (key === "\n") await page.keyboard.press("Enter");
    else await page.keyboard.type(key);
    await page.waitForTimeout(40);
    keys.push(await ran());
  }
  if (view === "Test") await tester.verdict(1, 0).filter({ hasText: "Blocked line 2" }).waitFor({ timeout: 60_000 });
  if (view === "Compare") {
    const change = tester.panel().getByRole("region", { name: "For all URLs" }).locator("li.change");
    await change.filter({ hasText: "/typed/" }).getByRole("button", { name: "line 2" }).waitFor({ timeout: 60_000 });
  }
  await settled();
  const answer = await ran();
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  await tester.close();
  // The middle one: between two keys of a slow machine an answer may come.
  keys.sort((a, b) => a - b);
  return { key: keys[keys.length >> 1], answer, elements };
}

for (const view of ["Test", "Compare", "Mistakes"]) {
  test(`typing in 500 KiB, with the view ${view} open`, async () => {
    const lines = file(500 * 1024);
    const small = await typing(view, file(5 * 1024));
    const large = await typing(view, lines);
    console.log(`${view}: in 5 KiB ${JSON.stringify(small)}, in 500 KiB ${JSON.stringify(large)}`);
    assert.ok(small.key > 500, "a key is counted");
    assert.ok(large.key <= KEY * small.key, `a key runs ${large.key} blocks, and ${small.key} in a small file`);
    assert.ok(large.answer <= ANSWER * lines.length, `an answer runs ${large.answer} blocks for ${lines.length} lines`);
    assert.ok(large.elements <= ELEMENTS, `${large.elements} elements`);
  });
}
