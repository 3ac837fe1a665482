/** The sizes of the modules and of the JavaScript beside them, by `budgets.json`. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const DIST = path.resolve(import.meta.dirname, "../dist");
const BUDGETS = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../budgets.json"), "utf8"));

/** The module of `comity/inline`. */
const INLINE = "comity-check.base64.js";

const size = (bytes) => gzipSync(bytes, { level: 9 }).length;

for (const [name, budget] of Object.entries(BUDGETS.modules)) {
  test(`the module ${name}`, (context) => {
    const found = size(readFileSync(path.join(DIST, name)));
    context.diagnostic(`${found} bytes with gzip, of ${budget}`);
    assert.ok(found <= budget, `${name} has ${found} bytes with gzip, more than its budget of ${budget}`);
  });
}

test("the JavaScript beside the modules", (context) => {
  const files = readdirSync(DIST).filter((name) => name.endsWith(".js") && name !== INLINE);
  const found = size(Buffer.concat(files.map((name) => readFileSync(path.join(DIST, name)))));
  context.diagnostic(`${found} bytes with gzip, of ${BUDGETS.javascript}`);
  assert.ok(found <= BUDGETS.javascript, `${found} bytes, more than the budget of ${BUDGETS.javascript}`);
});

test("the module in a script", (context) => {
  const found = size(readFileSync(path.join(DIST, INLINE)));
  context.diagnostic(`${found} bytes with gzip, of ${BUDGETS.inline}`);
  assert.ok(found <= BUDGETS.inline, `${found} bytes, more than the budget of ${BUDGETS.inline}`);
});

test("each module has a budget", () => {
  const modules = readdirSync(DIST).filter((name) => name.endsWith(".wasm"));
  assert.deepEqual(modules.sort(), Object.keys(BUDGETS.modules).sort());
});
