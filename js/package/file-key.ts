/** The key of the file in a `Robots`, by which the other modules of the package read its body and dialect. */

import type { Dialect } from "./file.js";

/** The key. Each copy of the package has the same one. */
export const FILE = Symbol.for("comity.file");

/** The body and the dialect of a file. */
export interface RobotsFile {
  readonly body: string | Uint8Array;
  readonly dialect: Dialect;
}
