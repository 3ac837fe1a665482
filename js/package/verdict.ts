/** Verdicts, and the reasons for them. */

import type { Parts } from "./engine.js";
import type { Dialect } from "./file.js";

export type Answer = (typeof ANSWERS)[number];
export type Reason = (typeof REASONS)[number];
export type Basis = (typeof BASES)[number];

// Each is in the order of the numbers in the module.
const ANSWERS = ["allowed", "disallowed", "not-governed", "out-of-scope"] as const;
const REASONS = [
  "rule",
  "empty-rule",
  "no-rule-matches",
  "no-group",
  "star-ignored",
  "robots-txt",
  "file-refused",
  "not-governed",
  "out-of-scope",
] as const;
const BASES = ["own-token", "fallback-token", "merged-tokens", "star", "star-ignored", "nothing"] as const;

/**
 * The answer of a robots.txt to whether a crawler may fetch a URL, with the reason. As an object, it is always true in a
 * condition: use `allowed`.
 */
export interface Verdict {
  /** True if the crawler may fetch the URL. False if it may not, and if there is no answer. */
  readonly allowed: boolean;
  /** The answer: `not-governed` for a crawler that does not obey robots.txt, `out-of-scope` for a URL of another site. */
  readonly answer: Answer;
  /** The line of the deciding rule, from 1. `null` if no rule decides. */
  readonly line: number | null;
  /** The reason. */
  readonly reason: Reason;
  /** The groups that the answer is based on. */
  readonly basis: Basis;
  /** True if the file names the crawler by any of its tokens. */
  readonly namesCrawler: boolean;
  /** True if the crawler's operator does not promise to obey robots.txt. The answer is then a request of the site. */
  readonly advisory: boolean;
}

/** A rule that was considered for a verdict. */
export interface Considered {
  /** The line, from 1. */
  readonly line: number;
  readonly kind: "allow" | "disallow";
  /** The pattern as written in the file. */
  readonly value: string;
  /** The pattern in normal form. */
  readonly pattern: string;
  /** The number of bytes that ranks it. */
  readonly priority: number;
  /** True if it matches the path. */
  readonly matches: boolean;
  /** The rank among the matching rules; the rule with rank 1 decides. */
  readonly rank: number | null;
}

/** A verdict with its reasons. */
export interface Explanation {
  readonly verdict: Verdict;
  /** The reasons as text for people, of several lines. */
  readonly text: string;
  /** The name of the dialect. */
  readonly dialect: Dialect;
  /** The path that the rules were matched against, in normal form. */
  readonly path: string;
  /** The groups that apply and the reason, as a sentence without its period. */
  readonly basis: string;
  /** The reason why the deciding rule decides, as a sentence without its period. */
  readonly because: string;
  /** The token that selected the groups, if any. */
  readonly token: string | null;
  /** The product tokens that were looked up before `*`, in order. */
  readonly tokens: readonly string[];
  /** All rules of the groups that apply, in file order. */
  readonly rules: readonly Considered[];
}

/** The verdict on a URL of another site. */
export const OUT_OF_SCOPE: Verdict = Object.freeze({
  allowed: false,
  answer: "out-of-scope",
  line: null,
  reason: "out-of-scope",
  basis: "nothing",
  namesCrawler: false,
  advisory: false,
});

/** The lowest two bits of a verdict that allows the URL. */
const ALLOWED = 1;

/** Returns true if a verdict that the module returned as a number allows the URL. */
export function isAllowed(packed: number): boolean {
  return (packed & 3) === ALLOWED;
}

/** Returns a verdict that the module returned as a number; `packed` in `verdict.rs` describes its bits. */
export function unpacked(packed: number): Verdict {
  const bits = packed & 2047;
  return {
    allowed: isAllowed(packed),
    answer: ANSWERS[(bits + 3) & 3]!,
    line: Math.floor(packed / 2048) || null,
    reason: REASONS[(bits >> 2) & 15]!,
    basis: BASES[(bits >> 6) & 7]!,
    namesCrawler: (bits & 1024) !== 0,
    advisory: (bits & 512) !== 0,
  };
}

/** Returns the explanation that the module wrote. */
export function readExplanation(verdict: number, dialect: Dialect, parts: Parts): Explanation {
  return {
    verdict: unpacked(verdict),
    dialect,
    text: parts.text(),
    path: parts.text(),
    basis: parts.text(),
    because: parts.text(),
    token: parts.optional(),
    tokens: parts.list(),
    rules: readRules(parts),
  };
}

function readRules(parts: Parts): Considered[] {
  const rules: Considered[] = [];
  while (!parts.isDone) {
    rules.push({
      line: parts.number(),
      kind: parts.text() as "allow" | "disallow",
      value: parts.text(),
      pattern: parts.text(),
      priority: parts.number(),
      matches: parts.text() !== "",
      rank: parts.line(),
    });
  }
  return rules;
}
