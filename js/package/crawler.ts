/** Crawlers as arguments. */

import { described } from "./described.js";
import { InvalidCrawler, InvalidOption } from "./errors.js";
import { requireArray, requireKnown } from "./options.js";
import { packed } from "./packed.js";

/** The values of three fields in the order of their numbers in the modules. */
const GOVERNED = ["yes", "may-bypass", "no", "control-token", "unstated"] as const;
const CRAWL_DELAYS = ["obeyed", "ignored", "unknown"] as const;
const PURPOSES = [
  "search",
  "ai-search",
  "ai-training",
  "user-triggered",
  "ads",
  "preview",
  "seo",
  "archive",
  "security",
  "tool",
  "other",
] as const;

/**
 * A crawler: its product token such as `ExampleBot`, a name of the crawler table such as `Googlebot-Image`, `*` for any
 * crawler that no group names, several tokens whose groups are merged, or a row of a crawler table of your own.
 */
export type Crawler = string | readonly string[] | CrawlerRow;

/**
 * A row of a crawler table, with the names of the file for the option `--crawlers` of the command. The fields that
 * decide about answers are read, and two for lints.
 */
export interface CrawlerRow extends UnreadFields {
  /** The product token. */
  token: string;
  /** The tokens that are looked up before `*` if no group names its own token. Defaults to none. */
  fallback?: readonly string[];
  /** False if the groups for `*` do not apply to it. Defaults to true. */
  obeys_star?: boolean;
  /** The statement of its operator about robots.txt. Defaults to `yes`. */
  governed?: (typeof GOVERNED)[number];
  /** Its support for `Crawl-delay`. Defaults to `unknown`. */
  crawl_delay?: (typeof CRAWL_DELAYS)[number];
  /** Its operator, which lints name. Defaults to the token. */
  operator?: string;
  /** Its purpose, by which lints choose. Defaults to `other`. */
  purpose?: (typeof PURPOSES)[number];
}

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

const [NAME, LITERAL, MERGED, MERGED_LITERAL, ROW] = [0, 1, 2, 3, 4];

/** The fields that are not read: those for people, and those about other files. `dialect` is an option of the file. */
const UNREAD = [
  "uses",
  "dialect",
  "page_rules",
  "verification",
  "docs",
  "checked",
  "confirmed",
  "retired",
  "note",
] as const;

type UnreadFields = { [name in (typeof UNREAD)[number]]?: unknown };

/** Reads the option `literal`. */
export function isLiteral(options: CrawlerOptions): boolean {
  requireKnown(options, ["literal"]);
  const { literal = false } = options;
  if (typeof literal !== "boolean") {
    throw new InvalidOption(`expected \`literal\` as true or false, found ${described(literal)}`);
  }
  return literal;
}

/** Reads a crawler. Bytes are for literal tokens that are not text. */
export function crawlerInput(crawler: unknown, literal: boolean): CrawlerInput {
  if (typeof crawler === "string") return { form: literal ? LITERAL : NAME, content: crawler };
  if (literal && crawler instanceof Uint8Array) return { form: LITERAL, content: crawler };
  if (isRow(crawler) && !literal) return rowInput(crawler);
  if (!Array.isArray(crawler) || crawler.some((token) => typeof token !== "string")) {
    const found = described(crawler);
    throw new InvalidCrawler(`expected a product token such as "ExampleBot", an array of them, or a row with a token, found ${found}`);
  }
  if (crawler.length === 0 && !literal) {
    throw new InvalidCrawler('expected at least one product token, found an empty array; use "*" for any crawler');
  }
  return { form: literal ? MERGED_LITERAL : MERGED, content: packed(crawler) };
}

/** Reads rows. Throws an error for a value that is no array of rows, and for a row whose token can be none. */
export function readRows(rows: unknown): CrawlerRow[] {
  requireArray(rows, "rows");
  return rows.map((row) => {
    if (!isRow(row)) throw new InvalidOption(`expected a row with a token, found ${described(row)}`);
    if (/^\s*$|[()]|\/v?\d/i.test(row.token)) {
      throw new InvalidCrawler(`expected the product token of a row, found ${described(row.token)}`);
    }
    rowInput(row);
    return row;
  });
}

/** Returns the parts of a row for lints: its form and content, its operator, and the number of its purpose. */
export function rowParts(row: CrawlerRow): (string | Uint8Array)[] {
  const { form, content } = rowInput(row);
  const { operator = row.token, purpose = "other" } = row;
  if (typeof operator !== "string") {
    throw new InvalidOption(`expected \`operator\` as a string, found ${described(operator)}`);
  }
  return [String(form), content, operator, String(numberOf("purpose", purpose, PURPOSES))];
}

function isRow(crawler: unknown): crawler is CrawlerRow {
  return typeof crawler === "object" && crawler !== null && typeof (crawler as CrawlerRow).token === "string";
}

/** Reads a row; `row.rs` describes the bits. Throws `InvalidOption` for a field with another name or type. */
function rowInput(row: CrawlerRow): CrawlerInput {
  requireKnown(row, ["token", "fallback", "obeys_star", "governed", "crawl_delay", "operator", "purpose", ...UNREAD]);
  const { token, fallback = [], obeys_star = true } = row;
  if (!Array.isArray(fallback) || fallback.some((token) => typeof token !== "string")) {
    throw new InvalidOption(`expected \`fallback\` as an array of product tokens, found ${described(fallback)}`);
  }
  if (typeof obeys_star !== "boolean") {
    throw new InvalidOption(`expected \`obeys_star\` as true or false, found ${described(obeys_star)}`);
  }
  const delay = numberOf("crawl_delay", row.crawl_delay ?? "unknown", CRAWL_DELAYS);
  const stated = numberOf("governed", row.governed ?? "yes", GOVERNED);
  return { form: ROW | (obeys_star ? 8 : 0) | (delay << 4) | (stated << 6), content: packed([token, ...fallback]) };
}

function numberOf(field: string, value: string, known: readonly string[]): number {
  const number = known.indexOf(value);
  if (number < 0) {
    throw new InvalidOption(`expected \`${field}\` as one of ${known.join(", ")}, found ${described(value)}`);
  }
  return number;
}
