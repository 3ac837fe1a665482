/** Files and rules: what `comity` and `comity/inline` export. */

import { crawlerInput, isLiteral, readRows, type Crawler, type CrawlerOptions, type CrawlerRow } from "./crawler.js";
import type { Body } from "./body.js";
import { candidatesIn, CompiledRules, File, setMemory, type Dialect } from "./file.js";
import { FILE } from "./file-key.js";
import { InvalidCrawler, InvalidOption, InvalidUrl } from "./errors.js";
import { described } from "./described.js";
import { requireKnown } from "./options.js";
import { isSent, parse, parseOrigin, textOf } from "./url.js";
import { isAllowed, OUT_OF_SCOPE, readExplanation, unpacked, type Explanation, type Verdict } from "./verdict.js";

export type { Crawler, CrawlerOptions, CrawlerRow } from "./crawler.js";
export * from "./errors.js";
export type { Body } from "./body.js";
export type { Dialect } from "./file.js";
export type { Answer, Basis, Considered, Explanation, Reason, Verdict } from "./verdict.js";

/** Options of a file. */
export interface RobotsOptions {
  /** The dialect, in any case. Defaults to `standard`, which is RFC 9309. */
  dialect?: Dialect;
  /** A URL of the site of the file. URLs of other sites then have no answer. Defaults to any site. */
  origin?: string | URL;
}

/** Settings of the package. */
export interface Configuration {
  /** The memory of files and rules that are kept, in bytes: up to 1 GiB. Defaults to 16 MiB. */
  memory?: number;
}

/** Changes settings for all files. The memory of a module never shrinks, so set it before the first question. */
export function configure(configuration: Configuration): void {
  requireKnown(configuration, ["memory"]);
  if (configuration.memory !== undefined) setMemory(configuration.memory);
}

/** A record that is neither a user-agent line nor a rule, such as `Sitemap`. */
export interface RobotsRecord {
  /** The line, from 1. */
  readonly line: number;
  /** The name: in its usual spelling, or as written in the file if it is unknown. */
  readonly name: string;
  /** The value as written in the file. */
  readonly value: string;
}

/** A robots.txt. It cannot change. Reading it never fails, whatever its bytes. */
export class Robots {
  /** The origin of the site, such as `https://example.com`. `null` if none was given. */
  readonly origin: string | null;
  /** @internal */
  readonly [FILE]: File;

  constructor(body: Body, options: RobotsOptions = {}) {
    requireKnown(options, ["dialect", "origin"]);
    this[FILE] = new File(body, options.dialect ?? "standard");
    this.origin = options.origin === undefined ? null : parseOrigin(options.origin);
  }

  /** The name of the dialect. */
  get dialect(): Dialect {
    return this[FILE].dialect;
  }

  /**
   * Returns the rules for a crawler, compiled for many questions.
   *
   * A crawler of the crawler table has its documented fallback tokens: `Googlebot-Image` obeys the groups of Googlebot
   * if none names it. Throws `InvalidCrawler` for a `User-Agent` header, and names the token that is probably meant.
   */
  rulesFor(crawler: Crawler, options: CrawlerOptions = {}): Rules {
    return new Rules(this, crawler, options);
  }

  /**
   * Checks whether a crawler may fetch a URL. For many URLs, `rulesFor` is faster.
   *
   * The URL is absolute, or a path that starts with `/`. It is parsed as a browser parses it: `/a/../b` is `/b`.
   */
  check(url: string | URL, crawler: Crawler, options: CrawlerOptions = {}): Verdict {
    const sent = sentIn(this.origin, url);
    const input = crawlerInput(crawler, isLiteral(options));
    return sent === null ? OUT_OF_SCOPE : unpacked(this[FILE].ask(input, sent));
  }

  /** Returns true if a crawler may fetch a URL. Returns false if it may not, and if there is no answer. */
  isAllowed(url: string | URL, crawler: Crawler, options: CrawlerOptions = {}): boolean {
    const sent = sentIn(this.origin, url);
    const input = crawlerInput(crawler, isLiteral(options));
    return sent !== null && isAllowed(this[FILE].ask(input, sent));
  }

  /** Returns for each URL whether a crawler may fetch it, as `isAllowed` does. */
  areAllowed(urls: Iterable<string | URL>, crawler: Crawler, options: CrawlerOptions = {}): boolean[] {
    return this.rulesFor(crawler, options).areAllowed(urls);
  }

