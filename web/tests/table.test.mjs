/** All texts of the page are in the table, `src/words.ts` and `src/words/`: no other file has one. Needs no browser. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parseAst } from "vite";

const SOURCES = path.resolve(import.meta.dirname, "../src");

/** The table, and the example: a robots.txt, whose comments are as much a text of the example as its rules. */
const EXEMPT = /^words(\.ts$|\/)|^example\.ts$/;

/** The attributes and properties whose values are shown or read aloud. */
const SPOKEN = new Set(["alt", "aria-description", "aria-label", "data-name", "label", "placeholder", "title"]);

/** The attributes whose values are lists of names. */
const NAMES = new Set(["class", "className"]);

const LETTER = /\p{L}/u;

/** Two words at the beginning, the first of letters alone. Selectors and media queries begin otherwise. */
const WORDS = /^[\s“]*\p{L}[\p{L}’]*[,.:;!?]? [“(]?\p{L}/u;

/** Returns the texts for people in a source file, each with its line. */
function textsIn(name, source) {
  const found = [];
  const report = (node, text) => found.push(`${name}:${source.slice(0, node.start).split("\n").length}: ${text.trim()}`);
  const isText = (node, pattern) => {
    if (node.type === "TemplateLiteral") return node.quasis.some(({ value }) => pattern.test(value.cooked));
    return node.type === "Literal" && typeof node.value === "string" && pattern.test(node.value);
  };
  /** Looks at an expression that is shown as it is. */
  const shown = (node) => {
    if (!node) return;
    if (isText(node, LETTER)) report(node, source.slice(node.start, node.end));
    for (const part of [node.consequent, node.alternate, node.type === "LogicalExpression" ? node.right : null]) shown(part);
  };
  const visit = (node) => {
    switch (node.type) {
      case "JSXText":
        if (LETTER.test(node.value)) report(node, node.value);
        return;
      case "JSXAttribute": {
        if (NAMES.has(node.name.name)) return;
        const value = node.value?.type === "JSXExpressionContainer" ? node.value.expression : node.value;
        if (SPOKEN.has(node.name.name)) shown(value);
        break;
      }
      case "Property": {
        const key = node.key.name ?? node.key.value;
        if (NAMES.has(key)) return;
        if (SPOKEN.has(key)) shown(node.value);
        visit(node.value);
        return;
      }
      case "JSXElement":
      case "JSXFragment":
        for (const child of node.children) if (child.type === "JSXExpressionContainer") shown(child.expression);
        break;
      case "AssignmentExpression":
        if (node.left.property?.name === "className") return;
        if (node.left.property?.name === "textContent") shown(node.right);
        break;
      case "TSLiteralType":
        return;
      // For developers, in the console.
      case "ThrowStatement":
      case "NewExpression":
        if (node.type === "ThrowStatement" || /Error$/.test(node.callee.name)) return;
        break;
      case "Literal":
      case "TemplateLiteral":
        if (isText(node, WORDS)) report(node, source.slice(node.start, node.end));
        break;
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === "type" || typeof child !== "object" || child === null) continue;
      for (const one of Array.isArray(child) ? child : [child]) if (typeof one?.type === "string") visit(one);
    }
  };
  visit(parseAst(source, { lang: name.endsWith("x") ? "tsx" : "ts" }));
  return [...new Set(found)];
}

test("no file outside of the table has a text for people", () => {
  const names = readdirSync(SOURCES, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const others = names.filter((name) => /\.tsx?$/.test(name) && !EXEMPT.test(name));
  assert.ok(others.length > 50);
  const found = others.flatMap((name) => textsIn(name, readFileSync(path.join(SOURCES, name), "utf8")));
  assert.deepEqual(found, [], "put these texts into src/words.ts or src/words/");
});

test("texts are found wherever they can be", () => {
  for (const source of [
    "const a = <p>Nothing</p>;",
    'const a = <p>{isOpen ? "Close" : label}</p>;',
    "const a = <p>{isOpen && `Line ${line}`}</p>;",
    'const a = <button aria-label="Close" />;',
    'const a = <input placeholder={isOpen ? "Type" : ""} />;',
    'const a = { title: "Mistakes" };',
    'announcement.value = "The file is there.";',
    "announcement.value = `${number} of them, all blocked`;",
    'const a = { none: "No answer" };',
    'first.textContent = "Asking";',
  ]) {
    assert.equal(textsIn("a.tsx", source).length, 1, source);
  }
});

test("names, keys and messages for developers are no texts", () => {
  for (const source of [
    'const a = <p class="note warn">{words.none}</p>;',
    'const a = <p class={isStale ? "part stale" : "part"} id="a-b">→ 1.</p>;',
    'if (row.reach === "nothing") view.value = "test";',
    'document.querySelector(".own button");',
    'const fields = { "user agent": "heading" };',
    'throw new Error("the worker cannot be loaded");',
    'fail(new Error("the module was stopped"));',
    'const isWide = matchMedia("(min-width: 640px)").matches;',
    'const a = <a href="/openapi.json" rel="help">{words.api}</a>;',
    'type Kind = "a b";\n/** A comment of several words. */',
  ]) {
    assert.deepEqual(textsIn("a.tsx", source), [], source);
  }
});
