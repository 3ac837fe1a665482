/** URLs that are not parsed are the ones that parsing would not change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Robots } from "comity";
import { isSent, parse, withoutUserinfo } from "../dist/url.js";

/** Returns random numbers below a bound, the same in each run. */
function numbers() {
  let state = 1;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
}

const PIECES = [
  ..."abz019.-_~!$&()*+,;=:@/%?#'\"|^`{}<> \\[]éA",
  "%2e", "%2E", "/..", "/.", "//", "http://", "https://", "xn--", "0x1", "1.2.3.4", ":80", ":443", ":8080", "a.test", "localhost",
];

test("URLs that are called sent are not changed by the URL parser", () => {
  const below = numbers();
  let sent = 0;
  for (let round = 0; round < 300_000; round++) {
    const start = ["", "/", "http://", "https://", "http://a.test/", "https://www.example-1.com/"][below(6)];
    const url = start + Array.from({ length: below(8) }, () => PIECES[below(PIECES.length)]).join("");
    if (!isSent(url)) continue;
    sent += 1;
    assert.equal(parse(url).url, url);
  }
  assert.ok(sent > 10_000, `${sent}`);
});

test("URLs get the same answer whether they are parsed or not", () => {
  const below = numbers();
  const body = "User-agent: *\nDisallow: /*%2e\nDisallow: /a\nDisallow: /*b$\nDisallow: /*://\nAllow: //\nDisallow: /*?\n";
  for (const dialect of ["standard", "google-parser", "norobots-1996"]) {
    const rules = new Robots(body, { dialect }).rulesFor("ExampleBot");
    const own = new Robots(body, { dialect, origin: "http://a.test" }).rulesFor("ExampleBot");
    for (let round = 0; round < 30_000; round++) {
      const path = Array.from({ length: below(8) }, () => PIECES[below(PIECES.length)]).join("");
      const url = `http://a.test/${path}`;
      const expected = rules.checkAsIs(new URL(url).href);
      assert.deepEqual(rules.check(url), expected, url);
      assert.deepEqual(own.check(url), expected, url);
    }
  }
});

test("ordinary URLs need no parsing", () => {
  for (const url of ["/", "/a/b.html?c=d&e=%20", "https://www.example-1.com/a/b-c.d", "http://localhost/", "http://1.2.de/x"]) {
    assert.ok(isSent(url), url);
  }
  for (const url of ["", "a", "//a", "/a/../b", "/a/%2e%2e/b", "/ü", "/a#b", "http://1.2.3.4/", "https://a.test", "https://A.test/"]) {
    assert.ok(!isSent(url), url);
  }
});

test("time is linear in the length of a URL", () => {
  for (const url of [`https://${"a".repeat(100_000)}`, `https://${"a.".repeat(50_000)}`, `${"/a".repeat(50_000)}|`, `/${"a".repeat(100_000)}|`]) {
    const start = performance.now();
    isSent(url);
    assert.ok(performance.now() - start < 100, url.slice(0, 20));
  }
});

test("a path with two slashes at its start is no host in any dialect", () => {
  const body = "User-agent: *\nDisallow: /*private\n";
  for (const dialect of ["standard", "google", "google-parser", "bing", "yandex"]) {
    const robots = new Robots(body, { dialect });
    const own = new Robots(body, { dialect, origin: "http://a.test" });
    for (const path of ["/.//private/x", "/a/..//private/x", "/%2e//private/x"]) {
      const expected = robots.rulesFor("ExampleBot").checkAsIs(new URL(`http://a.test${path}`).href);
      assert.equal(expected.answer, "disallowed");
      for (const file of [robots, own]) {
        assert.deepEqual(file.check(path, "ExampleBot"), expected, `${dialect} ${path}`);
        assert.deepEqual(file.rulesFor("ExampleBot").check(path), expected, `${dialect} ${path}`);
        assert.equal(file.isAllowed(path, "ExampleBot"), false);
        assert.deepEqual(file.explain(path, "ExampleBot").verdict, expected);
      }
    }
    assert.throws(() => robots.check("/\\private/x", "ExampleBot"), { name: "InvalidUrl" });
  }
});

test("no user name and no password stay in messages", () => {
  // The list of the engine's test of the same name.
  for (const url of [
    "https://user:s3cret@shop.example/a@b?c@d#e@f",
    "HTTPS://s3cret@shop.example",
    "https://user:s3cret@@shop.example:8443/",
    "https:/user:s3cret@shop.example/",
    "https:user:s3cret@shop.example/",
    "https:\\\\user:s3cret@shop.example\\a@b",
    " https://user:s3cret@shop.example/",
    "ht\ntps:/\t/user:s3cret@shop.example/",
    "https://us\ner:s3cret@shop.example/",
    "ftp://user:s3cret@shop.example/",
    "other://user:s3\\cret@shop.example/a@b",
    "https://%75ser:s3cret%40@shop.example/",
  ]) {
    const [bare, known] = [new URL(withoutUserinfo(url)), new URL(url)];
    assert.ok(!withoutUserinfo(url).includes("s3"), url);
    known.username = known.password = "";
    assert.equal(bare.href, known.href);
  }
  for (const url of ["", "/a@b", "?a@b", "https://shop.example/a@b", "https:"]) {
    assert.equal(withoutUserinfo(url), url);
  }
  for (const url of ["https://user:s3cret@", "https:/user:s3cret@host:99999/", "https:\\\\user:s3cret@host:99999\\", "//user:s3cret@host/"]) {
    const robots = new Robots("");
    assert.throws(() => robots.check(url, "ExampleBot"), (error) => error.name === "InvalidUrl" && !error.message.includes("s3cret"));
    assert.throws(() => new Robots("", { origin: url }), (error) => !error.message.includes("s3cret"));
  }
});
