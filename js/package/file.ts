/** Files and compiled rules in the module `check`. */

import { copied } from "./body.js";
import type { CrawlerInput } from "./crawler.js";
import { Engine, type Buffers, type Parts } from "./engine.js";
import { described } from "./described.js";
import { InvalidCrawler, InvalidOption } from "./errors.js";
import type { RobotsFile } from "./file-key.js";
import { pathStart } from "./url.js";

/** The way in which a file is read: RFC 9309, or as a search engine reads it. */
export type Dialect = (typeof DIALECTS)[number];

/** The dialects in the order of their numbers in the module. */
const DIALECTS = ["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"] as const;

interface Check extends Buffers {
  limit(bytes: number): void;
  parse(serial: number, length: number, dialect: number): number;
  compile(serial: number, file: number, fileSerial: number, form: number, length: number): number;
  check(rules: number, serial: number, length: number): number;
  ask(file: number, serial: number, form: number, crawlerLength: number, length: number): number;
  explain(file: number, serial: number, form: number, crawlerLength: number, length: number): number;
  crawl_delay(rules: number, serial: number): number;
  records(file: number, serial: number): number;
  candidates(length: number): void;
}

const GONE = -1;
const UNKNOWN = -1;
const REFUSED = -2;

let load: () => WebAssembly.Exports;
let isInline = false;

/** Sets the function that starts the module. One that needs no other file is kept. */
export function provide(start: () => WebAssembly.Exports, inline = false): void {
  if (!isInline) load = start;
  isInline ||= inline;
}

let started: Engine<Check> | undefined;

function start(): Engine<Check> {
  return (started ??= Engine.start<Check>(load));
}

/** The most that a module can keep: its whole memory ends at 4 GiB. */
const MAX_MEMORY = 1 << 30;

/** Sets the memory of files and rules that the module keeps, in bytes. */
export function setMemory(bytes: unknown): void {
  if (!Number.isInteger(bytes) || (bytes as number) < 0 || (bytes as number) > MAX_MEMORY) {
    const found = typeof bytes === "number" ? String(bytes) : described(bytes);
    throw new InvalidOption(`expected \`memory\` as a whole number of bytes up to ${MAX_MEMORY}, found ${found}`);
  }
  start().exports.limit(bytes as number);
}

/** The number that tells a value from all before it. */
let serials = 0;

/** A file: its body, and its place in the module. The module keeps the files that were used last, up to a limit. */
export class File implements RobotsFile {
  readonly body: string | Uint8Array;
  readonly dialect: Dialect;
  #dialect: number;
  #slot = 0;
  #serial = 0;

  constructor(body: unknown, dialect: unknown) {
    const name = String(dialect).toLowerCase() as Dialect;
    const number = DIALECTS.indexOf(name);
    if (typeof dialect !== "string" || number < 0) {
      throw new InvalidOption(`expected a dialect (${DIALECTS.join(", ")}), found ${described(dialect)}`);
    }
    this.body = copied(body, name === "google-parser" ? Infinity : undefined);
    this.dialect = name;
    this.#dialect = number;
  }

  /** Calls a function of the module with the place of the file, and parses the file if it is not kept. */
  #with(call: (engine: Engine<Check>, slot: number, serial: number) => number): number {
    const engine = start();
    let result = this.#serial === 0 ? GONE : call(engine, this.#slot, this.#serial);
    if (result === GONE) {
      const { body } = this;
      const length = typeof body === "string" ? engine.write(body) : engine.writeBytes(body);
      serials += 1;
      this.#slot = engine.exports.parse(serials, length, this.#dialect);
      this.#serial = serials;
      result = call(engine, this.#slot, this.#serial);
    }
    if (result === REFUSED) throw refused(engine.read());
    return result;
  }

