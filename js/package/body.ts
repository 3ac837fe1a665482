/** Bodies of robots.txt files as arguments. */

import { described } from "./described.js";
import { InvalidBody } from "./errors.js";

/** A body: text, or bytes. */
export type Body = string | ArrayBuffer | ArrayBufferView;

/** Returns a body that its owner cannot change. Throws `InvalidBody` if it is neither text nor bytes. */
export function copied(body: unknown): string | Uint8Array {
  if (typeof body === "string") return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  // Not `instanceof`, which is false for a buffer of another realm, as in some test runners.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer).slice();
  throw new InvalidBody(
    `expected the body as a string, an ArrayBuffer or a Uint8Array, found ${described(body)}; pass the content of the ` +
      "response, such as `await response.arrayBuffer()`",
  );
}
