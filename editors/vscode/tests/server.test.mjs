/** The language server, by the library of the protocol. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Session, URI } from "./client.mjs";

test("a session of an editor", async (t) => {
  const session = await Session.start(t);
  assert.equal(session.about.serverInfo.name, "comity");

  const text = "User-agent: *\nDisalow: /x/\nDisallow: /*.pdf$\n";
  const [found, ...others] = await session.type(text);
  assert.deepEqual(others, []);
  assert.equal(found.code, "L014");
  const [fix] = await session.actions(found.range);
  assert.deepEqual(fix.edit.changes[URI], [{ range: { start: { line: 1, character: 0 }, end: { line: 1, character: 8 } }, newText: "Disallow:" }]);
  assert.deepEqual(await session.type(text.replace("Disalow", "Disallow")), []);

  assert.match(await session.hover(1, 3), /^Blocks URLs that start with `\/x\/`, for `\*`\./);
  assert.match(await session.hover(2, 3), /^Blocks URLs that end with `\.pdf`, for `\*`\./);
  assert.deepEqual((await session.symbols()).map(({ name, children }) => [name, children.length]), [["*", 2]]);
  assert.equal(await session.end(), 0);
});

test("unknown names are flagged while they are typed", async (t) => {
  const session = await Session.start(t);
  const codes = async (name) => (await session.type(`User-agent: ${name}\nDisallow: /x/\n`)).map(({ severity, code }) => [severity, code]);
  assert.deepEqual(await codes("Gogglebot"), [[2, "L034"]]);
  assert.deepEqual(await codes("GPTBot"), []);
  assert.deepEqual(await codes("OurOwnCrawler"), [[4, "unknown-crawler"]]);
  assert.equal(await session.end(), 0);
});

test("snippets are valid", async (t) => {
  const session = await Session.start(t);
  const snippets = JSON.parse(readFileSync(new URL("../snippets/robots.json", import.meta.url), "utf8"));
  for (const [name, { body }] of Object.entries(snippets)) {
    const text = body
      .join("\n")
      .replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, "$1")
      .replace(/\$\{\d+:([^}]*)\}/g, "$1")
      .replace(/\$0/g, "")
      .replaceAll("\\$", "$");
    assert.doesNotMatch(text, /[{}\\]/, name);
    const inGroup = text.startsWith("User-agent") ? text : `User-agent: *\n${text}`;
    const found = await session.type(inGroup.endsWith("\n") ? inGroup : `${inGroup}\n`);
    assert.deepEqual(found, [], `${name}: ${text}`);
  }
  assert.equal(await session.end(), 0);
});