  /** Returns the place of new compiled rules. */
  compile(crawler: CrawlerInput): Place {
    serials += 1;
    const serial = serials;
    const slot = this.#with((engine, file, fileSerial) => {
      const { form, content } = crawler;
      const length = typeof content === "string" ? engine.write(content) : engine.writeBytes(content);
      return engine.exports.compile(serial, file, fileSerial, form, length);
    });
    return { slot, serial };
  }

  /** Returns the verdict on a URL as a number. */
  ask(crawler: CrawlerInput, url: string | Uint8Array): number {
    return this.#with((engine, slot, serial) => {
      const [crawlerLength, length] = writeQuestion(engine, crawler.content, url);
      return engine.exports.ask(slot, serial, crawler.form, crawlerLength, length);
    });
  }

  /** Returns the verdict on a URL as a number, and its reasons. */
  explain(crawler: CrawlerInput, url: string): [number, Parts] {
    const verdict = this.#with((engine, slot, serial) => {
      const [crawlerLength, length] = writeQuestion(engine, crawler.content, url);
      return engine.exports.explain(slot, serial, crawler.form, crawlerLength, length);
    });
    return [verdict, start().read()];
  }

  /** Returns the sitemaps and the records. */
  records(): Parts {
    this.#with((engine, slot, serial) => engine.exports.records(slot, serial));
    return start().read();
  }
}

/** The place of a value in the module. */
interface Place {
  slot: number;
  serial: number;
}

/** Compiled rules: their file and crawler, and their place in the module. */
export class CompiledRules {
  #file: File;
  #crawler: CrawlerInput;
  #place: Place;

  constructor(file: File, crawler: CrawlerInput) {
    this.#file = file;
    this.#crawler = crawler;
    this.#place = file.compile(crawler);
  }

  /**
   * Returns the verdict on a URL as a number, if the URL is known to be of this origin and in the form in which it is sent.
   * Returns -1 otherwise.
   */
  checkPlain(url: string, origin: string | null): number {
    const from = pathStart(url, origin);
    if (from < 0) return UNKNOWN;
    const engine = started ?? start();
    const length = engine.writePath(url, from);
    if (length < 0) return UNKNOWN;
    const found = engine.exports.check(this.#place.slot, this.#place.serial, length);
    return found === GONE ? this.check(url) : found;
  }

  /** Returns the verdict on a URL as a number. */
  check(url: string | Uint8Array): number {
    const engine = start();
    let length = typeof url === "string" ? engine.write(url) : engine.writeBytes(url);
    const found = engine.exports.check(this.#place.slot, this.#place.serial, length);
    if (found !== GONE) return found;
    this.#place = this.#file.compile(this.#crawler);
    length = typeof url === "string" ? engine.write(url) : engine.writeBytes(url);
    return engine.exports.check(this.#place.slot, this.#place.serial, length);
  }

  /** Returns the crawl-delay in seconds, or `null`. */
  crawlDelay(): number | null {
    const { exports } = start();
    let found = exports.crawl_delay(this.#place.slot, this.#place.serial);
    if (found === GONE) {
      this.#place = this.#file.compile(this.#crawler);
      found = exports.crawl_delay(this.#place.slot, this.#place.serial);
    }
    return Number.isNaN(found) ? null : found;
  }
}

/** Returns the tokens that a `User-Agent` header may mean, with these tokens in the table. */
export function candidatesIn(header: string, tokens: readonly string[]): string[] {
  const engine = start();
  engine.exports.candidates(engine.writeParts([header, ...tokens]));
  return engine.read().list();
}

/** Writes a crawler and a URL. Returns the length of the crawler and of both, in bytes. */
function writeQuestion(engine: Engine<Check>, crawler: string | Uint8Array, url: string | Uint8Array): [number, number] {
  if (typeof crawler === "string" && typeof url === "string" && isAscii(crawler)) {
    return [crawler.length, engine.write(crawler + url)];
  }
  const [first, second] = [encoded(crawler), encoded(url)];
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return [first.length, engine.writeBytes(both)];
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 127) return false;
  }
  return true;
}

function encoded(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

/** Returns the error that the module wrote. */
function refused(output: Parts): InvalidCrawler {
  return new InvalidCrawler(output.text(), output.optional());
}
