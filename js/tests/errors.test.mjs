/** Arguments that are wrong, and platforms without WebAssembly. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import vm from "node:vm";
import * as comity from "comity";
import { Robots } from "comity";
import { diff, prove } from "comity/diff";
import { lint } from "comity/lint";

const robots = new Robots("User-agent: *\nDisallow: /private/\n");

/** Checks that a call throws an error of a class of the package. */
function refuses(call, name, message) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof comity[name] && error instanceof comity.ComityError && error instanceof Error, error);
    assert.equal(error.name, name);
    assert.match(error.message, message);
    return true;
  });
}

test("bodies of other types", () => {
  for (const [body, found] of [
    [undefined, /found undefined/],
    [null, /found null/],
    [12, /found a number/],
    [{}, /an instance of Object/],
    [new Response("User-agent: *"), /an instance of Response; pass the content of the response/],
    [Promise.resolve(""), /an instance of Promise/],
    [["User-agent: *"], /an instance of Array/],
    // Their elements are not the bytes of a file.
    [new Uint16Array([85, 115]), /^expected the body as a string, an ArrayBuffer or a Uint8Array, found an instance of Uint16Array/],
    [new Int8Array(3), /found an instance of Int8Array/],
    [new Uint8ClampedArray(3), /found an instance of Uint8ClampedArray/],
    [new Float64Array(3), /found an instance of Float64Array/],
    [new DataView(new ArrayBuffer(3)), /found an instance of DataView/],
  ]) {
    refuses(() => new Robots(body), "InvalidBody", found);
  }
});

test("bytes of another realm", () => {
  const bytes = vm.runInNewContext("new Uint8Array(bytes)", { bytes: [...Buffer.from("User-agent: *\nDisallow: /x\n")] });
  for (const body of [bytes, bytes.buffer]) assert.equal(new Robots(body).check("/x", "ExampleBot").line, 2);
  refuses(() => new Robots(vm.runInNewContext("new Uint16Array(3)")), "InvalidBody", /found an instance of Uint16Array/);
});

test("bodies as text and as bytes", () => {
  const text = "User-agent: *\nDisallow: /ü/\n";
  const bytes = new TextEncoder().encode(text);
  const shifted = new Uint8Array([0, ...bytes]).subarray(1);
  for (const body of [text, bytes, bytes.buffer, Buffer.from(text), shifted]) {
    assert.equal(new Robots(body).check("/ü/x", "ExampleBot").line, 2);
  }
  const changed = bytes.slice();
  const read = new Robots(changed);
  changed.fill(0);
  assert.equal(read.check("/ü/x", "ExampleBot").line, 2);
  assert.equal(new Robots("User-agent: *\nDisallow: /\ud800").isAllowed("/x", "ExampleBot"), true);
  assert.equal(new Robots("").check("/", "ExampleBot").reason, "no-group");
});

test("text that is no URL", () => {
  for (const url of ["", "example.com/", "//host/path", "https://", "https://a b/", "mailto:a@example.com", "*"]) {
    for (const call of [
      () => robots.check(url, "ExampleBot"),
      () => robots.isAllowed(url, "ExampleBot"),
      () => robots.explain(url, "ExampleBot"),
      () => robots.rulesFor("ExampleBot").check(url),
      () => robots.rulesFor("ExampleBot").isAllowed(url),
    ]) {
      refuses(call, "InvalidUrl", /^expected a URL/);
    }
  }
  for (const url of [undefined, null, 1, { href: "/" }, Buffer.from("/")]) {
    refuses(() => robots.check(url, "ExampleBot"), "InvalidUrl", /pass its text/);
  }
  refuses(() => robots.rulesFor("ExampleBot").checkAsIs(undefined), "InvalidUrl", /found undefined/);
  refuses(() => new Robots("", { origin: "example.com" }), "InvalidUrl", /such as https:\/\/example.com/);
});

test("a password is not shown", () => {
  assert.throws(() => robots.check("https://user:secret@/", "ExampleBot"), (error) => !error.message.includes("secret"));
});

