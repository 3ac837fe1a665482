/** The answers of the modules are those of the service. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { parse } from "smol-toml";
import { service } from "../harness.mjs";
import { ROOT, worker } from "./host.mjs";

const DIALECTS = ["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"];
const AGENTS = ["*", "Googlebot", "GPTBot", "YandexBot", "mybot"];

let comity, module, changes;
before(async () => {
  // Node ends if it waits for nothing but a compilation and a program.
  const timer = setInterval(() => {}, 1_000);
  [comity, module, changes] = await Promise.all([service(), worker(), worker("changes")]);
  clearInterval(timer);
});
after(() => comity?.stop());

/** Returns the answer of the service. */
async function asked(path, question) {
  const request = question === null ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) };
  const response = await fetch(comity.url.replace(/\/$/, "") + path, request);
  return { status: response.status, json: await response.json() };
}

/** Returns the parts of an answer that are compared. `memory` differs: a pointer of the module has half the size. */
function comparable({ status, json }) {
  if (status !== 200) return { status, detail: json.detail, url: json.url };
  const { memory: _, ...rest } = json;
  return { status, json: Array.isArray(json) ? json : rest };
}

let compared = 0;

/** The questions that the second module answers. */
const IN_CHANGES = new Set(["/lints.json", "/v1/generate", "/v1/lint"]);

/** Asks both, and fails if they differ. Returns the answer. */
async function same(path, question) {
  const expected = await asked(path, question);
  const found = (IN_CHANGES.has(path) ? changes : module)(path, question ?? {});
  assert.deepEqual(comparable(found), comparable(expected), `${path} ${JSON.stringify(question).slice(0, 2_000)}`);
  compared += 1;
  return found;
}

/** A file as a field of a question. */
function field(body, name = "robots") {
  return typeof body === "string" ? { [name]: body } : { [`${name}_b64`]: body.toString("base64") };
}

/** Asks everything about a file, and about its difference to another one. The service answers while the module does. */
async function compareFile(body, urls, former) {
  const file = field(body);
  const changed = { ...field(former, "old"), ...field(body, "new") };
  await Promise.all([
    ...DIALECTS.map((dialect) => same("/v1/check", { ...file, urls, agents: AGENTS, dialect, origin: "https://example.com" })),
    same("/v1/check", { ...file, urls: urls.slice(0, 3), agents: AGENTS, explain: true }),
    same("/v1/matrix", { ...file, urls: urls.slice(0, 3), agents: AGENTS }),
    same("/v1/matrix", { ...file, urls: urls.slice(0, 1) }),
    ...["standard", "yandex", "norobots-1996"].map((dialect) => same("/v1/inspect", { ...file, dialect })),
    same("/v1/ai", { ...file, dialect: "standard" }),
    same("/v1/lint", { ...file, origin: "https://example.com" }),
    same("/v1/diff", { ...changed, max_changes: 20 }),
    same("/v1/diff", { ...changed, dialects: ["bing"], max_changes: 6, budget: 100_000 }),
  ]);
}

function bodyOf(file) {
  if (file.robots !== undefined) return file.robots;
  const parts = file.parts.map(({ text, b64, times = 1 }) => {
    const bytes = text === undefined ? Buffer.from(b64, "base64") : Buffer.from(text);
    return Buffer.concat(Array(Number(times)).fill(bytes));
  });
  return Buffer.concat(parts);
}

/** The files of a folder of test data. */
function filesOf(folder) {
  const names = readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith(".toml"));
  return names.flatMap((name) => parse(readFileSync(path.join(ROOT, folder, name), "utf8")).file ?? []);
}

/** The paths that are asked about every file. */
const URLS = ["https://example.com/", "https://example.com/private/page.html?a=b", "/robots.txt", "/caf\u00e9/x"];

