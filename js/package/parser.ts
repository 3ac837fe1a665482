/** The methods of the package `robots-parser`. */

import { candidates, Robots, type Rules } from "./robots.js";
import { InvalidBody } from "./errors.js";
import { described } from "./described.js";
import type { Verdict } from "./verdict.js";

/** The host of relative URLs, which is not the host of any other URL. */
const RELATIVE = "http://relative.invalid/";

/** The number of user agents whose compiled rules are kept. Programs have one or two. */
const MAX_USER_AGENTS = 64;

/** A robots.txt with the methods of `robots-parser`. */
export interface Robot {
  /** Returns true or false, or `undefined` if the file has no answer: for a URL of another site, or text that is none. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** Returns true unless `isAllowed` returns true. */
  isDisallowed(url: string, ua?: string): boolean | undefined;
  /** Like `isDisallowed`, but only by groups that name the user agent. */
  isExplicitlyDisallowed(url: string, ua: string): boolean | undefined;
  /** Returns the line of the deciding rule, or -1. */
  getMatchingLineNumber(url: string, ua?: string): number;
  getCrawlDelay(ua?: string): number | undefined;
  getSitemaps(): string[];
  getPreferredHost(): string | null;
}

class ParsedFile implements Robot {
  #robots: Robots;
  #origin: string | null;
  #compiled = new Map<string, Rules>();

  constructor(url: unknown, contents: unknown) {
    if (typeof contents !== "string" && contents !== null && contents !== undefined) {
      throw new InvalidBody(`expected the content of the file as a string, found ${described(contents)}`);
    }
    this.#robots = new Robots(contents ?? "");
    this.#origin = parsed(url)?.origin ?? null;
  }

  isAllowed(url: string, ua?: string): boolean | undefined {
    const verdict = this.#check(url, ua);
    return verdict && (verdict.answer === "allowed" || verdict.answer === "disallowed") ? verdict.allowed : undefined;
  }

  isDisallowed(url: string, ua?: string): boolean | undefined {
    return !this.isAllowed(url, ua);
  }

  isExplicitlyDisallowed(url: string, ua: string): boolean | undefined {
    const verdict = this.#check(url, ua);
    if (!verdict) return undefined;
    const isNamed = verdict.namesCrawler || ua === "*";
    return isNamed && verdict.answer === "disallowed";
  }

  getMatchingLineNumber(url: string, ua?: string): number {
    return this.#check(url, ua)?.line ?? -1;
  }

  getCrawlDelay(ua?: string): number | undefined {
    return this.#rulesFor(ua).crawlDelay ?? undefined;
  }

  getSitemaps(): string[] {
    return this.#robots.sitemaps;
  }

  getPreferredHost(): string | null {
    const hosts = this.#robots.records.filter((record) => record.name === "Host" && record.value !== "");
    return hosts.at(-1)?.value.toLowerCase() ?? null;
  }

  #check(url: unknown, ua: string | undefined): Verdict | undefined {
    const origin = this.#origin;
    // Most URLs are of the site, and need not be parsed here.
    if (typeof url === "string" && origin !== null && url.startsWith(origin) && url[origin.length] === "/") {
      return this.#rulesFor(ua).check(url);
    }
    const asked = parsed(url);
    if (!asked || asked.origin !== this.#origin) return undefined;
    return this.#rulesFor(ua).check(asked.href);
  }

  /** Returns the rules for a user agent: its token, or the first token in a header that the file names. */
  #rulesFor(ua: string | undefined): Rules {
    const userAgent = String(ua || "*");
    let rules = this.#compiled.get(userAgent);
    if (!rules) {
      if (this.#compiled.size >= MAX_USER_AGENTS) this.#compiled.clear();
      rules = this.#select(userAgent);
      this.#compiled.set(userAgent, rules);
    }
    return rules;
  }

  #select(userAgent: string): Rules {
    if (/^[A-Za-z0-9_.-]+$|^\*$/.test(userAgent)) return this.#robots.rulesFor(userAgent);
    const found = candidates(userAgent);
    // As the original does with text that is no header.
    const tokens = found.length > 0 ? found : [userAgent.replace(/\/.*/s, "").trim()];
    const rules = tokens.map((token) => this.#robots.rulesFor(token, { literal: found.length === 0 }));
    return rules.find((rules) => rules.check("/").namesCrawler) ?? rules[0]!;
  }
}

/** Returns the parsed URL, or `null` if it is none or has no host. Text without a scheme is relative, as in the original. */
function parsed(url: unknown): URL | null {
  try {
    const found = new URL(String(url), RELATIVE);
    return found.origin === "null" ? null : found;
  } catch {
    return null;
  }
}

/** Reads a robots.txt. `url` is its address: URLs of other sites have no answer. */
export function robotsParser(url: string, contents: string): Robot {
  return new ParsedFile(url, contents);
}
