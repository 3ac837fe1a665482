/** The examples of `docs/javascript.md` run, and print what their comments state. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { test } from "node:test";
import { format } from "node:util";
import { gzipSync } from "node:zlib";
import { ROOT } from "./reference.mjs";

const FOLDER = path.join(ROOT, "js/dist/docs");
mkdirSync(FOLDER, { recursive: true });

/** The examples, each with the heading above it. */
const examples = new Map();
const text = readFileSync(path.join(ROOT, "docs/javascript.md"), "utf8");
for (const [, heading, section] of text.matchAll(/^## (.*)\n([^]*?)(?=^## |$(?![^]))/gm)) {
  const blocks = [...section.matchAll(/```js\n([^]*?)```/g)];
  for (const [, code] of blocks) {
    assert.ok(!examples.has(heading), `two examples under ${heading}`);
    examples.set(heading, code);
  }
}

/** The examples that ran: a second import of a file would not run it again. */
const runs = new Map();

/** Runs an example. Returns its exports. */
function run(heading) {
  if (!runs.has(heading)) runs.set(heading, runOnce(heading));
  return runs.get(heading);
}

async function runOnce(heading) {
  const code = examples.get(heading);
  const file = path.join(FOLDER, `${heading.toLowerCase().replace(/[^a-z]+/g, "-")}.mjs`);
  writeFileSync(file, code);
  const printed = [];
  const { log } = console;
  console.log = (...values) => printed.push(format(...values));
  try {
    return await import(file);
  } finally {
    console.log = log;
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value);
    assert.deepEqual(printed, expected);
  }
}

for (const heading of examples.keys()) test(`example: ${heading}`, () => run(heading));

test("there are examples", () => assert.ok(examples.size >= 8, [...examples.keys()].join()));

test("the audit names all crawlers that are blocked", async () => {
  const { blockedCrawlers } = await run("In an audit of a page");
  const found = blockedCrawlers("https://example.com/a", "User-agent: *\r\nDisallow: /\r\n", ["Googlebot", "bingbot"]);
  assert.deepEqual(found.map(({ crawler, line }) => [crawler, line]), [["Googlebot", 2], ["bingbot", 2]]);
});

test("the crawler asks each site once, and fetches nothing from one that fails", async () => {
  const { SiteRules } = await run("In a crawler");
  const asked = [];
  const sites = { ok: [200, "User-agent: ExampleBot\nDisallow: /private/\n"], none: [404, ""], broken: [503, ""] };
  const servers = {};
  for (const [name, [status, body]] of Object.entries(sites)) {
    const server = http.createServer((request, response) => {
      asked.push(`${name} ${request.url} ${request.headers["user-agent"]}`);
      response.writeHead(status).end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A test that fails closes nothing, and must end.
    server.unref();
    servers[name] = server;
  }
  const url = (name, path) => `http://127.0.0.1:${servers[name].address().port}${path}`;
  const rules = new SiteRules("ExampleBot");
  assert.deepEqual(await Promise.all(["/", "/private/", "/x"].map((path) => rules.isAllowed(url("ok", path)))), [true, false, true]);
  assert.equal(await rules.isAllowed(url("none", "/")), true);
  assert.equal(await rules.isAllowed(url("broken", "/")), false);
  assert.deepEqual(asked, ["ok", "none", "broken"].map((name) => `${name} /robots.txt ExampleBot/1.0`));
  const away = url("ok", "/y");
  await Promise.all(Object.values(servers).map((server) => new Promise((resolve) => server.close(resolve))));
  assert.equal(await new SiteRules("ExampleBot").isAllowed(away), false);
});

test("the crawler reads each status as the standard policy does", async () => {
  const { SiteRules } = await run("In a crawler");
  const server = http.createServer((request, response) => {
    response.writeHead(status).end("User-agent: *\nDisallow: /private/\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  let status;
  const { port } = server.address();
  /** Returns the paths that may be fetched from a site that answers with a status. */
  async function allowed(answer) {
    status = answer;
    const rules = new SiteRules("ExampleBot");
    const paths = ["/private/", "/public"];
    const answers = await Promise.all(paths.map((path) => rules.isAllowed(`http://127.0.0.1:${port}${path}`)));
    return paths.filter((_, index) => answers[index]).join(" ");
  }
  const expected = {
    "/public": [200, 201, 202, 203, 226, 299],
    "/private/ /public": [204, 400, 401, 402, 403, 404, 405, 410, 418, 426, 428, 431, 451, 499],
    // `fetch` does not return the body of 205, which may have rules.
    "": [205, 206, 300, 301, 304, 305, 306, 307, 308, 399, 407, 408, 421, 425, 429, 500, 502, 503, 504, 511, 599],
  };
  for (const [paths, statuses] of Object.entries(expected)) {
    for (const answer of statuses) assert.equal(await allowed(answer), paths, `${answer}`);
  }
  await new Promise((resolve) => server.close(resolve));
});

test("the crawler takes no encoded body for the rules", async () => {
  const { SiteRules } = await run("In a crawler");
  const rules = "User-agent: *\nDisallow:\n";
  const cut = gzipSync(rules).subarray(0, -8);
  const answers = [
    [200, "identity", rules, true],
    [200, "Identity", rules, true],
    [200, "x-unknown", Buffer.from([1, 2, 3]), false],
    [200, "gzip", cut, false],
    [200, "gzip", gzipSync(rules), false],
    [200, "gzip, identity", cut, false],
    // There is no file, whatever the body.
    [404, "gzip", cut, true],
  ];
  const asked = new Set();
  let answer;
  const server = http.createServer((request, response) => {
    asked.add(request.headers["accept-encoding"]);
    const [status, encoding, body] = answer;
    response.writeHead(status, { "content-encoding": encoding }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  for (answer of answers) {
    const [status, encoding, , expected] = answer;
    const url = `http://127.0.0.1:${server.address().port}/`;
    assert.equal(await new SiteRules("ExampleBot").isAllowed(url), expected, `${status} ${encoding}`);
  }
  assert.deepEqual([...asked], ["identity"]);
  await new Promise((resolve) => server.close(resolve));
});

test("the Worker answers", async () => {
  const { default: worker } = await run("In a Worker");
  const ask = async (query) => {
    const response = await worker.fetch(new Request(`https://worker.example/?${query}`));
    return [response.status, await response.json()];
  };
  const [status, verdict] = await ask("url=/internal/x&agent=ExampleBot");
  assert.deepEqual([status, verdict.allowed, verdict.line], [200, false, 5]);
  assert.equal((await ask("url=/&agent=GPTBot"))[1].line, 2);
  assert.equal((await ask("url=nothing"))[0], 400);
});
