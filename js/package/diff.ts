/** Compares robots.txt files, and checks claims about one, for all URLs and all crawlers. */

import { load } from "#diff";
import { copied, type Body } from "./body.js";
import { crawlerInput, type CrawlerRow } from "./crawler.js";
import { described } from "./described.js";
import { Engine, list, type Buffers, type Parts } from "./engine.js";
import { InvalidCrawler, InvalidOption, InvalidPattern } from "./errors.js";
import { FILE, type RobotsFile } from "./file-key.js";
import { requireArray, requireKnown } from "./options.js";
import type { Robots } from "./robots.js";

export type { Body } from "./body.js";
export type { CrawlerRow } from "./crawler.js";
export * from "./errors.js";

/** The differences between two files. As an object, it is always true in a condition: use `outcome`. */
export interface Difference {
  /** `undecided` if the limit on the work was reached. */
  readonly outcome: "same" | "differs" | "undecided";
  /** The changes: newly blocked URLs first, then newly allowed ones. */
  readonly changes: readonly Change[];
  /** The uses of content for which `Content-Signal` or `Content-Usage` differs, as sentences. */
  readonly signals: readonly string[];
  /** The crawlers whose comparison is incomplete because the limit on the work was reached. */
  readonly unfinished: readonly string[];
}

/** A set of URLs for which one rule makes two files give different answers. */
export interface Change {
  readonly direction: "blocked" | "allowed";
  /** The crawlers that it affects. `*` is every crawler that neither file names. */
  readonly crawlers: readonly string[];
  /** The pattern of the rule that makes the difference, in normal form. */
  readonly pattern: string;
  /** The line of that rule, from 1. `null` if URLs are allowed because no rule matches. */
  readonly line: number | null;
  /** An example: a path whose answers differ. */
  readonly witness: string;
  /** The change as a sentence without its period. */
  readonly text: string;
}

/** The result of checking a claim. As an object, it is always true in a condition: use `holds`. */
export interface Proof {
  /** `null` if the limit on the work was reached. */
  readonly holds: boolean | null;
  /** A crawler and a path for which the claim does not hold, if it does not. */
  readonly counterexample: Counterexample | null;
}

/** A crawler and a path for which a claim does not hold. */
export interface Counterexample {
  /** The crawler. `*` is every crawler that the file does not name. */
  readonly crawler: string;
  /** The path, in normal form. */
  readonly path: string;
  /** The line that decides, from 1. `null` if no rule matches. */
  readonly line: number | null;
}

/** Limits of a comparison. */
export interface DiffOptions {
  /** The crawlers that are compared: names, and rows of a crawler table of your own. Defaults to all. */
  crawlers?: readonly (string | CrawlerRow)[];
  /** The pattern of the URLs that are compared. Defaults to all. */
  under?: string;
}

/** A claim about the URLs that match a pattern: one of `allowed` and `disallowed`. */
export interface Claim {
  /** A pattern such as `/shop/`: all its URLs may be fetched. */
  allowed?: string;
  /** A pattern such as `/private/`: none of its URLs may be fetched. */
  disallowed?: string;
  /** Patterns of URLs that are left out. */
  exceptions?: readonly string[];
  /** The crawlers that it is about: names, and rows of a crawler table of your own. Defaults to all. */
  crawlers?: readonly (string | CrawlerRow)[];
}

interface Diff extends Buffers {
  diff(length: number): number;
  prove(length: number): number;
}

let started: Engine<Diff> | undefined;

function start(): Engine<Diff> {
  return (started ??= Engine.start<Diff>(load));
}

/** Compares two files for all URLs and all crawlers. A body is read as RFC 9309. */
export function diff(old: Body | Robots, changed: Body | Robots, options: DiffOptions = {}): Difference {
  requireKnown(options, ["crawlers", "under"]);
  const parts = call("diff", [
    ...file(old),
    ...file(changed),
    ...crawlerParts(options.crawlers),
    ...list(options.under === undefined ? [] : [options.under]),
  ]);
  const difference = {
    outcome: parts.text() as Difference["outcome"],
    signals: parts.list(),
    unfinished: parts.list(),
    changes: [] as Change[],
  };
  while (!parts.isDone) {
    difference.changes.push({
      direction: parts.text() as Change["direction"],
      crawlers: parts.list(),
      pattern: parts.text(),
      line: parts.line(),
      witness: parts.text(),
      text: parts.text(),
    });
  }
  return difference;
}

/** Checks a claim about a file for all URLs and all crawlers. A body is read as RFC 9309. */
export function prove(robots: Body | Robots, claim: Claim): Proof {
  requireKnown(claim, ["allowed", "disallowed", "exceptions", "crawlers"]);
  const { allowed, disallowed, exceptions = [], crawlers } = claim;
  if ((allowed === undefined) === (disallowed === undefined)) {
    throw new InvalidOption('expected one of `allowed` and `disallowed`, a pattern such as "/private/"');
  }
  const pattern = allowed === undefined ? ["disallowed", disallowed!] : ["allowed", allowed];
  const parts = call("prove", [...file(robots), ...pattern, ...list(exceptions), ...crawlerParts(crawlers)]);
  const holds = { yes: true, no: false, undecided: null }[parts.text()] ?? null;
  if (holds !== false) return { holds, counterexample: null };
  return { holds, counterexample: { crawler: parts.text(), path: parts.text(), line: parts.line() } };
}

/** Returns the parts of a list of crawlers, of which none are all: their number, and the form and the content of each. */
function crawlerParts(crawlers: unknown): (string | Uint8Array)[] {
  if (crawlers === undefined) return ["0"];
  requireArray(crawlers, "names and rows");
  if (crawlers.length === 0) {
    throw new InvalidOption("expected at least one of `crawlers`, found none: leave it out for all crawlers");
  }
  const forms = crawlers.flatMap((crawler) => {
    if (Array.isArray(crawler)) throw new InvalidCrawler("expected a name or a row, found several names");
    const { form, content } = crawlerInput(crawler, false);
    return [String(form), content];
  });
  return [String(crawlers.length), ...forms];
}

/** Returns the parts of a file: the name of its dialect, and its body. */
function file(robots: Body | Robots): [string, string | Uint8Array] {
  const parsed = (robots as { [FILE]?: RobotsFile } | null | undefined)?.[FILE];
  return parsed ? [parsed.dialect, parsed.body] : ["standard", copied(robots)];
}

/** Calls a function of the module, and returns what it wrote. */
function call(name: "diff" | "prove", parts: readonly (string | Uint8Array)[]): Parts {
  for (const part of parts) {
    if (typeof part !== "string" && !(part instanceof Uint8Array)) {
      throw new InvalidOption(`expected text, found ${described(part)}`);
    }
  }
  const engine = start();
  const result = engine.exports[name](engine.writeParts(parts));
  const output = engine.read();
  if (result === 0) return output;
  const message = output.text();
  // Only a crawler has a suggestion, even if it is an empty one.
  throw output.isDone ? new InvalidPattern(message) : new InvalidCrawler(message, output.optional());
}
