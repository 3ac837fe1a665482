/** The modules `comity/lint` and `comity/diff`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Robots } from "comity";
import { diff, prove, InvalidCrawler, InvalidOption, InvalidPattern } from "comity/diff";
import { lint, InvalidBody } from "comity/lint";

test("findings", () => {
  const found = lint("User-agent: *\nDisallow: private/\n", { select: ["missing-leading-slash"], ignore: ["all"] });
  assert.equal(found.length, 1);
  const [{ code, name, severity, line, message }] = found;
  assert.deepEqual([code, name, severity, line], ["L010", "missing-leading-slash", "error", 2]);
  assert.match(message, /starts with neither/);
  assert.deepEqual(lint(new TextEncoder().encode("User-agent: *\nDisallow: /private/\n"), { ignore: ["all"] }), []);
  assert.throws(() => lint("", { select: ["no-such-lint"] }), InvalidOption);
  assert.throws(() => lint(undefined), InvalidBody);
});

test("findings about crawlers of one's own", () => {
  const found = (body, ...crawlers) => lint(body, { crawlers }).map(({ name, message }) => [name, message]);
  const names = (body, ...crawlers) => found(body, ...crawlers).map(([name]) => name);
  const misspelled = "User-agent: AcmeSaerch\nDisallow: /a\n";
  const row = { token: "AcmeSearch", operator: "Acme", purpose: "search" };
  assert.deepEqual(found(misspelled), []);
  assert.deepEqual(found(misspelled, row), [
    ["misspelled-crawler", "`AcmeSaerch` is not a known crawler; did you mean `AcmeSearch` (Acme)?"],
  ]);
  assert.match(found(misspelled, { token: "AcmeSearch" })[0][1], /did you mean `AcmeSearch` \(AcmeSearch\)\?$/);
  assert.deepEqual(found(misspelled), []);

  const delay = "User-agent: AcmeSearch\nCrawl-delay: 5\nDisallow: /a\n";
  assert.deepEqual(names(delay, row), []);
  assert.deepEqual(names(delay, { ...row, crawl_delay: "ignored" }), ["ignored-crawl-delay"]);
  assert.deepEqual(names(delay, { ...row, governed: "no" }), ["ungoverned-crawler"]);
  // A row replaces that of the built-in table.
  const known = "User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /a\n";
  assert.ok(names(known).includes("ignored-crawl-delay"));
  assert.ok(!names(known, { token: "googlebot", operator: "Google", purpose: "search" }).includes("ignored-crawl-delay"));
});

test("differences", () => {
  const old = "User-agent: *\nDisallow: /shop/\n";
  const changed = "User-agent: *\nDisallow: /shop/\nAllow: /shop/help/\n";
  const difference = diff(old, changed);
  assert.equal(difference.outcome, "differs");
  const [change] = difference.changes;
  assert.deepEqual([change.direction, change.witness, change.line], ["allowed", "/shop/help/", 3]);
  assert.match(change.text, /^newly allowed/);
  assert.equal(diff(old, old).outcome, "same");
  assert.equal(diff(new Robots(old), new Robots(changed), { under: "/press/" }).outcome, "same");
  assert.equal(diff(new Robots(old), new TextEncoder().encode(changed), { crawlers: ["ExampleBot"] }).changes.length, 1);
  // The dialect of a `Robots` is used.
  const typo = "User-agent: *\nDissallow: /shop/\n";
  assert.equal(diff(old, new Robots(typo, { dialect: "google-parser" })).outcome, "same");
  assert.equal(diff(old, new Robots(typo, { dialect: "norobots-1996" })).outcome, "differs");
  assert.throws(() => diff(old, changed, { crawlers: ["Mozilla/5.0 (compatible; GPTBot/1.2)"] }), InvalidCrawler);
  assert.throws(() => diff(old, changed, { under: "shop" }), InvalidPattern);
  assert.throws(() => diff(old, undefined), { name: "InvalidBody" });
});

test("claims", () => {
  const robots = new Robots("User-agent: *\nDisallow: /private/\nAllow: /private/press/\n");
  assert.equal(prove(robots, { disallowed: "/private/", exceptions: ["/private/press/"], crawlers: ["*"] }).holds, true);
  assert.deepEqual(prove(robots, { disallowed: "/private/", crawlers: ["ExampleBot"] }), {
    holds: false,
    counterexample: { crawler: "ExampleBot", path: "/private/press/", line: 3 },
  });
  assert.throws(() => prove(robots, {}), InvalidOption);
  assert.throws(() => prove(robots, { allowed: "/", disallowed: "/" }), InvalidOption);
  assert.throws(() => prove(robots, { allowed: "press" }), InvalidPattern);
  assert.throws(() => prove(robots, { allowed: "/", crawlers: [] }), InvalidOption);
  assert.throws(() => diff(robots, robots, { crawlers: [] }), InvalidOption);
  assert.throws(() => prove(robots, { disallowed: "/", crawlers: ["FeedFetcher-Google"] }), InvalidCrawler);
});
