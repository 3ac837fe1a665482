/** The test data of the project, and the reference data beside it. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

export const ROOT = path.resolve(import.meta.dirname, "../..");

const SHARED = path.resolve(ROOT, process.env.COMITY_SHARED ?? "../shared");

/** The option of a test that needs reference data: the reason to skip it, or false. */
export const needsReference = {
  skip: existsSync(SHARED) ? false : `${SHARED} is not there; set COMITY_SHARED to the reference data`,
};

/** Returns the bytes of a file of the reference data. */
export function reference(name) {
  return readFileSync(path.join(SHARED, name));
}

/** Returns the lines of a gzip-compressed JSON Lines file of the reference data. */
export function* jsonLines(name) {
  const text = gunzipSync(reference(`golden/${name}.jsonl.gz`)).toString();
  for (const line of text.split("\n")) {
    if (line !== "") yield JSON.parse(line);
  }
}

/** Returns a text field, or the bytes of its base64 form. */
export function content(value, key) {
  return value[key] ?? Buffer.from(value[`${key}_b64`], "base64");
}
