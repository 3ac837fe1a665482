/** Options as arguments. */

import { described } from "./described.js";
import { InvalidOption } from "./errors.js";

/** Throws `InvalidOption` for a value that is no object, and for an option with another name: it would be ignored. */
export function requireKnown(options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOption(`expected options as an object, found ${described(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      const known = names.map((name) => `\`${name}\``).join(", ");
      throw new InvalidOption(`expected options among ${known}, found ${described(name)}, which is unknown`);
    }
  }
}

/** Throws `InvalidOption` for a value that is no array. */
export function requireArray(found: unknown, of: string): asserts found is unknown[] {
  if (!Array.isArray(found)) throw new InvalidOption(`expected an array of ${of}, found ${described(found)}`);
}
