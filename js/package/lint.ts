/** Finds mistakes in a robots.txt, and names the crawlers that they concern. */

import { load } from "#lint";
import { Engine, list, type Buffers } from "./engine.js";
import { InvalidOption } from "./errors.js";
import { requireKnown } from "./options.js";
import { copied, type Body } from "./body.js";
import { readRows, rowParts, type CrawlerRow } from "./crawler.js";

export type { Body } from "./body.js";
export type { CrawlerRow } from "./crawler.js";
export * from "./errors.js";

/** A place in a file where a lint found a mistake. */
export interface Finding {
  /** The code of the lint, such as `L010`. */
  readonly code: string;
  /** The name of the lint, such as `missing-leading-slash`. */
  readonly name: string;
  readonly severity: "note" | "warning" | "error";
  /** The line, from 1. */
  readonly line: number;
  /** The mistake, as a sentence without its period. */
  readonly message: string;
  /** Advice, if there is any. */
  readonly help: string | null;
  /** The crawlers or people that the finding affects. */
  readonly affects: string;
}

/** The lints that run, and the crawlers that they know. */
export interface LintOptions {
  /** Lints to add, by code or name, or the sets `default` and `all`. */
  select?: readonly string[];
  /** Lints to remove. They are removed before others are added. */
  ignore?: readonly string[];
  /** Rows that are added to the crawler table. Defaults to none. */
  crawlers?: readonly CrawlerRow[];
}

interface Lint extends Buffers {
  lint(length: number): number;
}

let started: Engine<Lint> | undefined;

/**
 * Returns the mistakes in a robots.txt, in file order. By default, all lints run except those that only run when they
 * are selected.
 */
export function lint(body: Body, options: LintOptions = {}): Finding[] {
  requireKnown(options, ["select", "ignore", "crawlers"]);
  const content = copied(body);
  const rows = readRows(options.crawlers ?? []).flatMap(rowParts);
  const engine = (started ??= Engine.start<Lint>(load));
  const length = engine.writeParts([content, ...list(options.ignore ?? []), ...list(options.select ?? []), ...rows]);
  const count = engine.exports.lint(length);
  const parts = engine.read();
  if (count < 0) throw new InvalidOption(parts.text());
  return Array.from({ length: count }, () => ({
    code: parts.text(),
    name: parts.text(),
    severity: parts.text() as Finding["severity"],
    line: parts.number(),
    message: parts.text(),
    help: parts.optional(),
    affects: parts.text(),
  }));
}
