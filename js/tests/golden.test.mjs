/** Recorded verdicts of Google's own parser: the answers and lines through JavaScript are the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Robots } from "comity";
import { content, jsonLines, needsReference, reference } from "./reference.mjs";

/** The time that a question about any of these files may take, in milliseconds. */
const MAX_MS = 20;

/** Returns the least of five times in milliseconds: in the others, another program may have run. */
function leastTime(work) {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** Counts questions, and collects differences and questions that take too long. */
class Comparison {
  count = 0;
  different = [];
  slow = [];

  check(name, body, cases) {
    const robots = new Robots(body, { dialect: "google-parser" });
    const compiled = new Map();
    for (const question of cases) {
      const key = question.agent ?? JSON.stringify(question.agents);
      let rules = compiled.get(key);
      if (!rules) compiled.set(key, (rules = robots.rulesFor(question.agent ?? question.agents, { literal: true })));
      const url = content(question, "url");
      const start = performance.now();
      const verdict = rules.checkAsIs(url);
      const ms = performance.now() - start;
      if (ms > MAX_MS && leastTime(() => rules.checkAsIs(url)) > MAX_MS) this.slow.push({ name, ms, question });
      if (verdict.allowed !== question.allowed || (verdict.line ?? 0) !== question.line) {
        this.different.push({ name, question, verdict });
      }
      this.count += 1;
    }
  }

  finish(expected) {
    assert.deepEqual(this.different.slice(0, 10), []);
    assert.deepEqual(this.slow.slice(0, 10), []);
    assert.equal(this.count, expected);
  }
}

test("verdicts on real files", needsReference, () => {
  const comparison = new Comparison();
  for (const file of jsonLines("verdicts")) comparison.check(file.file, reference(`corpus/${file.file}`), file.cases);
  comparison.finish(644_544);
});

test("verdicts on hostile files", needsReference, () => {
  const comparison = new Comparison();
  for (const file of jsonLines("adversarial")) comparison.check(file.id, content(file, "body"), file.cases);
  comparison.finish(51_567);
});