test("the module answers the cases of the engine as the service does", async () => {
  let former = "";
  // Of very long files, the other tests have enough.
  const files = filesOf("testdata/cases").map((file) => ({ ...file, body: bodyOf(file) }));
  const short = files.filter(({ body }) => body.length < 20_000);
  assert.ok(short.length > 100, `${short.length}`);
  for (const { body, ask = [] } of short) {
    const own = ask.flatMap(({ url }) => (typeof url === "string" && /^(https?:\/\/example\.com)?\/(?![/\\])/.test(url) ? [url.replace(/^http:/, "https:")] : []));
    await compareFile(body, [...new Set([...own, ...URLS])].slice(0, 12), former);
    former = body;
  }
});

const CORPUS = path.resolve(ROOT, process.env.COMITY_SHARED ?? "../shared", "corpus");

test("the module answers about real files as the service does", { skip: existsSync(CORPUS) ? false : `${CORPUS} is not there` }, async () => {
  const names = readdirSync(CORPUS, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const step = Math.max(1, Math.floor(names.length / (process.env.COMITY_LONG_TESTS ? 500 : 60)));
  let former = "";
  for (const entry of names.filter((_, nth) => nth % step === 0)) {
    const body = readFileSync(path.join(entry.parentPath, entry.name));
    await compareFile(body, URLS, former);
    former = body;
  }
});

const SHORT = "User-agent: *\nDisallow: /private/\nUser-agent: GPTBot\nDisallow: /\n";

test("the browser parses URLs and sites as the service does", async () => {
  const urls = [
    "https://m\u00fcller.example/\u00e4", "https://M\u00dcLLER.example./private/", "https://xn--mller-kva.example/", "https://fa\u00df.example/", "https://\u65e5\u672c.example/private/a",
    "https://user:secret@m\u00fcller.example/private/", "https://user@example.com:8443/private/@x", "http://127.1/", "http://[::1]:8080/private/", "https://example.com:443/a/../private/",
    "HTTPS://EXAMPLE.COM/private/%41", "https://example.com", "https://example.com?q=\u00e4#x", "/private/\u00fc", "/a/../private/./x y", "/private/\\x?a b", "ftp://example.com/private/",
    "https://%6d%C3%BCller.example/", "https://\u2460.example/private/", "https://a\\b/", "http:example.com/private/", "https://example.com/private/%zz%2F%e4", "https://example.com/\ud83d\ude00?x='\"<>",
  ];
  for (const url of urls) {
    for (const dialect of ["standard", "google-parser"]) await same("/v1/check", { robots: SHORT, urls: [url], agents: ["Googlebot"], dialect });
    await same("/v1/matrix", { robots: SHORT, urls: [url], agents: ["Googlebot", "YandexBot"] });
    if (!url.startsWith("/")) await same("/v1/check", { robots: SHORT, urls: ["/private/", url], agents: ["*"], origin: url });
  }
  await same("/v1/check", { robots: SHORT, urls: ["https://m\u00fcller.example/private/", "https://xn--mller-kva.example/", "/private/"] });
  await same("/v1/check", { robots: SHORT, urls: ["https://a.example/private/", "https://b.example/private/"], origin: "https://b.example" });
});

test("text that is no URL has no verdict", () => {
  for (const url of ["//example.com/", "/\\example.com/", "/\t/example.com/", "example.com/x", "mailto:a@example.com", "https://exa mple.com/", "https://", "https://a.example:99999/", "data:,x", "https://./", "", "https://xn--a.example/"]) {
    const { status, json } = module("/v1/check", { robots: "", urls: ["/", url], agents: ["*"] });
    assert.deepEqual([status, json.url], [422, url]);
    assert.equal(module("/v1/check", { robots: "", urls: ["/"], origin: url }).status, 422, url);
  }
});

test("refusals, names and limits are those of the service", async () => {
  const robots = SHORT;
  await same("/v1/check", { robots, urls: ["https://a.example/", "https://b.example/"] });
  for (const access of ["allow-all", "disallow-all", "rules"]) {
    await same("/v1/check", { access, urls: ["https://example.com/robots.txt", "/x"], agents: AGENTS, origin: "https://example.com" });
  }
  await same("/v1/check", { access: "allow-all", robots, urls: ["/"] });
  for (const name of ["Mozilla/5.0 (compatible; GPTBot/1.2)", "a,b", "", "ChatGPT", "google", "all", "Googlebot Image", "my bot", "gptbot", "Google-Extended", "Sogou web spider", "\u00e4"]) {
    await same("/v1/check", { robots, urls: ["/private/"], agents: [name] });
    await same("/v1/diff", { old: robots, new: "", agents: [name] });
  }
  for (const [path, rest] of [["/v1/check", { robots, urls: ["/"] }], ["/v1/matrix", { robots, urls: ["/"] }], ["/v1/diff", { old: robots, new: "" }]]) {
    await same(path, { ...rest, agents: [] });
  }
  await same("/v1/check", { robots, urls: [], agents: ["*"] });
  await same("/v1/check", { robots, urls: ["/"], dialect: "other" });
  await same("/v1/check", { robots, urls: Array.from({ length: 400 }, (_, nth) => `/${nth}`), agents: Array.from({ length: 150 }, (_, nth) => `bot${nth}`) });
  await same("/v1/check", { robots, urls: ["/"], agents: Array.from({ length: 201 }, (_, nth) => `bot${nth}`) });
  await same("/v1/check", { robots, urls: Array.from({ length: 10_001 }, (_, nth) => `/${nth}`) });
  await same("/v1/matrix", { robots, urls: ["/private/"], all_crawlers: true });
  await same("/v1/matrix", { robots, urls: ["/"], agents: ["*"], all_crawlers: true });
  await same("/v1/diff", { old: robots, new: "User-agent: *\nDisallow: /\n", under: "/private/" });
  await same("/v1/diff", { old: robots, new: "", under: "x" });
  await same("/v1/diff", { old: robots, new: "", budget: 8_000_001 });
  await same("/v1/diff", { old: robots });
});

test("files are written from choices as by the service", async () => {
  const choices = [
    {},
    { preset: "wordpress", explain: true },
    { preset: "shop", block_ai: true, preferences: true },
    { preset: "none" },
    { block_all: true, allow: ["Googlebot"], sitemap: ["https://example.com/s.xml"] },
    { block_ai_training: true, protect: ["/a/", "Googlebot:/b/"], allow_path: ["/a/b/"], crawl_delay: ["bingbot:5"] },
    { protect: ["x"] },
    { block: ["ChatGPT"] },
    { block: Array.from({ length: 101 }, (_, nth) => `bot${nth}`) },
  ];
  for (const one of choices) {
    await same("/v1/generate", one);
    await same("/v1/generate", { ...one, robots: SHORT });
  }
  await same("/v1/generate", { robots: `#${" ".repeat(65_536)}` });
});

test("lints are documented, and refuse no file, as in the service", async () => {
  await same("/lints.json", null);
  await same("/v1/lint", {});
  await same("/v1/lint", { robots: "User-agent: *\nDisalow: /x\nDisallow: y/\nSitemap: /s.xml\n" });
  await same("/v1/lint", { robots: "<html>" });
});

test("the module and the service have the same crawlers, dialects and limits", async () => {
  await same("/v1/crawlers", null);
  const { json: expected } = await asked("/v1/service", null);
  const { json: found } = module("/v1/service", {});
  assert.equal(found.version, expected.version);
  assert.deepEqual(found.dialects.map(({ name }) => name), expected.dialects.map(({ name }) => name));
  for (const [name, limit] of Object.entries(found.limits)) assert.equal(limit, expected.limits[name], name);
});

test("endpoints that need a service are refused", () => {
  for (const path of ["/v1/fetch", "/v1/page", "/v1/sitemaps", "/v1/versions?origin=x", "/other"]) {
    const { status, json } = module(path, { url: "https://example.com/" });
    assert.equal(status, 404);
    assert.match(json.detail, /needs the service/);
  }
});

after(() => console.log(`${compared} answers compared`));
