/** The replacement for robots-parser: its own tests, from its package, and what they do not test. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import vm from "node:vm";
import { robotsParser as inline } from "comity/inline";
import robotsParser from "comity/robots-parser";

const require = createRequire(import.meta.url);

/** Tests of robots-parser that fail by design, each with the reason. */
const RECORDS = "other records neither start nor end a group (RFC 9309 §2.2.4)";
const DIFFERENT = {
  "should handle lone high / low surrogates": "half of a pair is no text: in UTF-8, it is U+FFFD in the file and in the URL",
  "should parse the crawl-delay directive": RECORDS,
  "should fallback to * when a UA has no rules of its own": RECORDS,
  "should not fallback to * when a UA has rules": RECORDS,
  "should ignore version numbers in the UA string": RECORDS,
};

/** The assertions of robots-parser's tests. */
function expect(found) {
  return {
    to: {
      equal: (expected) => assert.equal(found, expected),
      eql: (expected) => assert.deepEqual(found, expected),
      be: { lessThan: (bound) => assert.ok(found < bound, `${found}`) },
    },
  };
}

describe("robots-parser's own tests", () => {
  const tests = [];
  const source = readFileSync(require.resolve("robots-parser/test/Robots.js"), "utf8");
  vm.runInThisContext(`(function (require, describe, it) {${source}\n})`)(
    (name) => ({ "../index": robotsParser, chai: { expect } })[name],
    (_, call) => call(),
    (name, call) => tests.push([name, call]),
  );
  test("all of them were found", () => assert.ok(tests.length >= 40, `${tests.length}`));
  for (const [name, call] of tests) {
    if (name in DIFFERENT) test(`${name}: differs, since ${DIFFERENT[name]}`, () => assert.throws(call, assert.AssertionError));
    else test(name, call);
  }
  test("no difference is listed in vain", () => {
    assert.deepEqual(Object.keys(DIFFERENT).filter((name) => !tests.some(([known]) => known === name)), []);
  });
});

describe("what its tests do not test", () => {
  const url = "https://example.com/robots.txt";

  test("`require` returns the function", () => {
    assert.equal(require("comity/robots-parser"), robotsParser);
  });

  test("answers that differ by design", () => {
    const [own, original] = [robotsParser, require("robots-parser")].map((parser) =>
      ["User-agent: *\nDisallow: /%41\n", "User-agent: *\nDisallow: /\n"].map((body) => parser(url, body)),
    );
    for (const [at, asked] of ["https://example.com/A", "https://example.com/robots.txt"].entries()) {
      assert.notEqual(own[at].isAllowed(asked), original[at].isAllowed(asked), asked);
    }
  });

  test("`comity/inline` has it, too", () => {
    assert.equal(inline(url, "User-agent: *\nDisallow: /a\n").isAllowed(new URL("https://example.com/a"), "ExampleBot"), false);
  });

  test("headers and fallback tokens", () => {
    const robots = robotsParser(url, "User-agent: GPTBot\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b\n");
    assert.equal(robots.isAllowed("https://example.com/a", "Mozilla/5.0 (compatible; GPTBot/1.2)"), false);
    assert.equal(robots.isAllowed("https://example.com/b", "Googlebot-Image"), false);
    assert.equal(robots.isAllowed("https://example.com/b", "Mozilla/5.0 (X11; Linux x86_64)"), true);
  });

  test("a crawler that does not obey has no answer", () => {
    const robots = robotsParser(url, "User-agent: *\nDisallow: /\n");
    assert.equal(robots.isAllowed("https://example.com/a", "Google-Safety"), undefined);
    assert.equal(robots.isDisallowed("https://example.com/a", "Google-Safety"), true);
  });

  test("many user agents", () => {
    const robots = robotsParser(url, "User-agent: bot-70\nDisallow: /\n");
    for (let at = 0; at < 200; at++) assert.equal(robots.isAllowed("https://example.com/", `bot-${at}`), at !== 70);
  });

  test("URLs without a host", () => {
    assert.equal(robotsParser("mailto:a@example.com", "").isAllowed("mailto:a@example.com"), undefined);
  });

  test("a body that is no text", () => {
    assert.throws(() => robotsParser(url, Buffer.from("User-agent: *")), { name: "InvalidBody" });
  });
});
