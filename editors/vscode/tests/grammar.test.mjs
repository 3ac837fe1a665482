/** The highlighting, by the library that VS Code itself uses. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";
import { Session } from "./client.mjs";

const require = createRequire(import.meta.url);
await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => JSON.parse(readFileSync(new URL("../syntaxes/robots.tmLanguage.json", import.meta.url), "utf8")),
});
const grammar = await registry.loadGrammar("source.robots");

/** Returns the parts of a text that have a scope of their own, as text and scope without the language. */
function scopes(text) {
  let stack = textmate.INITIAL;
  return text.split("\n").flatMap((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens
      .filter(({ scopes }) => scopes.length > 1)
      .map(({ startIndex, endIndex, scopes }) => [line.slice(startIndex, endIndex), scopes.at(-1).replace(/\.robots$/, "")]);
  });
}

const COLON = [":", "punctuation.separator"];

test("a group", () => {
  assert.deepEqual(scopes("User-agent: *\nUSER-AGENT : Googlebot # a: b\nAllow: /a"), [
    ["User-agent", "keyword.control.user-agent"],
    COLON,
    ["*", "constant.language.every-crawler"],
    ["USER-AGENT", "keyword.control.user-agent"],
    COLON,
    ["Googlebot", "entity.name.type.crawler"],
    ["# a: b", "comment.line.number-sign"],
    ["Allow", "keyword.other.allow"],
    COLON,
    ["/a", "string.unquoted.path"],
  ]);
});

test("a pattern", () => {
  assert.deepEqual(scopes("Disallow: /a*b$c%2F%zz$ # $"), [
    ["Disallow", "keyword.other.disallow"],
    COLON,
    ["/a", "string.unquoted.path"],
    ["*", "keyword.operator.wildcard"],
    ["b", "string.unquoted.path"],
    ["$", "string.unquoted.path"],
    ["c", "string.unquoted.path"],
    ["%2F", "constant.character.escape"],
    ["%", "string.unquoted.path"],
    ["zz", "string.unquoted.path"],
    ["$", "keyword.operator.end"],
    ["# $", "comment.line.number-sign"],
  ]);
});

test("other records", () => {
  assert.deepEqual(scopes("\uFEFFSitemap: https://a.example/s.xml\nCrawl-delay: 1.5\nContent-Signal: search=yes, ai-train=no"), [
    ["Sitemap", "keyword.other.field"],
    COLON,
    ["https://a.example/s.xml", "markup.underline.link"],
    ["Crawl-delay", "keyword.other.field"],
    COLON,
    ["1.5", "constant.numeric"],
    ["Content-Signal", "keyword.other.field"],
    COLON,
    ["search", "variable.parameter.use"],
    ["=", "keyword.operator.assignment"],
    ["yes", "constant.language.preference"],
    ["ai-train", "variable.parameter.use"],
    ["=", "keyword.operator.assignment"],
    ["no", "constant.language.preference"],
  ]);
});

test("what is no record", () => {
  assert.deepEqual(scopes("Disalow: /a\nnothing\n\n  # only a comment: b"), [
    ["Disalow", "variable.other.unknown"],
    COLON,
    ["# only a comment: b", "comment.line.number-sign"],
  ]);
});

test("the fields that the language server completes are highlighted as known", async (t) => {
  const session = await Session.start(t);
  await session.type("");
  const fields = await session.completions(0, 0);
  assert.ok(fields.length > 5);
  for (const field of fields) assert.match(scopes(`${field}: a`)[0][1], /^keyword\./, field);
  assert.equal(await session.end(), 0);
});
