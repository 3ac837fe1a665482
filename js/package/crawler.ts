/** Crawlers as arguments. */

import { described } from "./described.js";
import { InvalidCrawler } from "./errors.js";
import { packed } from "./packed.js";

/**
 * A crawler: its product token such as `ExampleBot`, a name of the crawler table such as `Googlebot-Image`, `*` for any
 * crawler that no group names, or several tokens whose groups are merged.
 */
export type Crawler = string | readonly string[];

/** Options of questions that name a crawler. */
export interface CrawlerOptions {
  /** True to use the token alone: it is neither looked up in the crawler table nor checked. Defaults to false. */
  literal?: boolean;
}

/** A crawler in the form in which a module reads it. */
export interface CrawlerInput {
  form: number;
  content: string | Uint8Array;
}

const [NAME, LITERAL, MERGED, MERGED_LITERAL] = [0, 1, 2, 3];

/** Reads a crawler. Bytes are for literal tokens that are not text. */
export function crawlerInput(crawler: unknown, literal: boolean): CrawlerInput {
  if (typeof crawler === "string") return { form: literal ? LITERAL : NAME, content: crawler };
  if (literal && crawler instanceof Uint8Array) return { form: LITERAL, content: crawler };
  if (!Array.isArray(crawler) || crawler.some((token) => typeof token !== "string")) {
    const found = described(crawler);
    throw new InvalidCrawler(`expected a product token such as "ExampleBot", or an array of them, found ${found}`);
  }
  if (crawler.length === 0 && !literal) {
    throw new InvalidCrawler('expected at least one product token, found an empty array; use "*" for any crawler');
  }
  return { form: literal ? MERGED_LITERAL : MERGED, content: packed(crawler) };
}
