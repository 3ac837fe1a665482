/** The cases of `testdata/cases`, which all interfaces of comity run. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { Robots } from "comity";
import { ROOT } from "./reference.mjs";

const DIALECTS = ["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"];
const MODERN = DIALECTS.slice(0, 5);
const ANSWERS = { allow: "allowed", disallow: "disallowed" };

function bodyOf(file) {
  if (file.robots !== undefined) return file.robots;
  const parts = file.parts.map(({ text, b64, times = 1 }) => {
    const bytes = text === undefined ? Buffer.from(b64, "base64") : Buffer.from(text);
    return Buffer.concat(Array(Number(times)).fill(bytes));
  });
  return Buffer.concat(parts);
}

/** Returns the expected answer in a dialect. `google` includes `google-parser`. */
function expectedIn(dialect, file, question) {
  const names = dialect === "google-parser" ? [dialect, "google"] : [dialect];
  const own = names.find((name) => name in question);
  if (own) return question[own];
  const dialects = file.dialects ?? MODERN;
  return names.some((name) => dialects.includes(name)) ? question.is : undefined;
}

/** Returns the crawler, and the options for it. */
function crawlerOf(file, question) {
  if (question.crawler !== undefined) return [question.crawler, {}];
  const literal = { literal: true };
  if (question.agent_b64 !== undefined) return [Buffer.from(question.agent_b64, "base64"), literal];
  return [question.agents ?? question.agent ?? file.agent ?? "anybot", literal];
}

function check(verdict, expected, question) {
  const [answer, line] = expected.split(" ");
  assert.equal(verdict.answer, ANSWERS[answer] ?? answer, JSON.stringify(question));
  assert.equal(verdict.allowed, answer === "allow");
  if (line !== undefined) assert.equal(verdict.line ?? 0, Number(line), JSON.stringify(question));
  assert.equal(verdict.namesCrawler, question.names_crawler ?? verdict.namesCrawler);
  assert.equal(verdict.advisory, question.advisory ?? verdict.advisory);
}

for (const name of readdirSync(path.join(ROOT, "testdata/cases"))) {
  const { file: files = [] } = parse(readFileSync(path.join(ROOT, "testdata/cases", name), "utf8"));
  test(`cases of ${name}`, () => {
    let asked = 0;
    for (const file of files) {
      for (const dialect of DIALECTS) {
        const robots = new Robots(bodyOf(file), { dialect });
        for (const question of file.ask) {
          const expected = expectedIn(dialect, file, question);
          if (expected === undefined) continue;
          const [crawler, options] = crawlerOf(file, question);
          const rules = robots.rulesFor(crawler, options);
          const isRaw = question.raw ?? file.raw ?? question.url_b64 !== undefined;
          const url = question.url ?? Buffer.from(question.url_b64, "base64");
          check(rules.checkAsIs(url), expected, question);
          if (!isRaw) {
            check(rules.check(url), expected, question);
            check(robots.check(url, crawler, options), expected, question);
            check(robots.explain(url, crawler, options).verdict, expected, question);
            assert.equal(rules.isAllowed(url), expected.startsWith("allow"));
            assert.equal(robots.isAllowed(url, crawler, options), expected.startsWith("allow"));
          }
          if (question.crawl_delay !== undefined) assert.equal(rules.crawlDelay ?? -1, Number(question.crawl_delay));
          asked += 1;
        }
      }
    }
    assert.ok(asked > 0 || files.length === 0);
  });
}
