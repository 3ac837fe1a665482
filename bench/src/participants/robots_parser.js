// robots-parser, of npm; `script.rs` has the protocol.

const readline = require("node:readline");

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
const now = () => process.hrtime.bigint();

let robotsParser;
try {
  robotsParser = require("robots-parser");
  say({ version: require("robots-parser/package.json").version });
} catch {
  say({ missing: "node cannot resolve robots-parser: npm install robots-parser, and NODE_PATH" });
  process.exit();
}

// It answers for URLs of its own site only; the questions of timed cases are all about one site.
const site = (url) => {
  try {
    return new URL("/robots.txt", url).href;
  } catch {
    return "https://www.example.com/robots.txt";
  }
};
const parse = (work, url) => robotsParser(url, work.body);

const decide = (robots, agent, url) => {
  const allowed = robots.isAllowed(url, agent);
  if (allowed === undefined) throw new Error("refused");
  return allowed;
};

function verify(model, cases, cap) {
  const start = now();
  let given = "";
  let failed_bodies = 0;
  const late = () => now() - start > BigInt(cap);
  const result = () => ({ given, took_ns: Number(now() - start), in_time: !late(), failed_bodies });
  for (const work of cases) {
    let parsed = null;
    try {
      parsed = parse(work, work.site);
    } catch {
      failed_bodies += 1;
    }
    for (const url of model === "parse" ? [] : work.urls) {
      try {
        const again = model === "one-shot" || site(url) !== work.site;
        const target = again ? parse(work, site(url)) : parsed;
        given += decide(target, work.agent, url) ? "1" : "0";
      } catch {
        given += "e";
      }
      if (late()) return result();
    }
    if (late()) return result();
  }
  return result();
}

function time(model, cases, passes) {
  const start = now();
  let build = 0n;
  for (let pass = 0; pass < passes; pass += 1) {
    for (const work of cases) {
      try {
        if (model === "parse") {
          parse(work, work.site);
        } else if (model === "one-shot") {
          for (const url of work.urls) decide(parse(work, work.site), work.agent, url);
        } else {
          const before = now();
          const parsed = parse(work, work.site);
          build += now() - before;
          for (const url of work.urls) parsed.isAllowed(url, work.agent);
        }
      } catch {
        // Counted by `verify`.
      }
    }
  }
  return { build_ns: Number(build), rest_ns: Number(now() - start - build) };
}

let cases = [];
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.load) {
    cases = request.load.map((work) => ({ ...work, site: site(work.urls[0]) }));
    say({});
  } else if (request.verify) {
    say(verify(request.verify, cases, request.cap_ns));
  } else {
    say(time(request.time, cases, request.passes));
  }
});
