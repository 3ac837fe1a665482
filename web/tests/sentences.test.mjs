/** Sentences of the page that need no browser. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "smol-toml";
import { load } from "./module.mjs";

const { oddName, oddNameWords, patternWords, statusMeaning, withStatusMeaning } = await load("words.ts");
const { said } = await load("said.ts");

test("sentences have elements by their tags, and none by their values", () => {
  const [before, code, between, strong, after] = said`Start <code>comity ${"<em>serve</em>"}</code>, <strong>now</strong>.`.filter((part) => part);
  assert.deepEqual([before, between, after], ["Start ", ", ", "."]);
  assert.equal(code.type, "code");
  assert.deepEqual(code.props.children.filter((part) => part), ["comity ", "<em>serve</em>"]);
  assert.equal(strong.type, "strong");
  const [hidden] = said`<unseen>for ${1} reader</unseen>`.filter((part) => part);
  assert.deepEqual([hidden.type, hidden.props.class], ["span", "unseen"]);
  assert.deepEqual(hidden.props.children, ["for ", 1, " reader"]);
});

test("misspelled names of rules are recognized", () => {
  for (const text of ["Disallow: /a", "  allow : /a", "DISALLOW:/a # Disalow", "\uFEFFAllow: /"]) assert.equal(oddName(text), null, text);
  for (const [text, name] of [["Disalow: /", "Disalow"], ["dissallow:/a", "dissallow"], ["Disallowed: /a", "Disallowed"], ["Disallow /a", "Disallow"]]) {
    assert.equal(oddName(text), name);
  }
});

test("a misspelled rule names the crawlers that understand it", () => {
  assert.equal(oddNameWords(4, "Disallow: /"), null);
  assert.match(oddNameWords(4, "Disalow: /"), /^Line 4: “Disalow” is misspelled\. Google understands the line anyway, and so does this test\. Other crawlers may ignore it/);
  assert.match(oddNameWords(4, "Disallow /"), /^Line 4: “Disallow” has no colon after it\./);
});

test("patterns are explained in words, as the language server does", () => {
  const { pattern: cases } = parse(readFileSync(new URL("../../testdata/words/patterns.toml", import.meta.url), "utf8"));
  assert.ok(cases.length > 10);
  for (const { pattern, words } of cases) assert.equal(patternWords(pattern), words, pattern);
});

test("statuses have a meaning in words", () => {
  assert.equal(statusMeaning(503), " (the server is overloaded, or closed for maintenance)");
  assert.equal(statusMeaning(404), " (there is no such file)");
  assert.equal(statusMeaning(500), " (something is broken on the server)");
  assert.equal(withStatusMeaning("http://a.test/s.xml answered 404"), "http://a.test/s.xml answered 404 (there is no such file)");
  assert.equal(withStatusMeaning("answered 404 by FTP"), "answered 404 by FTP");
  for (const status of [null, 200, 301]) assert.equal(statusMeaning(status), "");
});
