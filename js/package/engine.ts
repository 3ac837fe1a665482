/** A WebAssembly module of the package, and the buffers through which text and bytes pass to it. */

import { NoWebAssembly } from "./errors.js";
import { requireArray } from "./options.js";
import { ENCODER, packed } from "./packed.js";

/** The exports that each module has. */
export interface Buffers {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  output_len(): number;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The least size of the input buffer in bytes: nearly all questions fit. */
const MIN_ROOM = 4096;

/** Text that is longer is encoded apart, since its room in the buffer would be three times its length. */
const MAX_SHORT = 65_536;

/** For each byte, 1 if the URL parser keeps it unchanged in paths and in queries. */
const PLAIN = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@/%?") {
  PLAIN[character.charCodeAt(0)] = 1;
}

const [SLASH, DOT, PERCENT] = [47, 46, 37];

const FORBIDDEN =
  "if a content security policy forbids it, add 'wasm-unsafe-eval' to its script-src; a Worker needs `comity`, not `comity/inline`";

const MISSING =
  "a bundler that does not copy the `.wasm` file beside the script must leave the package out of the bundle (of esbuild: " +
  "`--external:comity`), or the program imports `comity/inline`, which contains it";

/** A module that has been started. */
export class Engine<E extends Buffers> {
  readonly exports: E;
  /** The input buffer. It has no length if the memory has grown since. */
  #room = new Uint8Array();

  private constructor(exports: E) {
    this.exports = exports;
  }

  /** Starts a module. Throws `NoWebAssembly` if the platform has no WebAssembly or does not allow it. */
  static start<E extends Buffers>(load: () => WebAssembly.Exports): Engine<E> {
    if (typeof WebAssembly === "undefined") {
      throw new NoWebAssembly("expected a platform with WebAssembly, found none; comity does not work without it");
    }
    try {
      return new Engine(load() as unknown as E);
    } catch (cause) {
      const found = cause instanceof Error ? cause.message : String(cause);
      const isForbidden = cause instanceof WebAssembly.CompileError;
      const message = `expected to start WebAssembly, found an error: ${found}; ${isForbidden ? FORBIDDEN : MISSING}`;
      throw new NoWebAssembly(message, { cause });
    }
  }

  #reserve(length: number): Uint8Array {
    const room = this.#room.length;
    if (room < length || room === 0 || room > 1 << 20) {
      const size = Math.max(length, MIN_ROOM);
      const at = this.exports.input(size) >>> 0;
      this.#room = new Uint8Array(this.exports.memory.buffer, at, size);
    }
    return this.#room;
  }

  /** Writes text into the input buffer. Returns its length in bytes. */
  write(text: string): number {
    const { length } = text;
    if (length > MAX_SHORT) return this.writeBytes(ENCODER.encode(text));
    const room = this.#reserve(length * 3);
    // A loop is faster than the encoder for the length of a URL.
    if (length > 256) return ENCODER.encodeInto(text, room).written;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127) return ENCODER.encodeInto(text, room).written;
      room[at] = unit;
    }
    return length;
  }

  /**
   * Writes a path, which starts at an index of a URL, into the input buffer. Returns its length, or -1 if it may not be in
   * the form in which a browser sends it. Both in one loop take a third of the time of a pattern and a copy.
   */
  writePath(url: string, start: number): number {
    const { length } = url;
    const room = this.#reserve(length - start);
    let last = 0;
    for (let at = start; at < length; at++) {
      const unit = url.charCodeAt(at);
      // A segment that starts with a dot may be `.` or `..`; `%2E` is a dot.
      if (PLAIN[unit] !== 1 || (last === SLASH && (unit === DOT || unit === PERCENT))) return -1;
      room[at - start] = unit;
      last = unit;
    }
    return length - start;
  }

  /** Writes bytes into the input buffer. Returns their number. */
  writeBytes(bytes: Uint8Array): number {
    this.#reserve(bytes.length).set(bytes);
    return bytes.length;
  }

  /** Writes parts into the input buffer. Returns their length in bytes. */
  writeParts(parts: readonly (string | Uint8Array)[]): number {
    return this.writeBytes(packed(parts));
  }

  /** Returns a reader of the output. */
  read(): Parts {
    const at = this.exports.output() >>> 0;
    // A copy, which the next call does not change.
    return new Parts(new Uint8Array(this.exports.memory.buffer, at, this.exports.output_len()).slice());
  }
}

/** Returns parts that a module reads as a list: their number, and the parts. */
export function list(parts: readonly string[]): string[] {
  requireArray(parts, "texts");
  return [String(parts.length), ...parts];
}

/** A reader of parts. */
export class Parts {
  #bytes: Uint8Array;
  #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** True if nothing is left. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  text(): string {
    const start = this.#at + 4;
    this.#at = start + this.#view.getUint32(this.#at, true);
    return DECODER.decode(this.#bytes.subarray(start, this.#at));
  }

  number(): number {
    return Number(this.text());
  }

  list(): string[] {
    return Array.from({ length: this.number() }, () => this.text());
  }

  /** Reads a list of one text or none. */
  optional(): string | null {
    return this.list()[0] ?? null;
  }

  /** Reads a number from 1; 0 means that there is none. */
  line(): number | null {
    return this.number() || null;
  }
}
