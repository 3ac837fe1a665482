/**
 * The page of a service that contains the module: `MODULE_COMITY` names the program. The service answers if it is near;
 * if it is far away, the module does, with the same answers.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { delayed } from "../delayed.mjs";
import { browser, service, SHOP, Tester } from "../harness.mjs";

const program = process.env.MODULE_COMITY;
const skip = program && existsSync(program) ? false : "MODULE_COMITY names no program with a module";

/** The delay of the service that is far away, in milliseconds. */
const FAR = 150;

let chrome, comity, far;
before(async () => {
  if (skip) return;
  [chrome, comity] = await Promise.all([browser(), service({ program })]);
  far = await delayed(comity.port, FAR);
});
after(async () => {
  await chrome?.close();
  await far?.stop();
  await comity?.stop();
});

/** Opens a page, and counts its requests: to the endpoints, and for the module. */
async function open(url, route = async () => {}) {
  const asked = { questions: [], modules: 0 };
  const prepare = async (page) => {
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith(".wasm")) asked.modules += 1;
      if (request.method() === "POST") asked.questions.push(pathname);
    });
    await route(page);
  };
  const tester = await Tester.open(chrome, url, { prepare });
  await tester.page.locator(".summary", { hasText: "12 verdicts" }).waitFor();
  return { tester, asked };
}

/** The questions to the service that measure it: more than one of them in a row is in no view. */
const MEASURED = 3;

/** Waits until the page has measured the service, and either loaded the module or not. */
async function measured({ tester }) {
  await tester.page.waitForTimeout(1_000 + MEASURED * FAR + 3_000);
  await tester.settled();
}

const NEW = "User-agent: *\nDisallow: /cart/\nAllow: /cart/help$\n\nUser-agent: GPTBot\nDisallow: /\n";

/** Returns what the page shows about a file in the views that the module answers. */
async function shown({ tester }, file) {
  const { page } = tester;
  await tester.view("Test");
  await tester.paste(file);
  await tester.urls("/cart/1", "/cart/help", "/internal/press/x", "https://m\u00fcller.example/cart/", "/\u00fc?a=%2f");
  await tester.settled();
  const texts = [];
  for (const view of ["Test", "Compare", "By engine", "AI"]) {
    await tester.view(view);
    await page.waitForTimeout(700);
    await tester.settled();
    texts.push(await tester.panel().innerText());
  }
  await tester.view("Test");
  return texts;
}

test("the module of a service that is far away gives the same answers", { skip }, async () => {
  const [near, away] = [await open(comity.url), await open(far.url)];
  await measured(near);
  await measured(away);
  assert.equal(near.asked.modules, 0, "a near service needs no module");
  assert.equal(away.asked.modules, 1);
  near.asked.questions.length = away.asked.questions.length = 0;
  for (const file of [SHOP, NEW, "", "User-agent: a\nDisallow: *\n\ufffd"]) {
    assert.deepEqual(await shown(away, file), await shown(near, file));
  }
  const own = ({ asked }) => asked.questions.filter((path) => path !== "/v1/lint");
  assert.ok(own(near).length > 10, `${own(near)}`);
  assert.deepEqual(own(away), [], "the module answers");
  // The service still finds mistakes.
  assert.ok(away.asked.questions.includes("/v1/lint"));
  await near.tester.close();
  await away.tester.close();
});

/** Opens a page whose service answers otherwise at an address, and checks that the module, once loaded, is not used. */
async function answersWithoutModule(address, answer) {
  const away = await open(far.url, (page) => page.route(address, answer));
  await measured(away);
  assert.equal(away.asked.modules, 1);
  away.asked.questions.length = 0;
  await away.tester.paste("User-agent: *\nDisallow: /\n");
  await away.tester.page.locator(".summary", { hasText: "3 verdicts: 0 allowed, 3 blocked." }).waitFor();
  assert.ok(away.asked.questions.includes("/v1/check"));
  await away.tester.close();
}

test("a module that does not start is not used", { skip }, () =>
  answersWithoutModule("**/*.wasm", (route) => route.fulfill({ body: "\0asm, not", contentType: "application/wasm" })),
);

test("a module that knows other crawlers is not used", { skip }, () =>
  answersWithoutModule("**/v1/crawlers", async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: (await response.json()).slice(1) });
  }),
);