test("text that is no crawler", () => {
  const header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
  refuses(() => robots.rulesFor(header), "InvalidCrawler", /use "GPTBot"/);
  refuses(() => robots.check("/", header), "InvalidCrawler", /use "GPTBot"/);
  refuses(() => robots.check("/", "Googlebot Image"), "InvalidCrawler", /found `Googlebot Image`; use "Googlebot-Image"/);
  refuses(() => robots.check("/", " Sogou web spider"), "InvalidCrawler", /found ` Sogou web spider`; use "Sogou web spider"$/);
  refuses(() => robots.check("/", "my bot"), "InvalidCrawler", /`my bot`, which has white space in it/);
  refuses(() => robots.check("/", ""), "InvalidCrawler", /use "\*"/);
  refuses(() => robots.check("/", undefined), "InvalidCrawler", /found undefined/);
  refuses(() => robots.check("/", []), "InvalidCrawler", /empty array/);
  refuses(() => robots.check("/", ["a", "b c"]), "InvalidCrawler", /`b c`/);
  refuses(() => robots.check("/", ["a", 1]), "InvalidCrawler", /instance of Array/);
  refuses(() => robots.check("ExampleBot", "/"), "InvalidUrl", /`ExampleBot`/);
  for (const token of ["", " ", "AcmeBot/1.0", "AcmeBot/v2", "AcmeBot (+https://acme.example)"]) {
    for (const call of [() => lint("", { crawlers: [{ token }] }), () => comity.candidates("", { crawlers: [{ token }] })]) {
      refuses(call, "InvalidCrawler", /^expected the product token of a row, found `/);
    }
  }
  for (const header of [undefined, null, ["AcmeBot"]]) {
    refuses(() => comity.candidates(header), "InvalidCrawler", /^expected a User-Agent header as a string, found/);
  }
  try {
    robots.rulesFor(header);
  } catch (error) {
    assert.equal(error.suggestion, "GPTBot");
  }
});

test("unknown dialects", () => {
  refuses(() => new Robots("", { dialect: "altavista" }), "InvalidOption", /standard, google, .* found `altavista`/);
});

test("options that are unknown, or of another type", () => {
  for (const [call, message] of [
    [() => new Robots("", { orgin: "https://example.com" }), /^expected options among `dialect`, `origin`, found `orgin`/],
    [() => new Robots("", "google"), /^expected options as an object, found `google`/],
    [() => new Robots("", null), /found null/],
    [() => robots.check("/", "ExampleBot", { Literal: true }), /`literal`, found `Literal`/],
    [() => robots.rulesFor("ExampleBot", { literal: "no" }), /true or false, found `no`/],
    [() => robots.isAllowed("/", ["A"], { dialect: "google" }), /found `dialect`/],
    [() => robots.explain("/", "A", { line: 1 }), /found `line`/],
    [() => comity.configure({ memroy: 1 }), /found `memroy`/],
    [() => comity.configure({ memory: -1 }), /whole number of bytes up to 1073741824, found -1/],
    [() => comity.configure({ memory: NaN }), /found NaN/],
    [() => comity.configure({ memory: "64 MiB" }), /found `64 MiB`/],
    [() => comity.configure({ memory: 2 ** 31 }), /found 2147483648/],
    [() => lint("", { selected: ["all"] }), /`select`, `ignore`, `crawlers`, found `selected`/],
    [() => lint("", { select: "L010" }), /^expected an array of texts, found `L010`/],
    [() => diff("", "", { crawler: ["A"] }), /`crawlers`, `under`, found `crawler`/],
    [() => diff("", "", { crawlers: "ExampleBot" }), /^expected an array of names and rows, found `ExampleBot`/],
    [() => prove("", { allowed: "/", exceptions: "/a" }), /array of texts, found `\/a`/],
    [() => lint("", { crawlers: "AcmeBot" }), /^expected an array of rows, found `AcmeBot`/],
    [() => lint("", { crawlers: ["AcmeBot"] }), /^expected a row with a token, found `AcmeBot`/],
    [() => lint("", { crawlers: [{ token: "A", operator: 1 }] }), /^expected `operator` as a string, found a number/],
    [() => lint("", { crawlers: [{ token: "A", purpose: "fun" }] }), /^expected `purpose` as one of search, .*, found `fun`/],
    [() => lint("", { crawlers: [{ token: "A", fallbacks: [] }] }), /found `fallbacks`/],
    [() => comity.candidates("", { crawler: [] }), /among `crawlers`, found `crawler`/],
    [() => comity.candidates("", { crawlers: { token: "A" } }), /array of rows, found an instance of Object/],
    [() => comity.candidates("", { crawlers: ["A"] }), /^expected a row with a token, found `A`/],
    [() => comity.candidates("", { crawlers: [{ token: "A", fallbacks: [] }] }), /found `fallbacks`/],
    [() => prove("", { allowed: "/", under: "/" }), /found `under`/],
  ]) {
    refuses(call, "InvalidOption", message);
  }
});

test("URLs of other sites have no answer", () => {
  const own = new Robots("User-agent: *\nAllow: /\n", { origin: "https://Example.com:443/x" });
  assert.equal(own.origin, "https://example.com");
  for (const url of ["https://example.com/", "/", "https://example.com./a", "HTTPS://EXAMPLE.COM/", "https://a@example.com/"]) {
    assert.equal(own.isAllowed(url, "ExampleBot"), true, url);
  }
  for (const url of ["https://example.com.evil.test/", "http://example.com/", "https://example.com:8443/", "https://www.example.com/"]) {
    assert.deepEqual([own.isAllowed(url, "ExampleBot"), own.rulesFor("ExampleBot").isAllowed(url)], [false, false], url);
    assert.equal(own.check(url, "ExampleBot").answer, "out-of-scope", url);
  }
});

// Deno has the module before any program runs.
test("answers without WebAssembly are errors", { skip: "Deno" in globalThis }, () => {
  const program = `
    import { Robots, NoWebAssembly } from "comity";
    try {
      new Robots("").isAllowed("/", "ExampleBot");
    } catch (error) {
      console.log(error instanceof NoWebAssembly, error.message);
    }`;
  const run = (before) =>
    execFileSync(process.execPath, ["--input-type=module", "--import", `data:text/javascript,${before}`, "--eval", program], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
  assert.match(run("delete globalThis.WebAssembly"), /^true expected a platform with WebAssembly, found none/);
  const forbidden = "WebAssembly.Module = function () { throw new WebAssembly.CompileError(`forbidden`) }";
  assert.match(run(forbidden), /^true expected to start WebAssembly, found an error: forbidden; if a content security policy/);
});