  /** Returns the verdict on a URL with all rules that were considered, whatever the site of the URL. */
  explain(url: string | URL, crawler: Crawler, options: CrawlerOptions = {}): Explanation {
    const text = textOf(url);
    const sent = isSent(text) ? text : parse(text).url;
    const input = crawlerInput(crawler, isLiteral(options));
    const [verdict, parts] = this[FILE].explain(input, sent);
    return readExplanation(verdict, this.dialect, parts);
  }

  /** Returns the crawl-delay for a crawler in seconds, or `null`. It has no upper limit. */
  crawlDelay(crawler: Crawler): number | null {
    return this.rulesFor(crawler).crawlDelay;
  }

  /** The URLs of the `Sitemap` records, in file order. */
  get sitemaps(): string[] {
    return this[FILE].records().list();
  }

  /** All records except user-agent lines and rules, in file order. */
  get records(): RobotsRecord[] {
    const parts = this[FILE].records();
    parts.list();
    const records: RobotsRecord[] = [];
    while (!parts.isDone) records.push({ line: parts.number(), name: parts.text(), value: parts.text() });
    return records;
  }
}

/** The rules of a robots.txt for one crawler, compiled for many questions. `Robots.rulesFor` returns them. */
export class Rules {
  #compiled: CompiledRules;
  #origin: string | null;

  constructor(robots: Robots, crawler: Crawler, options: CrawlerOptions = {}) {
    this.#compiled = new CompiledRules(robots[FILE], crawlerInput(crawler, isLiteral(options)));
    this.#origin = robots.origin;
  }

  /** Checks whether the crawler may fetch a URL, or a path that starts with `/`. */
  check(url: string | URL): Verdict {
    const text = textOf(url);
    const found = this.#compiled.checkPlain(text, this.#origin);
    if (found >= 0) return unpacked(found);
    const sent = sentIn(this.#origin, text);
    return sent === null ? OUT_OF_SCOPE : unpacked(this.#compiled.check(sent));
  }

  /**
   * Checks a URL or a path as it is, without parsing it as a browser would: nothing is escaped, and no host is examined.
   * Only dot segments and backslashes are resolved, except in the dialect `google-parser`. Text that is neither a URL nor
   * a path is out of scope. For tests of parsers, and for URLs that are known to be in the form in which they are sent.
   */
  checkAsIs(url: string | Uint8Array): Verdict {
    return unpacked(this.#compiled.check(url instanceof Uint8Array ? url : textOf(url)));
  }

  /** Returns true if the crawler may fetch a URL. Returns false if it may not, and if there is no answer. */
  isAllowed(url: string | URL): boolean {
    const text = textOf(url);
    const found = this.#compiled.checkPlain(text, this.#origin);
    if (found >= 0) return isAllowed(found);
    const sent = sentIn(this.#origin, text);
    return sent !== null && isAllowed(this.#compiled.check(sent));
  }

  /** Returns for each URL what `isAllowed` returns. An error names the place of its URL. */
  areAllowed(urls: Iterable<string | URL>): boolean[] {
    if (typeof urls !== "object" || urls === null || !(Symbol.iterator in urls)) {
      throw new InvalidOption(`expected a list of URLs, found ${described(urls)}`);
    }
    return Array.from(urls, (url, at) => {
      try {
        return this.isAllowed(url);
      } catch (error) {
        throw error instanceof InvalidUrl ? new InvalidUrl(`urls[${at}]: ${error.message}`) : error;
      }
    });
  }

  /** The crawl-delay for the crawler in seconds, or `null`. It has no upper limit. */
  get crawlDelay(): number | null {
    return this.#compiled.crawlDelay();
  }
}

/** Options of `candidates`. */
export interface CandidateOptions {
  /** Rows that are added to the crawler table. Defaults to none. */
  crawlers?: readonly CrawlerRow[];
}

/**
 * Returns the product tokens that a `User-Agent` header may mean, most likely first. Returns none for browsers.
 */
export function candidates(userAgent: string, options: CandidateOptions = {}): string[] {
  requireKnown(options, ["crawlers"]);
  if (typeof userAgent !== "string") {
    throw new InvalidCrawler(`expected a User-Agent header as a string, found ${described(userAgent)}`);
  }
  return candidatesIn(userAgent, readRows(options.crawlers ?? []).map(({ token }) => token));
}

/** Returns a URL as it is sent, or `null` if it is one of another site. */
function sentIn(origin: string | null, asked: unknown): string | null {
  const url = textOf(asked);
  const isOfSite = origin === null || url.startsWith("/") || (url.startsWith(origin) && url[origin.length] === "/");
  if (isOfSite && isSent(url)) return url;
  const sent = parse(url);
  return origin === null || sent.origin === null || sent.origin === origin ? sent.url : null;
}
