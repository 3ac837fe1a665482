/**
 * Measures the npm package beside robots-parser. `cargo xtask bench --js` runs it.
 *
 * Each round measures both one after another, for about the same time, so that other programs disturb both alike. Only
 * ratios within a round are compared; the table has the median over the rounds. A ratio below its bound is an error, and
 * so is a first verdict that takes too long.
 *
 * URLs are in the form in which crawlers send them, and none is asked about twice by the same file.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { gunzipSync } from "node:zlib";

const ROOT = path.resolve(import.meta.dirname, "../..");
const require = createRequire(path.join(ROOT, "js/package.json"));
const { Robots } = await import(path.join(ROOT, "js/dist/index.js"));
const { default: replacement } = await import(path.join(ROOT, "js/dist/robots-parser.js"));
const robotsParser = require("robots-parser");

const ROUNDS = 9;
const MIN_MS = 150;
const AGENT = "ExampleBot";
const MAX_FIRST_MS = 5;
/** The number of processes that are started. V8 checks the module in threads, so other programs lengthen most of them. */
const STARTS = 25;
const SENT = /^https?:\/\/[a-z][a-z0-9.-]*[a-z](?:\/(?![.%])[A-Za-z0-9._~!$&()*+,;=:@?%-]*)+$/;

/** Returns files and URLs to ask about: the reference data, or generated files if it is not there. */
function files() {
  const shared = path.resolve(ROOT, process.env.COMITY_SHARED ?? "../shared");
  const recorded = path.join(shared, "golden/verdicts.jsonl.gz");
  if (!existsSync(recorded)) return generated();
  const found = [];
  for (const line of gunzipSync(readFileSync(recorded)).toString().split("\n")) {
    if (line === "") continue;
    const { file, cases } = JSON.parse(line);
    const body = readFileSync(path.join(shared, "corpus", file), "utf8");
    const urls = [...new Set(cases.map(({ url }) => url))].filter((url) => url !== undefined && SENT.test(url));
    if (urls.length > 0) found.push({ body, urls });
  }
  // Every fifth, so that all sizes are there.
  return found.filter((_, at) => at % 5 === 0);
}

/** Returns files of all sizes. */
function generated() {
  return Array.from({ length: 600 }, (_, count) => ({
    body: `User-agent: *\n${Array.from({ length: count / 3 }, (_, at) => `Disallow: /${at % 9}/${at}/*${at}\n`).join("")}`,
    urls: Array.from({ length: 100 }, (_, at) => `https://example.com/${at % 9}/${at}/x`),
  }));
}

/** Returns this number of URLs, each of them once. */
function distinct(urls, count) {
  return Array.from({ length: count }, (_, at) => {
    const url = urls[at % urls.length];
    return `${url}${url.includes("?") ? "&" : "?"}p=${at}`;
  });
}

/** Returns the time for a unit of work in microseconds of the processor. The work returns the number of its units. */
function timed(work) {
  let units = 0;
  const start = process.cpuUsage();
  for (;;) {
    units += work();
    const { user, system } = process.cpuUsage(start);
    if (user + system >= MIN_MS * 1000) return (user + system) / units;
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

const data = files();
const url = "https://example.com/shop/page.html?a=b";
const address = "https://example.com/robots.txt";
const largest = data.toSorted((a, b) => b.body.length - a.body.length).slice(0, 100);
const many = largest.map(({ body, urls }) => {
  const { origin } = new URL(urls[0]);
  const asked = distinct(urls.filter((url) => url.startsWith(`${origin}/`)), 200);
  return {
    asked,
    rules: new Robots(body, { origin }).rulesFor(AGENT),
    own: replacement(`${origin}/robots.txt`, body),
    theirs: robotsParser(`${origin}/robots.txt`, body),
  };
});
const questions = many.reduce((sum, { asked }) => sum + asked.length, 0);

/** Asks each parser about the same URLs, and returns the number of answers on which they agree. */
function agreement() {
  let same = 0;
  for (const { asked, rules, own, theirs } of many) {
    for (const url of asked) {
      if (rules.isAllowed(url) !== (own.isAllowed(url, AGENT) ?? false)) throw new Error(`two answers to ${url}`);
      if (rules.isAllowed(url) === theirs.isAllowed(url, AGENT)) same += 1;
    }
  }
  return same;
}

/** The rows: a name, the work of both, and the least ratio. */
const rows = [
  [
    "parse, one question",
    () => {
      for (const { body } of data) new Robots(body).isAllowed(url, AGENT);
      return data.length;
    },
    () => {
      for (const { body } of data) robotsParser(address, body).isAllowed(url, AGENT);
      return data.length;
    },
    2,
  ],
  [
    "many questions",
    () => {
      for (const { asked, rules } of many) for (const url of asked) rules.isAllowed(url);
      return questions;
    },
    () => {
      for (const { asked, theirs } of many) for (const url of asked) theirs.isAllowed(url, AGENT);
      return questions;
    },
    20,
  ],
  [
    "many questions to comity/robots-parser",
    () => {
      for (const { asked, own } of many) for (const url of asked) own.isAllowed(url, AGENT);
      return questions;
    },
    () => {
      for (const { asked, theirs } of many) for (const url of asked) theirs.isAllowed(url, AGENT);
      return questions;
    },
    0,
  ],
];

const failures = [];
console.log(`${data.length} files, ${questions} questions, ${ROUNDS} rounds; medians of processor time\n`);
console.log(`both give the same answer to ${((100 * agreement()) / questions).toFixed(2)} % of the questions\n`);
console.log("| | comity | robots-parser | ratio | bound |");
console.log("|---|--:|--:|--:|--:|");
for (const [name, own, theirs, bound] of rows) {
  const times = Array.from({ length: ROUNDS }, () => [timed(own), timed(theirs)]);
  const ratio = median(times.map(([ours, others]) => others / ours));
  const [ours, others] = [0, 1].map((at) => median(times.map((pair) => pair[at])));
  console.log(`| ${name} | ${ours.toFixed(2)} µs | ${others.toFixed(2)} µs | ${ratio.toFixed(1)} | ${bound || "–"} |`);
  if (ratio < bound) failures.push(`${name}: ${ratio.toFixed(1)} times as fast as robots-parser, expected ${bound}`);
}

const program = `
  const start = performance.now();
  const { Robots } = await import("comity");
  new Robots("User-agent: *\\nDisallow: /\\n").isAllowed("/", "ExampleBot");
  console.log(performance.now() - start);`;
const first = Array.from({ length: STARTS }, () =>
  Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: path.join(ROOT, "js") })),
);
const started = `
  const { Robots } = await import("comity");
  const start = performance.now();
  new Robots("User-agent: *\\nDisallow: /\\n").isAllowed("/", "ExampleBot");
  console.log(performance.now() - start);`;
const verdict = Array.from({ length: STARTS }, () =>
  Number(execFileSync(process.execPath, ["--input-type=module", "--eval", started], { cwd: path.join(ROOT, "js") })),
);
// The least time: in the others, another program may have run.
const least = Math.min(...verdict);
console.log(`\nfirst verdict after the import: ${least.toFixed(2)} ms (bound ${MAX_FIRST_MS})`);
console.log(`first verdict with the import: ${Math.min(...first).toFixed(2)} ms`);
if (least > MAX_FIRST_MS) failures.push(`the first verdict takes ${least.toFixed(2)} ms`);
if (failures.length > 0) {
  console.error(failures.join("\n"));
  process.exitCode = 1;
}
