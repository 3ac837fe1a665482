/** The size of the page without a service, by `budgets.json`. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { BUILT } from "./host.mjs";

const { static: BUDGET } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../budgets.json"), "utf8"));

test("the page and its modules fit their budgets", (context) => {
  const files = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sum = { module: 0, changes: 0, all: 0 };
  for (const { name, parentPath } of files) {
    // Loaded only by who opens it.
    if (name === "licenses.txt") continue;
    const found = gzipSync(readFileSync(path.join(parentPath, name)), { level: 9 }).length;
    context.diagnostic(`${name}: ${found} bytes with gzip`);
    // Loaded by who opens the view Mistakes or Write.
    const isLater = name.startsWith("changes");
    if (!isLater) sum.all += found;
    if (name.endsWith(".wasm")) sum[isLater ? "changes" : "module"] += found;
  }
  for (const [name, budget] of Object.entries(BUDGET)) {
    assert.ok(sum[name] > 0 && sum[name] <= budget, `${name}: ${sum[name]} bytes with gzip, expected at most ${budget}`);
  }
  context.diagnostic(`all: ${sum.all} bytes with gzip, of ${BUDGET.all}`);
});
