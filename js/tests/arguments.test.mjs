/** The forms of URLs, options and crawlers that are accepted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, Robots } from "comity";
import { diff, prove } from "comity/diff";
import robotsParser from "comity/robots-parser";

const BODY = "User-agent: AcmeBot\nDisallow: /img/\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /private/\n";
const robots = new Robots(BODY, { origin: new URL("https://example.com/page?a") });

test("URL objects", () => {
  const [own, other] = [new URL("https://example.com/img/../private/a"), new URL("https://example.org/")];
  assert.equal(robots.origin, "https://example.com");
  for (const url of [own, own.href]) {
    assert.equal(robots.check(url, "ExampleBot").line, 6);
    assert.equal(robots.isAllowed(url, "ExampleBot"), false);
    assert.equal(robots.explain(url, "ExampleBot").path, "/private/a");
    assert.equal(robots.rulesFor("ExampleBot").check(url).line, 6);
    assert.equal(robots.rulesFor("ExampleBot").isAllowed(url), false);
    assert.equal(robots.rulesFor("ExampleBot").checkAsIs(url).line, 6);
  }
  assert.equal(robots.check(other, "ExampleBot").answer, "out-of-scope");
  assert.equal(robotsParser("https://example.com/robots.txt", BODY).isAllowed(own, "ExampleBot"), false);
});

test("many URLs", () => {
  const urls = ["/", "/private/", new URL("https://example.com/private/a"), "https://example.org/"];
  const expected = [true, false, false, false];
  const rules = robots.rulesFor("ExampleBot");
  assert.deepEqual(urls.map((url) => rules.isAllowed(url)), expected);
  assert.deepEqual(rules.areAllowed(urls), expected);
  assert.deepEqual(rules.areAllowed(new Set(urls)), expected);
  assert.deepEqual(robots.areAllowed(urls, "ExampleBot"), expected);
  assert.deepEqual(robots.areAllowed(["/img/"], "acmebot", { literal: true }), [false]);
  assert.deepEqual(rules.areAllowed([]), []);
  assert.throws(() => rules.areAllowed(["/", "x"]), { name: "InvalidUrl", message: /^urls\[1\]: expected a URL .* found `x`$/ });
  for (const urls of ["/private/", undefined, null, 1, {}]) {
    assert.throws(() => rules.areAllowed(urls), { name: "InvalidOption", message: /^expected a list of URLs, found / });
  }
});

test("dialects in any case", () => {
  const start = `User-agent: *\n${"#".repeat(600_000)}\n`;
  for (const dialect of ["google-parser", "Google-Parser"]) {
    const read = new Robots(`${start}Disallow: /`, { dialect });
    assert.deepEqual([read.dialect, read.isAllowed("/", "ExampleBot")], ["google-parser", false]);
  }
});

test("rows of a crawler table of one's own", () => {
  const row = { token: "AcmeBot-Images", operator: "Acme", purpose: "search", fallback: ["Other", "AcmeBot"], note: "…" };
  const { line, basis, advisory } = robots.check("/img/a", row);
  assert.deepEqual([line, basis, advisory], [2, "fallback-token", false]);
  assert.deepEqual(robots.explain("/img/a", row).tokens, ["AcmeBot-Images", "Other", "AcmeBot"]);
  assert.equal(robots.check("/private/", { token: "AcmeBot-Images" }).line, 6);
  assert.equal(robots.check("/private/", { token: "A", obeys_star: true }).line, 6);
  assert.equal(robots.check("/private/", { token: "A", obeys_star: false }).reason, "star-ignored");
  for (const [governed, answer, isAdvisory] of [
    ["yes", "disallowed", false],
    ["may-bypass", "disallowed", true],
    ["no", "not-governed", false],
    ["control-token", "disallowed", false],
    ["unstated", "disallowed", true],
  ]) {
    const verdict = robots.rulesFor({ token: "AcmeBot", governed }).check("/img/");
    assert.deepEqual([verdict.answer, verdict.advisory], [answer, isAdvisory], governed);
  }
  for (const [crawl_delay, expected] of [["obeyed", 3], ["unknown", 3], [undefined, 3], ["ignored", null]]) {
    assert.equal(robots.crawlDelay({ token: "AcmeBot", crawl_delay }), expected);
  }
  // A row of the command's own table, which the name alone means as well.
  const known = { token: "Googlebot-Image", fallback: ["Googlebot"], crawl_delay: "ignored" };
  const google = new Robots("User-agent: Googlebot\nDisallow: /x\n");
  assert.deepEqual(google.check("/x", known), google.check("/x", "Googlebot-Image"));
});

test("candidates with rows of one's own", () => {
  const crawlers = [{ token: "Acme Reader", fallback: ["AcmeBot"] }, { token: "googlebot", operator: "Acme" }];
  for (const [header, alone, together] of [
    // No product token, and so no candidate: only a table can name it.
    ["Mozilla/5.0 (compatible) Acme Reader", [], ["Acme Reader"]],
    ["AcmeBot/1.0 Acme Reader/2.0", ["AcmeBot", "Reader"], ["Acme Reader", "AcmeBot"]],
    ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", ["Googlebot"], ["Googlebot"]],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0", [], []],
  ]) {
    assert.deepEqual(candidates(header), alone, header);
    assert.deepEqual(candidates(header, {}), alone, header);
    assert.deepEqual(candidates(header, { crawlers: [] }), alone, header);
    assert.deepEqual(candidates(header, { crawlers }), together, header);
    // Rows are those of one call.
    assert.deepEqual(candidates(header), alone, header);
  }
});

test("comparisons and claims for rows of one's own", () => {
  const old = "User-agent: AcmeBot\nDisallow: /img/\n\nUser-agent: *\nDisallow: /private/\n";
  const changed = "User-agent: AcmeBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n";
  const row = { token: "AcmeBot-Images", operator: "Acme", fallback: ["AcmeBot"] };
  const found = (...crawlers) => diff(old, changed, { crawlers }).changes.map(({ crawlers, line }) => [crawlers, line]);
  assert.deepEqual(found("AcmeBot-Images"), []);
  assert.deepEqual(found({ token: "AcmeBot-Images" }), []);
  assert.deepEqual(found(row), [[["AcmeBot-Images"], 2]]);
  assert.deepEqual(found("ExampleBot", row, "AcmeBot"), [[["AcmeBot-Images", "AcmeBot"], 2]]);

  const holds = (claim, row) => prove(old, { ...claim, crawlers: [row] }).holds;
  const images = { disallowed: "/img/" };
  assert.deepEqual([holds(images, row), holds(images, "AcmeBot-Images"), holds(images, { token: "Other" })], [true, false, false]);
  assert.deepEqual(prove(old, { allowed: "/img/", crawlers: [row] }).counterexample, { crawler: "AcmeBot-Images", path: "/img/", line: 2 });
  // The groups for `*` do not apply to it.
  const all = { allowed: "/private/" };
  assert.deepEqual([holds(all, { token: "A" }), holds(all, { token: "A", obeys_star: false })], [false, true]);
  for (const governed of ["yes", "may-bypass", "control-token", "unstated"]) {
    assert.equal(holds(all, { token: "A", governed }), false, governed);
  }
  // The same as for the name, for a row of the command's own table.
  assert.deepEqual(
    diff("", "User-agent: Googlebot\nDisallow: /x\n", { crawlers: [{ token: "Googlebot-Image", fallback: ["Googlebot"] }] }).changes,
    diff("", "User-agent: Googlebot\nDisallow: /x\n", { crawlers: ["Googlebot-Image"] }).changes,
  );

  for (const [row, name, message] of [
    [{ token: "A", governed: "no" }, "InvalidCrawler", /^A ignores robots.txt, so no rule applies to it$/],
    [{ token: "" }, "InvalidCrawler", /found no text/],
    [{ token: "Mozilla/5.0 (compatible; ExampleBot/1.0)" }, "InvalidCrawler", /found a User-Agent header; use "ExampleBot"/],
    [{ token: "A", fallbacks: [] }, "InvalidOption", /found `fallbacks`, which is unknown/],
    [{}, "InvalidCrawler", /or a row with a token, found an instance of Object/],
    [["AcmeBot", "Other"], "InvalidCrawler", /^expected a name or a row, found several names/],
    [1, "InvalidCrawler", /found a number/],
  ]) {
    assert.throws(() => diff(old, changed, { crawlers: ["ExampleBot", row] }), { name, message });
    assert.throws(() => prove(old, { allowed: "/", crawlers: [row] }), { name, message });
  }
});

test("rows that are none", () => {
  for (const [row, name, message] of [
    [{ token: "" }, "InvalidCrawler", /found no text/],
    [{ token: "Mozilla/5.0 (compatible; ExampleBot/1.0)" }, "InvalidCrawler", /found a User-Agent header; use "ExampleBot"/],
    [{}, "InvalidCrawler", /or a row with a token, found an instance of Object/],
    [{ tokens: ["A"] }, "InvalidCrawler", /a row with a token/],
    [{ token: "A", fallbacks: [] }, "InvalidOption", /found `fallbacks`, which is unknown/],
    [{ token: "A", "obeys-star": false }, "InvalidOption", /found `obeys-star`/],
    [{ token: "A", fallback: "Googlebot" }, "InvalidOption", /`fallback` as an array of product tokens, found `Googlebot`/],
    [{ token: "A", obeys_star: "false" }, "InvalidOption", /true or false, found `false`/],
    [{ token: "A", governed: "never" }, "InvalidOption", /one of yes, may-bypass, no, control-token, unstated, found `never`/],
    [{ token: "A", crawl_delay: 3 }, "InvalidOption", /one of obeyed, ignored, unknown, found a number/],
  ]) {
    assert.throws(() => robots.check("/", row), { name, message });
    assert.throws(() => robots.rulesFor(row), { name, message });
  }
  assert.throws(() => robots.check("/", { token: "A" }, { literal: true }), { name: "InvalidCrawler" });
});
