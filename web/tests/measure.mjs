/**
 * Measures the time from a key in the editor to the new verdicts on the page: with the service, whose bytes are delayed by
 * a proxy, and with the page without a service, which asks its module.
 *
 *     COMITY=../target/release/comity node tests/measure.mjs 0 20 50 100 module
 *
 * Prints the median and the worst of each, in milliseconds. The pause in typing is subtracted, since it is the same for
 * both. The last column is the time from opening the page to its first verdicts, without a cache.
 */

import { delayed } from "./delayed.mjs";
import { browser, service, Tester } from "./harness.mjs";

const SAMPLES = Number(process.env.SAMPLES ?? 7);
const SIZES = [1_000, 20_000, 500_000];
const URLS = [1, 100];

/** The number of crawlers in the example. */
const CRAWLERS = 3;

/** Returns the pause in typing for a text of this size, as `rest` in `src/live.ts` does. */
const rest = (size) => (size < 64_000 ? 120 : 500);

/** Returns a file of a size. Its first rule decides about all URLs. */
function file(size) {
  const lines = ["User-agent: *", "Disallow: /a"];
  for (let at = 0, length = 30; length < size; at++) {
    lines.push(`Disallow: /section-${at}/*/page${at % 7}.html`);
    length += lines.at(-1).length + 1;
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the milliseconds from pressing a key to another summary of the verdicts. */
async function change(page, key) {
  await page.evaluate(() => {
    const summary = () => document.querySelector(".summary")?.textContent;
    const before = summary();
    globalThis.changed = new Promise((done) => {
      let start;
      addEventListener("keydown", () => (start = performance.now()), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        if (start === undefined || summary() === before) return;
        observer.disconnect();
        done(performance.now() - start);
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  });
  await page.keyboard.press(key);
  return page.evaluate(() => globalThis.changed);
}

function words(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return `${sorted[sorted.length >> 1].toFixed(0)} (${sorted.at(-1).toFixed(0)})`;
}

async function measure(chrome, url) {
  const cells = [];
  const opened = [];
  for (let at = 0; at < 3; at++) {
    const tester = await Tester.open(chrome, url);
    await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
    opened.push(await tester.page.evaluate(() => performance.now()));
    await tester.close();
  }
  for (const size of SIZES) {
    for (const urls of URLS) {
      const tester = await Tester.open(chrome, url);
      const { page } = tester;
      await tester.paste(file(size));
      await tester.urls(...Array.from({ length: urls }, (_, at) => `/a/${at}`));
      await page.locator(".summary", { hasText: `${CRAWLERS * urls} verdicts: 0 allowed, ${CRAWLERS * urls} blocked` }).waitFor();
      await tester.editor().focus();
      for (const key of ["Control+Home", "ArrowDown", "End"]) await page.keyboard.press(key);
      const pause = rest(size);
      const times = [];
      for (let at = 0; at <= SAMPLES; at++) {
        // Explanations and findings of the former text have arrived.
        await page.waitForTimeout(2 * pause + 300);
        await tester.settled();
        times.push((await change(page, at % 2 === 0 ? "z" : "Backspace")) - pause);
      }
      await tester.close();
      // The first one warms up.
      cells.push(words(times.slice(1)));
    }
  }
  return [...cells, words(opened)];
}

const chrome = await browser();
console.log(`| | ${SIZES.flatMap((size) => URLS.map((urls) => `${size / 1_000} KB, ${urls}`)).join(" | ")} | open |`);
console.log(`|---|${"--:|".repeat(SIZES.length * URLS.length + 1)}`);
for (const kind of process.argv.slice(2)) {
  let far;
  let near;
  if (kind === "module") {
    near = await (await import("./static/host.mjs")).host();
  } else {
    near = await service();
    if (Number(kind) > 0) far = await delayed(near.port, Number(kind));
  }
  const cells = await measure(chrome, (far ?? near).url);
  console.log(`| ${kind} | ${cells.join(" | ")} |`);
  await far?.stop();
  await near.stop();
}
await chrome.close();
